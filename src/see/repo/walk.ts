import {
  compareText,
  type DirectoryEntry,
  type FileStat,
  type FolderListing,
  giveOthersATurn,
  type OpenFolder,
  openFolder,
  readBounded,
  type StatOutcome,
  statNow,
} from "#ground/base"
import { classifyPath, type FileClass } from "./classify.ts"
import { IGNORE_FILES, type IgnoreLevel, isIgnored, parseIgnoreRules } from "./ignore/ignore.ts"
import { DEEPEST_WALKED_LEVELS, LARGEST_TEXT_BYTES, MOST_WALKED_FILES } from "./limits.ts"
import type { Repository } from "./repo.ts"

/** Some seconds of matching; 100,000 files under fifty rules with stars take a twentieth of it. */
const MOST_RULE_STEPS = 2_000_000_000

/** A stat takes some microseconds; after this many the walk yields to the event loop. */
const LOOKS_A_TURN = 512

/** Further skips are only counted. */
const MOST_LISTED_SKIPS = 10_000

/** More text cannot be indexed in minutes. */
const LARGEST_TREE_BYTES = 4 * 1024 ** 3

/** Ignored files need a stat too: a cache folder may have millions. */
const MOST_WALKED_ENTRIES = 2_000_000

/** A larger ignore file was not written by hand. */
const IGNORE_FILE_LIMIT_BYTES = 256 * 1024

export type WalkedFile = {
  readonly path: string
  readonly stat: FileStat
  readonly class: FileClass
}

/**
 * A path that is in no list of files and decides which files are: a folder, an ignore file, a file
 * over the size limit. Relative to the root, or absolute; without `stat` it is missing.
 */
type WalkProbe = {
  readonly path: string
  readonly stat: FileStat | undefined
  readonly isFolder?: true
}

export type Walk = {
  readonly files: readonly WalkedFile[]
  /** If these and `files` have the same stats later, another walk has the same result. */
  readonly probes: readonly WalkProbe[]
  readonly folders: readonly string[]
  readonly skipped: readonly Skip[]
  readonly skippedInAll: number
  readonly ignoredInAll: number
  /** False if a limit ended the walk or a folder could not be read. */
  readonly isWhole: boolean
}

export type WalkLimits = {
  readonly maxFiles?: number
  readonly maxLevels?: number
  readonly maxEntries?: number
  readonly maxBytes?: number
  readonly maxRuleSteps?: number
}

/**
 * Opens only ignore files. Links are not followed; other repositories and disks are not entered.
 * The same tree gives the same walk.
 */
export async function walkTree(
  repository: Pick<Repository, "root" | "gitCommonDirectory">,
  options: WalkLimits & { readonly signal: AbortSignal },
): Promise<Walk> {
  const state = startingState(options)
  const opened = openFolder(repository.root)
  if (opened.kind !== "open") {
    state.probes.push({ path: "", stat: statNow(repository.root) })
    skip(state, "", "unreadable")
    return resultOf(state)
  }
  using root = opened.folder
  const levels = await excludedByGit(state, repository.gitCommonDirectory)
  await enter(state, root, { path: "", level: 0, device: root.device, levels })
  return resultOf(state)
}

async function excludedByGit(
  state: State,
  gitDirectory: string | undefined,
): Promise<readonly IgnoreLevel[]> {
  if (gitDirectory === undefined) return []
  const file = `${gitDirectory}/info/exclude`
  state.probes.push({ path: file, stat: statNow(file) })
  const outcome = await readBounded(file, {
    maxBytes: IGNORE_FILE_LIMIT_BYTES,
    root: gitDirectory,
  })
  return outcome.kind === "read" ? [{ folder: "", rules: parseIgnoreRules(outcome.bytes) }] : []
}

type FolderVisit = {
  readonly path: string
  readonly level: number
  readonly device: number
  readonly levels: readonly IgnoreLevel[]
}

const ENDING: ReadonlySet<SkipReason> = new Set([
  "too-many-files",
  "too-many-entries",
  "rules-too-costly",
])
const INCOMPLETE: ReadonlySet<SkipReason> = new Set([
  ...ENDING,
  "too-deep",
  "unreadable",
  "too-much-text",
])

type State = {
  readonly limits: Required<WalkLimits>
  readonly signal: AbortSignal
  readonly files: WalkedFile[]
  readonly probes: WalkProbe[]
  readonly folders: string[]
  readonly skipped: Skip[]
  readonly visited: Set<string>
  readonly effort: { steps: number }
  skippedInAll: number
  ignoredInAll: number
  looks: number
  bytes: number
  isWhole: boolean
  isEnded: boolean
}

