import { silentLog } from "#ground/base"
import type { StageKind, TokenUsage } from "#ground/contract"
import type { Model } from "#ground/model"
import { replay } from "../events/reduce.ts"
import type { StageWork } from "../stage.ts"
import type { EngineDeps } from "./access.ts"
import { createEngine, type Engine } from "./engine.ts"
import {
  createLot,
  createSchedule,
  type Schedule,
  type ScheduledProcess,
} from "./schedule.fixture.ts"
import { memoryEventStore, type RunMap } from "./store/event-store.fixture.ts"

type SimProcess = ScheduledProcess & {
  readonly pid: number
  readonly engine: Engine
  readonly listeners: Set<() => void>
}

export type SimPorts = { touch(run: string, stage: string, key: string): Promise<void> }

/** Chosen so that its sums are not exact in binary. */
export const SIM_CALL_USD = 0.1

const USAGE: TokenUsage = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0 }

type Simulation = {
  readonly storedRuns: RunMap
  readonly schedule: Schedule
  readonly broken: string[]
  readonly processes: SimProcess[]
  readonly counts: { calls: number }
  stages(ports: SimPorts): Readonly<Record<StageKind, StageWork>>
}

export type Sim = ReturnType<typeof createSim>

export function createSim(seed: number, stages: Simulation["stages"]) {
  const lot = createLot(seed)
  const fixture: Simulation = {
    storedRuns: new Map(),
    schedule: createSchedule(lot),
    broken: [],
    processes: [],
    counts: { calls: 0 },
    stages,
  }
  const { schedule, storedRuns, broken, counts } = fixture
  return {
    lot,
    storedRuns,
    broken,
    counts,
    fixture: schedule.fixture,
    start: () => startProcess(fixture),
    crash: schedule.crash,
    step: schedule.step,
    alive: () => fixture.processes.filter((it) => !it.isDead),
  }
}

function startProcess(fixture: Simulation): SimProcess {
  const { processes, storedRuns, schedule } = fixture
  const pid = processes.length + 1
  const listeners = new Set<() => void>()
  const scheduled = { pid, isDead: false, heldUntil: 0, listeners }
  const owner = { pid, startedAt: "x", machine: `m${pid % 2}`, instance: `${pid}` }
  const grown = (): void => {
    for (const it of processes) if (!it.isDead) for (const tell of it.listeners) tell()
  }
  const hop = (): Promise<void> => schedule.hop(scheduled)
  const engine = createEngine({
    ...quietDeps(),
    eventStore: memoryEventStore({
      storedRuns,
      owner,
      now: () => schedule.fixture.now,
      hop,
      grown,
    }),
    clock: {
      now: () => schedule.fixture.now,
      monotonicMs: () => schedule.fixture.now,
      sleep: (ms, signal) => schedule.sleep(scheduled, ms, signal),
    },
    owner,
    isAlive: (it) => processes.some((other) => other.pid === it.pid && !other.isDead),
    onAdvance(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stages: fixture.stages({
      async touch(run, stage, key) {
        noteTouch(fixture, pid, { run, stage, key })
        await hop()
      },
    }),
    model: async () => ({
      provider: "scripted",
      name: "sim",
      ask: (question) => answer(fixture, { pid, hop }, question),
    }),
  })
  const process = Object.assign(scheduled, { engine })
  processes.push(process)
  return process
}

function quietDeps() {
  return {
    log: silentLog,
    liveText: { writing: () => ({ grown() {}, ended() {} }) },
    redact: (text: string) => text,
    redactJson: (value: unknown) => value,
    count: async () => (text: string) => text.length,
    windowTokens: () => 1_000_000,
    prior: async () => undefined,
    wrote() {},
    ended: async () => {},
  } satisfies Partial<EngineDeps>
}

type ModelAsk = Model["ask"]

async function answer(
  fixture: Simulation,
  from: { readonly pid: number; hop(): Promise<void> },
  question: Parameters<ModelAsk>[0],
): ReturnType<ModelAsk> {
  const { happens, fixture: state } = fixture.schedule
  const [run = "", stage = "", key = ""] = question.prompt.split("\n")[0]?.split(" ") ?? []
  noteTouch(fixture, from.pid, { run, stage, key, isPaid: true })
  fixture.counts.calls++
  await from.hop()
  if (happens(state.faults.modelFails)) throw new Error("the model is not there")
  const isMiss = question.schema !== undefined && happens(state.faults.modelMisses)
  const text = `answer to ${run} ${stage} ${key}`
  return {
    text,
    value: isMiss || question.schema === undefined ? undefined : { text },
    problem: isMiss ? "it is prose" : undefined,
    isCut: false,
    usage: USAGE,
    usd: SIM_CALL_USD,
    model: "sim",
    retries: 0,
    durationMs: 1,
  }
}

type Touch = {
  readonly run: string
  readonly stage: string
  readonly key: string
  readonly isPaid?: boolean
}

/**
 * A process that lost the run without noticing does not count; all others must not repeat an
 * effect.
 */
function noteTouch({ storedRuns, broken }: Simulation, pid: number, touch: Touch): void {
  const { run, stage, key, isPaid = false } = touch
  const storedRun = storedRuns.get(run)
  if (storedRun === undefined || storedRun.row.owner?.pid !== pid) return
  const reduced = replay(run, storedRun.events)
  if (reduced.kind === "damaged") return void broken.push(`${run}: ${reduced.problem}`)
  const { start, stages } = reduced.state
  const its = stages[start.config.stages.findIndex((it) => it.name === stage)]
  // A response that did not match is requested again under the next key.
  const recorded = [key, `${key}~2`, `${key}~3`].flatMap((it) => its?.recorded[it] ?? [])
  if (recorded.some((it) => it.kind === "result" || it.problem === undefined)) {
    broken.push(`${run} ${stage} ${key} ran again although it was recorded`)
  }
  const calls = storedRun.events.filter((it) => it.body.type === "llm_called").length
  if (isPaid && Math.round(calls * SIM_CALL_USD * 1e6) / 1e6 >= start.budgetUsd) {
    broken.push(`${run} made a call over its budget`)
  }
}
