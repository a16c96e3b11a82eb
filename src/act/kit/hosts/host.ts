import { type JsonRecord } from "#ground/base"
import type { HookName, KitHost } from "#ground/contract"
import type { HookEntry } from "../texts/hook-entries.ts"

/** A hook answers within milliseconds; a host that waits longer for a stuck one goes on without it. */
const HOOK_TIMEOUT_SECONDS = 10

/** What the hosts need to know of this machine. */
export type Machine = {
  readonly userHome: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The program that a hook is: our runtime with our bundle. */
export type HookProgram = { readonly node: string; readonly bundle: string }

/** A command, an agent or a skill of ours, as its one source says it. */
export type Template = {
  readonly kind: "command" | "agent" | "skill"
  readonly name: string
  readonly description: string
  /** The lowest level that installs it. */
  readonly level: number
  readonly hosts: readonly KitHost[]
  readonly tools: string | undefined
  readonly body: string
}

export type Projected = { readonly path: string; readonly text: string }

/** One host: where its files lie and in which form it wants things. */
export type KitHostForm = {
  readonly host: KitHost
  readonly title: string
  /** The folder that holds all of it; nothing is written outside. */
  folder(machine: Machine): string
  settings(machine: Machine): { readonly path: string; readonly container: string }
  /** The event that a hook stands on; null where the host has none for it, or none to rely on. */
  readonly events: Readonly<Record<HookName, string | null>>
  /** Why it has none, where that is worth a word. */
  readonly without: Partial<Readonly<Record<HookName, string>>>
  entries(level: number, program: HookProgram): readonly HookEntry[]
  project(template: Template, machine: Machine): Projected
  /** The boot file in the repository, for a host that may start without our hook. */
  readonly bootFile: string | null
  /** What is left for a person to do after an install. */
  readonly next: string | null
}

/** A file in Markdown with a head in YAML; JSON texts are YAML, whatever is in them. */
export function withHead(fields: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${lines.join("\n")}\n---\n\n${body.trim()}\n`
}

/** A skill, which is also what commands and agents become where a host has only these. */
export function asSkill(folder: string, { name, description, body }: Template): Projected {
  const text = withHead({ name: `qm-${name}`, description }, body)
  return { path: `${folder}/qm-${name}/SKILL.md`, text }
}

/** A program with its arguments, no shell between: nothing in a path is ever read as a word of one. */
export function execHandler({ node, bundle }: HookProgram, args: readonly string[]): JsonRecord {
  return {
    type: "command",
    command: node,
    args: [bundle, ...args],
    timeout: HOOK_TIMEOUT_SECONDS,
  }
}

/** For hosts that hand the line to a shell: each word in single quotes. */
export function shellHandler({ node, bundle }: HookProgram, args: readonly string[]): JsonRecord {
  const command = [node, bundle, ...args].map(quoted).join(" ")
  return { type: "command", command, timeout: HOOK_TIMEOUT_SECONDS }
}

/** In single quotes a POSIX shell reads no sign but the quote itself. */
function quoted(word: string): string {
  return `'${inQuotes(word)}'`
}

function inQuotes(word: string): string {
  return word.replaceAll("'", `'\\''`)
}

/** Whether a text leads into our own folder, as a bare path or as a shell has it. */
export function leadsInto(folder: string): (text: string) => boolean {
  const wanted = [`${folder}/`, `${inQuotes(folder)}/`]
  return (text) => wanted.some((it) => text.includes(it))
}
