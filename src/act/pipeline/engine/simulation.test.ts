import { expect, test } from "vitest"
import type { PipelineEvent } from "#ground/contract"
import { isNight, seed } from "#test/seed"
import { costOf, type RunState } from "../events/state.ts"
import { documentOf } from "../events/views.ts"
import { NO_FAULTS, type SimFaults } from "./schedule.fixture.ts"
import { createSim, SIM_CALL_USD, type Sim } from "./simulation.fixture.ts"
import { SIM_CONFIG, simDocument, simStages, simStart } from "./stages.fixture.ts"
import { stateOf } from "./store/event-store.ts"

const SEEDS = isNight() ? 200_000 : 2_000

test(`[C8] ${SEEDS} seeds of dying processes, failing stores and failing models`, {
  timeout: isNight() ? 7_200_000 : 600_000,
}, async () => {
  const first = seed()
  let crashes = 0
  let calls = 0
  for (let nth = 0; nth < SEEDS; nth++) {
    const sim = await play(first + nth)
    crashes += sim.fixture.crashes
    calls += sim.counts.calls
  }
  expect({ hasCrashed: crashes > SEEDS / 4, hasCalled: calls > SEEDS * 4 }).toEqual({
    hasCrashed: true,
    hasCalled: true,
  })
})

async function play(itsSeed: number): Promise<Sim> {
  const sim = createSim(itsSeed, simStages)
  const label = `SEED=${itsSeed}`
  const [one] = [sim.start(), sim.start()]
  for (const it of sim.alive()) it.engine.watch()
  const runs = 1 + sim.lot(2)
  for (let nth = 0; nth < runs; nth++) begin(sim, one?.engine, nth)
  sim.fixture.faults = faultsOf(sim)
  for (let steps = 0; steps < 250; steps++) {
    if (!(await sim.step())) break
    if (sim.alive().length === 0 || sim.lot(150) === 0) sim.start().engine.watch()
    if (sim.lot(200) === 0) leave(sim)
    if (sim.lot(12) === 0) void visit(sim, sim.lot(20))
  }
  sim.fixture.faults = NO_FAULTS
  sim.start().engine.watch()
  let nextVisit = 0
  for (let steps = 0; !isOver(sim); steps++) {
    if (steps > 8_000) throw new Error(`${label}: not all runs came to an end\n${told(sim)}`)
    await sim.step()
    // The user waits for the answer with a limit: the process may have exited.
    if (steps < nextVisit) continue
    nextVisit = steps + 60
    void visit(sim, 0).finally(() => void (nextVisit = 0))
  }
  for (const [id, kept] of sim.storedRuns) look(id, kept.events, label)
  expect(sim.broken, `${label}\n${told(sim)}`).toEqual([])
  return sim
}

function faultsOf({ lot }: Sim): SimFaults {
  const some = (oneIn: number): number => (lot(2) === 0 ? 0 : oneIn + lot(oneIn))
  return {
    storeFails: some(40),
    crashes: some(60),
    holds: some(80),
    modelFails: some(8),
    modelMisses: some(4),
  }
}

type Engine = ReturnType<Sim["start"]>["engine"]

function begin(sim: Sim, engine: Engine | undefined, nth: number): void {
  const budgetUsd = sim.lot(4) === 0 ? 3 * SIM_CALL_USD : 100
  const query = `${sim.lot(4)} ${sim.lot(2)} ${nth}`
  const config = { ...SIM_CONFIG, pauseOnErrors: sim.lot(3) > 0 }
  engine?.begin([{ ...simStart(query), config, budgetUsd }]).catch(() => {})
}

function leave(sim: Sim): void {
  const [process] = sim.alive()
  const end = (): void => (process === undefined ? undefined : sim.crash(process))
  process?.engine.close().then(end, end)
}

async function visit(sim: Sim, whim: number): Promise<void> {
  const paused = [...sim.storedRuns.values()].filter((it) => it.row.status === "paused")
  const { row } = paused[sim.lot(Math.max(1, paused.length))] ?? {}
  const process = sim.alive()[sim.lot(sim.alive().length)]
  if (row === undefined || process === undefined) return
  if (whim === 1) return void (await process.engine.stop(row.id).catch(() => {}))
  const may = (found: { readonly state: RunState }): void => {
    if (found.state.pause === undefined) throw new Error("not paused")
  }
  const word = (state: RunState) =>
    whim === 2
      ? ({ type: "amended", by: "me", stage: state.pause?.stage ?? 0, text: "otherwise" } as const)
      : ({ type: "resumed", by: "me" } as const)
  const answer = { may, decide: (state: RunState) => [word(state)] }
  await process.engine.answer(row.id, answer).catch(() => {})
}

function isOver(sim: Sim): boolean {
  return [...sim.storedRuns.values()].every((it) => it.row.line.endedAt !== null)
}

function look(id: string, events: readonly PipelineEvent[], label: string): void {
  const state = stateOf(id, events)
  const bodies = events.map((it) => it.body)
  const calls = bodies.filter((it) => it.type === "llm_called")
  expect([label, costOf(state).spentUsd]).toEqual([label, round(calls.length * SIM_CALL_USD)])
  expect([label, costOf(state).unknownCalls]).toEqual([label, cutCalls(events)])
  expect([label, ...answersToPauses(events)]).toEqual([label])
  expect([label, bodies.filter((it) => it.type === "run_completed").length]).toEqual([label, 1])
  const isWhole = state.end?.status === "completed"
  const isUntouched = !bodies.some((it) => it.type === "amended")
  if (isWhole && isUntouched) {
    expect([label, documentOf(state)?.markdown]).toEqual([label, simDocument(state)])
  }
}

function cutCalls(events: readonly PipelineEvent[]): number {
  const open = new Map<string, boolean>()
  for (const { body } of events) {
    if (body.type !== "substep" || !body.activityId.startsWith("orch-llm-")) continue
    open.set(body.activityId, body.phase === "started" || body.outcome !== "done")
  }
  return [...open.values()].filter((isCut) => isCut).length
}

function answersToPauses(events: readonly PipelineEvent[]): readonly string[] {
  const answers = ["resumed", "amended", "skipped", "run_completed"]
  return events.flatMap(({ body }, at) => {
    const isAfterPause = events[at - 1]?.body.type === "pause_requested"
    return isAfterPause && !answers.includes(body.type) ? [`${body.type} after a pause`] : []
  })
}

function round(usd: number): number {
  return Math.round(usd * 1e8) / 1e8
}

function told(sim: Sim): string {
  return [...sim.storedRuns.values()]
    .map(
      ({ row, events }) => `${row.id} ${row.status}: ${events.map((it) => it.body.type).join(" ")}`,
    )
    .join("\n")
}