function startingState(options: WalkLimits & { readonly signal: AbortSignal }): State {
  return {
    limits: withDefaults(options),
    signal: options.signal,
    files: [],
    probes: [],
    folders: [],
    skipped: [],
    visited: new Set(),
    effort: { steps: 0 },
    skippedInAll: 0,
    ignoredInAll: 0,
    looks: 0,
    bytes: 0,
    isWhole: true,
    isEnded: false,
  }
}

function resultOf({ files, probes, folders, skipped, ...counts }: State): Walk {
  const { skippedInAll, ignoredInAll, isWhole } = counts
  const ordered = files.toSorted((a, b) => compareText(a.path, b.path))
  return { files: ordered, probes, folders, skipped, skippedInAll, ignoredInAll, isWhole }
}

function skip(state: State, path: string, reason: SkipReason): void {
  state.skippedInAll++
  if (state.skipped.length < MOST_LISTED_SKIPS) state.skipped.push({ path, reason })
  state.isWhole &&= !INCOMPLETE.has(reason)
  state.isEnded ||= ENDING.has(reason)
}

async function enter(state: State, folder: OpenFolder, place: FolderVisit): Promise<void> {
  state.signal.throwIfAborted()
  // Also if it is refused: a nested repository without its `.git` is a folder like any other.
  state.probes.push({ path: place.path, stat: folder.ownStat, isFolder: true })
  const listed = folder.list({ maxEntries: state.limits.maxEntries })
  const entries = listed.kind === "listed" ? listed.entries : []
  const refused = refusal(state, folder, place) ?? notListed(listed) ?? foreign(place, entries)
  if (refused !== undefined) return skip(state, place.path, refused)

  state.visited.add(identityOf(folder))
  state.folders.push(place.path)
  const unnameable = listed.kind === "listed" ? listed.unnameable : []
  for (const name of unnameable) skip(state, joined(place.path, name), "name-not-utf8")
  const levels = [...place.levels, ...ownRules(state, { folder, entries, path: place.path })]
  for (const entry of entries) {
    if (state.isEnded) return
    await look(state, { folder, entry, place: { ...place, levels } })
  }
}

function refusal(state: State, folder: OpenFolder, place: FolderVisit): SkipReason | undefined {
  if (folder.device !== place.device) return "other-device"
  if (state.visited.has(identityOf(folder))) return "seen-before"
  return place.level > state.limits.maxLevels ? "too-deep" : undefined
}

function notListed(listed: FolderListing): SkipReason | undefined {
  if (listed.kind === "listed") return undefined
  return listed.kind === "too-many" ? "too-many-entries" : "unreadable"
}

function identityOf(folder: OpenFolder): string {
  return `${folder.device}:${folder.inode}`
}

type InFolder = {
  readonly folder: OpenFolder
  readonly entries: readonly DirectoryEntry[]
  readonly path: string
}

function ownRules(state: State, { folder, entries, path }: InFolder): readonly IgnoreLevel[] {
  // Git does not read rules from a link or a pipe either; they are reported as skips.
  const regular = entries.filter((it) => it.what === "regular file")
  const names = new Set(regular.map((it) => it.name))
  return IGNORE_FILES.filter((name) => names.has(name)).flatMap((name) => {
    // Its own rules may ignore it; then it is in no list of files.
    const stat = folder.stat(name)
    state.probes.push({ path: joined(path, name), stat: statOf(stat) })
    const outcome = folder.read(name, { maxBytes: IGNORE_FILE_LIMIT_BYTES })
    if (outcome.kind === "read") return [{ folder: path, rules: parseIgnoreRules(outcome.bytes) }]
    skip(state, joined(path, name), "rules-not-read")
    return []
  })
}

type VisitedEntry = {
  readonly folder: OpenFolder
  readonly place: FolderVisit
  readonly entry: DirectoryEntry
}

async function look(state: State, { folder, place, entry }: VisitedEntry): Promise<void> {
  const path = joined(place.path, entry.name)
  if (++state.looks > state.limits.maxEntries) return skip(state, path, "too-many-entries")
  if (state.looks % LOOKS_A_TURN === 0) await giveOthersATurn()
  if (isOurs(path, entry.name)) return
  const isFolder = entry.what === "directory"
  const ignored = isIgnored(place.levels, { path, isFolder }, state.effort)
  if (state.effort.steps > state.limits.maxRuleSteps) return skip(state, path, "rules-too-costly")
  if (ignored) {
    state.ignoredInAll++
  } else if (isFolder) {
    await descend(state, { folder, entry, place: { ...place, path, level: place.level + 1 } })
  } else if (entry.what === "regular file") {
    keep(state, path, folder.stat(entry.name))
  } else {
    skip(state, path, entry.what === "symbolic link" ? "link" : "special")
  }
}

