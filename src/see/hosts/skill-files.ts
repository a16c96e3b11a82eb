import path from "node:path"
import { compareText } from "#ground/base"
import type { DiskEntry } from "./disk.ts"
import type { Look } from "./look.ts"

export type SkillWalk = {
  readonly source: string
  readonly deepestLevels: number
  /** Whether a folder that is a link is gone into. */
  readonly followsLinks: boolean
  /** Whether a SKILL.md that is a link counts. */
  readonly takesLinks: boolean
  /** Whether a folder with a skill of its own is searched for more. */
  readonly goesBelowSkills: boolean
}

/** Every `SKILL.md` below a folder, by the names of the folders; hidden ones are left out. */
export async function findSkillFiles(
  look: Look,
  root: string,
  walk: SkillWalk,
): Promise<readonly string[]> {
  const found: string[] = []
  const seen = new Set<string>()

  async function visit(folder: string, level: number): Promise<void> {
    const real = (await look.realPath(folder)) ?? folder
    if (seen.has(real)) return
    seen.add(real)
    const entries = await look.list(folder, walk.source)
    const isSkill = ({ name, what }: DiskEntry) =>
      name === SKILL_FILE && (what === "file" || (what === "link" && walk.takesLinks))
    const hasSkill = entries.some(isSkill)
    if (hasSkill) found.push(path.join(folder, SKILL_FILE))
    if (level === walk.deepestLevels || (hasSkill && !walk.goesBelowSkills)) return
    for (const { name, what } of entries.toSorted((a, b) => compareText(a.name, b.name))) {
      const mayEnter = what === "directory" || (what === "link" && walk.followsLinks)
      if (!mayEnter || name.startsWith(".")) continue
      const isFolder = what === "directory" || (await isFolderAt(look, path.join(folder, name)))
      if (isFolder) await visit(path.join(folder, name), level + 1)
    }
  }
  await visit(root, 0)
  return found
}

const SKILL_FILE = "SKILL.md"

/** One byte is enough to see that something is a folder. */
async function isFolderAt(look: Look, at: string): Promise<boolean> {
  return (await look.peek(at, 1)).kind === "directory"
}
