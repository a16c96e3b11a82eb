import { asRecord } from "#ground/base/object"
import type { Message, Run } from "../../contract.ts"
import type { Client } from "../client.ts"
import type { RunLine, RunUpdate } from "./run-line.ts"
import {
  endSeqOf,
  firstSeqOf,
  isAtEnd,
  openWindow,
  type TranscriptWindow,
  takeLive,
  takeNewer,
  takeOlder,
  withLastSeq,
} from "./transcript-window.ts"

export type TranscriptState = {
  readonly phase: "opening" | "open" | "failed" | "deleted"
  readonly window: TranscriptWindow
  readonly error: unknown
  readonly isLoadingOlder: boolean
  readonly isLoadingNewer: boolean
  readonly writing: ReadonlyMap<string, string>
  readonly line: "on" | "lost" | { readonly caughtUp: number }
}

type Deps = {
  readonly id: string
  readonly client: Pick<Client, "read">
  readonly line: Pick<RunLine, "followAgent">
  after(ms: number, act: () => void): () => void
  onRun(run: Run): void
}

/** Two screens of the densest rows; about 100 kB per page. */
const PAGE_MESSAGES = 300
const GATHER_MS = 16
const CAUGHT_UP_SHOWN_MS = 5_000

const NOTHING: TranscriptState = {
  phase: "opening",
  window: { messages: [], lastSeq: 0, hasStart: false },
  error: null,
  isLoadingOlder: false,
  isLoadingNewer: false,
  writing: new Map(),
  line: "on",
}

export type Transcript = ReturnType<typeof createTranscript>

/**
 * The messages of one run: a window on the stored ones, updated over the live connection. A lost
 * connection removes nothing; the subscription resumes after the newest known message.
 */
export function createTranscript(deps: Deps) {
  const { id, line } = deps
  const store = createStore()
  const pages = createPages(deps, store)
  const receiver = createReceiver(deps, store, () => void pages.loadNewer())
  return {
    state: store.state,
    listen: store.listen,
    ...pages,
    start(at: number | null): () => void {
      let letGo = () => {}
      let isOver = false
      void pages.open(at).then(() => {
        if (isOver) return
        const after = () => store.state().window.lastSeq
        letGo = line.followAgent(id, { after, receive: receiver.receive })
      })
      return () => {
        isOver = true
        receiver.stop()
        letGo()
      }
    },
    follow(is: boolean): void {
      store.isFollowing = is
    },
  }
}

type Store = ReturnType<typeof createStore>

