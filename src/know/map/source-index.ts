import { posix } from "node:path"
import { compareText } from "#ground/base"
import type { FileFacts } from "./facts.ts"
import { NO_NODE_SOURCES, type NodeSources } from "./node-packages.ts"

export type SourceIndex = {
  has(path: string): boolean
  inFolder(folder: string): readonly string[]
  endingIn(tail: string): readonly string[]
  below(folder: string): readonly string[]
  ofPackage(name: string): readonly string[]
  defining(name: string, packageName: string): readonly string[]
  readonly goModules: readonly GoModule[]
  readonly node: NodeSources
}

export type GoModule = { readonly folder: string; readonly name: string }

export type PackagedFile = {
  readonly path: string
  readonly facts?: {
    readonly packages: FileFacts["packages"]
    readonly symbols: readonly { readonly name: string }[]
  }
}

export function createSourceIndex(
  files: readonly PackagedFile[],
  goModules: readonly GoModule[] = [],
  node: NodeSources = NO_NODE_SOURCES,
): SourceIndex {
  const paths = new Set(files.map((it) => it.path))
  const byFolder = Map.groupBy(paths, (path) => folderOf(path))
  const byName = Map.groupBy([...paths].toSorted(byLength), (path) => posix.basename(path))
  const byPackage = groupByPackage(files)
  const definersByPackage = new Map<string, ReadonlyMap<string, readonly string[]>>()
  const belowFolder = new Map<string, readonly string[]>()
  return {
    has: (path) => paths.has(path),
    inFolder: (folder) => byFolder.get(folder) ?? [],
    endingIn: (tail) =>
      (byName.get(posix.basename(tail)) ?? []).filter(
        (it) => it === tail || it.endsWith(`/${tail}`),
      ),
    below: (folder) => {
      const cached = belowFolder.get(folder)
      if (cached !== undefined) return cached
      const matches = [...paths]
        .filter((it) => `/${it}`.includes(`/${folder}/`))
        .toSorted(compareText)
      belowFolder.set(folder, matches)
      return matches
    },
    ofPackage: (name) => (byPackage.get(name) ?? []).map((it) => it.path),
    defining: (name, packageName) => {
      const cached = definersByPackage.get(packageName)
      const definers = cached ?? groupByName(byPackage.get(packageName) ?? [])
      definersByPackage.set(packageName, definers)
      return definers.get(name) ?? []
    },
    goModules: goModules.toSorted((a, b) => b.name.length - a.name.length),
    node,
  }
}

export function goModuleName(text: string): string | undefined {
  return /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(text)?.[1]
}

function groupByPackage(files: readonly PackagedFile[]): ReadonlyMap<string, PackagedFile[]> {
  const byPackage = new Map<string, PackagedFile[]>()
  for (const file of files) {
    for (const name of file.facts?.packages ?? []) {
      const others = byPackage.get(name)
      if (others === undefined) byPackage.set(name, [file])
      else others.push(file)
    }
  }
  return byPackage
}

function groupByName(files: readonly PackagedFile[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const { path, facts } of files) {
    for (const { name } of facts?.symbols ?? []) {
      const others = byName.get(name)
      if (others === undefined) byName.set(name, [path])
      else if (others.at(-1) !== path) others.push(path)
    }
  }
  return byName
}

function folderOf(path: string): string {
  const folder = posix.dirname(path)
  return folder === "." ? "" : folder
}

function byLength(a: string, b: string): number {
  return a.length - b.length || compareText(a, b)
}
