import path from "node:path"
import { isInside, isRecord, parseJson } from "#ground/base"
import type { ActivityKind } from "#ground/contract"
import type { PermissionQuestion } from "../agent.ts"
import { textField } from "../wire/tool-text.ts"

export type Subject = {
  readonly tool: string
  readonly kind: ActivityKind
  readonly command: string | undefined
  readonly paths: readonly string[]
  readonly cwd: string
  /** It requests further permissions, which no rule allows. */
  readonly wantsMore: boolean
}

const PLAIN_COMMAND_TOOLS: ReadonlySet<string> = new Set(["exec_command"])

const COMMAND_FIELDS = ["command", "cmd", "script"] as const

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

export function subjectOf(ask: PermissionQuestion): Subject {
  const { tool, kind, cwd, input } = ask
  const bare = { tool, kind, cwd, command: undefined, paths: [], wantsMore: false }
  if (PLAIN_COMMAND_TOOLS.has(tool)) return { ...bare, command: unwrapped(input) }
  const parsed = parseJson(input)
  if (typeof parsed !== "object" || parsed === null)
    return kind === "command" ? { ...bare, command: input.trim() } : bare
  return {
    ...bare,
    command: isRecord(parsed) ? textField(parsed, ...COMMAND_FIELDS)?.trim() : undefined,
    paths: pathsIn(parsed),
    wantsMore: isRecord(parsed) && parsed["dangerouslyDisableSandbox"] === true,
  }
}

function pathsIn(node: unknown, depth = 0): readonly string[] {
  if (depth > 20) return []
  if (Array.isArray(node)) return node.flatMap((it) => pathsIn(it, depth + 1))
  if (!isRecord(node)) return []
  const paths = Object.entries(node).flatMap(([name, value]) =>
    PATH_FIELDS.has(name) ? textsIn(value, depth) : pathsIn(value, depth + 1),
  )
  return [...new Set(paths)]
}

function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value]
  if (!Array.isArray(value)) return pathsIn(value, depth + 1)
  return value.flatMap((it) =>
    typeof it === "string" ? textsIn(it, depth) : pathsIn(it, depth + 1),
  )
}

/**
 * Removes the shell that Codex puts around a command: a known shell by its path and one quoted
 * text.
 */
function unwrapped(command: string): string {
  const text = command.trim()
  const wrapped =
    /^(?:\/usr)?\/bin\/(?:ba|da|z)?sh -l?c (?:'(?<quoted>[^']*)'|(?<word>[\w./:=@%+,-]+))$/
  const groups = wrapped.exec(text)?.groups
  return (groups?.["quoted"] ?? groups?.["word"] ?? text).trim()
}

export type RepositoryPaths = {
  readonly root: string
  resolve(path: string): string | undefined
}

export type FilePath = {
  /** Relative to the repository's root, with slashes; undefined outside of it. */
  readonly inRoot: string | undefined
  readonly absolute: string
}

export type FileLocation = { readonly written: FilePath; readonly real: FilePath | undefined }

export function locate(file: string, cwd: string, repository: RepositoryPaths): FileLocation {
  const absolute = path.resolve(cwd, file)
  const real = repository.resolve(absolute)
  const root = repository.resolve(repository.root) ?? repository.root
  return {
    written: filePathOf(absolute, repository.root),
    real: real === undefined ? undefined : filePathOf(real, root),
  }
}

/** A link that leads out of the repository does not count. */
export function isInRepository(folder: string, repository: RepositoryPaths): boolean {
  return locate(folder, repository.root, repository).real?.inRoot !== undefined
}

function filePathOf(absolute: string, root: string): FilePath {
  const slashes = (text: string) => text.split(path.sep).join("/")
  const inRoot = isInside(root, absolute) ? slashes(path.relative(root, absolute)) : undefined
  return { inRoot, absolute: slashes(absolute) }
}
