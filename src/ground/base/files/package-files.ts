import { existsSync, readFileSync } from "node:fs"
import { SourceMap, type SourceMapPayload } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { invariant } from "../error.ts"
import { parseJson, parseJsonRecord } from "../json.ts"
import { once } from "../lazy.ts"
import { isRecord } from "../object.ts"

/** The published package has bundles in `dist/engine` instead of the sources in `src`. */
const isBundled = !import.meta.url.endsWith(".ts")

const packageFolder = once(() => {
  let folder = import.meta.dirname
  while (!existsSync(path.join(folder, "package.json"))) {
    const parent = path.dirname(folder)
    invariant(parent !== folder, "package.json is in a folder above this module")
    folder = parent
  }
  return folder
})

/** A file or folder of the package, by its path from the folder of package.json. */
export function packageFile(relativePath: string): string {
  return path.join(packageFolder(), relativePath)
}

/** Data without which some commands fail. Programs are checked by the module loader. */
const DATA_FILES = [
  "grammars/web-tree-sitter.wasm",
  "models/ranker/fusion.json",
  "models/tokens/claude.bin",
  "models/tokens/o200k.bin",
  "models/words/english.bin",
  "recipes",
  "sources",
  "templates",
]

/** Files that an interrupted installation left out, by their path in the package. */
export function missingPackageFiles(): readonly string[] {
  return DATA_FILES.filter((it) => !existsSync(packageFile(it)))
}

/**
 * The built file whose absence made an import fail, by its path in `folder`, the package. Undefined
 * for other errors, and for sources, whose absence is a bug.
 */
export function missingBuiltFile(error: unknown, folder: string): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined
  if (error.code !== "ERR_MODULE_NOT_FOUND" && error.code !== "MODULE_NOT_FOUND") return undefined
  const [, name = ""] = /^Cannot find module '([^']+)'/.exec(error.message) ?? []
  // The bundle requires packages by a path that is relative to its chunks.
  const file = path.resolve(folder, "dist/engine/chunks", name)
  const relative = path.relative(folder, file)
  return relative.startsWith(`dist${path.sep}`) ? relative : undefined
}

/**
 * JSON that `npm run build` derives from the sources, so that a command of the package need not.
 * Undefined in a clone, where it may be older than the sources.
 */
export function readBuilt(name: "commands.json" | "config.json"): unknown {
  const file = packageFile(`dist/${name}`)
  return isBundled && existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined
}

type Validator = (value: unknown) => unknown

/**
 * Functions that `npm run build` compiles from the schemas of a group of operations, by the
 * operation's name and `input` or `output`. They return undefined where the schema must decide.
 * None in a clone.
 */
export async function importValidators(
  group: string,
): Promise<Readonly<Record<string, Validator>>> {
  const file = packageFile(`dist/validators/${group}.mjs`)
  if (!isBundled || !existsSync(file)) return {}
  const module: unknown = await import(pathToFileURL(file).href)
  return isValidatorModule(module) ? module.default : {}
}

function isValidatorModule(
  module: unknown,
): module is { readonly default: Readonly<Record<string, Validator>> } {
  return isRecord(module) && isRecord(module["default"])
}

/**
 * The module of a worker thread, by its path in `src` without the ending. `scripts/build/engine.ts`
 * lists the same names as entries of the bundle.
 */
export function threadModule(name: string): URL {
  return pathToFileURL(packageFile(isBundled ? `dist/engine/${name}.mjs` : `src/${name}.ts`))
}

/** For bug reports and clients. */
export const versions = once(() => {
  const manifest = parseJsonRecord(readFileSync(packageFile("package.json"), "utf8"))
  return {
    qm: String(manifest?.["version"]),
    node: process.versions.node,
    sqlite: process.versions["sqlite"] ?? "unknown",
    platform: `${process.platform}-${process.arch}`,
  }
})

const BUNDLED_POSITION =
  /(?:file:\/\/)?([^\s()]{1,1000}\/dist\/engine\/[^\s():]{1,100}\.mjs):(\d+):(\d+)/g

/** Replaces positions in the bundle by those in `src`. Without a source map a position stays. */
export function mapStack(stack: string): string {
  const mapOf = new Map<string, SourceMap | undefined>()
  return stack.replace(BUNDLED_POSITION, (position, file: string, ...rest: readonly string[]) => {
    const [line, column] = rest
    if (!mapOf.has(file)) mapOf.set(file, readSourceMap(`${decodeURI(file)}.map`))
    const origin = mapOf.get(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (origin === undefined || !("originalSource" in origin)) return position
    const source = origin.originalSource.replace(/^(?:\.\.\/)+/, "")
    return `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`
  })
}

function readSourceMap(file: string): SourceMap | undefined {
  try {
    const map = parseJson(readFileSync(file, "utf8"))
    return isSourceMap(map) ? new SourceMap(map) : undefined
  } catch {
    return undefined
  }
}

function isSourceMap(value: unknown): value is SourceMapPayload {
  return isRecord(value) && typeof value["mappings"] === "string"
}