async function descend(
  state: State,
  { folder: parent, place, entry }: VisitedEntry,
): Promise<void> {
  if (PASSED_OVER.has(entry.name)) return skip(state, place.path, "installed")
  const opened = parent.open(entry.name)
  if (opened.kind !== "open") {
    state.probes.push({ path: place.path, stat: statOf(parent.stat(entry.name)) })
    // It was a folder a moment ago; its replacement is not followed.
    return skip(state, place.path, opened.kind === "unreadable" ? "unreadable" : "changed")
  }
  using folder = opened.folder
  await enter(state, folder, place)
}

function keep(state: State, path: string, fileStat: StatOutcome): void {
  const { files, limits } = state
  if (files.length >= limits.maxFiles) return skip(state, path, "too-many-files")
  if (fileStat.kind !== "found" || fileStat.what !== "regular file") {
    state.probes.push({ path, stat: statOf(fileStat) })
    return skip(state, path, "changed")
  }
  const { sizeBytes } = fileStat.stat
  const fileClass = classifyPath(path)
  if (fileClass === "secret") return skip(state, path, "secret-bearing")
  if (sizeBytes > LARGEST_TEXT_BYTES || state.bytes + sizeBytes > limits.maxBytes) {
    state.probes.push({ path, stat: fileStat.stat })
  }
  if (sizeBytes > LARGEST_TEXT_BYTES) return skip(state, path, "too-large")
  if (state.bytes + sizeBytes > limits.maxBytes) return skip(state, path, "too-much-text")
  state.bytes += sizeBytes
  files.push({ path, stat: fileStat.stat, class: fileClass })
}

function statOf(outcome: StatOutcome): FileStat | undefined {
  return outcome.kind === "found" ? outcome.stat : undefined
}

function withDefaults(limits: WalkLimits): Required<WalkLimits> {
  return {
    maxFiles: limits.maxFiles ?? MOST_WALKED_FILES,
    maxLevels: limits.maxLevels ?? DEEPEST_WALKED_LEVELS,
    maxEntries: limits.maxEntries ?? MOST_WALKED_ENTRIES,
    maxBytes: limits.maxBytes ?? LARGEST_TREE_BYTES,
    maxRuleSteps: limits.maxRuleSteps ?? MOST_RULE_STEPS,
  }
}

/** Installed by package managers: never edited, and often more files than all others. */
const PASSED_OVER: ReadonlySet<string> = new Set(["node_modules", "bower_components", ".venv"])

/**
 * Git's own folder in any spelling that a disk accepts, our state outside git, and memories: the
 * memory room returns those, because it knows which are in quarantine.
 */
function isOurs(path: string, name: string): boolean {
  return name.toLowerCase() === ".git" || path === ".qm/local" || path === ".qm/memory"
}

/** Another repository has its own rules and its own map: a submodule, a clone, a bare one. */
function foreign(place: FolderVisit, entries: readonly DirectoryEntry[]): SkipReason | undefined {
  if (place.path === "") return undefined
  const whatIs = (name: string) => entries.find((it) => it.name === name)?.what
  const dotGit = whatIs(".git")
  if (dotGit === "regular file") return "submodule"
  const isBare =
    whatIs("HEAD") === "regular file" &&
    whatIs("objects") === "directory" &&
    whatIs("refs") === "directory"
  return dotGit !== undefined || isBare ? "nested-repository" : undefined
}

function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`
}

export type Skip = { readonly path: string; readonly reason: SkipReason }

export type SkipReason = keyof typeof SKIP_REASONS

/** Each text completes the sentence "Left out: …". */
export const SKIP_REASONS = {
  link: "it is a link, and links are not followed",
  special: "it is a pipe, a socket or a device",
  unreadable: "it cannot be read (permission or system error)",
  changed: "it changed while it was read",
  binary: "it is not a text file",
  "not-utf8": "its text is not UTF-8",
  "name-not-utf8": "its name is not UTF-8",
  "too-large": "it is larger than 2 MB",
  "too-much-text": "the repository has more text than can be indexed",
  "too-deep": "it is nested too deeply",
  "too-many-files": "the repository has more files than can be indexed",
  "too-many-entries": "the repository has more entries than can be scanned",
  "other-device": "it is on another disk",
  "seen-before": "it is a folder that was already scanned under another name",
  "nested-repository": "it is another git repository",
  submodule: "it is a submodule",
  installed: "it is a dependency folder of a package manager",
  "secret-bearing": "files with this name contain credentials",
  "rules-not-read": "it is an ignore file that is too large or not readable",
  "rules-too-costly": "the ignore rules take too long to evaluate",
  outside: "the path is outside the repository",
} as const satisfies Record<string, string>
