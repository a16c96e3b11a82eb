import path from "node:path"
import { compareText } from "#ground/base"
import type { SurveyReader } from "../survey-reader.ts"
import type { DiskEntry } from "./disk.ts"

/** A path of 4,096 bytes cannot have more relevant parents. */
const DEEPEST_ANCESTOR_LEVELS = 256

type SkillWalk = {
  readonly source: string
  readonly deepestLevels: number
  readonly followsLinks: boolean
  readonly takesLinks: boolean
  readonly goesBelowSkills: boolean
}

export async function findSkillFiles(
  reader: SurveyReader,
  root: string,
  walk: SkillWalk,
): Promise<readonly string[]> {
  const skillFiles: string[] = []
  const seen = new Set<string>()

  async function visit(folder: string, level: number): Promise<void> {
    const real = (await reader.realPath(folder)) ?? folder
    if (seen.has(real)) return
    seen.add(real)
    const entries = await reader.list(folder, walk.source)
    const isSkill = ({ name, what }: DiskEntry) =>
      name === SKILL_FILE && (what === "file" || (what === "link" && walk.takesLinks))
    const hasSkill = entries.some(isSkill)
    if (hasSkill) skillFiles.push(path.join(folder, SKILL_FILE))
    if (level === walk.deepestLevels || (hasSkill && !walk.goesBelowSkills)) return
    for (const { name, what } of entries.toSorted((a, b) => compareText(a.name, b.name))) {
      const mayEnter = what === "directory" || (what === "link" && walk.followsLinks)
      if (!mayEnter || name.startsWith(".")) continue
      const isFolder = what === "directory" || (await isFolderAt(reader, path.join(folder, name)))
      if (isFolder) await visit(path.join(folder, name), level + 1)
    }
  }
  await visit(root, 0)
  return skillFiles
}

const SKILL_FILE = "SKILL.md"

/** One byte shows that a path is a folder. */
async function isFolderAt(reader: SurveyReader, at: string): Promise<boolean> {
  return (await reader.peek(at, 1)).kind === "directory"
}

export function foldersUp(start: string): readonly string[] {
  const folders = [start]
  for (let at = start; folders.length < DEEPEST_ANCESTOR_LEVELS; ) {
    const parent = path.dirname(at)
    if (parent === at) break
    folders.push(parent)
    at = parent
  }
  return folders
}

export function foldersDown(top: string, bottom: string): readonly string[] {
  const up = foldersUp(bottom)
  const end = up.indexOf(top)
  return end === -1 ? [bottom] : up.slice(0, end + 1).toReversed()
}

export async function findUp(
  start: string,
  isIt: (folder: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const folder of foldersUp(start)) if (await isIt(folder)) return folder
  return undefined
}
