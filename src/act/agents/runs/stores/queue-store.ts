import { z } from "zod"
import type { Clock, Ids } from "#ground/base"
import { AgentMode, QueuedTurn } from "#ground/contract"
import { type Db, join, type Sql, sql } from "#ground/store"
import { TooManyQueued, TurnUnknown } from "../../errors.ts"
import type { Claim } from "./run-store.ts"

const MAX_QUEUED_TURNS = 50

const RunCommand = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stop") }),
  z.object({ kind: z.literal("mode"), mode: AgentMode, by: z.string() }),
  z.object({ kind: z.literal("steer"), text: z.string(), by: z.string().optional() }),
  z.object({
    kind: z.literal("answer"),
    approvalId: z.string(),
    decision: z.enum(["allow", "deny"]),
    note: z.string().optional(),
    by: z.string(),
  }),
])
export type RunCommand = z.infer<typeof RunCommand>

type TakenCommand = { readonly runId: string; readonly command: RunCommand }

export type NewCommand = {
  readonly id: string
  readonly runId: string
  readonly kind: RunCommand["kind"] | "turn"
  readonly body: string
  readonly at: number
  /** The person of the team who sent it. */
  readonly by?: string | undefined
}

export const insertCommand = (command: NewCommand): Sql => sql`
  INSERT INTO run_commands (run_id, seq, id, kind, body, at, done_at, sent_by)
  VALUES (${command.runId},
    (SELECT coalesce(max(c.seq), 0) + 1 FROM run_commands c WHERE c.run_id = ${command.runId}),
    ${command.id}, ${command.kind}, ${command.body}, ${command.at}, NULL, ${command.by ?? null})`

export const finishCommand = (id: string, at: number): Sql => sql`
  UPDATE run_commands SET done_at = ${at}, body = '' WHERE id = ${id} AND done_at IS NULL`

export const CountRow = z.object({ count: z.int() })

export const countTurns = (runId: string): Sql => sql`
  SELECT count(*) AS count FROM run_commands
  WHERE run_id = ${runId} AND kind = 'turn' AND done_at IS NULL`

const selectTurns = (runId: string): Sql => sql`
  SELECT id, body AS text, at AS "queuedAt", sent_by AS "by" FROM run_commands
  WHERE run_id = ${runId} AND kind = 'turn' AND done_at IS NULL ORDER BY seq`

type Deps = { readonly db: Db<"agents">; readonly clock: Clock; readonly ids: Ids }

export type QueueStore = ReturnType<typeof createQueueStore>

/**
 * Queued turns, and commands for the process that works on a run. Both are rows, so that any
 * process can add them and the right one finds them.
 */
export function createQueueStore({ db, clock, ids }: Deps) {
  async function add(command: Omit<NewCommand, "at" | "id">): Promise<void> {
    const { runId } = command
    await db.transaction(async (tx) => {
      await tx.run(insertCommand({ ...command, id: ids.next("cmd"), at: clock.now() }))
      tx.emit("agents.commanded", { id: runId })
    })
  }
  async function changeTurn(id: string, query: Sql): Promise<string> {
    const turn = await db.get(
      z.object({ run_id: z.string() }),
      sql`SELECT run_id FROM run_commands WHERE id = ${id} AND kind = 'turn' AND done_at IS NULL`,
    )
    if (turn === undefined) throw TurnUnknown({ id })
    await db.transaction(async (tx) => {
      const { changes } = await tx.run(query)
      if (changes === 0) throw TurnUnknown({ id })
      tx.emit("agents.commanded", { id: turn.run_id })
    })
    return turn.run_id
  }
  return {
    async queueTurn(runId: string, body: string, by?: string): Promise<void> {
      const waiting = await db.get(CountRow, countTurns(runId))
      if ((waiting?.count ?? 0) >= MAX_QUEUED_TURNS) {
        throw TooManyQueued({ id: runId, most: MAX_QUEUED_TURNS })
      }
      await add({ runId, kind: "turn", body, by })
    },
    turns: (runId: string): Promise<QueuedTurn[]> => db.all(QueuedTurn, selectTurns(runId)),
    nextTurn: async (runId: string): Promise<QueuedTurn | undefined> =>
      db.get(QueuedTurn, sql`${selectTurns(runId)} LIMIT 1`),
    rewriteTurn: (id: string, text: string): Promise<string> =>
      changeTurn(
        id,
        sql`UPDATE run_commands SET body = ${text}
          WHERE id = ${id} AND kind = 'turn' AND done_at IS NULL`,
      ),
    dropTurn: (id: string): Promise<string> => changeTurn(id, finishCommand(id, clock.now())),
    command: (runId: string, { kind, ...body }: RunCommand): Promise<void> =>
      add({ runId, kind, body: JSON.stringify(body) }),
    /**
     * Returns the commands for these runs, oldest first, each once. A process that has lost its
     * claim gets none, so that they reach the process that has it.
     */
    async takeCommands(claims: readonly Claim[]): Promise<TakenCommand[]> {
      if (claims.length === 0) return []
      const isOurs = claims.map((it) => sql`(r.id = ${it.runId} AND r.fence = ${it.fence})`)
      const rows = await db.all(
        z.object({ id: z.string(), run_id: z.string(), kind: z.string(), body: z.string() }),
        sql`SELECT c.id, c.run_id, c.kind, c.body
          FROM run_commands c JOIN runs r ON r.id = c.run_id
          WHERE c.kind <> 'turn' AND c.done_at IS NULL AND (${join(isOurs, sql` OR `)})
          ORDER BY c.run_id, c.seq`,
      )
      const commands: TakenCommand[] = []
      for (const row of rows) {
        const { changes } = await db.run(finishCommand(row.id, clock.now()))
        // Drops commands of a newer version, which are unknown here.
        const command = RunCommand.safeParse({ kind: row.kind, ...JSON.parse(row.body) })
        if (changes > 0 && command.success) {
          commands.push({ runId: row.run_id, command: command.data })
        }
      }
      return commands
    },
  }
}
