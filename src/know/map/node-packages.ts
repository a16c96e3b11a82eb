import { posix } from "node:path"
import { type ParseError, parse } from "jsonc-parser"
import { isRecord, type JsonRecord } from "#ground/base"
import { foldersAbove } from "./resolve.ts"

const MOST_TARGETS = 50

const LARGEST_MANIFEST_UNITS = 500_000

export type NodeSources = {
  readonly packages: readonly NodePackage[]
  readonly pathMaps: readonly PathMap[]
}

type NodePackage = {
  readonly folder: string
  readonly name: string | undefined
  readonly imports: Targets
  readonly exports: Targets
}

export type PathMap = {
  readonly folder: string
  readonly base: string
  readonly isRoot: boolean
  readonly paths: Targets
}

export type Targets = ReadonlyMap<string, readonly string[]>

export const NO_NODE_SOURCES: NodeSources = { packages: [], pathMaps: [] }

export function isNodeManifest(path: string): boolean {
  return /(?:^|\/)(?:package|[tj]sconfig(?:\.[a-z]{1,20})?)\.json$/.test(path)
}

export function readNodeSources(
  files: readonly { readonly path: string; readonly text: string }[],
): NodeSources {
  const manifests = files.flatMap(({ path, text }) => {
    const value = text.length > LARGEST_MANIFEST_UNITS ? undefined : jsonIn(text)
    const [folder = ""] = foldersAbove(path)
    const isPackage = path.endsWith("package.json")
    return isRecord(value) ? [{ path, isPackage, folder, value }] : []
  })
  const configs = new Map(manifests.flatMap((it) => (it.isPackage ? [] : [[it.path, it]])))
  return {
    packages: manifests.flatMap((it) => (it.isPackage ? [packageOf(it.folder, it.value)] : [])),
    pathMaps: [...configs.keys()].flatMap((it) => pathMapsOf(it, configs)),
  }
}

function packageOf(folder: string, value: JsonRecord): NodePackage {
  const mains = [value.source, value.module, value.main, value.types].filter(isText)
  const listed = targetsOf(value.exports)
  const written = isRecord(value.exports) ? listed : new Map([[".", leavesOf(value.exports)]])
  return {
    folder,
    name: isText(value.name) ? value.name : undefined,
    imports: targetsOf(value.imports),
    exports: new Map([...written, [".", [...(written.get(".") ?? []), ...mains]]]),
  }
}

type Manifest = { readonly folder: string; readonly value: JsonRecord }

/** A config without paths of its own has those of the first config it extends that has some. */
function pathMapsOf(path: string, configs: ReadonlyMap<string, Manifest>): readonly PathMap[] {
  const config = configs.get(path)
  if (config === undefined) return []
  let open = [path]
  for (let depth = 0; depth < DEEPEST_EXTENDS && open.length > 0; depth++) {
    for (const path of open) {
      const [map] = mapIn(configs.get(path))
      if (map === undefined) continue
      const base = posix.relative(config.folder, posix.join(map.folder, map.base))
      return [{ ...map, folder: config.folder, base: base === "" ? "." : base }]
    }
    open = open.flatMap((it) => extendedBy(it, configs))
  }
  return []
}

const DEEPEST_EXTENDS = 5

function mapIn(config: Manifest | undefined): readonly PathMap[] {
  return config === undefined ? [] : pathMapOf(config.folder, config.value)
}

function extendedBy(path: string, configs: ReadonlyMap<string, Manifest>): string[] {
  const config = configs.get(path)
  const written: unknown = config?.value.extends
  const all = Array.isArray(written) ? written : [written]
  return all.slice(0, MOST_TARGETS).flatMap((value: unknown) => {
    if (config === undefined || !isText(value) || !value.startsWith(".")) return []
    const target = posix.join(config.folder, value)
    return (
      [target, `${target}.json`, `${target}/tsconfig.json`].find((one) => configs.has(one)) ?? []
    )
  })
}

function pathMapOf(folder: string, value: JsonRecord): readonly PathMap[] {
  const options = isRecord(value.compilerOptions) ? value.compilerOptions : {}
  const isRoot = isText(options.baseUrl)
  const paths = targetsOf(options.paths)
  if (!isRoot && paths.size === 0) return []
  return [{ folder, base: isText(options.baseUrl) ? options.baseUrl : ".", isRoot, paths }]
}

function targetsOf(value: unknown): Targets {
  if (!isRecord(value)) return new Map()
  return new Map(Object.entries(value).map(([name, target]) => [name, leavesOf(target)]))
}

/** Tries all conditions and lists, because the runtime decides which one applies. */
function leavesOf(value: unknown): readonly string[] {
  const leaves: string[] = []
  const open = [value]
  for (let it = open.pop(); it !== undefined && leaves.length < MOST_TARGETS; it = open.pop()) {
    if (isText(it)) leaves.push(it)
    const children: readonly unknown[] =
      typeof it === "object" && it !== null ? Object.values(it) : []
    for (const child of children.toReversed()) open.push(child)
  }
  return leaves
}

function jsonIn(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true })
  return errors.length > 0 ? undefined : value
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}
