import path from "node:path"
import type { LocalRepository } from "#act/remote"
import { isAppError } from "#ground/base"
import {
  AgentsList,
  AgentsMessages,
  Board,
  MemoryList,
  type RemoteRun,
  Run,
  RunConfiguration,
  SessionsList,
  type SharedItem,
  type SharedKind,
} from "#ground/contract"
import type { App } from "#show/app"

const MOST_RUNS = 500
const MOST_ITEMS = 200
const MESSAGES_AT_ONCE = 100
const LONGEST_MESSAGE = 20_000
const LONGEST_TITLE = 300
const LONGEST_TEXT = 4_000

type Options = {
  readonly app: App
  /** Of the server. */
  readonly url: string
  readonly signal: AbortSignal
  shares(): Promise<readonly SharedKind[]>
  say(text: string): void
}

/** The repository of the app, as a runner serves it: by its operations, and nothing outside it. */
export function createLocalRepository({ app, url, signal, shares, say }: Options): LocalRepository {
  const { root } = app.places.repository
  const name = nameFor(path.basename(root))
  const announced = new Set<string>()
  const call = (operation: string, input: object) => app.call(operation, input, { signal })
  /** Stored in the row of the run: what is started and its record cannot differ after a crash. */
  const markOf = (runId: string): string => ` at ${url} (${runId})`
  return {
    name,
    shares,
    async find(runId) {
      for (const archived of [false, true]) {
        const listed = await call("agents.list", { limit: MOST_RUNS, archived })
        const { runs } = AgentsList.parse(listed)
        const run = runs.find((it) => it.startedBy?.endsWith(markOf(runId)) === true)
        if (run !== undefined) return run.id
      }
      return undefined
    },
    async start({ id, type, prompt, mode, requestedBy }: RemoteRun) {
      const configuration = RunConfiguration.parse({ cwd: root, mode })
      const by = `${requestedBy}${markOf(id)}`
      const agents = await app.agents()
      return (await agents.start({ type, prompt, configuration, by }, { isHere: true })).id
    },
    async stop(id) {
      await call("agents.stop", { id })
    },
    async messages(id, after) {
      const input = { id, after, limit: MESSAGES_AT_ONCE }
      const { messages } = AgentsMessages.parse(await call("agents.messages", input))
      return messages.map(({ seq, type, content, timestamp }) => ({
        seq,
        kind: type,
        // The context message has texts of files of the user's home.
        text: type === "context" ? "" : content.slice(0, LONGEST_MESSAGE),
        at: timestamp,
      }))
    },
    async outcome(id) {
      const run = Run.parse(await call("agents.show", { id }))
      if (run.openApprovals > 0 && !announced.has(`${id} ${run.lastSeq}`)) {
        announced.add(`${id} ${run.lastSeq}`)
        say(`${id} waits for an approval; \`qm approvals --run ${id}\` shows it.`)
      }
      return outcomeOf(run)
    },
    async items(kind) {
      try {
        const items = await readItems(kind, call, root)
        const clean = items.map(async ({ id, title, text }) => ({
          repository: name,
          kind,
          id: id.slice(0, 200),
          title: (await app.redact(title)).slice(0, LONGEST_TITLE),
          text: (await app.redact(text)).slice(0, LONGEST_TEXT),
        }))
        return await Promise.all(clean)
      } catch (error) {
        if (!isAppError(error)) throw error
        say(`Could not share ${kind}: ${error.message}`)
        return []
      }
    },
  }
}

/** A name of letters, digits, dots and dashes. */
export function nameFor(text: string): string {
  const plain = text.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[^\p{L}\p{N}]+/u, "")
  return plain.slice(0, 60) || "unnamed"
}

function outcomeOf({ status, error }: Run): Awaited<ReturnType<LocalRepository["outcome"]>> {
  switch (status) {
    case "completed":
      return { state: "done", note: "" }
    case "stopped":
      return { state: "stopped", note: error ?? "" }
    case "failed":
      return { state: "failed", note: (error ?? "").slice(0, 2_000) }
    case "interrupted":
      return { state: "failed", note: "the runner ended while the agent worked" }
    default:
      return undefined
  }
}

type Item = Pick<SharedItem, "id" | "title" | "text">

async function readItems(
  kind: SharedKind,
  call: (operation: string, input: object) => Promise<unknown>,
  root: string,
): Promise<readonly Item[]> {
  const limit = MOST_ITEMS
  switch (kind) {
    case "board":
      return Board.parse(await call("board.show", { limit })).tickets.map((it) => ({
        id: it.id,
        title: it.title,
        text: `${it.lane}, ${it.priority}, ${it.type}`,
      }))
    case "memory":
      return MemoryList.parse(await call("memory.list", { limit })).memories.map((it) => ({
        id: it.id,
        title: it.title,
        text: `${it.description}\n${it.body}`,
      }))
    case "sessions": {
      const listed = await call("sessions.list", { repository: root, limit })
      return SessionsList.parse(listed).sessions.map((it) => ({
        id: it.id,
        title: it.title,
        text: `${it.host}, ${it.turns} turns, branch ${it.branch ?? "unknown"}, ${it.files} files`,
      }))
    }
    default:
      return kind satisfies never
  }
}
