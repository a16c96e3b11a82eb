import { hash } from "node:crypto"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { listDirectory, readBounded, statFile } from "#ground/base"
import type { StdioConfig } from "./command.ts"

/** A folder with more entries cannot be checked. */
const MOST_NEIGHBOURS = 10_000

const DEEPEST_COVERED_LEVELS = 4

const LARGEST_COVERED_BYTES = 2_000_000

/**
 * Covered files are read at every call, for all sources if none is named: this allows a small
 * server, not a tree of packages. The worst case is 200 MB per search.
 */
const MOST_COVERED_FILES = 200

type HashedFiles =
  | { readonly kind: "covered"; readonly files: Readonly<Record<string, string>> }
  | { readonly kind: "not-covered"; readonly problem: string }

/** By content: a change of the server behind an approved command invalidates the approval. */
export async function hashFiles(folder: string, config: StdioConfig): Promise<HashedFiles> {
  const hashes = new Map<string, string>()
  const left = { bytes: LARGEST_COVERED_BYTES }
  const named = await namedFiles(folder, config)
  if (named.kind === "not-covered") return named
  const problem =
    (await coverFolder({ folder, at: "", level: 0 }, hashes, left)) ??
    (await hashNamed(named.files, hashes, left))
  if (problem !== undefined) return { kind: "not-covered", problem }
  return { kind: "covered", files: Object.fromEntries(hashes) }
}

type Hashes = Map<string, string>
type ByteAllowance = { bytes: number }
type FolderLevel = { readonly folder: string; readonly at: string; readonly level: number }

async function coverFolder(
  { folder, at, level }: FolderLevel,
  hashes: Hashes,
  left: ByteAllowance,
): Promise<string | undefined> {
  const listed = await listDirectory(path.join(folder, at), { maxEntries: MOST_COVERED_FILES })
  if (listed.kind !== "listed") return `Its folder cannot be read (${listed.kind}).`
  if (level > DEEPEST_COVERED_LEVELS) return "Its folder is nested too deeply for an approval."
  for (const entry of listed.entries) {
    const name = path.join(at, entry.name)
    const problem = await coverEntry({ folder, at: name, level }, entry.what, { hashes, left })
    if (problem !== undefined) return problem
  }
  return undefined
}

async function coverEntry(
  { folder, at, level }: FolderLevel,
  what: string,
  options: { readonly hashes: Hashes; readonly left: ByteAllowance; readonly name?: string },
): Promise<string | undefined> {
  const { hashes, left, name = at } = options
  if (what === "directory") return coverFolder({ folder, at, level: level + 1 }, hashes, left)
  // A link's target can change.
  if (what !== "regular file") return `${name} is a ${what}, which an approval cannot cover.`
  return coverFile({ name, file: path.join(folder, at) }, hashes, left)
}

async function hashNamed(
  named: readonly NamedFile[],
  hashes: Hashes,
  left: ByteAllowance,
): Promise<string | undefined> {
  for (const { name, file, what } of named) {
    if (what === "directory") return `${name} is a directory, which an approval cannot cover.`
    const place = { folder: path.dirname(file), at: path.basename(file), level: 0 }
    const problem = await coverEntry(place, what, { hashes, left, name })
    if (problem !== undefined) return problem
  }
  return undefined
}

async function coverFile(
  { name, file }: { readonly name: string; readonly file: string },
  hashes: Hashes,
  left: ByteAllowance,
): Promise<string | undefined> {
  const outcome = await readBounded(file, { maxBytes: left.bytes })
  if (outcome.kind === "too-large" || hashes.size >= MOST_COVERED_FILES) {
    return `Its files exceed what an approval covers: ${MOST_COVERED_FILES} files, ${LARGEST_COVERED_BYTES} bytes.`
  }
  if (outcome.kind !== "read")
    return `A file named in its command cannot be read (${outcome.kind}).`
  left.bytes -= outcome.bytes.length
  hashes.set(name, hash("sha256", outcome.bytes))
  return undefined
}

type NamedFile = {
  readonly name: string
  readonly file: string
  readonly what: string
}

