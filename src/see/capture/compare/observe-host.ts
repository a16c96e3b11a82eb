import { createHash } from "node:crypto"
import { type Clock, isAppError, isInside, visibleLine } from "#ground/base"
import type { Agreement, HostName, Observation, ObservationProblem } from "#ground/contract"
import type { Disk, Host, HostItem, HostPlace, HostReport, InstalledHost } from "#see/hosts"
import { type HostSurvey, labelOf } from "../manifest.ts"

type ObserveRequest = {
  readonly host: Host
  readonly place: HostPlace
  readonly observe: boolean
  readonly trust: boolean
  readonly signal: AbortSignal
}

type Deps = {
  readonly disk: Disk
  readonly clock: Clock
  projectFolders(directory: string): Promise<readonly string[]>
  wireReport?(place: HostPlace, host: HostName): Promise<HostReport | undefined>
  line(text: string): string
}

type HostObservation = {
  readonly observation: Observation | null
  readonly problem: ObservationProblem | null
  /** Tools of a recorded request. */
  readonly wire?: { readonly at: number; readonly tools: NonNullable<HostReport["tools"]> }
}

/**
 * From its last session's transcript, from the gateway, or, if the user requests it, from the host
 * itself.
 */
export async function observeHost(
  asking: ObserveRequest,
  surveyed: HostSurvey,
  deps: Deps,
): Promise<HostObservation> {
  return redactObservation(await listen(asking, surveyed, deps), deps.line)
}

async function listen(
  asking: ObserveRequest,
  surveyed: HostSurvey,
  deps: Deps,
): Promise<HostObservation> {
  const { host, place } = asking
  const compare = (report: HostReport): Observation =>
    compareWith(report, { place, items: surveyed.survey.items, searched: surveyed.survey.searched })
  if (asking.observe) {
    const queried = await askHost(asking, surveyed.installed, deps)
    return "code" in queried
      ? { observation: null, problem: queried }
      : { observation: compare(queried), problem: null }
  }
  const transcript = await host.readLastSession?.(place, deps.disk)
  const report = newerOf(transcript, await seenOnWire(asking, deps))
  const { at, tools } = report ?? {}
  const wire = at === undefined || tools === undefined ? {} : { wire: { at, tools } }
  return { observation: report === undefined ? null : compare(report), problem: null, ...wire }
}

/** An unreadable gateway record is ignored: the transcript may still have a report. */
async function seenOnWire(
  { place, host }: ObserveRequest,
  deps: Deps,
): Promise<HostReport | undefined> {
  try {
    return await deps.wireReport?.(place, host.name)
  } catch (error) {
    if (!isAppError(error)) throw error
    return undefined
  }
}

/**
 * For the same session the gateway record is better evidence: it is what the provider received. But
 * for a host that sends one text without known files, only the transcript has that text.
 */
function newerOf(
  transcript: HostReport | undefined,
  wire: HostReport | undefined,
): HostReport | undefined {
  if (transcript === undefined || wire === undefined) return transcript ?? wire
  if (transcript.wholeText !== undefined && wire.files.length === 0) return transcript
  const isSameSession = wire.session !== undefined && wire.session === transcript.session
  return isSameSession || wire.at >= transcript.at ? wire : transcript
}

/** A host's own texts contain paths and names that a repository chose. */
function redactObservation(
  { observation, problem, wire }: HostObservation,
  line: Deps["line"],
): HostObservation {
  return {
    ...(wire === undefined ? {} : { wire }),
    problem: problem === null ? null : { ...problem, text: line(problem.text) },
    observation:
      observation === null
        ? null
        : {
            ...observation,
            ...(observation.session === undefined
              ? {}
              : { session: visibleLine(line(observation.session)) }),
            files: observation.files.map((it) => ({
              ...it,
              path: line(it.path),
              label: visibleLine(line(it.label)),
            })),
            categories: observation.categories.map((it) => ({ ...it, name: line(it.name) })),
          },
  }
}

async function askHost(
  asking: ObserveRequest,
  installed: InstalledHost | undefined,
  deps: Deps,
): Promise<HostReport | ObservationProblem> {
  const { host, place, trust, signal } = asking
  const { title } = host
  if (host.ask === undefined) {
    return {
      code: "cannot-answer",
      text: `${title} cannot report its context without calling a model.`,
    }
  }
  if (installed === undefined) {
    return { code: "not-installed", text: `${title} was not found on the PATH.` }
  }
  const { program } = installed
  // A repository could contain a program of that name, and npm puts its folder on the PATH.
  const folders = await deps.projectFolders(place.workingDirectory)
  const isBrought = [program, installed.foundAt].some((it) =>
    folders.some((at) => isInside(at, it)),
  )
  if (isBrought) {
    const text = `${installed.foundAt} is inside this project, so it was not started.`
    return { code: "not-installed", text }
  }
  const outcome = await host.ask(place, { program, trust, signal, now: deps.clock.now })
  switch (outcome.kind) {
    case "answered":
      return outcome.report
    case "not-trusted":
      return { code: "not-trusted", text: `${title} does not trust this folder yet.` }
    case "failed":
      return { code: "no-answer", text: `${title} did not respond: ${outcome.reason}` }
    default:
      return outcome satisfies never
  }
}

