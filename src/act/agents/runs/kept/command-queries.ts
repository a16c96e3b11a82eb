import { join, type Sql, sql } from "#ground/store"
import type { Claim } from "./writer.ts"

export const countTurns = (runId: string): Sql => sql`
  SELECT count(*) AS count FROM run_commands
  WHERE run_id = ${runId} AND kind = 'turn' AND done_at IS NULL`

export type NewCommand = {
  readonly id: string
  readonly runId: string
  readonly kind: "turn" | "stop" | "mode" | "steer" | "answer"
  readonly body: string
  readonly at: number
}

export const insertCommand = (command: NewCommand): Sql => sql`
  INSERT INTO run_commands (run_id, seq, id, kind, body, at, done_at)
  VALUES (${command.runId},
    (SELECT coalesce(max(c.seq), 0) + 1 FROM run_commands c WHERE c.run_id = ${command.runId}),
    ${command.id}, ${command.kind}, ${command.body}, ${command.at}, NULL)`

export const selectTurns = (runId: string): Sql => sql`
  SELECT id, run_id, body, at FROM run_commands
  WHERE run_id = ${runId} AND kind = 'turn' AND done_at IS NULL ORDER BY seq`

export const selectTurn = (id: string): Sql => sql`
  SELECT id, run_id, body, at FROM run_commands
  WHERE id = ${id} AND kind = 'turn' AND done_at IS NULL`

export const rewriteTurn = (id: string, text: string): Sql => sql`
  UPDATE run_commands SET body = ${text} WHERE id = ${id} AND kind = 'turn' AND done_at IS NULL`

/**
 * What is wanted of runs that work here, turns apart: those wait for the end of the turn. A process
 * that has lost its claim finds nothing, so that what is wanted reaches the one that has it.
 */
export const selectCommands = (claims: readonly Claim[]): Sql => sql`
  SELECT c.id, c.run_id, c.kind, c.body FROM run_commands c JOIN runs r ON r.id = c.run_id
  WHERE c.kind <> 'turn' AND c.done_at IS NULL AND (${join(
    claims.map((it) => sql`(r.id = ${it.runId} AND r.fence = ${it.fence})`),
    sql` OR `,
  )})
  ORDER BY c.run_id, c.seq`

/** Its words are in the transcript from now on, redacted; here they were as the agent needs them. */
export const finishCommand = (id: string, at: number): Sql => sql`
  UPDATE run_commands SET done_at = ${at}, body = '' WHERE id = ${id} AND done_at IS NULL`
