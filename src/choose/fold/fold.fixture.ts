import { type Clock, silentLog, systemClock, systemRandom } from "#ground/base"
import { type Caller, Config, type JournalEntry } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { openStore, type Store, type StoreLocation } from "#ground/store"
import type { FoldDeps, FoldEligibility } from "./deps.ts"
import { createFold, type Fold } from "./fold.ts"

export function countWords(text: string): number {
  return text.split(/\s+/).filter((it) => it !== "").length
}

export function words(count: number): string {
  return Array.from({ length: count }, (_, at) => `w${at}`).join(" ")
}

export const AGENT: Caller = { principal: "owner", client: "some-client", session: "s1" }
export const CLAUDE: Caller = { ...AGENT, client: "claude-code" }

export function openWith(location: StoreLocation): Promise<Store> {
  return openStore({ location, clock: systemClock, random: systemRandom, log: silentLog })
}

export function fakeToken(): string {
  return `ghp${"_"}${Buffer.from(systemRandom.bytes(18)).toString("hex")}`
}

export type TestGateway = {
  readonly key: string
  readonly asked: readonly (string | undefined)[]
  eligibility: FoldEligibility | Error
  readonly deps: Required<Pick<FoldDeps, "wire" | "receiptKey">>
}

export function testGateway(): TestGateway {
  const key = Buffer.from(systemRandom.bytes(32)).toString("hex")
  const sessions: (string | undefined)[] = []
  const gateway: TestGateway = {
    key,
    asked: sessions,
    eligibility: { kind: "eligible" },
    deps: {
      async wire(_session: string, branchId: string | undefined): Promise<FoldEligibility> {
        sessions.push(branchId)
        if (gateway.eligibility instanceof Error) throw gateway.eligibility
        return gateway.eligibility
      },
      receiptKey: async () => key,
    },
  }
  return gateway
}

export type FoldFixture<Time extends Clock = Clock> = {
  readonly fold: Fold
  readonly store: Store
  readonly clock: Time
  readonly deps: FoldDeps
  /** A second one on the same store, as in another process. */
  other(changes: Partial<FoldDeps>): Fold
  events(): Promise<readonly JournalEntry[]>
  eventNames(): Promise<readonly string[]>
}

type FoldingConfig = Config["context_folding"]

const WIDE: Partial<FoldingConfig> = { branch_creation_rate_limit: 1_000 }

let fixtures = 0

/** A repository of its own in a shared store. */
export async function foldFixture<Time extends Clock>(
  store: Store,
  clock: Time,
  options: {
    readonly config?: Partial<FoldingConfig>
    readonly deps?: Partial<FoldDeps>
  } = {},
): Promise<FoldFixture<Time>> {
  const root = `/repo-${process.pid}-${++fixtures}`
  const defaults = Config.parse({}).context_folding
  const secrets = createSecrets({ random: systemRandom })
  const deps: FoldDeps = {
    db: async () => store.forRoom("fold"),
    config: () => ({ ...defaults, ...WIDE, ...options.config }),
    root: () => root,
    clock,
    random: systemRandom,
    log: silentLog,
    owner: { pid: 1, startedAt: "1.boot", machine: "here", instance: "a" },
    isAlive: () => true,
    count: async () => countWords,
    secrets: async () => secrets,
    memories: async () => [],
    ...options.deps,
  }
  const after = await store.journal.head()
  const events = async (): Promise<readonly JournalEntry[]> => {
    const page = await store.journal.read({ after, limit: 1_000, namePrefix: "fold." })
    return page.kind === "entries" ? page.entries : []
  }
  return {
    fold: createFold(deps),
    store,
    clock,
    deps,
    other: (changes) => createFold({ ...deps, ...changes }),
    events,
    eventNames: async () => (await events()).map((it) => it.name),
  }
}

export const TASK = { description: "Look at rounding", prompt: "Find where cents are lost" }
