import path from "node:path"
import { isAppError, isInside, once } from "#ground/base"
import {
  type CallContext,
  type CaptureAdvice,
  CaptureLint,
  GuardVerdicts,
  type SessionLedger,
  SessionShow,
} from "#ground/contract"
import type { SessionIndex } from "#know/sessions"
import { locateRepository, type Repository } from "#see/repo"
import { SessionUnknown } from "../errors.ts"
import { userHome } from "../places.ts"
import type { Services } from "../services.ts"

type IndexDeps = Pick<
  Services,
  "clock" | "config" | "environment" | "log" | "places" | "secrets" | "store" | "watchesTree"
>

export async function openSessionIndex(deps: IndexDeps): Promise<SessionIndex> {
  const { createSessionIndex } = await import("#know/sessions")
  const roots = new Map<string, Promise<string>>()
  const { repository } = deps.places()
  return createSessionIndex({
    db: once(async () => (await deps.store()).forRoom("sessions")),
    clock: deps.clock,
    log: deps.log,
    hostHome: () => ({ home: userHome(deps), environment: deps.environment() }),
    settings: () => deps.config().sessions,
    async redact() {
      const { redact } = await deps.secrets()
      return (text) => redact(text).text
    },
    ownRepository: async () => mainRoot(repository),
    repositoryOf(directory) {
      if (isInside(repository.root, directory)) return Promise.resolve(mainRoot(repository))
      const root = roots.get(directory) ?? rootOf(directory)
      roots.set(directory, root)
      return root
    },
    root: () => repository.root,
    fixesFolder: () => path.join(repository.stateDirectory, "waste"),
    staysOpen: deps.watchesTree,
  })
}

/** A directory that no longer exists, such as a removed worktree, counts for itself. */
async function rootOf(directory: string): Promise<string> {
  return locateRepository(directory).then(mainRoot, () => directory)
}

/** All worktrees of a repository count for it. */
function mainRoot({ root, gitCommonDirectory: common }: Repository): string {
  const isUsual = common !== undefined && path.basename(common) === ".git"
  return isUsual ? path.dirname(common) : root
}

type HandlerDeps = Pick<Services, "call" | "resolve" | "sessionIndex">

export async function openSessionsHandlers(deps: HandlerDeps) {
  const { sessionsHandlers } = await import("#know/sessions")
  return sessionsHandlers({
    sessionIndex: deps.sessionIndex,
    repositoryAt: (userPath) => rootOf(deps.resolve(userPath)),
    async agreeToAll(context) {
      const agreement = { key: "sessions.import", value: "machine", layer: "user" }
      await deps.call("config.set", agreement, context)
    },
    startAdvice: (context) => startAdvice(deps, context),
    ledgerOf: (session, context) => ledgerOf(session, deps, context),
  })
}

/** Hosts whose whole start the capture knows. */
const CAPTURED_HOSTS = ["claude-code", "codex"] as const

/** The advice of the captures, each cause once. A secret is no waste. */
async function startAdvice(deps: HandlerDeps, context: CallContext) {
  const advice = new Map<string, CaptureAdvice>()
  const problems: string[] = []
  for (const host of CAPTURED_HOSTS) {
    try {
      const lint = CaptureLint.parse(await deps.call("capture.lint", { host }, context))
      const cuts = lint.problems.filter((it) => it.kind !== "secret")
      for (const it of cuts) advice.set(`${it.kind} ${it.path ?? it.title}`, it)
    } catch (error) {
      context.signal.throwIfAborted()
      if (!isAppError(error)) throw error
      problems.push(`${host}: ${error.message}`)
    }
  }
  return { advice: [...advice.values()], problems }
}

const MOST_VERDICTS = 50
const LONGEST_HOURS = 24 * 90

/** Null if no hook reported the session in this repository. */
async function ledgerOf(
  session: string,
  deps: HandlerDeps,
  context: CallContext,
): Promise<SessionLedger | null> {
  try {
    const shown = SessionShow.parse(await deps.call("session.show", { session }, context))
    const query = { session, sinceHours: LONGEST_HOURS, limit: MOST_VERDICTS }
    const guard = GuardVerdicts.parse(await deps.call("guard.verdicts", query, context))
    return {
      edited: shown.files.map(({ path: file, edits }) => ({ path: file, edits })),
      claims: shown.claims.map(({ path: file, expiresAt }) => ({ path: file, expiresAt })),
      records: shown.registered.map((it) => it.file),
      verdicts: guard.verdicts.flatMap(({ at, rule, verdict: decision, paths }) =>
        rule === null ? [] : [{ at, rule, decision, paths }],
      ),
    }
  } catch (error) {
    if (isAppError(error) && SessionUnknown.is(error)) return null
    throw error
  }
}
