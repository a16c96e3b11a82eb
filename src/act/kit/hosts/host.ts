import { type JsonRecord } from "#ground/base"
import type { HookName, KitHost } from "#ground/contract"
import type { HookEntry } from "../texts/hook-entries.ts"

/** A hook answers within milliseconds; after this time the host continues without it. */
const HOOK_TIMEOUT_SECONDS = 10

export type Machine = {
  readonly userHome: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The installed bundle by absolute paths, or the script of a plugin below the host's variable. */
export type HookProgram =
  | { readonly kind: "bundle"; readonly node: string; readonly bundle: string }
  | { readonly kind: "plugin"; readonly script: string }

/** The folders of the host, and the program of our MCP server. */
export type Projection = Machine & { readonly node: string; readonly main: string }

export type Template = {
  readonly kind: "command" | "agent" | "skill" | "playbook"
  readonly name: string
  readonly description: string
  /** The pack of a command, or the squad of an agent as `squad-dev`. */
  readonly pack: string
  readonly level: number
  /** An agent that reads and counts gets a smaller model where the host can choose one. */
  readonly cost: "low" | undefined
  /** Whether an agent brings the MCP server of qm along. */
  readonly hasServer: boolean
  readonly hosts: readonly KitHost[]
  readonly tools: string | undefined
  readonly body: string
}

export type ProjectedFile = { readonly path: string; readonly text: string }

type PluginProgram = {
  readonly code: string
  readonly node: string
  readonly bundle: string
  readonly main: string
}

export type KitHostForm = {
  readonly host: KitHost
  readonly title: string
  folder(machine: Machine): string
  settings(machine: Machine): { readonly path: string; readonly container: string }
  /** Null if the host has no event for the hook, or no reliable one. */
  readonly events: Readonly<Record<HookName, string | null>>
  readonly without: Partial<Readonly<Record<HookName, string>>>
  entries(level: number, program: HookProgram): readonly HookEntry[]
  /** The entry `qm` of the MCP servers in `settings`, for a host without another way to get it. */
  server?(program: { readonly node: string; readonly main: string }): JsonRecord
  /** The plugin that runs our hooks, for a host that loads code instead of starting commands. */
  plugin?(machine: Machine, program: PluginProgram): ProjectedFile
  /** Whether `settings` can name the command of a status line. */
  readonly hasStatusLine?: true
  project(template: Template, projection: Projection): ProjectedFile
  readonly bootFile: string | null
  readonly next: string | null
}

/** JSON is valid YAML, whatever it contains. */
export function withHead(fields: Readonly<Record<string, unknown>>, body: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${lines.join("\n")}\n---\n\n${body.trim()}\n`
}

/** Commands and agents also become skills in a host that has only skills. */
export function asSkill(folder: string, { name, description, body }: Template): ProjectedFile {
  const text = withHead({ name: `qm-${name}`, description }, body)
  return { path: `${folder}/qm-${name}/SKILL.md`, text }
}

export function execHandler(program: HookProgram, args: readonly string[]): JsonRecord {
  if (program.kind === "plugin") return shellHandler(program, args)
  return {
    type: "command",
    command: program.node,
    args: [program.bundle, ...args],
    timeout: HOOK_TIMEOUT_SECONDS,
  }
}

export function shellHandler(program: HookProgram, args: readonly string[]): JsonRecord {
  const command =
    program.kind === "plugin"
      ? ["sh", `"${program.script}"`, ...args].join(" ")
      : shellCommand([program.node, program.bundle, ...args])
  return { type: "command", command, timeout: HOOK_TIMEOUT_SECONDS }
}

/** The command of a status line, which a shell runs. */
export function shellCommand(words: readonly string[]): string {
  return words.map(quoted).join(" ")
}

/** In single quotes a POSIX shell interprets no character but the quote itself. */
function quoted(word: string): string {
  return `'${inQuotes(word)}'`
}

function inQuotes(word: string): string {
  return word.replaceAll("'", `'\\''`)
}

export function leadsInto(folder: string): (text: string) => boolean {
  const prefixes = [`${folder}/`, `${inQuotes(folder)}/`]
  return (text) => prefixes.some((it) => text.includes(it))
}
