import { formatScore } from "../../base/format.ts"
import type { ContextPack, PackFile, PackLeft } from "../../contract.ts"
import { formatExact } from "../../contract.ts"

const GROUP = "group:"
const RECORD = "record:"

/** A row's key is the path of its file, unless it is a group of files or a record. */
export const isGroupKey = (key: string) => key.startsWith(GROUP)
export const isFileKey = (key: string) => key !== "" && !isGroupKey(key) && !key.startsWith(RECORD)

export type CandidateLine =
  | { readonly kind: "chosen"; readonly key: string; readonly file: PackFile }
  | { readonly kind: "left"; readonly key: string; readonly left: LeftFile }
  | {
      readonly kind: "group"
      readonly key: string
      readonly name: string
      readonly count: number
      readonly sum: string
      readonly isOpen: boolean
    }

type LeftFile = Omit<PackLeft, "score" | "tokens"> & {
  readonly score: number | null
  readonly tokens: number | null
}

const WHYS = [
  "no-room",
  "unlikely",
  "below",
  "denied",
  "dropped",
] as const satisfies readonly PackLeft["why"][]
type LeftReason = (typeof WHYS)[number]

/**
 * Files without space are shown at once, because they are the hatched part of the bar; the other
 * groups are closed.
 */
const OPEN_AT_FIRST: Readonly<Record<LeftReason, boolean>> = {
  "no-room": true,
  unlikely: true,
  below: false,
  denied: false,
  dropped: true,
}

type PackLinesInput = {
  readonly files: readonly PackFile[]
  readonly drops: readonly string[]
  readonly turned: readonly string[]
  readonly minRelevance: number
}

export function candidateLines(pack: ContextPack, shown: PackLinesInput): readonly CandidateLine[] {
  const { files, turned, minRelevance } = shown
  const chosen = files
    .toSorted(byScore)
    .map((file): CandidateLine => ({ kind: "chosen", key: file.path, file }))
  const left: readonly LeftFile[] = [...pack.left, ...unlistedDrops(pack, shown.drops)]
  const groups = WHYS.flatMap((why) => {
    const key = `${GROUP}${why}`
    const members = left.filter((it) => it.why === why).toSorted(byScore)
    if (members.length === 0) return []
    const isOpen = OPEN_AT_FIRST[why] !== turned.includes(key)
    const head: CandidateLine = {
      kind: "group",
      key,
      name: nameOf(why, { minRelevance, role: pack.role }),
      count: members.length,
      // Includes unlisted files without space, so that it equals the hatched part of the bar.
      sum: why === "no-room" ? formatExact(pack.manifest.leftTokens) : "",
      isOpen,
    }
    const rows = members.map((it): CandidateLine => ({ kind: "left", key: it.path, left: it }))
    return isOpen ? [head, ...rows] : [head]
  })
  return [...chosen, ...groups]
}

/**
 * Dropped paths that the response does not list: it is older, or lists only the best candidates.
 */
function unlistedDrops(pack: ContextPack, drops: readonly string[]): readonly LeftFile[] {
  const listed = new Set(pack.left.map((it) => it.path))
  return drops
    .filter((path) => !listed.has(path))
    .map((path) => {
      const file = pack.files.find((it) => it.path === path)
      return {
        path,
        score: file?.score ?? null,
        tokens: file?.wholeTokens ?? null,
        why: "dropped",
        detail: "dropped by you",
        reasons: file?.reasons ?? [],
      }
    })
}

function nameOf(why: LeftReason, of: { minRelevance: number; role: string | null }): string {
  switch (why) {
    case "no-room":
      return "Did not fit"
    case "unlikely":
      return "Unlikely to be needed"
    case "below":
      return `Below ${formatScore(of.minRelevance)}`
    case "denied":
      return of.role === null ? "Denied" : `Denied for role ${of.role}`
    case "dropped":
      return "Dropped"
    default:
      return why satisfies never
  }
}

type PackRecord = ContextPack["records"][number]

export type PackKind = ContextPack["manifest"]["kinds"][number]["kind"]

type FileKind = Extract<PackKind, "files" | "symbols">

export type ChosenLine =
  | {
      readonly kind: "file"
      readonly key: string
      readonly file: PackFile
      readonly number: number
      readonly of: FileKind
      readonly showsKind: boolean
    }
  | { readonly kind: "record"; readonly key: string; readonly record: PackRecord }
  | { readonly kind: "heading"; readonly key: string; readonly of: PackKind; readonly sum: string }

type Chosen = { readonly files: readonly PackFile[]; readonly records: readonly PackRecord[] }

/** Files in final order, then the records, which have no place in that order. */
export function chosenLines(chosen: Chosen, only: PackKind | null): readonly ChosenLine[] {
  return [...fileLines(chosen.files, only), ...recordLines(chosen.records, only)]
}

function recordLines(records: readonly PackRecord[], only: PackKind | null): readonly ChosenLine[] {
  return (["memory", "knowledge"] as const).flatMap((of): readonly ChosenLine[] => {
    const own = records.filter((it) => (it.kind === "paragraph") === (of === "knowledge"))
    if (own.length === 0 || (only !== null && only !== of)) return []
    return [
      { kind: "heading", key: `kind:${of}`, of, sum: formatExact(sumOf(own)) },
      ...own.map((record) => ({
        kind: "record" as const,
        key: `${RECORD}${record.kind}:${record.id}`,
        record,
      })),
    ]
  })
}

/**
 * Headings name the kinds if each kind is contiguous; otherwise each row names its kind, because the
 * order is what the agent receives.
 */
function fileLines(files: readonly PackFile[], only: PackKind | null): readonly ChosenLine[] {
  const turns = files.filter((it, i) => i > 0 && kindOf(it) !== kindOf(files[i - 1] ?? it)).length
  const isMixed = turns > 1
  return files.flatMap((file, i): readonly ChosenLine[] => {
    const of = kindOf(file)
    if (only !== null && of !== only) return []
    const before = files[i - 1]
    const isFirst = before === undefined || kindOf(before) !== of
    const row: ChosenLine = {
      kind: "file",
      key: file.path,
      file,
      number: i + 1,
      of,
      showsKind: isMixed,
    }
    if (isMixed || !isFirst) return [row]
    const same = files.filter((it) => kindOf(it) === of)
    return [{ kind: "heading", key: `kind:${of}`, of, sum: formatExact(sumOf(same)) }, row]
  })
}

function kindOf({ form }: Pick<PackFile, "form">): FileKind {
  return form === "full" || form === "path" ? "files" : "symbols"
}

function sumOf(all: readonly { readonly tokens: number }[]): number {
  return all.reduce((sum, it) => sum + it.tokens, 0)
}

type ScoredPath = { readonly score: number | null; readonly path: string }

function byScore(a: ScoredPath, b: ScoredPath): number {
  return (b.score ?? -1) - (a.score ?? -1) || (a.path < b.path ? -1 : 1)
}
