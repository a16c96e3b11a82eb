import { hash } from "node:crypto"
import { type Clock, createIds, silentLog, systemClock, systemRandom } from "#ground/base"
import type { ProxiedSession, WireItem } from "#ground/contract"
import { openStore, type Store, type StoreLocation } from "#ground/store"
import type { RecordedRequest } from "./record.ts"
import { type StoreDeps } from "./rows.ts"
import { createGatewayStore, type GatewayStore, type NewProxiedSession } from "./store.ts"

export function openWith(location: StoreLocation): Promise<Store> {
  return openStore({ location, clock: systemClock, random: systemRandom, log: silentLog })
}

/** Time advances only by `advance`. */
type SetClock = Clock & { advance(ms: number): Promise<void> }

function setClock(): SetClock {
  let at = Date.UTC(2026, 10, 16)
  return {
    now: () => at,
    monotonicMs: () => at,
    sleep: async () => {},
    async advance(ms) {
      at += ms
    },
  }
}

type StoreFixture = {
  readonly gatewayStore: GatewayStore
  readonly clock: SetClock
  readonly deps: StoreDeps
  /** Another store on the same rows, as in a second process. */
  other(changes: Partial<StoreDeps>): GatewayStore
  open(given?: Partial<NewProxiedSession>): Promise<ProxiedSession>
  events(): Promise<readonly (readonly [name: string, body: unknown])[]>
}

let fixtures = 0

export async function newStoreFixture(
  store: Store,
  overrides: Partial<StoreDeps> = {},
): Promise<StoreFixture> {
  const root = `/repo-${process.pid}-${++fixtures}`
  const clock = setClock()
  const deps: StoreDeps = {
    db: store.forRoom("gateway"),
    root: () => root,
    clock,
    ids: createIds({ clock, random: systemRandom }),
    log: silentLog,
    owner: OWNER,
    isAlive: () => true,
    keepRequests: () => 10_000,
    cacheAlertTokens: () => 50_000,
    ...overrides,
  }
  const gatewayStore = createGatewayStore(deps)
  const after = await store.journal.head()
  return {
    gatewayStore,
    clock,
    deps,
    other: (changes) => createGatewayStore({ ...deps, ...changes }),
    async open(more = {}) {
      await clock.advance(1)
      return gatewayStore.open({ ...NEW_SESSION, ...more })
    },
    async events() {
      const page = await store.journal.read({ after, limit: 1_000, namePrefix: "gateway." })
      return page.kind === "entries" ? page.entries.map((it) => [it.name, it.body]) : []
    },
  }
}

export const OWNER = { pid: 1, startedAt: "1.boot", machine: "here" }

export const NEW_SESSION: NewProxiedSession = {
  run: null,
  title: "claude",
  host: "claude-code",
  wire: "anthropic",
  mode: "record",
  hasContent: false,
  workingDirectory: "/work",
  upstream: "https://provider.example",
  owner: OWNER,
}

export function piece(name: string, more: Partial<WireItem> = {}): WireItem {
  const sha256 = hash("sha256", name)
  const size = { tokens: name.length, bytes: name.length }
  return { kind: "user", context: "history", name, sha256, ...size, ...more }
}

export const TOOL = piece("Read", { kind: "tool", context: "tools" })

export function aRequest(
  items: readonly WireItem[],
  more: Partial<RecordedRequest> = {},
): RecordedRequest {
  return {
    at: 1_000,
    route: "messages",
    session: "s1",
    agent: null,
    model: "model-1",
    status: 200,
    outcome: "answered",
    firstByteMs: 12.5,
    durationMs: 40,
    sentBytes: 500,
    forwardedBytes: 500,
    tokens: 100,
    kinds: [{ kind: "history", tokens: 100 }],
    usage: { input: 10, output: 5, cacheRead: 70, cacheWrite: 20 },
    costUsd: 0.25,
    added: items.slice(-1),
    gone: 0,
    folded: [],
    fallback: null,
    problem: null,
    conversation: "s1/",
    items,
    headers: [{ name: "user-agent", value: "claude-cli/2.1.325 (external, sdk-cli)" }],
    texts: [],
    ...more,
  }
}
