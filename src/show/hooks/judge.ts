import path from "node:path"
import {
  type Afterwards,
  type HookConfig,
  type HookEvent,
  type HookWorld,
  judgeEvent,
  readHookConfig,
  type Verdict,
} from "#choose/guard"
import { once, realPath, statFile, systemClock, systemRandom, thisMachine } from "#ground/base"
import {
  type ClassifyGlobs,
  createClaims,
  createClassifier,
  createLedger,
  pathFrom,
} from "#know/ledger"
import { locateRepository, PROJECT_FOLDER, type Repository } from "#see/repo"
import type { Judge } from "./hooks.ts"
import type { HostEvent } from "./hosts/dialect.ts"

type JudgeDeps = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The user's own folder, `~/.qm`. */
  readonly home: string
  /** Work for a process of its own, begun once the answer is written. */
  afterwards(work: Afterwards, root: string): void
  readonly isByHand?: boolean
}

/** Judges what happens in repositories that somebody enrolled; of all others nothing is read. */
export function createJudge(deps: JudgeDeps): Judge {
  return async (event, { signal }) => {
    const repository = await enrolledRepository(event.directory)
    if (repository === undefined) return SILENT
    const opened = await openRepository(repository, signal, deps)
    const { verdict } = await judgeEvent(await relativeToRoot(event, repository.root), opened)
    return verdict
  }
}

const SILENT: Verdict = { kind: "silent" }

/**
 * `qm init` enrols by a file in the git directory, which is no part of what a repository holds: one
 * that was cloned is not enrolled. Without git the state lies among the files, and could have come
 * with them, so there is no enrolling there.
 */
export async function enrolledRepository(directory: string): Promise<Repository | undefined> {
  if (!path.isAbsolute(directory) || directory.includes("\0")) return undefined
  const repository = await locateRepository(directory)
  if (repository.gitCommonDirectory === undefined) return undefined
  const found = await statFile(path.join(repository.stateDirectory, "kit.json"))
  return found.kind === "found" && found.what === "regular file" ? repository : undefined
}

async function openRepository(
  { root, gitDirectory, stateDirectory }: Repository,
  signal: AbortSignal,
  deps: JudgeDeps,
): Promise<HookWorld> {
  const { environment, home } = deps
  const config = await readHookConfig({
    projectFile: path.join(root, PROJECT_FOLDER, "config.json"),
    userFile: path.join(home, "config.json"),
    environment,
  })
  const place = { stateDirectory, clock: systemClock, random: systemRandom }
  // Made when a rule asks for them: most events need one or two, and each costs a millisecond.
  const ledger = once(() => createLedger(place))
  const claims = once(() => createClaims({ ...place, machine: thisMachine() }))
  const classifier = once(() => createClassifier(globsOf(config)))
  return {
    root,
    gitDirectory,
    stateDirectory,
    home,
    config,
    get ledger() {
      return ledger()
    },
    get claims() {
      return claims()
    },
    get classifier() {
      return classifier()
    },
    clock: systemClock,
    random: systemRandom,
    signal,
    isByHand: deps.isByHand === true,
    afterwards: (work) => deps.afterwards(work, root),
  }
}

/** Lists that the config leaves open stay those of the ledger. */
function globsOf({ ignored, important, registration }: HookConfig): Partial<ClassifyGlobs> {
  return {
    ...(ignored && { ignored }),
    ...(important && { important }),
    ...(registration && { registration }),
  }
}

/** The same event with its paths from the root; those that lie outside are left out. */
async function relativeToRoot(event: HostEvent, root: string): Promise<HookEvent> {
  if (!("paths" in event)) return event
  const found = await Promise.all(event.paths.map((it) => pathFromRoot(it, event.directory, root)))
  return { ...event, paths: [...new Set(found.filter((it) => it !== undefined))] }
}

async function pathFromRoot(given: string, directory: string, root: string) {
  if (given.includes("\0")) return undefined
  const absolute = path.resolve(directory, given)
  // The root is without links, and a rule over a folder must not be passed by through one.
  return pathFrom(root, await withoutLinks(absolute)) ?? pathFrom(root, absolute)
}

/** The folder only: a link that is edited is the link's own path. */
async function withoutLinks(file: string): Promise<string> {
  try {
    return path.join(await realPath(path.dirname(file)), path.basename(file))
  } catch {
    return file
  }
}

/**
 * The user's own folder. A host that was not started from a shell may not have our variable, but an
 * installed bundle lies in `<home>/kit/`, and that says it as well.
 */
export function homeOf(
  environment: Readonly<Record<string, string | undefined>>,
  self: string,
): string | undefined {
  if (environment["QM_HOME"]) return path.resolve(environment["QM_HOME"])
  const kit = path.dirname(self)
  const isInstalled = path.basename(kit) === "kit" && path.basename(self) === "qm-hook.mjs"
  if (isInstalled) return path.dirname(kit)
  const home = environment["HOME"] ?? environment["USERPROFILE"]
  return home ? path.join(home, PROJECT_FOLDER) : undefined
}
