import { isAppError } from "#ground/base"
import type { Approval, Run } from "#ground/contract"

type Decision = { readonly decision: "allow" | "deny"; readonly always: boolean }

const DECISIONS: Readonly<Record<string, Decision>> = {
  y: { decision: "allow", always: false },
  a: { decision: "allow", always: true },
  n: { decision: "deny", always: false },
}

/** The next key; undefined when the signal or the terminal ended the wait. */
type ReadKey = (signal: AbortSignal) => Promise<string | undefined>

type Deps = {
  open(): Promise<readonly Approval[]>
  answer(id: string, decision: Decision): Promise<void>
  /** Absent without a keyboard. */
  readonly readKey: ReadKey | undefined
  show(approval: Approval): void
  /** The question that waits for a key; undefined for none. */
  ask(approval: Approval | undefined): void
  note(text: string): void
}

export function createQuestions(deps: Deps) {
  const shown = new Set<string>()
  let asking: { readonly id: string; readonly ended: AbortController } | undefined
  let failure: { readonly error: unknown } | undefined

  function leave(): void {
    asking?.ended.abort()
    asking = undefined
    deps.ask(undefined)
  }

  /** Not awaited: a question must not block following the run. */
  function ask(approval: Approval, readKey: ReadKey): void {
    const ended = new AbortController()
    asking = { id: approval.id, ended }
    deps.ask(approval)
    readDecision(readKey, ended.signal)
      .then(async (decision) => {
        if (decision === undefined) return
        await answer(approval, decision, deps)
        if (asking?.id === approval.id) leave()
      })
      .catch((error: unknown) => {
        failure = { error }
      })
  }

  return {
    leave,
    async look(run: Run): Promise<void> {
      if (failure !== undefined) throw failure.error
      const open = run.openApprovals === 0 ? [] : await deps.open()
      const isAnswered = asking !== undefined && !open.some((it) => it.id === asking?.id)
      if (isAnswered) leave()
      for (const approval of open.filter((it) => !shown.has(it.id))) {
        shown.add(approval.id)
        deps.show(approval)
      }
      const [oldest] = open
      const isFree = asking === undefined
      if (isFree && oldest !== undefined && deps.readKey !== undefined) ask(oldest, deps.readKey)
    },
  }
}

async function readDecision(readKey: ReadKey, signal: AbortSignal): Promise<Decision | undefined> {
  while (!signal.aborted) {
    const key = await readKey(signal)
    // The terminal is closed: the question stays open for other terminals.
    if (key === undefined) return undefined
    const decision = DECISIONS[key.toLowerCase()]
    if (decision !== undefined && !signal.aborted) return decision
  }
  return undefined
}

async function answer(approval: Approval, decision: Decision, deps: Deps): Promise<void> {
  try {
    await deps.answer(approval.id, decision)
  } catch (error) {
    if (!isAppError(error)) throw error
    // Another terminal answered first, or the run ended.
    deps.note(error.message)
  }
}
