import type { Caller } from "#ground/contract"
import {
  type BoardIdentity,
  type BoardRoom,
  boardHandlers,
  createBoard,
  createWorkingTree,
  ticketHandlers,
} from "#know/board"
import type { Services } from "../services.ts"
import { sessionOf } from "./ledger.ts"

type BoardDeps = Pick<
  Services,
  "clock" | "config" | "environment" | "places" | "random" | "secrets" | "store"
>

export async function openBoard(deps: BoardDeps): Promise<BoardRoom> {
  const { repository } = deps.places()
  return createBoard({
    db: async () => (await deps.store()).forRoom("board"),
    root: () => repository.root,
    stateDirectory: repository.stateDirectory,
    clock: deps.clock,
    random: deps.random,
    redact: async (text) => (await deps.secrets()).redact(text).text,
    settings: () => deps.config().board,
    tree: createWorkingTree({ repository, environment: deps.environment() }),
    environment: deps.environment,
    identify: (caller, session) => identify(caller, session, deps.environment()),
  })
}

export function openBoardHandlers(deps: Pick<Services, "board">) {
  return { board: boardHandlers(deps), ticket: ticketHandlers(deps) }
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
  return agent === undefined
    ? { actor: "human", session: ownSession, by: undefined }
    : { actor: "auto", session: ownSession, by: { agent: agent.slice(0, 200) } }
}

function agentOf({ principal, client }: Caller): string | undefined {
  if (principal === "owner" && client === undefined) return undefined
  return client === undefined || client === "" ? principal : client
}
