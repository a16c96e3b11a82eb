import { createHash } from "node:crypto"
import path from "node:path"
import {
  createPause,
  invariant,
  isInside,
  isLongText,
  plural,
  sliceText,
  visibleLine,
} from "#ground/base"
import type {
  CaptureStart,
  CaptureText,
  Manifest,
  ManifestItem,
  ManifestNote,
  SearchedPath,
  TokenScale,
} from "#ground/contract"
import {
  type Host,
  type HostItem,
  type HostPlace,
  type InstalledHost,
  keepContextKeys,
  type Survey,
} from "#see/hosts"
import type { ItemCounts, Pace } from "./count.ts"
import type { KeepKeys, Redact } from "./redact.ts"
import type { BuiltStart } from "./start/start.ts"

const LONGEST_TEXT_CHARACTERS = 200_000

export type HostSurvey = {
  readonly host: Host
  readonly installed: InstalledHost | undefined
  readonly place: HostPlace
  readonly survey: Survey
  readonly notes: readonly ManifestNote[]
}

export type ShownItem = {
  readonly item: ManifestItem
  readonly text: CaptureText
  readonly found: HostItem
}

type Work = {
  readonly counted: readonly ItemCounts[]
  readonly redact: Redact
  readonly pace: Pace
}

/** Only `found` still contains secrets. */
export async function showItems(surveyed: HostSurvey, work: Work): Promise<ShownItem[]> {
  const { redact } = work
  const shown: ShownItem[] = []
  const pause = createPause()
  for (const [order, item] of surveyed.survey.items.entries()) {
    const figures = work.counted[order]
    invariant(figures !== undefined, "every item was counted")
    await work.pace(item.file.bytes.length)
    using _ = await redact.prepare([item.sent, item.later].filter(isLongText))
    const { text, redactions } = textOf(item, redact, keptKeys(item, surveyed))
    const described = describeItem(item, { order, redactions, place: surveyed.place, redact })
    shown.push({ item: { ...described, ...figures }, text, found: item })
    await pause()
  }
  return shown
}

type ManifestFacts = {
  readonly id: string
  readonly at: number
  readonly encoding: string
  readonly scale: TokenScale | null
  readonly redact: Redact
  readonly start: BuiltStart
}

export function toManifest(
  surveyed: HostSurvey,
  shown: readonly ShownItem[],
  made: ManifestFacts,
): Manifest {
  const { host, installed, survey } = surveyed
  const { items: startItems, start } = made.start
  const items = [...startItems, ...shown.map((it) => it.item)].map((it, order) => ({
    ...it,
    order,
  }))
  const notes = [
    ...secretNotes(shown, host),
    ...versionNotes(host, installed),
    ...survey.notes,
    ...linkNotes(surveyed),
    ...surveyed.notes,
  ]
  return {
    id: made.id,
    kind: "estimated",
    host: host.name,
    ...(installed?.version === undefined ? {} : { hostVersion: installed.version }),
    workingDirectory: surveyed.place.workingDirectory,
    capturedAt: made.at,
    estimator: made.encoding,
    ...(made.scale === null ? {} : { scale: made.scale }),
    disclaimer: DISCLAIMER,
    items,
    searched: survey.searched.map((it) => redactSearched(it, made.redact)),
    notes: notes.map((it) => redactNote(it, made.redact)),
    totals: {
      files: new Set(shown.map((it) => it.found.file.realPath)).size,
      bytes: sum(items.map((it) => it.bytes)),
      tokensInWindow: sum(items.map((it) => it.tokens)),
      tokensOnDemand: sum(items.map((it) => it.tokensOnDemand)),
    },
    start: redactStart(start, made.redact),
  }
}

function redactStart(start: CaptureStart, redact: Redact): CaptureStart {
  return {
    ...start,
    servers: start.servers.map((it) => ({
      ...it,
      name: visibleLine(redact.line(it.name)),
      path: redact.line(it.path),
      problem: it.problem === null ? null : visibleLine(redact.line(it.problem)),
      off: visibleLine(redact.line(it.off)),
      tools: it.tools.map((tool) => ({ ...tool, name: visibleLine(redact.line(tool.name)) })),
    })),
    notCounted: start.notCounted.map((it) => ({
      ...it,
      name: visibleLine(redact.line(it.name)),
      reason: visibleLine(redact.line(it.reason)),
    })),
  }
}

/** Redacted here, but the host sends the file as it is. */
function secretNotes(shown: readonly ShownItem[], host: Host): ManifestNote[] {
  return shown
    .filter(({ item }) => item.redactions > 0 && item.load !== "config-only")
    .map(({ item }) => ({
      code: "secret-sent",
      path: item.path,
      text: `${plural(item.redactions, "secret")} in this file: ${host.title} sends the file to the provider as it is.`,
    }))
}

const DISCLAIMER =
  "An estimate of what the host loads. The actual system prompt may include additional content not shown."

export function fingerprintOf(manifest: Manifest): string {
  const { host, hostVersion, items, notes, searched } = manifest
  const essence = items.map((it) => [it.path, it.sha256, it.sentSha256, it.load, it.tokens])
  const searchedKeys = searched.map((it) => [it.path, it.outcome])
  const noteKeys = notes.map((it) => [it.code, it.path, it.line])
  const unknown = manifest.start?.notCounted.map((it) => it.name)
  return sha256(JSON.stringify([host, hostVersion, essence, noteKeys, searchedKeys, unknown]))
}

type DescribeContext = {
  readonly order: number
  readonly redactions: number
  readonly place: HostPlace
  readonly redact: Redact
}

