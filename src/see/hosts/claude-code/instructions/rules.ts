import path from "node:path"
import { isInside } from "#ground/base"
import type { DiskEntry } from "../../files/disk.ts"
import { DEEPEST_FOLDER_LEVELS } from "../../limits.ts"
import type { Source } from "../../source.ts"
import type { InstructionKind } from "../sources.ts"
import { type Chains, type Instruction, loadRule } from "./chain.ts"

export type RulesFolder = {
  readonly path: string
  readonly kind: InstructionKind
  readonly place: Source
}

type Level = RulesFolder & {
  readonly shown: string
  readonly depth: number
}

export async function loadRules(
  folder: RulesFolder,
  chains: Chains,
): Promise<readonly Instruction[]> {
  return loadLevel({ ...folder, shown: folder.path, depth: 0 }, chains, new Set())
}

async function loadLevel(
  level: Level,
  chains: Chains,
  visited: Set<string>,
): Promise<readonly Instruction[]> {
  if (visited.has(level.path)) return []
  const { reader } = chains
  const real = await reader.realPath(level.path)
  const isClosed = real !== undefined && (await leadsOutside(level, real, chains))
  if (isClosed) noteLink(level.path, level, chains)
  if (isClosed) return []
  const entries = await reader.list(level.path, level.place.source)
  if (real === undefined) return []
  visited.add(level.path).add(real)
  const loaded: Instruction[] = []
  for (const entry of entries) {
    const rule = await lookAt(entry, { ...level, real }, chains)
    if (rule.kind === "folder" && level.depth < DEEPEST_FOLDER_LEVELS) {
      const next = { ...level, path: rule.path, shown: rule.shown, depth: level.depth + 1 }
      loaded.push(...(await loadLevel(next, chains, visited)))
    }
    if (rule.kind === "rule") {
      const { kind, place } = level
      loaded.push(
        ...(await loadRule({ path: rule.path, kind, place, foundAt: rule.shown }, chains)),
      )
    }
  }
  return loaded
}

/** A folder that links out of the working directory must be allowed first. */
async function leadsOutside(level: Level, real: string, chains: Chains): Promise<boolean> {
  const isFree = level.kind === "user" || chains.isExternalAllowed || isInside(chains.cwd, real)
  if (isFree || level.depth > 0) return false
  const dotClaude = path.dirname(level.path)
  const ofProject = path.dirname(dotClaude)
  const isProject = level.kind === "project" && isInside(ofProject, chains.cwd)
  return (await isLink(level.path, chains)) || (isProject && (await isLink(dotClaude, chains)))
}

async function isLink(file: string, { reader }: Chains): Promise<boolean> {
  const above = await reader.realPath(path.dirname(file))
  const real = await reader.realPath(file)
  return above !== undefined && real !== path.join(above, path.basename(file))
}

type RuleEntry =
  | { readonly kind: "folder" | "rule"; readonly path: string; readonly shown: string }
  | { readonly kind: "nothing" }

async function lookAt(
  entry: DiskEntry,
  level: Level & { readonly real: string },
  chains: Chains,
): Promise<RuleEntry> {
  const { reader } = chains
  const shown = path.join(level.shown, entry.name)
  const real = await reader.realPath(path.join(level.path, entry.name))
  if (real === undefined) return { kind: "nothing" }
  const isElsewhere = real !== path.join(level.real, entry.name) && !isInside(chains.cwd, real)
  if (isElsewhere && level.kind !== "user" && !chains.isExternalAllowed) {
    noteLink(shown, level, chains)
    return { kind: "nothing" }
  }
  const what = entry.what === "link" ? await reader.kindOf(real) : entry.what
  const isRule = what === "file" && entry.name.endsWith(".md")
  if (!isRule && what !== "directory") return { kind: "nothing" }
  if (shown !== real && chains.isExcluded(shown, level.kind)) {
    const { source } = level.place
    reader.mark({
      path: shown,
      source,
      outcome: "excluded",
      detail: "excluded by claudeMdExcludes",
    })
    return { kind: "nothing" }
  }
  return { kind: isRule ? "rule" : "folder", path: real, shown }
}

function noteLink(file: string, level: Level, { reader }: Chains): void {
  reader.mark({
    path: file,
    source: level.place.source,
    outcome: "excluded",
    detail: "link to outside the working directory",
  })
  const text =
    "This link leads outside the working directory; the host follows it only after approval."
  reader.note({ code: "link-outside", text, path: file })
}
