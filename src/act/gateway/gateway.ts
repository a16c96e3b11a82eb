import type { Clock, Ids, ProcessIdentity, Random, SocketServer } from "#ground/base"
import type { Config, GatewayMode, HostName, WireName } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import { createFolding } from "./carry.ts"
import { type Conversations, createConversations, type Latches } from "./conversations.ts"
import { FoldNotOffered } from "./errors.ts"
import { createKeeping, type Keeping } from "./keep/keeping.ts"
import { LONGEST_RECORDING_MS } from "./limits.ts"
import type { LatchedOff } from "./notices.ts"
import { type CodexProvider, isFoldable, type Pointed, pointAt, upstreamOf } from "./pointing.ts"
import { createProxy, type Exchange, type OpenCarry } from "./proxy/proxy.ts"
import { createReader } from "./read/reader.ts"
import { createRecorder, type RecorderDeps } from "./recorder.ts"
import { joined, listenForStands, type StandPlace } from "./stand.ts"

export type GatewayDeps = Pick<
  RecorderDeps,
  "clock" | "keepTrail" | "log" | "mostWaitingBytes" | "priceOf"
> & {
  readonly db: Db<"gateway">
  readonly ids: Ids
  readonly random: Random
  readonly owner: { readonly pid: number; readonly startedAt: string; readonly machine: string }
  readonly place: StandPlace
  /** The repository: every row carries it. */
  root(): string
  settings(): Config["gateway"]
  secrets(): Promise<Pick<Secrets, "redact">>
  /** By which receipts of our own tools are known. */
  receiptKey(): Promise<string>
  isAlive(identity: ProcessIdentity): boolean
  /** Branches that were folded and are in the window again, for good. */
  unfold(branchIds: readonly string[]): Promise<void>
  /** Of this process: `HTTPS_PROXY` and its like. */
  proxyEnvironment(): Readonly<Record<string, string | undefined>>
}

export type CarryWanted = {
  readonly run: string | null
  readonly title: string
  readonly host: HostName | undefined
  readonly wire: WireName
  readonly mode: Exclude<GatewayMode, "off">
  readonly hasContent: boolean
  readonly workingDirectory: string
  /** As the host will have it, without our own changes. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly codexProvider?: CodexProvider | undefined
  /** Something that a person should know, in words. */
  tell(text: string): void
}

/** A host whose requests come to us. */
export type Carried = Pointed & {
  readonly id: string
  /** Ends it when the host has ended; what was asked is then recorded. */
  end(): Promise<void>
}

export type Gateway = ReturnType<typeof createGateway>

/** The loopback proxy of this process, and what all processes recorded of this repository. */
export function createGateway(deps: GatewayDeps) {
  const keeping = createKeeping({ ...deps, keepRequests: () => deps.settings().keep })
  const { carry, close } = createWorking(deps, keeping)
  return { ...keeping, carry, close }
}

/** What is at work in this process; nothing listens before the first carry. */
function createWorking(deps: GatewayDeps, keeping: Keeping) {
  const proxy = createProxy({ ...deps, proxyEnvironment: deps.proxyEnvironment() })
  const reader = createReader()
  const foldings = createFoldings(deps, keeping)
  const open = new Set<Carried>()

  async function carry(wanted: CarryWanted): Promise<Carried> {
    const { mode, host, wire, environment } = wanted
    if (mode === "fold" && !isFoldable(host)) throw FoldNotOffered({ title: wanted.title })
    const upstream = upstreamOf(wanted)
    const row = await keeping.open({ ...factsOf(wanted, upstream), owner: deps.owner })
    const place = placeOf(environment)
    const recorder = createRecorder({ ...deps, carry: row, host, place, reader, keeping })
    const shut = async (opened?: OpenCarry): Promise<void> => {
      foldings.remove(row.id)
      await opened?.close()
      await within(LONGEST_RECORDING_MS, recorder.settled(), deps.clock)
      await keeping.close(row.id)
      // A program that never asked its model, or never started, leaves nothing to look at.
      if (recorder.taken() === 0) await keeping.delete({ id: row.id })
    }
    try {
      const folding = mode === "fold" ? await foldings.add(row.id, wanted) : undefined
      const done = (exchange: Exchange): void => {
        folding?.ended(exchange)
        recorder.take(exchange)
      }
      const opened = await proxy.open({ upstream, wire, ...folding?.port, done })
      // Whoever asks again, or later, waits for the same end.
      const end = onceOnly(() => shut(opened).finally(() => open.delete(carried)))
      const carried: Carried = { ...pointAt(opened.url, wanted), id: row.id, end }
      open.add(carried)
      return carried
    } catch (error) {
      await shut()
      throw error
    }
  }
  return {
    carry,
    async close(): Promise<void> {
      await Promise.all([...open].map((it) => it.end()))
      await proxy.close()
      await reader.close()
      await foldings.close()
    },
  }
}

/** What a carry is kept with. */
function factsOf(wanted: CarryWanted, upstream: URL) {
  const { run, title, host = null, wire, mode, hasContent, workingDirectory } = wanted
  const place = { workingDirectory, upstream: upstream.origin }
  return { run, title, host, wire, mode, hasContent, ...place }
}

/** The carries that fold, and one socket at which others ask about their sessions. */
function createFoldings(deps: GatewayDeps, keeping: Keeping) {
  const latches: Latches = new Map()
  const carried = new Map<string, Conversations>()
  let stands: Promise<SocketServer | undefined> | undefined
  async function listening(): Promise<void> {
    stands ??= listenForStands(deps.place, deps.owner.pid, (question) =>
      joined([...carried.values()].map((it) => it.stand(question))),
    )
    // One that cannot be had now may be had by the next carry.
    await stands.catch((error: unknown) => {
      stands = undefined
      throw error
    })
  }
  return {
    async add(id: string, { wire, tell }: CarryWanted) {
      await listening()
      for (const it of await keeping.latches()) latches.set(it.session, it.reason)
      const conversations = createConversations(latches)
      const key = await deps.receiptKey()
      carried.set(id, conversations)
      const latchOff = ({ session, reason, branchIds }: LatchedOff): void => {
        tell(`Nothing more is folded in this session: ${reason}. It goes on unfolded.`)
        const kept = [keeping.latchOff(id, { session, reason }), deps.unfold(branchIds)]
        Promise.all(kept).catch((error: unknown) => {
          deps.log.warn("that folding was switched off is not kept", { carry: id, error })
        })
      }
      return createFolding({ wire, key, conversations, latches, log: deps.log, latchOff, tell })
    },
    remove: (id: string) => void carried.delete(id),
    close: async (): Promise<void> => (await stands)?.close(),
  }
}

/** What decides which files a host loads; keys stay where they are. */
function placeOf(environment: CarryWanted["environment"]): RecorderDeps["place"] {
  const names = ["HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"]
  const isSwitch = (name: string) => /^CLAUDE_CODE_(?:DISABLE|ADDITIONAL)_/.test(name)
  const picked = Object.entries(environment).filter(
    ([name]) => names.includes(name) || isSwitch(name),
  )
  return {
    home: environment["HOME"] ?? environment["USERPROFILE"] ?? "",
    environment: Object.fromEntries(
      picked.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  }
}

function onceOnly(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= act()
    return done
  }
}

async function within(ms: number, work: Promise<void>, clock: Clock): Promise<void> {
  const late = new AbortController()
  try {
    await Promise.race([work, clock.sleep(ms, late.signal)])
  } finally {
    late.abort()
  }
}
