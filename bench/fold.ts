import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createFold, type FoldDeps } from "#choose/fold"
import { invariant, isSameProcessAlive, silentLog, systemRandom } from "#ground/base"
import { type Caller, Config, type MemoryInjected } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { MIGRATIONS, type Migration, openStore, type Store, sql } from "#ground/store"
import { createTokens } from "#ground/tokens"
import {
  atMost,
  type Bench,
  type BenchContext,
  createSamples,
  makeRow,
  type Row,
  type Samples,
} from "./frame.ts"

const ROUNDS = 400
const WARM_UP_ROUNDS = 20
const LIVE = 100
const BAR_MS = 10
const HARD_LIMIT_MS = 100

export const bench: Bench = {
  name: "fold",
  about: "Opening a branch with 100 open ones, without and with memories, against one INSERT",
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), "qm-bench-fold-"))
    try {
      return await measure(folder, context)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const notes: Migration = {
  number: MIGRATIONS.length + 1,
  name: "bench-notes",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE notes (id ${integer} PRIMARY KEY, body ${text} NOT NULL)${strict}`,
  ],
}

const TASK = {
  description: "Find where cents are lost when a bill is rounded",
  prompt: "Read the code under src/bill and say which function rounds twice. ".repeat(20),
  parentBranchId: "root",
}
const CALLER: Caller = { principal: "owner", client: "claude-code", session: "bench" }

async function measure(folder: string, context: BenchContext): Promise<readonly Row[]> {
  const { clock } = context
  await using store = await openStore({
    location: { kind: "sqlite", file: join(folder, "store.db") },
    clock,
    random: systemRandom,
    log: silentLog,
    migrations: [...MIGRATIONS, notes],
  })
  const foldWith = (most: number, memories: readonly MemoryInjected[]) =>
    createFold(depsOf(store, context, { most, found: memories }))
  const folds = [foldWith(0, []), foldWith(10, []), foldWith(10, memories())] as const
  const [plain] = folds
  for (let at = 0; at < LIVE; at++) await plain.branch(TASK, { ...CALLER, session: `s${at}` })

  const times: number[][] = [[], [], [], []]
  const timed = async (which: number, work: () => Promise<unknown>): Promise<void> => {
    const startedAt = clock.monotonicMs()
    await work()
    times[which]?.push(clock.monotonicMs() - startedAt)
  }
  const rounds = WARM_UP_ROUNDS + (context.rounds ?? ROUNDS)
  for (let round = 0; round < rounds; round++) {
    await timed(0, () => insertNote(store, round))
    for (const [at, fold] of folds.entries()) {
      await timed(at + 1, () => fold.branch(TASK, CALLER))
    }
    // Outside of the measured time, so that each creation sees the same number of open branches.
    await plain.end(CALLER.session)
  }
  invariant((await plain.list({})).active === LIVE, "as many branches are open as at the start")
  return rowsOf(times.map((it) => createSamples(it.slice(WARM_UP_ROUNDS))))
}

function insertNote(store: Store, id: number): Promise<unknown> {
  return store.db.run(sql`INSERT INTO notes (id, body) VALUES (${id}, ${TASK.prompt})`)
}

const CASES = [
  { what: "without injection", bar: atMost(BAR_MS, "ms") },
  { what: "memories asked, none found", bar: atMost(HARD_LIMIT_MS, "ms") },
  { what: "with 10 memories", bar: atMost(HARD_LIMIT_MS, "ms") },
] as const

function rowsOf([floor, ...samples]: readonly Samples[]): readonly Row[] {
  invariant(floor !== undefined && samples.length === CASES.length, "all were measured")
  return samples.flatMap((it, at) => {
    const { what = "", bar } = CASES[at] ?? {}
    const shape = { unit: "ms", against: "one INSERT, committed, in the same store" }
    const median = { ...shape, what: `${what}, median`, measured: it.median, floor: floor.median }
    const p99 = { ...shape, what: `${what}, p99`, measured: it.p99, floor: floor.p99 }
    return [makeRow(median), makeRow(bar === undefined ? p99 : { ...p99, bar })]
  })
}

function depsOf(
  store: Store,
  context: BenchContext,
  injection: { readonly most: number; readonly found: readonly MemoryInjected[] },
): FoldDeps {
  const secrets = createSecrets({ random: systemRandom })
  const tokens = createTokens({ encoding: "claude" })
  const config = {
    ...Config.parse({}).context_folding,
    branch_creation_rate_limit: 1_000_000,
    max_concurrent_branches_per_instance: LIVE + 3,
    memory_max_items: injection.most,
  }
  return {
    db: async () => store.forRoom("fold"),
    config: () => config,
    root: () => context.root,
    clock: context.clock,
    random: systemRandom,
    log: silentLog,
    owner: { pid: process.pid, startedAt: "bench", machine: "bench", instance: "bench" },
    isAlive: isSameProcessAlive,
    count: async () => (await tokens.counter()).count,
    secrets: async () => secrets,
    memories: async () => injection.found,
  }
}

function memories(): readonly MemoryInjected[] {
  return Array.from({ length: 10 }, (_, at) => ({
    id: `mem_${at}`,
    kind: "fix" as const,
    title: `Memory ${at}`,
    text: `Rounding is done once, at the end. ${"It was done twice before. ".repeat(10)}`,
    tokens: 80,
    confidence: 0.8,
    state: "confirmed" as const,
    why: ["rounding"],
  }))
}
