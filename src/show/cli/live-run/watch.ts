import { isAppError, systemClock, visible } from "#ground/base"
import { AgentsApprovals, AgentsMessages, Run } from "#ground/contract"
import type { App } from "#show/app"
import type { RunContext } from "../run-operation.ts"
import { createTerminalTitle, titleFor } from "../terminal/terminal-title.ts"
import { exitCodeOf, isEnded } from "./exit-code.ts"
import { createWake, followRun, type Wake } from "./follow.ts"
import { livePainter, plainPainter } from "./painter.ts"
import { createQuestions } from "./questions.ts"
import { createJsonLines, createTranscript, type Show } from "./show.ts"

/** Narrower terminals wrap. */
const NARROWEST_LIVE_CELLS = 24

/** Earlier messages that are read for the titles of open activities. */
const LOOK_BACK_MESSAGES = 400

const REDRAW_EVERY_MS = 250

type Plan = {
  readonly id: string
  /** Messages after this number are shown. */
  readonly after: number
  /** Ctrl-C stops our own run; a run of another process continues. */
  readonly onInterrupt: "stop" | "leave"
}

/** Shows a run until it ends, and returns the exit code. */
export async function watch(plan: Plan, app: App, context: RunContext): Promise<number> {
  const { terminal } = context
  const over = new AbortController()
  const show = createShow(context)
  const wake = createWake(systemClock)
  const calls = callsFor(plan.id, app, over.signal)
  const questions = questionsOf(calls, { show, wake, context })
  const stopHearing = await hearAll(plan.id, app, { show, wake })
  const stopMinding = onAbort(terminal.signal, async () => {
    questions.leave()
    if (plan.onInterrupt === "leave") return over.abort()
    show.note("Stopping. Press Ctrl-C again to exit at once.")
    return calls.stop().catch((error: unknown) => show.note(errorText(error)))
  })
  void tick(show, over.signal)
  try {
    await recall(plan, calls, show)
    const run = await followRun({
      ...plan,
      ...calls,
      receive: show.messages,
      async showStatus(it) {
        show.showStatus(it)
        if (!isEnded(it) && !terminal.signal.aborted) await questions.look(it)
      },
      wake,
      signal: over.signal,
    })
    questions.leave()
    if (run === undefined) show.leave(plan.id)
    else show.end(run)
    return run === undefined || terminal.signal.aborted ? 130 : exitCodeOf(run)
  } finally {
    over.abort()
    stopMinding()
    stopHearing()
  }
}

type WatchContext = { readonly show: Show; readonly wake: Wake; readonly context: RunContext }

function questionsOf(calls: Calls, { show, wake, context }: WatchContext) {
  const readKey = canAsk(context) ? context.terminal.readKey : undefined
  const title = createTerminalTitle(context.terminal.stdout, context.terminal.environment)
  return createQuestions({
    open: calls.open,
    readKey,
    async answer(id, decision) {
      await calls.answer(id, decision)
      wake.now()
    },
    show: (approval) => show.question(approval, readKey !== undefined),
    ask(approval) {
      if (approval === undefined) title.restore()
      else title.show(titleFor(visible(approval.title), 1))
      show.asking(approval)
    },
    note: show.note,
  })
}

/** Only a user at a terminal can press a key. */
function canAsk({ line, terminal }: RunContext): boolean {
  return terminal.stdout.isTerminal && !line.json
}

function createShow({ line, terminal, screen }: RunContext): Show {
  const { stdout, stderr, environment } = terminal
  const write = (text: string): void => stdout.write(text)
  if (line.json) return createJsonLines({ writeOut: write, writeError: (it) => stderr.write(it) })
  // Log lines would overwrite rows in place; a dumb terminal cannot redraw.
  const isLive = stdout.isTerminal && !line.verbose && environment["TERM"] !== "dumb"
  return createTranscript({
    painter: isLive ? livePainter(write) : plainPainter(write),
    clock: systemClock,
    // One column stays free: a full row makes some terminals wrap.
    screen: () => ({ ...screen, width: liveWidth(screen.width, stdout.columns) }),
    clockText: (at) => new Date(at).toTimeString().slice(0, 8),
  })
}

type Calls = ReturnType<typeof callsFor>

function callsFor(id: string, app: App, signal: AbortSignal) {
  const call = (name: string, input: object) => app.call(name, { id, ...input }, { signal })
  return {
    run: async () => Run.parse(await call("agents.show", {})),
    messages: async (after: number, limit: number) =>
      AgentsMessages.parse(await call("agents.messages", { after, limit })).messages,
    async open() {
      const listed = await app.call("agents.approvals", { run: id }, { signal })
      const { approvals } = AgentsApprovals.parse(listed)
      return approvals.filter((it) => it.runId === id && it.status === "open")
    },
    async answer(approvalId: string, decision: object): Promise<void> {
      await call("agents.answer", { ...decision, id: approvalId })
    },
    async stop(): Promise<void> {
      await call("agents.stop", {})
    },
  }
}

/** Messages of this process at once, of others by the journal. */
async function hearAll(
  id: string,
  app: App,
  { show, wake }: { readonly show: Show; readonly wake: { now(): void } },
): Promise<() => void> {
  const store = await app.store()
  const agents = await app.agents()
  const ends = [
    store.onAdvance(wake.now),
    agents.onMessages((runId) => (runId === id ? wake.now() : undefined)),
    agents.onDelta((delta) => {
      const isOurs = delta.runId === id && delta.parentId === undefined
      if (isOurs) show.writing(delta.text)
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** The title of an activity that started before the first shown message is in an earlier one. */
async function recall({ after }: Plan, calls: Calls, show: Show): Promise<void> {
  if (after === 0) return
  const from = Math.max(0, after - LOOK_BACK_MESSAGES)
  const before = await calls.messages(from, LOOK_BACK_MESSAGES)
  show.recall(before.filter((it) => it.seq <= after))
}

async function tick(show: Show, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await systemClock.sleep(REDRAW_EVERY_MS, signal).catch(() => {})
    if (!signal.aborted) show.tick()
  }
}

/** Also if it was aborted before; returns a function that removes the listener. */
function onAbort(signal: AbortSignal, act: () => Promise<void>): () => void {
  const listener = (): void => void act()
  if (signal.aborted) listener()
  else signal.addEventListener("abort", listener, { once: true })
  return () => signal.removeEventListener("abort", listener)
}

function errorText(error: unknown): string {
  return isAppError(error) ? error.message : String(error)
}

/** One cell less than the terminal, so that nothing wraps; 0 columns means unknown. */
function liveWidth(width: number, columns: number | undefined): number {
  const usable = columns === undefined || columns <= 0 ? width : columns - 1
  return Math.max(NARROWEST_LIVE_CELLS, Math.min(width, usable))
}
