import type { Corpus } from "../ranker/corpus.ts"

export type FileParts = ReturnType<typeof createFileParts>

const partsByCorpus = new WeakMap<Corpus, FileParts>()

/** Independent of the task, so it is built once per corpus. */
export function filePartsOf(corpus: Corpus): FileParts {
  const existing = partsByCorpus.get(corpus)
  if (existing !== undefined) return existing
  const parts = createFileParts(corpus.paths)
  partsByCorpus.set(corpus, parts)
  return parts
}

const FOLDER_FILES = new Set(["__init__", "index", "mod"])

/** Finds files by the end of a written path and by a dotted module name. */
function createFileParts(paths: readonly string[]) {
  const byFileName = new Map<string, number[]>()
  const byModuleName = new Map<string, number[]>()
  const modules = paths.map((path, at) => {
    list(byFileName, path.slice(path.lastIndexOf("/") + 1), at)
    const module = moduleOf(path)
    list(byModuleName, module.at(-1) ?? "", at)
    return module
  })

  return {
    isNested: (at: number): boolean => paths[at]?.includes("/") ?? false,

    /** The files that agree with the written path in most parts, counted from the end. */
    matchEnd(path: string) {
      const written = path.split("/").filter((it) => it !== "" && it !== "." && it !== "..")
      let agreeing = 0
      let files: number[] = []
      for (const at of byFileName.get(written.at(-1) ?? "") ?? []) {
        const count = agreement(written, (paths[at] ?? "").split("/"))
        if (count > agreeing) [agreeing, files] = [count, [at]]
        else if (count === agreeing) files.push(at)
      }
      return { files, agreeing, written: written.length }
    },

    /** The longest beginning of `names` that is a file; the files nearest to the root. */
    module(names: readonly string[]): {
      readonly files: readonly number[]
      readonly depth: number
    } {
      for (let depth = names.length; depth > 0; depth--) {
        const folders = names.slice(0, depth)
        const ending = (byModuleName.get(folders.at(-1) ?? "") ?? []).filter((at) =>
          endsWith(modules[at] ?? [], folders),
        )
        const isAlone = ending.length === 1
        const files =
          depth > 1 ? ending : ending.filter((at) => isAlone || (modules[at]?.length ?? 0) <= 2)
        if (files.length === 0) continue
        const least = Math.min(...files.map((at) => modules[at]?.length ?? 0))
        return { files: files.filter((at) => modules[at]?.length === least), depth }
      }
      return { files: [], depth: 0 }
    },

    /** Those of `candidates` that are one of the modules or are inside one. */
    inside(moduleFiles: readonly number[], candidates: readonly number[]): readonly number[] {
      const folders = moduleFiles.map((at) => (modules[at] ?? []).join("/"))
      return candidates.filter((at) => {
        const path = paths[at] ?? ""
        return folders.some((it) => path.startsWith(`${it}/`) || path.startsWith(`${it}.`))
      })
    },
  }
}

function moduleOf(path: string): readonly string[] {
  const dot = path.lastIndexOf(".")
  const parts = (dot < 0 ? path : path.slice(0, dot)).split("/")
  return parts.length > 1 && FOLDER_FILES.has(parts.at(-1) ?? "") ? parts.slice(0, -1) : parts
}

function agreement(written: readonly string[], path: readonly string[]): number {
  let count = 0
  while (
    count < written.length &&
    count < path.length &&
    written.at(-1 - count) === path.at(-1 - count)
  ) {
    count++
  }
  return count
}

function endsWith(parts: readonly string[], ending: readonly string[]): boolean {
  const offset = parts.length - ending.length
  return offset >= 0 && ending.every((it, index) => parts[offset + index] === it)
}

function list(lists: Map<string, number[]>, key: string, at: number): void {
  const existing = lists.get(key)
  if (existing === undefined) lists.set(key, [at])
  else existing.push(at)
}
