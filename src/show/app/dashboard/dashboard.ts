import path from "node:path"
import { findWriteBarrier, isAppError, statFile, writeFileAtomic } from "#ground/base"
import {
  boardOperations,
  type CallContext,
  captureOperations,
  claimOperations,
  type dashboardOperations,
  decisionOperations,
  type Handlers,
  nowOperations,
  sessionOperations,
  sessionsOperations,
} from "#ground/contract"
import { DashboardNotWritable } from "../errors.ts"
import type { Services } from "../services.ts"
import { type DashboardState, renderDashboard, type Section } from "./page.ts"

const MOST_ROWS = 50

type DashboardDeps = Pick<Services, "call" | "clock" | "places" | "resolve" | "secrets">

export const dashboardHandlers = (deps: DashboardDeps): Handlers<typeof dashboardOperations> => ({
  async write({ out }, context) {
    const file = await checkTarget(deps.resolve(out))
    const state = await collect(deps, context)
    const { redact } = await deps.secrets()
    const html = Buffer.from(renderDashboard(state, (text) => redact(text).text))
    await writeFileAtomic(file, html, { mode: 0o644 })
    return { file, bytes: html.length, sections: sectionsOf(state) }
  },
})

/** Before anything is computed: an answer after a minute that it cannot be written is of no use. */
async function checkTarget(file: string): Promise<string> {
  const folder = path.dirname(file)
  const stat = await statFile(folder)
  const isFolder = stat.kind === "found" && stat.what === "directory"
  if (!isFolder) throw DashboardNotWritable({ file, reason: "its folder does not exist" })
  const there = await statFile(file)
  if (there.kind === "found" && there.what !== "regular file")
    throw DashboardNotWritable({ file, reason: `it is a ${there.what}` })
  const barrier = await findWriteBarrier(folder)
  if (barrier !== undefined)
    throw DashboardNotWritable({ file, reason: `${barrier.path} refuses it (${barrier.reason})` })
  return file
}

/** Each section alone: what one cannot read does not cost the others. */
async function collect(deps: DashboardDeps, context: CallContext): Promise<DashboardState> {
  const ask = (name: string, input: object) => deps.call(name, input, context)
  const limit = MOST_ROWS
  return {
    at: deps.clock.now(),
    name: path.basename(deps.places().repository.root),
    now: await section(async () =>
      nowOperations["now.show"].output.parse(await ask("now.show", {})),
    ),
    context: await section(async () => {
      const answer = await ask("capture.list", { limit })
      return captureOperations["capture.list"].output.parse(answer)
    }),
    sessions: await section(async () => {
      const answer = await ask("sessions.list", { limit })
      return sessionsOperations["sessions.list"].output.parse(answer)
    }),
    ledger: await section(async () => {
      const answer = await ask("session.list", { sinceHours: 7 * 24 })
      return sessionOperations["session.list"].output.parse(answer)
    }),
    cost: await section(async () => {
      const answer = await ask("sessions.cost", { since: "30d", by: "day" })
      return sessionsOperations["sessions.cost"].output.parse(answer)
    }),
    board: await section(async () => {
      const answer = await ask("board.show", { limit: 500 })
      return boardOperations["board.show"].output.parse(answer)
    }),
    claims: await section(async () => {
      const answer = await ask("claim.list", {})
      return claimOperations["claim.list"].output.parse(answer)
    }),
    decisions: await section(async () => {
      const answer = await ask("decision.list", { limit })
      return decisionOperations["decision.list"].output.parse(answer)
    }),
  }
}

async function section<Value>(read: () => Promise<Value>): Promise<Section<Value>> {
  try {
    return { kind: "read", value: await read() }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { kind: "missing", why: error.message }
  }
}

function sectionsOf(state: DashboardState) {
  const row = <Value>(name: string, of: Section<Value>, count: (value: Value) => number) => ({
    name,
    rows: of.kind === "read" ? count(of.value) : 0,
    missing: of.kind === "read" ? null : of.why,
  })
  return [
    row("context", state.context, (it) => it.captures.length),
    row("sessions", state.sessions, (it) => it.sessions.length),
    row("ledger", state.ledger, (it) => it.live.length + it.logged.length),
    row("cost", state.cost, (it) => it.rows.length),
    row("board", state.board, (it) => it.tickets.length),
    row("claims", state.claims, (it) => it.claims.length),
    row("decisions", state.decisions, (it) => it.memories.length),
  ]
}
