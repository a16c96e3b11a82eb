import { execFileSync } from "node:child_process"
import { lstatSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { type ParseResult, parseSync } from "vite"

/** The input of a check: every file that git tracks, and untracked files that are not ignored. */
export type Tree = {
  readonly root: string
  readonly paths: ReadonlySet<string>
  /** Text of every file below 2 MB that has no NUL byte, by path. */
  readonly texts: ReadonlyMap<string, string>
  readonly sources: readonly Source[]
}

export type Source = {
  readonly path: string
  readonly text: string
  readonly parsed: ParseResult
  readonly imports: readonly Import[]
  readonly isTest: boolean
}

export type Import = {
  readonly specifier: string
  readonly line: number
  readonly isType: boolean
  readonly isStar: boolean
  /** Loaded when it is needed: `await import(…)`. */
  readonly isDynamic: boolean
}

const LARGEST_READ_BYTES = 2_000_000
const CODE = /\.(?:ts|tsx|mts|mjs|js)$/

export function readTree(root: string): Tree {
  const paths = listFiles(root)
  const texts = new Map<string, string>()
  for (const path of paths) {
    const text = readText(join(root, path))
    if (text !== undefined) texts.set(path, text)
  }
  const code = [...texts].filter(([path]) => CODE.test(path))
  return {
    root,
    paths: new Set(paths),
    texts,
    sources: code.map(([path, text]) => parse(path, text)),
  }
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1))
    line += 1
  return line
}

/** The file of an import inside the tree; undefined for packages and Node's own modules. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier)
  const [, wing, rest] = /^#([^/]+)\/(.+)$/.exec(specifier) ?? []
  if (wing === undefined || rest === undefined) return undefined
  return wing === "test" ? `test/kit/${rest}.ts` : `src/${wing}/${rest}/index.ts`
}

function listFiles(root: string): readonly string[] {
  const listed = execFileSync(
    "git",
    ["-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { encoding: "utf8", maxBuffer: 64_000_000 },
  )
  return [...new Set(listed.split("\0"))].filter((path) => isFile(join(root, path))).toSorted()
}

/** A tracked file may be deleted in the work tree, and a link may have any target. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function readText(path: string): string | undefined {
  const bytes = readFileSync(path)
  const isText = bytes.length <= LARGEST_READ_BYTES && !bytes.includes(0)
  return isText ? bytes.toString("utf8") : undefined
}

function parse(path: string, text: string): Source {
  const parsed = parseSync(path, text)
  const isTest = /\.test\.tsx?$/.test(path) || path.startsWith("test/")
  return { path, text, parsed, imports: importsOf(parsed, text), isTest }
}

function importsOf({ module, program }: ParseResult, text: string): readonly Import[] {
  const imports = module.staticImports.map((it) => ({
    specifier: it.moduleRequest.value,
    line: lineAt(text, it.start),
    isType: it.entries.length > 0 && it.entries.every((entry) => entry.isType),
    isStar: false,
    isDynamic: false,
  }))
  const exports = module.staticExports.flatMap((it) =>
    it.entries.flatMap((entry) => {
      if (!entry.moduleRequest) return []
      const isStar = entry.importName.kind === "All" || entry.importName.kind === "AllButDefault"
      const line = lineAt(text, it.start)
      return [
        {
          specifier: entry.moduleRequest.value,
          line,
          isType: entry.isType,
          isStar,
          isDynamic: false,
        },
      ]
    }),
  )
  const dynamic = module.dynamicImports.flatMap((dynamicImport) => {
    const written = text.slice(dynamicImport.moduleRequest.start, dynamicImport.moduleRequest.end)
    const [, specifier] = /^["'`]([^"'`$]+)["'`]$/.exec(written) ?? []
    if (specifier === undefined) return []
    return [
      {
        specifier,
        line: lineAt(text, dynamicImport.start),
        isType: false,
        isStar: false,
        isDynamic: true,
      },
    ]
  })
  return program.body.length === 0 ? [] : [...imports, ...exports, ...dynamic]
}
