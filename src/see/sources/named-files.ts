import path from "node:path"
import { fileURLToPath } from "node:url"
import { listDirectory, statFile } from "#ground/base"
import type { StdioConfig } from "./command.ts"
import { MOST_NEIGHBOURS } from "./limits.ts"

/** A file outside the folder that a command names. */
export type NamedFile = {
  readonly name: string
  readonly file: string
  readonly what: string
}

type Outcome =
  | { readonly kind: "found"; readonly files: readonly NamedFile[] }
  | { readonly kind: "not-covered"; readonly problem: string }

/** What a command names that lies outside its folder, or why an approval could not cover it. */
export async function namedFiles(folder: string, config: StdioConfig): Promise<Outcome> {
  const wrong = unknownModule(config.args)
  if (wrong !== undefined) return { kind: "not-covered", problem: wrong }
  const files: NamedFile[] = []
  for (const name of namesIn(config)) {
    const found = await lookAt(folder, name)
    if (typeof found === "string") return { kind: "not-covered", problem: found }
    files.push(...found)
  }
  return { kind: "found", files }
}

/** Programs of the system are known by their path: an update of Python is no other source. */
function namesIn({ command, args }: StdioConfig): readonly string[] {
  const inArgs = args.flatMap(namesInArgument).map(withoutScheme)
  return path.isAbsolute(command) ? inArgs : [command, ...inArgs]
}

/** Also `--import=../x.mjs` and `-I../lib`: a name that stands in one word with its flag. */
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
    // An address on another machine: no file of this one.
    return name
  }
}

const LOADING =
  /^(?:--import|--require|-r|--preload|--loader|--experimental-loader)(?:=(?<value>.*))?$/s

/** A module by its bare name is looked for in every folder above, and any of them may hold one. */
function unknownModule(args: readonly string[]): string | undefined {
  for (const [at, argument] of args.entries()) {
    const match = LOADING.exec(argument)
    if (match === null) continue
    const value = match.groups?.["value"] ?? args[at + 1] ?? ""
    if (!/^(?:\.{1,2}[\\/]|file:|data:)/i.test(value) && !path.isAbsolute(value)) {
      return `${argument} loads a module by name, which no approval can cover: name its file.`
    }
  }
  return undefined
}

/** `a/../b`, and not `../../b`. */
function isWinding(name: string): boolean {
  const steps = name.split(/[\\/]/)
  const first = steps.findIndex((it) => it !== "" && it !== "." && it !== "..")
  return first !== -1 && steps.includes("..", first)
}

async function lookAt(folder: string, name: string): Promise<readonly NamedFile[] | string> {
  // Behind a link it means one file to Node and another to the system.
  if (isWinding(name)) return `${name} goes back on its way: name it without "..".`
  const file = path.resolve(folder, name)
  // All of the folder is covered already, whatever names it.
  if (file === folder || file.startsWith(`${folder}${path.sep}`)) return []
  const found = await statFile(file)
  if (found.kind === "missing") return neighboursOf(file, name)
  if (found.kind === "unreadable") {
    // Too long for a path: a text that was handed over, and covered as such.
    return found.reason === "ENAMETOOLONG" ? [] : `${name} cannot be looked at (${found.reason}).`
  }
  if (found.what === "directory") {
    return `${name} is a directory outside its folder, which no approval can cover.`
  }
  return [{ name, file, what: found.what }]
}

/** `node ../server` executes `../server.js`: whatever has that name with an ending. */
async function neighboursOf(file: string, name: string): Promise<readonly NamedFile[] | string> {
  const { dir, base } = path.parse(file)
  const listed = await listDirectory(dir, { maxEntries: MOST_NEIGHBOURS })
  if (listed.kind === "missing" || listed.kind === "not-directory") return []
  if (listed.kind !== "listed") return `What ${name} means cannot be looked at (${listed.kind}).`
  return listed.entries
    .filter((it) => it.name.startsWith(`${base}.`))
    .map((it) => ({
      name: `${name}${it.name.slice(base.length)}`,
      file: path.join(dir, it.name),
      what: it.what,
    }))
}