type Outcome =
  | { readonly kind: "found"; readonly files: readonly NamedFile[] }
  | { readonly kind: "not-covered"; readonly problem: string }

async function namedFiles(folder: string, config: StdioConfig): Promise<Outcome> {
  const wrong = unknownModule(config.args)
  if (wrong !== undefined) return { kind: "not-covered", problem: wrong }
  const files: NamedFile[] = []
  for (const name of namesIn(config)) {
    const entries = await lookAt(folder, name)
    if (typeof entries === "string") return { kind: "not-covered", problem: entries }
    files.push(...entries)
  }
  return { kind: "found", files }
}

/** System programs are identified by path: an update of Python is not another source. */
function namesIn({ command, args }: StdioConfig): readonly string[] {
  const inArgs = args.flatMap(namesInArgument).map(withoutScheme)
  return path.isAbsolute(command) ? inArgs : [command, ...inArgs]
}

/** Also `--import=../x.mjs` and `-I../lib`: a path joined with its flag. */
function namesInArgument(argument: string): readonly string[] {
  const [, value] = /^[^=\s]+=(.+)$/s.exec(argument) ?? []
  const [, glued] = /^-\w([^=].*)$/s.exec(argument) ?? []
  const whole = argument.startsWith("-") ? undefined : argument
  return [whole, value, glued].filter((it) => it !== undefined)
}

function withoutScheme(name: string): string {
  if (!/^file:/i.test(name) || !URL.canParse(name)) return name
  try {
    return fileURLToPath(name)
  } catch {
    return name
  }
}

const LOADING =
  /^(?:--import|--require|-r|--preload|--loader|--experimental-loader)(?:=(?<value>.*))?$/s

/** A bare module name is searched in every parent folder, any of which may provide it. */
function unknownModule(args: readonly string[]): string | undefined {
  for (const [at, argument] of args.entries()) {
    const match = LOADING.exec(argument)
    if (match === null) continue
    const value = match.groups?.["value"] ?? args[at + 1] ?? ""
    if (!/^(?:\.{1,2}[\\/]|file:|data:)/i.test(value) && !path.isAbsolute(value)) {
      return `${argument} loads a module by name, which an approval cannot cover. Use the module's file path.`
    }
  }
  return undefined
}

function isWinding(name: string): boolean {
  const steps = name.split(/[\\/]/)
  const first = steps.findIndex((it) => it !== "" && it !== "." && it !== "..")
  return first !== -1 && steps.includes("..", first)
}

async function lookAt(folder: string, name: string): Promise<readonly NamedFile[] | string> {
  // Behind a link, Node and the system resolve `..` differently.
  if (isWinding(name)) return `${name} contains "..". Use a path without it.`
  const file = path.resolve(folder, name)
  if (file === folder || file.startsWith(`${folder}${path.sep}`)) return []
  const stat = await statFile(file)
  if (stat.kind === "missing") return neighboursOf(file, name)
  if (stat.kind === "unreadable") {
    // Too long for a path: a text argument, covered as such.
    return stat.reason === "ENAMETOOLONG" ? [] : `${name} cannot be read (${stat.reason}).`
  }
  if (stat.what === "directory") {
    return `${name} is a directory outside its folder, which an approval cannot cover.`
  }
  return [{ name, file, what: stat.what }]
}

/**
 * `node ../server` executes `../server.js`: any file of that name with an extension.
 */
async function neighboursOf(file: string, name: string): Promise<readonly NamedFile[] | string> {
  const { dir, base } = path.parse(file)
  const listed = await listDirectory(dir, { maxEntries: MOST_NEIGHBOURS })
  if (listed.kind === "missing" || listed.kind === "not-directory") return []
  if (listed.kind !== "listed") return `The folder of ${name} cannot be read (${listed.kind}).`
  return listed.entries
    .filter((it) => it.name.startsWith(`${base}.`))
    .map((it) => ({
      name: `${name}${it.name.slice(base.length)}`,
      file: path.join(dir, it.name),
      what: it.what,
    }))
}