function describeItem(
  item: HostItem,
  { order, redactions, place, redact }: DescribeContext,
): Omit<ManifestItem, keyof ItemCounts> {
  return {
    path: redact.line(item.path),
    label: visibleLine(redact.line(labelOf(item.path, place))),
    source: item.source,
    priority: item.priority,
    order,
    load: item.load,
    reason: redact.line(reasonOf(item)),
    kind: item.kind,
    bytes: item.file.bytes.length,
    modifiedAt: item.file.modifiedAt,
    scope: item.scope,
    trust: item.trust,
    ...(item.importedBy === undefined
      ? {}
      : { importedBy: { ...item.importedBy, path: redact.line(item.importedBy.path) } }),
    redactions,
  }
}

function reasonOf({ reason, importedBy, load, waitsFor }: HostItem): string {
  const [first, ...others] = waitsFor?.patterns ?? []
  if (load === "conditional" && first !== undefined) {
    return `Loads only when ${first}${others.length === 0 ? "" : ` or ${others.length} more`} is read`
  }
  return importedBy === undefined ? reason : `${reason}:${importedBy.line}`
}

function redactSearched(path: SearchedPath, redact: Redact): SearchedPath {
  const detail = path.detail === undefined ? {} : { detail: redact.line(path.detail) }
  return { ...path, path: redact.line(path.path), ...detail }
}

function redactNote(note: ManifestNote, redact: Redact): ManifestNote {
  const path = note.path === undefined ? {} : { path: redact.line(note.path) }
  return { ...note, text: redact.line(note.text), ...path }
}

/** Files of the project are shown whole; others may have anything of the user in them. */
function keptKeys(item: HostItem, { host, place }: HostSurvey): KeepKeys | undefined {
  const { workingDirectory } = place
  const isOfProject = item.scope === "project" || item.scope === "local"
  if (isOfProject && isInside(workingDirectory, item.path)) return undefined
  return (values) => keepContextKeys(values, host.contextKeys, workingDirectory)
}

function textOf(
  item: HostItem,
  redact: Redact,
  keep: KeepKeys | undefined,
): { text: CaptureText; redactions: number } {
  const path = redact.line(item.path)
  // A link in a hostile repository may lead to any file of the user: show its size, not its text.
  if (item.trust === "external") return { text: withhold(path, REACHED_BY_LINK), redactions: 0 }
  if (item.load === "config-only") {
    const shown = redact.settings(item.file.bytes.toString("utf8"), item.path, keep)
    return shown === undefined
      ? { text: withhold(path, NOT_PARSED), redactions: 0 }
      : { text: cut(path, shown.text, ""), redactions: shown.replaced }
  }
  const [sent, later] = [redact.text(item.sent), redact.text(item.later)]
  return {
    text: cut(path, sent.text, later.text),
    redactions: sent.replaced + later.replaced,
  }
}

export const REACHED_BY_LINK =
  "A link leads to this file outside the project and user folders, so only its size is shown."
const NOT_PARSED = "The file cannot be parsed, so its secrets cannot be redacted."

function withhold(path: string, reason: string): CaptureText {
  return { path, text: "", later: "", isCut: false, withheld: reason }
}

function cut(path: string, text: string, later: string): CaptureText {
  const isCut = text.length > LONGEST_TEXT_CHARACTERS || later.length > LONGEST_TEXT_CHARACTERS
  const shorten = (it: string) => sliceText(it, LONGEST_TEXT_CHARACTERS)
  return isCut
    ? { path, text: shorten(text), later: shorten(later), isCut }
    : { path, text, later, isCut }
}

function linkNotes({ survey, host }: HostSurvey): ManifestNote[] {
  const hasNote = (path: string) =>
    survey.notes.some((it) => it.code === "link-outside" && it.path === path)
  return survey.items
    .filter((it) => it.trust === "external" && !hasNote(it.path))
    .map(({ path, sent }) => ({
      code: "link-outside",
      path,
      text:
        sent === ""
          ? "This is a link to a file outside the project and user folders."
          : `This is a link to a file outside the project and user folders. ${host.title} sends its content to the model.`,
    }))
}

function versionNotes(host: Host, installed: InstalledHost | undefined): ManifestNote[] {
  const checkedVersion = host.factsVersions.at(-1) ?? "none"
  if (!host.isVerified) {
    const text = `The rules for ${host.title} come from its documentation; they were not checked with the real program.`
    return [{ code: "host-unverified", text }]
  }
  if (installed === undefined) return []
  if (installed.version === undefined) {
    const text = `The installed version of ${host.title} is unknown; the rules were checked with ${checkedVersion}.`
    return [{ code: "version-unknown", text, path: installed.program }]
  }
  if (host.factsVersions.includes(installed.version)) return []
  const text = `${host.title} ${installed.version} is installed; the rules were checked with ${checkedVersion}.`
  return [{ code: "version-unknown", text, path: installed.program }]
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

function sum(values: readonly number[]): number {
  return values.reduce((total, it) => total + it, 0)
}

type ReaderFolders = { readonly home: string; readonly workingDirectory: string }

/** The path relative to the working directory, else to home, else absolute. */
export function labelOf(file: string, from: ReaderFolders): string {
  const isNoFile = !path.isAbsolute(file)
  if (isNoFile) return file
  const inside = relativeInside(from.workingDirectory, file)
  if (inside !== undefined) return inside
  const fromHome = relativeInside(from.home, file)
  return fromHome === undefined ? file : path.join("~", fromHome)
}

function relativeInside(folder: string, file: string): string | undefined {
  const relative = path.relative(folder, file)
  const isAbove = relative === ".." || relative.startsWith(`..${path.sep}`)
  const isInside = relative !== "" && !isAbove && !path.isAbsolute(relative)
  return isInside ? relative : undefined
}
