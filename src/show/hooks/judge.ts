import path from "node:path"
import {
  type BackgroundWork,
  type HookConfig,
  type HookContext,
  type HookEvent,
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
  readonly home: string
  afterwards(work: BackgroundWork, root: string): void
  readonly isByHand?: boolean
}

/** Reads nothing of a repository that is not enrolled. */
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

/** The gateway gives each host an address with a token of 48 digits. */
const PROXY_ADDRESS = /^http:\/\/127\.0\.0\.1:\d+\/(?:\w+\/)?[0-9a-f]{48}/

/**
 * `qm init` enrols by a file in the git directory, which is not part of a repository's content, so
 * a cloned repository is not enrolled. Without git the state would be among the files and could
 * have come with them, so there is no enrolling.
 */
export async function enrolledRepository(directory: string): Promise<Repository | undefined> {
  if (!path.isAbsolute(directory) || directory.includes("\0")) return undefined
  const repository = await locateRepository(directory)
  if (repository.gitCommonDirectory === undefined) return undefined
  const stat = await statFile(path.join(repository.stateDirectory, "kit.json"))
  return stat.kind === "found" && stat.what === "regular file" ? repository : undefined
}

async function openRepository(
  { root, gitDirectory, stateDirectory }: Repository,
  signal: AbortSignal,
  deps: JudgeDeps,
): Promise<HookContext> {
  const { environment, home } = deps
  const config = await readHookConfig({
    projectFile: path.join(root, PROJECT_FOLDER, "config.json"),
    userFile: path.join(home, "config.json"),
    environment,
  })
  const shared = { stateDirectory, clock: systemClock, random: systemRandom }
  // Created on demand: most events need one or two, and each costs 1 ms.
  const ledger = once(() => createLedger(shared))
  const claims = once(() => createClaims({ ...shared, machine: thisMachine() }))
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
    isProxied: PROXY_ADDRESS.test(environment["ANTHROPIC_BASE_URL"] ?? ""),
    isByHand: deps.isByHand === true,
    afterwards: (work) => deps.afterwards(work, root),
  }
}

function globsOf({ ignored, important, registration }: HookConfig): Partial<ClassifyGlobs> {
  return {
    ...(ignored && { ignored }),
    ...(important && { important }),
    ...(registration && { registration }),
  }
}

async function relativeToRoot(event: HostEvent, root: string): Promise<HookEvent> {
  if (!("paths" in event)) return event
  const paths = await Promise.all(event.paths.map((it) => pathFromRoot(it, event.directory, root)))
  const inside = [...new Set(paths.filter((it) => it !== undefined))]
  if (event.kind !== "before-tool") return { ...event, paths: inside }
  const outside = event.paths.filter((_, at) => paths[at] === undefined)
  const absolute = outside.map((it) => path.resolve(event.directory, it))
  return { ...event, paths: inside, ...(absolute.length > 0 && { outside: absolute }) }
}

async function pathFromRoot(hostPath: string, directory: string, root: string) {
  if (hostPath.includes("\0")) return undefined
  const absolute = path.resolve(directory, hostPath)
  // The root has no symlinks, and a symlink must not bypass a rule on a folder.
  return pathFrom(root, await withoutLinks(absolute)) ?? pathFrom(root, absolute)
}

/** Resolves the folder only: an edited symlink is its own path. */
async function withoutLinks(file: string): Promise<string> {
  try {
    return path.join(await realPath(path.dirname(file)), path.basename(file))
  } catch {
    return file
  }
}

/**
 * A host that was not started from a shell may lack `QM_HOME`, but an installed bundle is in
 * `<home>/kit/`.
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
