import type { QueryClient } from "@tanstack/react-query"
import type {
  Board,
  Branch,
  EventName,
  FoldTree,
  JournalEntry,
  Lane,
  StoreStatus,
} from "../../contract.ts"
import type { AnyOperation } from "../client.ts"
import { invalidateOperations, keys } from "../keys.ts"
import { appendLive, type Journal } from "./journal.ts"

type LiveRule = {
  readonly stale: readonly AnyOperation[] | "everything"
  patch?(queries: QueryClient, entry: JournalEntry): void
}

const OF_RUNS: readonly AnyOperation[] = [
  "agents.list",
  "agents.show",
  "agents.context",
  "now.show",
]

const OF_FOLDS: readonly AnyOperation[] = ["fold.tree", "fold.list", "fold.show", "fold.search"]

/** Queries that a gateway request may change; a recorded request itself never changes. */
const OF_GATEWAY: readonly AnyOperation[] = ["gateway.cache", "gateway.list", "gateway.show"]

const OF_BOARD: readonly AnyOperation[] = ["board.show", "board.log", "ticket.show", "ticket.ready"]

const OF_MEMORIES: readonly AnyOperation[] = [
  "memory.list",
  "memory.search",
  "memory.show",
  "decision.list",
  "decision.show",
]

const OF_PIPELINES: readonly AnyOperation[] = [
  "pipeline.list",
  "pipeline.show",
  "recipe.show",
  "now.show",
]

const OF_KNOWLEDGE: readonly AnyOperation[] = [
  "kb.status",
  "kb.documents",
  "kb.search",
  "kb.paragraph",
]

const OF_MAP: readonly AnyOperation[] = [
  "map.tree",
  "map.treemap",
  "map.folder",
  "map.users",
  "map.show",
  "search.find",
  "search.names",
]

/** One row per event; the compiler and a test compare it with the contract. */
export const LIVE_CACHE: Readonly<Record<EventName, LiveRule>> = {
  "agents.advanced": { stale: [...OF_RUNS, "agents.messages", "agents.timeline"] },
  "agents.answered": { stale: [...OF_RUNS, "agents.approvals", "permissions.list"] },
  "agents.asked": { stale: [...OF_RUNS, "agents.approvals"] },
  "agents.commanded": { stale: ["agents.turns", "agents.show"] },
  "agents.created": { stale: ["agents.list", "now.show"] },
  "agents.deleted": { stale: ["agents.list", "agents.approvals", "now.show"] },
  "agents.organised": { stale: ["organise.show", "agents.list"] },
  "agents.updated": {
    stale: [...OF_RUNS, "agents.approvals", "agents.turns", "agents.timeline"],
  },
  "board.changed": { stale: OF_BOARD },
  "board.moved": { stale: OF_BOARD, patch: patchLane },
  "board.proved": { stale: OF_BOARD },
  "fold.branch-created": { stale: OF_FOLDS },
  "fold.budget-exhausted": { stale: OF_FOLDS, patch: patchSpent },
  "fold.budget-warned": { stale: OF_FOLDS, patch: patchSpent },
  "fold.ended": { stale: OF_FOLDS },
  "fold.returned": { stale: OF_FOLDS },
  "fold.timed-out": { stale: OF_FOLDS },
  "gateway.cache": { stale: OF_GATEWAY },
  "gateway.closed": { stale: OF_GATEWAY },
  "gateway.deleted": { stale: [...OF_GATEWAY, "agents.context"] },
  "gateway.latched-off": { stale: OF_GATEWAY },
  "gateway.opened": { stale: OF_GATEWAY },
  "gateway.recorded": { stale: [...OF_GATEWAY, "agents.context"] },
  "knowledge.changed": { stale: OF_KNOWLEDGE },
  "map.scanned": { stale: OF_MAP },
  "memory.changed": { stale: OF_MEMORIES },
  "memory.forgotten": { stale: OF_MEMORIES },
  "memory.recorded": { stale: OF_MEMORIES },
  "pack.built": { stale: ["pack.list"] },
  "remote.changed": { stale: ["remote.list", "remote.runs", "remote.messages", "remote.shared"] },
  "people.changed": { stale: ["people.list", "people.tokens", "people.log"] },
  "pipeline.advanced": { stale: OF_PIPELINES },
  "pipeline.asked": { stale: OF_PIPELINES },
  "pipeline.ended": { stale: [...OF_PIPELINES, "pipeline.document", "pipeline.compare"] },
  "pipeline.started": { stale: OF_PIPELINES },
  "sessions.indexed": {
    stale: [
      "sessions.list",
      "sessions.show",
      "sessions.lines",
      "sessions.search",
      "sessions.context",
      "sessions.cost",
      "sessions.waste",
    ],
  },
  "sources.changed": { stale: ["source.list"] },
  "sources.credential": { stale: ["credential.requests", "credential.list", "source.list"] },
  "capture.taken": { stale: ["capture.list", "now.show"] },
  "config.changed": { stale: ["config.show", "config.check", "doctor.run", "now.show"] },
  "store.created": { stale: "everything" },
  "store.backed-up": { stale: ["doctor.run", "now.show"], patch: patchLastBackup },
  "swarm.changed": { stale: ["swarm.review", "swarm.plan", "worktree.list", "worktree.diff"] },
  "worktrees.changed": { stale: ["worktree.list", "worktree.diff"] },
  "store.restored": { stale: "everything" },
}

