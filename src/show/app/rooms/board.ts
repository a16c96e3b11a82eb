import { type Caller, DoctorReport, isHuman } from "#ground/contract"
import {
  type AutonomyRoom,
  autonomyHandlers,
  type BoardIdentity,
  type BoardRoom,
  boardHandlers,
  createAutonomy,
  createBoard,
  createWorkingTree,
  ticketHandlers,
} from "#know/board"
import { readLatest } from "#know/ledger"
import type { Repository } from "#see/repo"
import type { Services } from "../services.ts"
import { sessionOf } from "./ledger.ts"

type BoardDeps = Pick<
  Services,
  "clock" | "config" | "environment" | "places" | "random" | "secrets" | "store"
>

/** `worktree`: evidence is captured there; `by`: automation that moves in its own name. */
type BoardOptions = {
  readonly worktree?: Repository
  readonly by?: BoardIdentity["by"]
}

export async function openBoard(
  deps: BoardDeps,
  { worktree, by }: BoardOptions = {},
): Promise<BoardRoom> {
  const { repository } = deps.places()
  return createBoard({
    ...(worktree === undefined ? {} : { commandRoot: () => worktree.root }),
    db: async () => (await deps.store()).forRoom("board"),
    root: () => repository.root,
    stateDirectory: repository.stateDirectory,
    clock: deps.clock,
    random: deps.random,
    redact: async (text) => (await deps.secrets()).redact(text).text,
    settings: () => deps.config().board,
    tree: createWorkingTree({
      repository: worktree ?? repository,
      environment: deps.environment(),
    }),
    environment: deps.environment,
    identify: (caller, session) =>
      by === undefined
        ? identify(caller, session, deps.environment())
        : { actor: "auto", session: session ?? `swarm-${by?.workstream ?? ""}`, by },
  })
}

export function openBoardHandlers(deps: Pick<Services, "autonomy" | "board">) {
  return {
    board: boardHandlers(deps),
    ticket: ticketHandlers(deps),
    autonomy: autonomyHandlers(deps),
  }
}

type AutonomyServices = Pick<
  Services,
  "board" | "call" | "config" | "environment" | "loaded" | "places"
>

/** A grade that automation sets in its own environment or flags does not raise it above this. */
const HIGHEST_OWN_GRADE = 2

export async function openAutonomy(deps: AutonomyServices): Promise<AutonomyRoom> {
  const { root, stateDirectory } = deps.places().repository
  return createAutonomy({
    stateDirectory,
    config: () => {
      const { grade, floor } = deps.config().autonomy
      return { grade, floor: floor.split(",").map((it) => it.trim()) }
    },
    override: () => overrideOf(deps),
    events: async () => (await (await deps.board()).log({ limit: 10_000 })).events,
    countSessions: async () => countRegistered(root),
    hookDrift: () => hookDrift(deps),
    coverageStamp: () => coverageStamp(deps),
    identify: (caller) => identify(caller, undefined, deps.environment()),
  })
}

/** `--set` is a flag of this run, the variable belongs to the session. */
function overrideOf({ loaded, environment }: AutonomyServices) {
  const setting = loaded().settings.find((it) => it.field.key === "autonomy.grade")
  const kind = setting?.origin.kind
  if (setting === undefined || (kind !== "flag" && kind !== "environment")) return {}
  const isAgent = identify(undefined, undefined, environment()).actor === "auto"
  const value = isAgent ? Math.min(Number(setting.value), HIGHEST_OWN_GRADE) : setting.value
  return kind === "flag" ? { run: value } : { session: value }
}

const MOST_COUNTED_SESSIONS = 1_000

function countRegistered(root: string): number {
  return readLatest(root, MOST_COUNTED_SESSIONS).length
}

async function hookDrift({ call }: AutonomyServices): Promise<readonly string[]> {
  const input = { attack: false, prove: false, trustHooks: false }
  const context = { signal: new AbortController().signal }
  const { checks, hooks } = DoctorReport.parse(await call("doctor.run", input, context))
  const drift = checks.filter((it) => it.area === "kit" && it.state !== "ok")
  if (drift.length === 0 && hooks.length === 0) return ["no hooks are installed"]
  return drift.map((it) => `${it.name}: ${it.detail}`)
}

async function coverageStamp({ board, config }: AutonomyServices) {
  const { coverage } = config().autonomy
  if (coverage === "") return { isMet: false, value: "not set" }
  const stamp = await (await board()).stampOf(coverage)
  return { isMet: stamp === "passed", value: stamp }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Set by hosts in the shells of their agents, with the host's name. */
const AGENT_SHELLS: readonly (readonly [variable: string, agent: string])[] = [
  ["CLAUDECODE", "claude-code"],
  ["CLAUDE_CODE_SESSION_ID", "claude-code"],
  ["CODEX_SANDBOX", "codex"],
  ["CODEX_THREAD_ID", "codex"],
  ["GEMINI_CLI", "gemini"],
  ["COPILOT_CLI", "copilot"],
  ["OPENCODE", "opencode"],
]

/**
 * A person at a terminal has no caller, at the console no client. An agent that types in a terminal
 * is recognised by its host's variables.
 */
export function identify(
  caller: Caller | undefined,
  session: string | undefined,
  environment: Environment,
): BoardIdentity {
  const ownSession = session ?? sessionOf(caller, { environment: () => environment })
  const shell = AGENT_SHELLS.find(([variable]) => (environment[variable] ?? "") !== "")?.[1]
  const agent = caller === undefined ? shell : agentOf(caller)
  const person = caller?.person?.name
  const named = person === undefined ? undefined : { person }
  return agent === undefined
    ? { actor: "human", session: ownSession, by: named }
    : { actor: "auto", session: ownSession, by: { agent: agent.slice(0, 200), ...named } }
}

function agentOf(caller: Caller): string | undefined {
  if (isHuman(caller)) return undefined
  const { principal, client } = caller
  return client === undefined || client === "" ? principal : client
}
