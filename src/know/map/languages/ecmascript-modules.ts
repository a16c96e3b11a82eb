import { posix } from "node:path"
import type { ImportStatement } from "../facts.ts"
import type { PathMap, Targets } from "../node-packages.ts"
import { firstOf, foldersAbove, inside, relativePath, within } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

export function resolveEcmascriptImport(
  { specifier }: ImportStatement,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const name = specifier.replace(/(?<=.)[?#][^]*$/, "")
  if (name.startsWith(".")) return relativeFile(relativePath(fromPath, name), fromPath, index)
  if (name.startsWith("#")) return byOwnImports(name, fromPath, index)
  const mapped = byPathMaps(name, fromPath, index)
  return mapped.length > 0 ? mapped : byPackage(name, index)
}

/** Declarations last: the code of `x.d.ts` is in `x.js`. */
const EXTENSIONS = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "d.ts"]

const JAVASCRIPT_FIRST = EXTENSIONS.toSorted((a, b) => Number(/ts/.test(a)) - Number(/ts/.test(b)))

const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  js: ["ts", "tsx", "d.ts"],
  jsx: ["tsx"],
  mjs: ["mts", "d.mts"],
  cjs: ["cts", "d.cts"],
}

/** As Node does: a file before a folder, and a folder by the main file of its package. */
function relativeFile(
  path: string | undefined,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  if (path === undefined) return []
  const extensions = /\.[cm]?jsx?$/.test(fromPath) ? JAVASCRIPT_FIRST : EXTENSIONS
  const file = firstOf(index, candidatesFor(path, extensions))
  if (file.length > 0) return file
  const folder = path === "." ? "" : path
  const own = index.node.packages.find((it) => it.folder === folder)
  const main = own === undefined ? [] : byTargets(".", { folder, targets: own.exports }, index)
  return main.length > 0 ? main : firstOf(index, indexFiles(path, extensions))
}

function fileAt(path: string | undefined, index: SourceIndex): readonly string[] {
  if (path === undefined) return []
  return firstOf(index, [...candidatesFor(path, EXTENSIONS), ...indexFiles(path, EXTENSIONS)])
}

function candidatesFor(path: string, extensions: readonly string[]): readonly string[] {
  const [, stem, extension] = /^(.*)\.([^./]+)$/.exec(path) ?? []
  const written = (WRITTEN_AS[extension ?? ""] ?? []).map((it) => `${stem ?? ""}.${it}`)
  return [path, ...written, ...extensions.map((it) => `${path}.${it}`)]
}

function indexFiles(path: string, extensions: readonly string[]): readonly string[] {
  const folder = path === "." || path === "" ? "" : `${path}/`
  return extensions.map((it) => `${folder}index.${it}`)
}

function byOwnImports(name: string, fromPath: string, index: SourceIndex): readonly string[] {
  for (const folder of foldersAbove(fromPath)) {
    const own = index.node.packages.find((it) => it.folder === folder)
    if (own !== undefined && own.imports.size > 0) {
      return byTargets(name, { folder, targets: own.imports }, index)
    }
  }
  return []
}

/** The nearest tsconfig.json first; if it does not define the name, those above. */
function byPathMaps(name: string, fromPath: string, index: SourceIndex): readonly string[] {
  if (index.node.pathMaps.length === 0) return []
  for (const folder of foldersAbove(fromPath)) {
    for (const map of index.node.pathMaps.filter((it) => it.folder === folder)) {
      const files = byPathMap(name, map, index)
      if (files.length > 0) return files
    }
  }
  return []
}

function byPathMap(name: string, map: PathMap, index: SourceIndex): readonly string[] {
  const folder = inside(posix.join(map.folder, map.base))
  if (folder === undefined) return []
  const root = folder === "." ? "" : folder
  const files = byTargets(name, { folder: root, targets: map.paths }, index)
  if (files.length > 0 || !map.isRoot) return files
  return fileAt(inside(within(root, name)), index)
}

function byPackage(name: string, index: SourceIndex): readonly string[] {
  const parts = name.split("/")
  const count = name.startsWith("@") ? 2 : 1
  const packageName = parts.slice(0, count).join("/")
  const own = index.node.packages.find((it) => it.name === packageName)
  if (own === undefined) return []
  const rest = parts.slice(count).join("/")
  const { folder, exports: targets } = own
  const exported = byTargets(rest === "" ? "." : `./${rest}`, { folder, targets }, index)
  if (exported.length > 0) return exported
  const [beside = [], below = []] = [rest, posix.join("src", rest)].map((it) =>
    fileAt(inside(posix.join(folder, it)), index),
  )
  return beside.length > 0 ? beside : below
}

function byTargets(
  name: string,
  { folder, targets }: { readonly folder: string; readonly targets: Targets },
  index: SourceIndex,
): readonly string[] {
  const patterns = [...targets.keys()].toSorted((a, b) => b.length - a.length)
  for (const pattern of patterns) {
    const filling = fillingOf(name, pattern)
    if (filling === undefined) continue
    for (const target of targets.get(pattern) ?? []) {
      const path = posix.join(
        folder,
        target.replace("*", () => filling),
      )
      const files = [path, sourceOf(path)].map((it) => fileAt(inside(it), index))
      const first = files.find((it) => it.length > 0)
      if (first !== undefined) return first
    }
  }
  return []
}

function fillingOf(name: string, pattern: string): string | undefined {
  if (name === pattern) return ""
  const [start = "", end, more] = pattern.split("*")
  if (end === undefined || more !== undefined) return undefined
  const fits = name.startsWith(start) && name.endsWith(end)
  const isLongEnough = name.length >= start.length + end.length
  return fits && isLongEnough ? name.slice(start.length, name.length - end.length) : undefined
}

/** Build output is not in the repository; its source is usually in `src`. */
function sourceOf(path: string): string {
  return path.replace(/(^|\/)(?:dist|build|out|lib)\//, "$1src/")
}