const GROWS_WITH_EACH_EVENT: readonly AnyOperation[] = ["store.status", "now.show"]

/** A server may send 2,000 events a second; refetching for each would overload it. */
export const STALE_AT_MOST_EVERY_MS = 1_000

type Deps = { queries: QueryClient; after(ms: number, act: () => void): () => void }

export function createLiveCache({ queries, after }: Deps) {
  const waiting = new Set<AnyOperation>()
  let isScheduled = false
  const flush = () => {
    isScheduled = false
    const names = [...waiting]
    waiting.clear()
    invalidateOperations(queries, names)
  }
  const markStale = (names: readonly AnyOperation[]) => {
    for (const name of names) waiting.add(name)
    if (isScheduled) return
    isScheduled = true
    after(STALE_AT_MOST_EVERY_MS, flush)
  }
  return {
    receive(entries: readonly JournalEntry[]): void {
      if (entries.length === 0) return
      appendToJournals(queries, entries)
      markStale(GROWS_WITH_EACH_EVENT)
      for (const entry of entries) {
        const rule = ruleFor(entry.name)
        rule?.patch?.(queries, entry)
        if (rule?.stale === "everything") void queries.invalidateQueries()
        else markStale(rule?.stale ?? [])
      }
    },
    /** The server cannot tell what was missed: refetch everything, remove nothing. */
    resync(): void {
      void queries.invalidateQueries()
    },
  }
}

function ruleFor(name: string): LiveRule | undefined {
  return Object.entries(LIVE_CACHE).find(([event]) => event === name)?.[1]
}

function appendToJournals(queries: QueryClient, entries: readonly JournalEntry[]): void {
  for (const [key] of queries.getQueriesData<Journal>({ queryKey: keys.allEvents })) {
    const prefix = prefixOf(key)
    queries.setQueryData<Journal>(key, (journal) =>
      journal === undefined ? journal : appendLive(journal, entries, prefix),
    )
  }
}

function prefixOf(key: readonly unknown[]): string {
  const input = key[1]
  const name =
    typeof input === "object" && input !== null && "name" in input ? input.name : undefined
  return typeof name === "string" ? name : ""
}

function patchLastBackup(queries: QueryClient, { at, body }: JournalEntry): void {
  const { file, sizeBytes } = body
  if (typeof file !== "string" || typeof sizeBytes !== "number") return
  queries.setQueriesData<StoreStatus>({ queryKey: keys.anyInput("store.status") }, (status) =>
    status === undefined ? status : { ...status, lastBackup: { file, sizeBytes, at } },
  )
}

/** A move of another browser is drawn at once; the order in the lane follows with the next read. */
function patchLane(queries: QueryClient, { body }: JournalEntry): void {
  const { id, from, to } = body
  queries.setQueriesData<Board>({ queryKey: keys.anyInput("board.show") }, (board) => {
    const lane = board?.lanes.find((it) => it.lane === to)?.lane
    const ticket = board?.tickets.find((it) => it.id === id)
    if (board === undefined || lane === undefined || ticket?.lane !== from) return board
    const step = (name: Lane) => Number(name === to) - Number(name === from)
    return {
      ...board,
      tickets: board.tickets.map((it) => (it === ticket ? { ...it, lane } : it)),
      lanes: board.lanes.map((it) => ({ ...it, tickets: it.tickets + step(it.lane) })),
    }
  })
}

function patchSpent(queries: QueryClient, { body }: JournalEntry): void {
  const { id, used } = body
  if (typeof id !== "string" || typeof used !== "number") return
  const spent = (it: Branch): Branch => (it.id === id ? { ...it, budgetUsed: used } : it)
  queries.setQueriesData<FoldTree>({ queryKey: keys.anyInput("fold.tree") }, (tree) =>
    tree === undefined
      ? tree
      : { sessions: tree.sessions.map((it) => ({ ...it, branches: it.branches.map(spent) })) },
  )
}
