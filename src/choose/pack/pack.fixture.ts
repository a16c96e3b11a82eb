import { type Clock, createIds, silentLog, systemRandom } from "#ground/base"
import { Config, OPERATIONS, type PackBuilt } from "#ground/contract"
import { openStore, type Store } from "#ground/store"
import type { TokenCounter } from "#ground/tokens"
import { createTokens } from "#ground/tokens"
import type { IndexedTree } from "#know/map"
import { loadRanker } from "#know/search"
import type { PackDeps } from "./pack.ts"
import { createPack } from "./pack.ts"

export const SHOP = {
  "src/bill/rounding.ts": `import { half } from "./half.ts"

/** Rounds a line of a bill to whole cents. */
export function roundLine(value: number): number {
  return half(value * 100) / 100
}

export function roundTotal(values: readonly number[]): number {
  return values.map(roundLine).reduce((sum, it) => sum + it, 0)
}
`,
  "src/bill/half.ts": `/** Half goes up. */
export function half(value: number): number {
  return Math.floor(value + 0.5)
}
`,
  "src/bill/rounding.test.ts": `import { roundLine } from "./rounding.ts"

test("a line is rounded", () => expect(roundLine(1.005)).toBe(1.01))
`,
  "src/user/login.ts": `import { openSession } from "./session.ts"

export function login(name: string): string {
  return openSession(name)
}
`,
  "src/user/session.ts": `export function openSession(name: string): string {
  return name
}
`,
  "docs/guide.md": "# Guide\n\nHow the rounding of a bill is done.\n",
}

const ranker = await loadRanker({ table: "leave" })
const tokens = createTokens({ encoding: "claude" })

export const counter: TokenCounter = await tokens.counter()

export type PackFixture = AsyncDisposable & {
  build(input: Readonly<Record<string, unknown>>): Promise<PackBuilt>
  readonly pack: ReturnType<typeof createPack>
  readonly written: Map<string, string>
  readonly refreshed: () => number
  readonly journal: () => Promise<readonly string[]>
}

type FixtureOptions = {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly deps?: Partial<PackDeps>
}

export function packFixture(tree: IndexedTree, options: FixtureOptions = {}): PackFixture {
  let opening: Promise<Store> | undefined
  const store = () => {
    opening ??= openStore({
      location: { kind: "memory" },
      clock: stillClock,
      random: systemRandom,
      log: silentLog,
    })
    return opening
  }
  const written = new Map<string, string>()
  let refreshes = 0
  const pack = createPack({
    ...depsOf(tree, options.settings ?? {}),
    refresh: async () => {
      refreshes++
      return tree
    },
    db: async () => (await store()).forRoom("pack"),
    write: async (path, text) => {
      written.set(path, text)
      return path
    },
    ...options.deps,
  })
  const { signal } = new AbortController()
  return {
    pack,
    written,
    refreshed: () => refreshes,
    // Most tests are about what fits, not about where a package ends.
    build: async (input) =>
      pack.build(OPERATIONS["pack.build"].input.parse({ fill: true, ...input }), { signal }),
    async journal() {
      const page = await (await store()).journal.read({ after: undefined, limit: 1_000 })
      return page.kind === "entries" ? page.entries.map((it) => it.name) : []
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.close()
    },
  }
}

function depsOf(tree: IndexedTree, settings: Readonly<Record<string, unknown>>) {
  const random = { bytes: (count: number) => new Uint8Array(count).map((_, at) => at) }
  return {
    tree: async () => tree,
    ranker: async () => ranker,
    counter: async () => counter,
    scale: async () => null,
    config: () => Config.parse({ pack: settings }),
    guidelineFile: async () => undefined,
    secrets: async () => ({ redact: (text: string) => ({ text, findings: [] }) }),
    root: () => "/shop",
    place: (path: string) => (path.startsWith("/") || path.startsWith("..") ? undefined : path),
    ids: createIds({ clock: { ...stillClock, now: nextMoment() }, random }),
    clock: stillClock,
    log: silentLog,
  }
}

const stillClock: Clock = {
  now: () => Date.UTC(2026, 0, 1),
  monotonicMs: () => 0,
  sleep: async () => {},
}

function nextMoment(): () => number {
  let now = Date.UTC(2026, 0, 1)
  return () => now++
}