type Estimate = {
  readonly place: HostPlace
  readonly items: readonly HostItem[]
  readonly searched: readonly { readonly path: string; readonly outcome: string }[]
}

export function compareWith(report: HostReport, estimate: Estimate): Observation {
  const expected = estimate.items.filter(isInstruction)
  const files =
    report.wholeText === undefined
      ? compareFiles(report, { ...estimate, items: expected })
      : compareText(report.wholeText, { report, estimate: { ...estimate, items: expected } })
  const agreed = files.filter((it) => it.state === "both" && it.sameText !== false).length
  return {
    by: report.by,
    at: report.at,
    ...(report.version === undefined ? {} : { hostVersion: report.version }),
    ...(report.session === undefined ? {} : { session: report.session }),
    files,
    agreed,
    compared: files.length,
    accuracy: files.length === 0 ? 1 : agreed / files.length,
    categories: [...report.categories],
    ...(report.totalTokens === undefined ? {} : { totalTokens: report.totalTokens }),
    ...(report.window === undefined ? {} : { window: report.window }),
    ...(report.model === undefined ? {} : { model: report.model }),
  }
}

function isInstruction(item: HostItem): boolean {
  const isText = ["always", "import", "startup-capped"].includes(item.load)
  const isReported = item.kind === "instructions" || item.kind === "memory"
  return isText && isReported && item.sent !== "" && item.source !== "output-style"
}

function compareFiles(report: HostReport, estimate: Estimate): Agreement[] {
  const reportByPath = new Map(report.files.map((it) => [it.path, it]))
  const expected = new Set(estimate.items.map((it) => it.path))
  const ours = estimate.items.map((item) => agreementOn(item, { report, place: estimate.place }))
  const theirs = [...reportByPath.values()].filter((it) => !expected.has(it.path))
  return [
    ...ours,
    ...theirs.map((it) => ({
      path: it.path,
      label: labelOf(it.path, estimate.place),
      state: "observed-only" as const,
      ...(it.tokens === undefined ? {} : { tokens: it.tokens }),
      explanation: explainObservedOnly(it.path, estimate),
    })),
  ]
}

function agreementOn(
  item: HostItem,
  { report, place }: { report: HostReport; place: HostPlace },
): Agreement {
  const reportedFile = report.files.find((it) => it.path === item.path)
  const about = { path: item.path, label: labelOf(item.path, place) }
  const isChanged = isChangedSince(item, report)
  if (reportedFile === undefined) {
    const explanation = isChanged
      ? "Created or changed after that session"
      : "Not reported by the host; its settings or version may differ"
    return { ...about, state: "estimated-only", explanation }
  }
  const sameText = isSameText(reportedFile, item.sent.trim())
  return {
    ...about,
    state: "both",
    ...(sameText === undefined ? {} : { sameText }),
    ...(reportedFile.tokens === undefined ? {} : { tokens: reportedFile.tokens }),
    ...(sameText === false
      ? { explanation: isChanged ? "Changed after that session" : "The host sent a different text" }
      : {}),
  }
}

/** A report made just now describes the current files; an earlier one may describe older ones. */
function isChangedSince(item: HostItem, report: HostReport): boolean {
  return report.by !== "host" && item.file.modifiedAt > report.at
}

function isSameText(reported: HostReport["files"][number], sent: string): boolean | undefined {
  if (reported.text !== undefined) return reported.text.trim() === sent
  if (reported.sha256 === undefined) return undefined
  return createHash("sha256").update(sent).digest("hex") === reported.sha256
}

function explainObservedOnly(path: string, estimate: Estimate): string {
  const outcome = estimate.searched.find((it) => it.path === path)?.outcome
  if (outcome === "missing") return "File no longer exists"
  if (outcome === "excluded") return "Excluded by a setting after that session"
  if (outcome === "empty") return "File is empty now"
  if (outcome === "found") return "Found, but not expected at the start"
  return "The host loaded it for a reason we do not know"
}

/** For hosts that send one text: each of our texts must occur in it, in our order. */
function compareText(
  whole: string,
  { report, estimate }: { readonly report: HostReport; readonly estimate: Estimate },
): Agreement[] {
  let from = 0
  return estimate.items.map((item): Agreement => {
    const at = whole.indexOf(item.sent, from)
    if (at !== -1) from = at + item.sent.length
    const about = { path: item.path, label: labelOf(item.path, estimate.place) }
    if (at !== -1) return { ...about, state: "both", sameText: true }
    const explanation = isChangedSince(item, report)
      ? "Created or changed after that session"
      : "Its text is not in the text that the host sent"
    return { ...about, state: "estimated-only", explanation }
  })
}
