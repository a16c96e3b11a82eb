import { compareText, oneLine } from "#ground/base"
import type { CallContext, DebtReport, ParsedInput } from "#ground/contract"
import type { IndexedFile, IndexedTree } from "#know/map"
import type { Git } from "#see/repo"
import { dependentsOf, filesAt, type ReportDeps } from "../deps.ts"

const DAY_MS = 86_400_000

/** The word in capitals after the start of a comment. */
const MARKER =
  /(?:\/\/|#|\/\*|\*|<!--|--|;|%)[ \t]*(?:@)?(TODO|FIXME|HACK|XXX)\b[ \t]*(?:\([^)\n]{0,60}\))?[ \t]*:?[ \t]*([^\n]{0,300})/g

const LONGEST_TEXT_UNITS = 160

/** Versions of one file that are read to find the age of its marks. */
const MOST_VERSIONS = 60

const MOST_DATED_FILES = 200

/** A hotspot changed in at least this many commits. */
const FEWEST_COMMITS = 3

const LARGEST_VERSION_BYTES = 1024 ** 2

type Marker = Omit<DebtReport["markers"][number], "ageDays" | "commit">

/** Marks with their age, long functions, and files that change often and that no test imports. */
export async function auditDebt(
  { paths, lines, limit }: ParsedInput<"audit.debt">,
  context: CallContext,
  deps: ReportDeps,
): Promise<DebtReport> {
  const tree = await deps.tree(context)
  const files = filesAt(tree, paths.map(deps.place))
  const own = files.filter((it) => it.fileClass === "source" || it.fileClass === "test")
  const redact = await deps.redact()
  const markers = await markersIn(tree, own, (text) => redact(text).text)
  const git = await deps.git(context.signal)
  const dated =
    "problem" in git ? undefined : await ageOf(markers, { clock: deps.clock, git, tree })
  const notes = [
    ...("problem" in git ? [`the age of marks is unknown: ${git.problem}`] : []),
    ...(tree.historyProblem === undefined
      ? []
      : [`how often files change is unknown: ${tree.historyProblem}`]),
  ]
  const withAge = markers.map((it) => ({
    ...it,
    ...(dated?.get(keyOf(it)) ?? { ageDays: null, commit: null }),
  }))
  return {
    markers: withAge.toSorted((a, b) => (b.ageDays ?? -1) - (a.ageDays ?? -1)).slice(0, limit),
    markerCount: markers.length,
    large: (await largeSymbols(tree, own, lines)).slice(0, limit),
    hotspots: (await hotspotsIn(tree, files, deps)).slice(0, limit),
    notes,
  }
}

async function markersIn(
  tree: IndexedTree,
  files: readonly IndexedFile[],
  redact: (text: string) => string,
): Promise<readonly Marker[]> {
  const code = files.filter((it) => it.language !== undefined)
  const texts = await tree.texts(code.map((it) => it.path))
  return code.flatMap(({ path }) => findMarkers(path, texts.get(path) ?? "", redact))
}

function findMarkers(
  path: string,
  text: string,
  redact: (text: string) => string = (it) => it,
): readonly Marker[] {
  return [...text.matchAll(MARKER)].map((match) => ({
    path,
    line: text.slice(0, match.index).split("\n").length,
    word: match[1] ?? "",
    text: oneLine(
      redact((match[2] ?? "").replace(/\*\/\s*$|-->\s*$/, "").trim()),
      LONGEST_TEXT_UNITS,
    ),
  }))
}

function keyOf({ path, line }: Marker): string {
  return `${path}:${line}`
}

type AgeDeps = Pick<ReportDeps, "clock"> & { readonly git: Git; readonly tree: IndexedTree }

/**
 * Blame without blame, which would run with the repository's settings: the oldest version of the
 * file, without a gap, that has the same line apart from its indentation.
 */
async function ageOf(markers: readonly Marker[], { git, tree, clock }: AgeDeps) {
  const ages = new Map<string, { readonly ageDays: number; readonly commit: string }>()
  const paths = [...new Set(markers.map((it) => it.path))].slice(0, MOST_DATED_FILES)
  const texts = await tree.texts(paths)
  const versions = await versionsOf(paths, git, tree)
  for (const marker of markers) {
    const line = (texts.get(marker.path) ?? "").split("\n")[marker.line - 1]?.trim() ?? ""
    const since = oldestWith(line, versions.get(marker.path) ?? [])
    if (since === undefined) continue
    const ageDays = Math.max(0, Math.floor((clock.now() - since.atMs) / DAY_MS))
    ages.set(keyOf(marker), { ageDays, commit: since.commit })
  }
  return ages
}

type Version = {
  readonly commit: string
  readonly atMs: number
  readonly lines: ReadonlySet<string>
}

/** Newest first. All files together, because starting git costs more than reading a file. */
async function versionsOf(
  paths: readonly string[],
  git: Git,
  { gitSha, commits, commitTimesMs }: IndexedTree,
): Promise<ReadonlyMap<string, readonly Version[]>> {
  if (gitSha === undefined || paths.length === 0) return new Map()
  const ids = await git.commitIds({ from: gitSha, limit: commits.length })
  const places = paths.flatMap((path) =>
    [...commits.entries()]
      .filter(([, commit]) => commit.files.includes(path))
      .slice(0, MOST_VERSIONS)
      .flatMap(([at]) => {
        const commit = ids[at]
        return commit === undefined ? [] : [{ path, commit, atMs: commitTimesMs[at] ?? 0 }]
      }),
  )
  const blobs = await git.blobsAt(places)
  const linesOf = new Map<string, ReadonlySet<string>>()
  const unique = [...new Set(blobs.filter((it) => it !== undefined))]
  for await (const blob of git.readBlobs(unique, { maxBlobBytes: LARGEST_VERSION_BYTES })) {
    const text = blob.kind === "read" ? blob.bytes.toString("utf8") : ""
    linesOf.set(blob.id, new Set(text.split("\n").map((it) => it.trim())))
  }
  const versions = places.map(({ path, commit, atMs }, at) => {
    return { path, commit, atMs, lines: linesOf.get(blobs[at] ?? "") ?? new Set<string>() }
  })
  return Map.groupBy(versions, (it) => it.path)
}

/** Versions are newest first; the first one without the line ends the search. */
function oldestWith(line: string, versions: readonly Version[]): Version | undefined {
  const gap = versions.findIndex((it) => !it.lines.has(line))
  return (gap === -1 ? versions : versions.slice(0, gap)).at(-1)
}

async function largeSymbols(
  tree: IndexedTree,
  files: readonly IndexedFile[],
  most: number,
): Promise<DebtReport["large"]> {
  const sources = files.filter((it) => it.fileClass === "source" && it.symbolCount > 0)
  const contents = await tree.contents([...new Set(sources.map((it) => it.content))])
  const large = sources.flatMap(({ path, content }) =>
    (contents.get(content)?.symbols ?? []).flatMap(({ name, kind, parent, fromLine, toLine }) => {
      const lines = toLine - fromLine + 1
      const isCallable = kind === "function" || kind === "method"
      const shown = parent === undefined ? name : `${parent}.${name}`
      return isCallable && lines > most ? [{ path, name: shown, kind, line: fromLine, lines }] : []
    }),
  )
  return large.toSorted((a, b) => b.lines - a.lines || compareText(a.path, b.path))
}

async function hotspotsIn(
  tree: IndexedTree,
  files: readonly IndexedFile[],
  deps: ReportDeps,
): Promise<DebtReport["hotspots"]> {
  const counts = new Map<string, number>()
  for (const path of tree.commits.flatMap((it) => [...new Set(it.files)])) {
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  const dependents = await dependentsOf(deps.graphOf(tree))
  const hotspots = files.flatMap(({ path, fileClass, language, lines }) => {
    const commits = counts.get(path) ?? 0
    if (fileClass !== "source" || language === undefined || commits < FEWEST_COMMITS) return []
    const { tests, others } = dependents(path)
    return tests.length > 0 ? [] : [{ path, commits, lines, dependents: others, tests: 0 }]
  })
  return hotspots.toSorted((a, b) => b.commits - a.commits || compareText(a.path, b.path))
}
