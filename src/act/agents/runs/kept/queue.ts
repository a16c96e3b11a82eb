import { z } from "zod"
import type { Clock, Ids } from "#ground/base"
import { AgentMode, type QueuedTurn } from "#ground/contract"
import type { Db, Sql } from "#ground/store"
import { TooManyQueued, TurnUnknown } from "../../errors.ts"
import { MOST_QUEUED_TURNS } from "../../limits.ts"
import {
  countTurns,
  finishCommand,
  insertCommand,
  rewriteTurn,
  selectCommands,
  selectTurn,
  selectTurns,
} from "./command-queries.ts"
import { CommandRow, CountRow, TurnRow } from "./rows.ts"
import type { Claim } from "./writer.ts"

type Deps = { readonly db: Db<"agents">; readonly clock: Clock; readonly ids: Ids }

/** What somebody wants of a run, wherever it works. */
const Wanted = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stop") }),
  z.object({ kind: z.literal("mode"), mode: AgentMode, by: z.string() }),
  z.object({ kind: z.literal("steer"), text: z.string() }),
  z.object({
    kind: z.literal("answer"),
    approvalId: z.string(),
    decision: z.enum(["allow", "deny"]),
    note: z.string().optional(),
    by: z.string(),
  }),
])
export type Wanted = z.infer<typeof Wanted>

export type Command = { readonly runId: string; readonly wanted: Wanted }

export type Queue = ReturnType<typeof createQueue>

/**
 * What waits for a run: turns behind the running one, and commands for the process that works on
 * it. Both are rows, so that any process can leave them and the right one finds them.
 */
export function createQueue(deps: Deps) {
  return { ...createTurns(deps), ...createCommands(deps) }
}

type Leave = (runId: string, kind: Wanted["kind"] | "turn", body: string) => Promise<void>

const createLeave =
  ({ db, ids, clock }: Deps): Leave =>
  (runId, kind, body) =>
    db.transaction(async (tx) => {
      await tx.run(insertCommand({ id: ids.next("cmd"), runId, kind, body, at: clock.now() }))
      tx.emit("agents.commanded", { id: runId })
    })

function createTurns(deps: Deps) {
  const { db, clock } = deps
  const leave = createLeave(deps)
  /** Changes one that still waits, and gives the run that it waits for. */
  const change = async (id: string, query: Sql): Promise<string> => {
    const turn = await db.get(TurnRow, selectTurn(id))
    if (turn === undefined) throw TurnUnknown({ id })
    await db.transaction(async (tx) => {
      const { changes } = await tx.run(query)
      if (changes === 0) throw TurnUnknown({ id })
      tx.emit("agents.commanded", { id: turn.runId })
    })
    return turn.runId
  }
  return {
    async queueTurn(runId: string, text: string): Promise<void> {
      const waiting = await db.get(CountRow, countTurns(runId))
      if ((waiting?.count ?? 0) >= MOST_QUEUED_TURNS) {
        throw TooManyQueued({ id: runId, most: MOST_QUEUED_TURNS })
      }
      await leave(runId, "turn", text)
    },
    /** The next one; it leaves the queue when it is written into the transcript. */
    nextTurn: async (runId: string): Promise<QueuedTurn | undefined> =>
      (await db.all(TurnRow, selectTurns(runId)))[0],
    turns: async (runId: string): Promise<QueuedTurn[]> =>
      (await db.all(TurnRow, selectTurns(runId))).map(({ id, text, queuedAt }) => ({
        id,
        text,
        queuedAt,
      })),
    rewriteTurn: (id: string, text: string): Promise<string> => change(id, rewriteTurn(id, text)),
    dropTurn: (id: string): Promise<string> => change(id, finishCommand(id, clock.now())),
  }
}

function createCommands(deps: Deps) {
  const { db, clock } = deps
  const leave = createLeave(deps)
  return {
    command: (runId: string, { kind, ...body }: Wanted): Promise<void> =>
      leave(runId, kind, JSON.stringify(body)),
    /** What is wanted of these runs, oldest first; each is taken once. */
    async takeCommands(claims: readonly Claim[]): Promise<Command[]> {
      if (claims.length === 0) return []
      const taken: Command[] = []
      for (const row of await db.all(CommandRow, selectCommands(claims))) {
        const { changes } = await db.run(finishCommand(row.id, clock.now()))
        const wanted = Wanted.safeParse({ kind: row.kind, ...JSON.parse(row.body) })
        // One that this version does not know is a newer one's business, and is not done here.
        if (changes > 0 && wanted.success) taken.push({ runId: row.run_id, wanted: wanted.data })
      }
      return taken
    },
  }
}
