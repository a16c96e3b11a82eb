import path from "node:path"
import { isRecord } from "#ground/base"
import type { ActivityKind } from "#ground/contract"
import type { Ask } from "../agent.ts"
import { textField } from "../wire/tool-text.ts"

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
  if (depth > 20) return []
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

/** The repository, and how a path is followed to where it really leads. */
export type World = {
  readonly root: string
  /** The path without links, as far as it exists; undefined when it cannot be told. */
  resolve(path: string): string | undefined
}

/** One file by its names: from the root, and from the top. */
export type Place = {
  /** From the repository's root, with slashes; undefined outside of it. */
  readonly inRoot: string | undefined
  readonly absolute: string
}

/** As it is written, and where it really lies. */
export type Whereabouts = { readonly written: Place; readonly real: Place | undefined }

export function whereIs(given: string, cwd: string, world: World): Whereabouts {
  const absolute = path.resolve(cwd, given)
  const real = world.resolve(absolute)
  const root = world.resolve(world.root) ?? world.root
  return {
    written: placeOf(absolute, world.root),
    real: real === undefined ? undefined : placeOf(real, root),
  }
}

/** Whether a folder really lies in the repository. */
export function isInRepository(folder: string, world: World): boolean {
  return whereIs(folder, world.root, world).real?.inRoot !== undefined
}

function placeOf(absolute: string, root: string): Place {
  const way = path.relative(root, absolute)
  const isOutside = way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)
  const inRoot = isOutside ? undefined : way.split(path.sep).join("/")
  return { inRoot, absolute: absolute.split(path.sep).join("/") }
}
