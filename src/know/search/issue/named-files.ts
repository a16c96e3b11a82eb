import type { PostingsOf } from "../postings.ts"
import type { Corpus } from "../ranker/corpus.ts"
import { definersOf } from "./defined-names.ts"
import { type FileParts, filePartsOf } from "./file-parts.ts"
import type { IssueTask } from "./parse-issue.ts"

/** By position: what names in the issue say about each file. */
export type NameScores = Readonly<
  Record<"idd" | "cm" | "pm" | "fr" | "frn" | "mod" | "imp" | "frdef", Float64Array>
>

type NamedTree = { readonly corpus: Corpus; readonly postingsOf: PostingsOf }

export function scoreNames(issue: IssueTask, tree: NamedTree): NameScores {
  const { size } = tree.corpus
  const parts = filePartsOf(tree.corpus)
  const definers = definersOf(tree)
  const modules = scoreModules(issue, { parts, definers, size })
  return {
    idd: scoreDefinitions(issue, definers, size),
    cm: scoreMembers(issue, definers, size),
    pm: scorePaths(issue, parts, size),
    ...scoreFrames(issue, parts, size),
    ...modules,
    frdef: countFrameFunctions(issue, definers, size),
  }
}

type Definers = ReturnType<typeof definersOf>

function scoreDefinitions(
  { identifiers }: IssueTask,
  definers: Definers,
  size: number,
): Float64Array {
  const scores = new Float64Array(size)
  for (const [name, weight] of identifiers) {
    const files = definers(name)
    const rarity = Math.log(1 + (size - files.size + 0.5) / (files.size + 0.5))
    for (const [at, strength] of files) add(scores, at, weight * rarity * strength)
  }
  return scores
}

const MOST_MEMBER_FILES = 8

/** `Cart.total`: files that define both names. */
function scoreMembers({ dottedNames }: IssueTask, definers: Definers, size: number): Float64Array {
  const scores = new Float64Array(size)
  for (const [dotted, weight] of dottedNames) {
    const names = dotted.split(".")
    for (const [index, name] of names.slice(0, -1).entries()) {
      const members = definers(names[index + 1] ?? "")
      const both = [...definers(name).keys()].filter((at) => members.has(at))
      if (both.length > MOST_MEMBER_FILES) continue
      for (const at of both) raise(scores, at, weight / Math.sqrt(both.length))
    }
  }
  return scores
}

function scorePaths({ paths }: IssueTask, parts: FileParts, size: number): Float64Array {
  const scores = new Float64Array(size)
  for (const [path, weight] of paths) {
    const { files, agreeing, written } = parts.matchEnd(path)
    const isNested = parts.isNested(files[0] ?? -1)
    // A mention with folders must agree in one of them.
    if (files.length === 0 || (written > 1 && agreeing < 2 && isNested)) continue
    const share = (weight * (agreeing > 1 ? 1 : 0.8)) / files.length
    for (const at of files) raise(scores, at, share)
  }
  return scores
}

const DECAY_PER_FRAME = 0.8

/** The innermost frame of the repository's own code counts most. */
function scoreFrames(
  { pythonFrames, javaFrames }: IssueTask,
  parts: FileParts,
  size: number,
): Pick<NameScores, "fr" | "frn"> {
  const [fr, counts] = [new Float64Array(size), new Float64Array(size)]
  const outermostFirst = [
    ...pythonFrames.flatMap(({ path }) => {
      const { files, agreeing } = parts.matchEnd(path)
      return files.length > 0 && (agreeing >= 2 || !path.includes("/")) ? [files] : []
    }),
    ...javaFrames.toReversed().flatMap(({ className, file }) => {
      const type = (className.split("$")[0] ?? "").replaceAll(".", "/")
      const folder = type.includes("/") ? type.slice(0, type.lastIndexOf("/")) : type
      const { files, agreeing } = parts.matchEnd(`${folder}/${file}`)
      return files.length > 0 && agreeing >= 2 ? [files] : []
    }),
  ]
  for (const [depth, files] of outermostFirst.toReversed().entries()) {
    for (const at of files) {
      raise(fr, at, DECAY_PER_FRAME ** depth / files.length)
      add(counts, at, 1 / files.length)
    }
  }
  return { fr, frn: counts.map((it) => Math.log1p(it)) }
}

const NO_MODULES = new Set(["self", "cls", "this", "np", "pd", "plt"])
const MOST_MODULE_FILES = 3
const MOST_DEFINING_FILES = 6

type ModuleInput = {
  readonly parts: FileParts
  readonly definers: Definers
  readonly size: number
}

function scoreModules(
  { dottedNames, imports }: IssueTask,
  { parts, definers, size }: ModuleInput,
): Pick<NameScores, "mod" | "imp"> {
  const [mod, imp] = [new Float64Array(size), new Float64Array(size)]
  const addDefiners = (files: readonly number[], weight: number): void => {
    if (files.length > MOST_DEFINING_FILES) return
    for (const at of files) raise(imp, at, weight / Math.sqrt(files.length))
  }
  for (const [dotted, weight] of dottedNames) {
    const names = dotted.split(".")
    if (names.length < 2 || NO_MODULES.has(names[0] ?? "")) continue
    const { files, depth } = parts.module(names)
    const isWhole = depth === names.length
    const next = definers(names[depth] ?? "")
    if (isWhole || files.length <= MOST_MODULE_FILES) {
      const share = (weight * Math.min(1, 0.25 + 0.25 * depth)) / files.length
      for (const at of files) raise(mod, at, share * (isWhole || next.has(at) ? 1 : 0.5))
    }
    if (!isWhole && files.length > 0 && files.length <= MOST_MODULE_FILES) {
      addDefiners(parts.inside(files, [...next.keys()]), weight)
    }
  }
  for (const { module, name } of imports) {
    const names = module.split(".")
    const { files, depth } = parts.module(names)
    const isModule = files.length > 0 && depth === names.length && files.length <= MOST_MODULE_FILES
    if (!isModule) continue
    const defining = parts.inside(files, [...definers(name).keys()])
    const submodule = parts.module([...names, name])
    const isSubmodule = submodule.depth === names.length + 1
    if (defining.length > 0) addDefiners(defining, 0.6)
    else if (isSubmodule) addDefiners(submodule.files, 0.6)
    for (const at of files) raise(mod, at, 0.3 / files.length)
  }
  return { mod, imp }
}

function countFrameFunctions(
  { pythonFrames }: IssueTask,
  definers: Definers,
  size: number,
): Float64Array {
  const counts = new Float64Array(size)
  for (const name of new Set(pythonFrames.map((it) => it.name))) {
    for (const at of definers(name).keys()) add(counts, at, 1)
  }
  return counts
}

function raise(values: Float64Array, at: number, value: number): void {
  values[at] = Math.max(values[at] ?? 0, value)
}

function add(values: Float64Array, at: number, value: number): void {
  values[at] = (values[at] ?? 0) + value
}
