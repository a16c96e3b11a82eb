import path from "node:path"
import { isRecord } from "#ground/base"
import type { SettingsLayer } from "../../host.ts"
import { walkSource } from "../../source.ts"
import { type Settings, within } from "../settings.ts"
import { at } from "../sources.ts"
import { type Chains, type Instruction, loadFile } from "./chain.ts"

const CLAUDE_NAMES = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"] as const
const AGENTS_NAMES = ["AGENTS.md", ".claude/AGENTS.md"] as const

/** The host's built-in plugin that reads AGENTS.md. */
const PLUGIN = "cc-plugin-agents-md@builtin"

type Mode = "claude-md" | "claude-md-or-agents-md" | "claude-md-and-agents-md" | "managed-only"

export function modeOf(settings: Settings): Mode {
  if (firstOf(settings.layers, "enabledPlugins", PLUGIN) === false) return "claude-md"
  const own = settings.layers.filter(({ layer }) => layer === "managed" || layer === "user")
  const chosen = firstOf(own, "pluginConfigs", PLUGIN, "options", "instructionFiles")
  switch (chosen) {
    case "claude-md":
    case "claude-md-and-agents-md":
    case "managed-only":
      return chosen
    default:
      return "claude-md-or-agents-md"
  }
}

/** The host merges nested values: the strongest layer that has this one wins. */
function firstOf(layers: readonly SettingsLayer[], ...keys: readonly string[]): unknown {
  const values = layers.flatMap(({ outcome }) =>
    outcome.kind === "found" ? [within(outcome.values, ...keys)] : [],
  )
  return values.find((it) => it !== undefined && !isRecord(it))
}

export type AgentsWalk = {
  /** Folders whose project files count, outermost first, with their index in the whole walk. */
  readonly folders: readonly { readonly path: string; readonly index: number }[]
  readonly walkLength: number
  readonly mode: Mode
  readonly known: readonly string[]
}

export async function addAgentsMd(
  instructions: readonly Instruction[],
  walk: AgentsWalk,
  chains: Chains,
): Promise<readonly Instruction[]> {
  if (walk.mode === "claude-md") return instructions
  if (walk.mode === "managed-only") return instructions.filter(isKeptWithoutProject)
  const isFallback = walk.mode === "claude-md-or-agents-md"
  if (isFallback && hasClaudeFile(instructions, chains.cwd)) return instructions
  const own: Chains = { ...chains, seen: new Set(walk.known) }
  const added: Instruction[] = []
  for (const folder of walk.folders) {
    const base = walkSource(folder.index, walk.walkLength)
    const place = at(base, "agents-md", "AGENTS.md as project memory")
    for (const name of AGENTS_NAMES) {
      const file = path.join(folder.path, name)
      added.push(...(await loadFile({ path: file, kind: "project", place }, own)))
    }
  }
  return insert(instructions, unseen(added, instructions))
}

function isKeptWithoutProject(instruction: Instruction): boolean {
  return instruction.kind === "managed" || instruction.kind === "memory"
}

/** A non-empty file with one of the names, in the working directory or above. */
function hasClaudeFile(instructions: readonly Instruction[], cwd: string): boolean {
  return instructions.some((instruction) => {
    const isOwn = isOfProject(instruction) && instruction.importedBy === undefined
    const isNamed = CLAUDE_NAMES.some((name) => instruction.path.endsWith(`/${name}`))
    const folder = folderOf(instruction.path)
    return isOwn && isNamed && (folder === cwd || isBelow(cwd, folder))
  })
}

/** The same path, or the same text as a project file, is not loaded twice. */
function unseen(
  added: readonly Instruction[],
  instructions: readonly Instruction[],
): readonly Instruction[] {
  const present = instructions.filter((it) => it.patterns === undefined)
  const paths = new Set(present.map((it) => it.path))
  const texts = new Set(instructions.filter(isOfProject).map((it) => it.content.trim()))
  return added.filter((instruction) => {
    const isNew = !paths.has(instruction.path) && !texts.has(instruction.content.trim())
    if (isNew) paths.add(instruction.path)
    return isNew
  })
}

function insert(
  instructions: readonly Instruction[],
  added: readonly Instruction[],
): readonly Instruction[] {
  const merged = [...instructions]
  const groups = Map.groupBy(added, (it) => folderOf(it.root))
  for (const [folder, files] of groups) merged.splice(indexFor(merged, folder), 0, ...files)
  return merged
}

function indexFor(instructions: readonly Instruction[], folder: string): number {
  const deeper = instructions.findIndex(
    (it) => isOfProject(it) && isBelow(folderOf(it.root), folder),
  )
  if (deeper !== -1) return deeper
  const last = instructions.findLastIndex(isOfProject)
  if (last !== -1) return last + 1
  const memory = instructions.findIndex((it) => it.kind === "memory")
  return memory === -1 ? instructions.length : memory
}

/** A conditional rule is not loaded at the start. */
function isOfProject(instruction: Instruction): boolean {
  return (
    (instruction.kind === "project" || instruction.kind === "local") &&
    instruction.patterns === undefined
  )
}

/** A file in `.claude` belongs to the folder around it. */
function folderOf(file: string): string {
  const plain = file.replaceAll("\\", "/")
  const dotClaude = plain.lastIndexOf("/.claude/")
  const end = dotClaude === -1 ? plain.lastIndexOf("/") : dotClaude
  return end <= 0 ? "/" : plain.slice(0, end)
}

function isBelow(file: string, folder: string): boolean {
  return file.replaceAll("\\", "/").startsWith(`${folder.replaceAll("\\", "/")}/`)
}