function createStore() {
  const listeners = new Set<() => void>()
  let state = NOTHING
  return {
    isFollowing: true,
    /** Each opening makes responses to previous ones invalid. */
    opening: 0,
    state: (): TranscriptState => state,
    change(next: Partial<TranscriptState>): void {
      state = { ...state, ...next }
      for (const changed of listeners) changed()
    },
    listen(changed: () => void): () => void {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
  }
}

function createPages(deps: Deps, store: Store) {
  const { state, change } = store
  const read = createReader(deps)
  const open = async (at: number | null): Promise<void> => {
    const mine = ++store.opening
    try {
      const [newest, page] = await Promise.all([
        at === null ? [] : read({ before: Number.MAX_SAFE_INTEGER, limit: 1 }),
        read({ before: at === null ? Number.MAX_SAFE_INTEGER : at + PAGE_MESSAGES / 2 }),
      ])
      if (mine !== store.opening) return
      const lastSeq = Math.max(state().window.lastSeq, newest.at(-1)?.seq ?? 0)
      change({ phase: "open", window: openWindow(page, lastSeq), error: null })
    } catch (error) {
      if (mine === store.opening) change({ phase: "failed", error })
    }
  }
  const loadOlder = async (): Promise<void> => {
    const { isLoadingOlder, window, phase } = state()
    if (isLoadingOlder || window.hasStart || phase !== "open") return
    const mine = store.opening
    change({ isLoadingOlder: true })
    try {
      const page = await read({ before: firstSeqOf(window) })
      const held = state().window
      const next = mine === store.opening ? takeOlder(held, page) : held
      change({ window: next, isLoadingOlder: false, error: null })
    } catch (error) {
      change({ isLoadingOlder: false, error })
    }
  }
  const loadNewer = async (): Promise<void> => {
    const { isLoadingNewer, window, phase } = state()
    if (isLoadingNewer || isAtEnd(window) || phase !== "open") return
    const mine = store.opening
    change({ isLoadingNewer: true })
    try {
      const page = await read({ after: endSeqOf(window) })
      const held = state().window
      const next = mine === store.opening ? takeNewer(held, page) : held
      change({ window: next, isLoadingNewer: false, error: null })
      if (store.isFollowing && !isAtEnd(next) && page.length > 0) void loadNewer()
    } catch (error) {
      change({ isLoadingNewer: false, error })
    }
  }
  /** Loads older messages until one matches, and returns the newest match of that page. */
  const findOlder = async (isMatch: (message: Message) => boolean): Promise<number | undefined> => {
    for (;;) {
      const first = firstSeqOf(state().window)
      await loadOlder()
      const older = state().window.messages.filter((it) => it.seq < first)
      const match = older.findLast(isMatch)
      if (match !== undefined || older.length === 0) return match?.seq
    }
  }
  return { open, loadOlder, loadNewer, findOlder }
}

type MessageRange = { readonly before?: number; readonly after?: number; readonly limit?: number }

function createReader({ id, client }: Deps) {
  return async (range: MessageRange): Promise<readonly Message[]> => {
    const input = { id, limit: PAGE_MESSAGES, ...range, brief: true }
    const { messages } = await client.read("agents.messages", input)
    return messages
  }
}

function createReceiver(deps: Deps, store: Store, loadNewer: () => void) {
  const { state, change } = store
  let gathered: Message[] = []
  let missed: number | null = null
  let callOff = () => {}
  const noteCaughtUp = (count: number) => {
    missed = (missed ?? 0) + count
    if (!isAtEnd(state().window)) return
    change({ line: { caughtUp: missed } })
    missed = null
    callOff()
    callOff = deps.after(CAUGHT_UP_SHOWN_MS, () => change({ line: "on" }))
  }
  const flush = () => {
    const messages = gathered
    gathered = []
    const { isFollowing } = store
    const window = takeLive(state().window, messages, { isFollowing })
    change({ window, writing: withoutWritten(state().writing, messages) })
    if (isFollowing && !isAtEnd(window)) loadNewer()
    if (missed !== null) noteCaughtUp(messages.length)
  }
  const receive = (update: RunUpdate): void => {
    switch (update.kind) {
      case "message":
        gathered.push(update.message)
        if (gathered.length === 1) deps.after(GATHER_MS, flush)
        return
      case "delta":
        return change({ writing: withText(state().writing, update.parentId ?? "", update.text) })
      case "subscribed":
        change({ window: withLastSeq(state().window, update.lastSeq) })
        if (state().line === "lost") noteCaughtUp(0)
        return
      case "lost":
        missed = 0
        return change({ line: "lost", writing: NOTHING.writing })
      case "updated":
        return deps.onRun(update.run)
      case "deleted":
        return change({ phase: "deleted" })
      // The page shows both from the run's own row and messages.
      case "refused":
      case "error":
        return
      default:
        update satisfies never
    }
  }
  return { receive, stop: () => callOff() }
}

function withText(
  writing: ReadonlyMap<string, string>,
  parentId: string,
  text: string,
): ReadonlyMap<string, string> {
  const next = new Map(writing)
  if (text === "") next.delete(parentId)
  else next.set(parentId, text)
  return next
}

function withoutWritten(
  writing: ReadonlyMap<string, string>,
  messages: readonly Message[],
): ReadonlyMap<string, string> {
  if (writing.size === 0) return writing
  const next = new Map(writing)
  for (const { type, metadata } of messages) {
    const event = metadata.event
    const isAgentText = type === "assistant" || type === "response"
    if (isAgentText) next.delete(parentOf(event))
  }
  return next
}

function parentOf(event: unknown): string {
  const { parentId = "" } = asRecord(event)
  return String(parentId)
}
