import path from "node:path"
import { type Clock, isAppError, visibleLine } from "#ground/base"
import type { HostName, Observation, ObservationProblem } from "#ground/contract"
import type { Disk, Host, HostWord, Installed, Place } from "#see/hosts"
import { compareWith } from "./compare.ts"
import type { Surveyed } from "./manifest.ts"

type Asking = {
  readonly host: Host
  readonly place: Place
  readonly observe: boolean
  readonly trust: boolean
  readonly signal: AbortSignal
}

type Deps = {
  readonly disk: Disk
  readonly clock: Clock
  projectFolders(directory: string): Promise<readonly string[]>
  /** What the gateway saw of the newest session here; see `CaptureDeps`. */
  wireWord?(place: Place, host: HostName): Promise<HostWord | undefined>
  /** Replaces the secrets in one line. */
  line(text: string): string
}

type Heard = {
  readonly observation: Observation | null
  readonly problem: ObservationProblem | null
}

/**
 * The host's own word: of its last session here, from its transcript or from the wire; or, when the
 * person says so, from itself.
 */
export async function hear(asking: Asking, surveyed: Surveyed, deps: Deps): Promise<Heard> {
  return redactHeard(await listen(asking, surveyed, deps), deps.line)
}

async function listen(asking: Asking, surveyed: Surveyed, deps: Deps): Promise<Heard> {
  const { host, place } = asking
  const compare = (word: HostWord): Observation =>
    compareWith(word, { place, items: surveyed.survey.items, searched: surveyed.survey.searched })
  if (asking.observe) {
    const asked = await askHost(asking, surveyed.installed, deps)
    return "code" in asked
      ? { observation: null, problem: asked }
      : { observation: compare(asked), problem: null }
  }
  const transcript = await host.readLastSession?.(place, deps.disk)
  const word = newerOf(transcript, await seenOnWire(asking, deps))
  return { observation: word === undefined ? null : compare(word), problem: null }
}

/** A record of requests that cannot be read costs its word alone: the transcript still has one. */
async function seenOnWire({ place, host }: Asking, deps: Deps): Promise<HostWord | undefined> {
  try {
    return await deps.wireWord?.(place, host.name)
  } catch (error) {
    if (!isAppError(error)) throw error
    return undefined
  }
}

/**
 * Of one session the wire is the better witness: it is what the provider got. But where a host
 * sends one text and no file was known in it, only the transcript has that text.
 */
function newerOf(
  transcript: HostWord | undefined,
  wire: HostWord | undefined,
): HostWord | undefined {
  if (transcript === undefined || wire === undefined) return transcript ?? wire
  if (transcript.wholeText !== undefined && wire.files.length === 0) return transcript
  const isSameSession = wire.session !== undefined && wire.session === transcript.session
  return isSameSession || wire.at >= transcript.at ? wire : transcript
}

/** A host's own words hold paths and names that a repository chose. */
function redactHeard({ observation, problem }: Heard, line: Deps["line"]): Heard {
  return {
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
  asking: Asking,
  installed: Installed | undefined,
  deps: Deps,
): Promise<HostWord | ObservationProblem> {
  const { host, place, trust, signal } = asking
  const { title } = host
  if (host.ask === undefined) {
    return { code: "cannot-answer", text: `${title} does not answer without a call to a model.` }
  }
  if (installed === undefined) {
    return { code: "not-installed", text: `${title} was not found on the PATH.` }
  }
  const { program } = installed
  // A repository could bring a program of that name along, and npm puts its folder on the PATH.
  const folders = await deps.projectFolders(place.workingDirectory)
  const isBrought = [program, installed.foundAt].some((it) =>
    folders.some((at) => isInside(at, it)),
  )
  if (isBrought) {
    const text = `${installed.foundAt} lies inside this project, so it was not started.`
    return { code: "not-installed", text }
  }
  const outcome = await host.ask(place, { program, trust, signal, now: deps.clock.now })
  switch (outcome.kind) {
    case "answered":
      return outcome.word
    case "not-trusted":
      return { code: "not-trusted", text: `${title} does not trust this folder yet.` }
    case "failed":
      return { code: "no-answer", text: `${title} did not answer: ${outcome.reason}` }
    default:
      return outcome satisfies never
  }
}

function isInside(folder: string, file: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)
}
