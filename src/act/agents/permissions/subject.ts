import type { ActivityKind } from "#ground/contract"
import type { Ask } from "../agent.ts"
import { isRecord, textField } from "../wire/text.ts"
import { DEEPEST_INPUT } from "./limits.ts"

/** What rules are about, taken out of what a tool was given. */
export type Subject = {
  readonly tool: string
  readonly kind: ActivityKind
  readonly command: string | undefined
  /** As the tool names them: absolute, or from the working directory. */
  readonly paths: readonly string[]
  readonly cwd: string
  /** It asks for more than its tool: no rule allows that by itself. */
  readonly wantsMore: boolean
}

/** Tools whose input is the command itself and no JSON. */
const PLAIN_COMMAND_TOOLS: ReadonlySet<string> = new Set(["exec_command"])

const COMMAND_FIELDS = ["command", "cmd", "script"] as const

/** Every field that names a file or a folder: an allowing rule must hold for all of them. */
const PATH_FIELDS: ReadonlySet<string> = new Set([
  "file_path",
  "notebook_path",
  "path",
  "paths",
  "file",
  "files",
  "filename",
  "directory",
  "source",
  "destination",
  "target",
  "old_path",
  "new_path",
  "to",
])

export function subjectOf(ask: Ask): Subject {
  const { tool, kind, cwd, input } = ask
  const bare = { tool, kind, cwd, command: undefined, paths: [], wantsMore: false }
  if (PLAIN_COMMAND_TOOLS.has(tool)) return { ...bare, command: unwrapped(input) }
  const given = parse(input)
  if (given === undefined) return kind === "command" ? { ...bare, command: input.trim() } : bare
  return {
    ...bare,
    command: isRecord(given) ? textField(given, ...COMMAND_FIELDS)?.trim() : undefined,
    paths: pathsIn(given),
    wantsMore: isRecord(given) && given["dangerouslyDisableSandbox"] === true,
  }
}

function parse(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Wherever they stand: a patch is a list of files, and a server's tool may nest them. */
function pathsIn(given: unknown, depth = 0): readonly string[] {
  if (depth > DEEPEST_INPUT) return []
  if (Array.isArray(given)) return given.flatMap((it) => pathsIn(it, depth + 1))
  if (!isRecord(given)) return []
  const found = Object.entries(given).flatMap(([name, value]) =>
    PATH_FIELDS.has(name) ? textsIn(value, depth) : pathsIn(value, depth + 1),
  )
  return [...new Set(found)]
}

function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value]
  if (!Array.isArray(value)) return pathsIn(value, depth + 1)
  return value.flatMap((it) =>
    typeof it === "string" ? textsIn(it, depth) : pathsIn(it, depth + 1),
  )
}

/**
 * The command itself, without the shell that Codex puts around it. Only a well-known shell by its
 * whole path and only one quoted text: anything else is kept as it is, and only fits itself.
 */
function unwrapped(command: string): string {
  const text = command.trim()
  const wrapped =
    /^(?:\/usr)?\/bin\/(?:ba|da|z)?sh -l?c (?:'(?<quoted>[^']*)'|(?<word>[\w./:=@%+,-]+))$/
  const groups = wrapped.exec(text)?.groups
  return (groups?.["quoted"] ?? groups?.["word"] ?? text).trim()
}
