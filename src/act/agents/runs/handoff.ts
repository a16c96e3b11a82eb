import type { AgentsHandoff, ContextPart, Message, Run } from "#ground/contract"
import { handoffOf } from "../sessions/handoff-text.ts"
import { restoredContext } from "../sessions/restore-context.ts"
import type { StartInput } from "./run-commands.ts"
import type { Stores } from "./stores.ts"

type Deps = {
  readonly stores: Stores
  count(): Promise<(text: string) => number>
  /** Random, so that no text can contain it. */
  delimiter(): string
}

/** Messages from the start and the end of a run; the middle of a long run is in its diffs. */
const FIRST_MESSAGES = 200
const LAST_MESSAGES = 1_800

export function createHandoff(deps: Deps & { start(input: StartInput): Promise<Run> }) {
  const { runs } = deps.stores
  return async (id: string, mustStart: boolean): Promise<AgentsHandoff> => {
    const { run, hidden } = await runs.find(id)
    const messages = await readEnds(run, deps.stores)
    const [count, delimiter] = [await deps.count(), deps.delimiter()]
    const made = handoffOf({ run, messages, delimiter, count })
    if (!mustStart) return { ...made, run: null }
    // The package is as old as the run; its effects are in the messages.
    const { env: _env, resume: _resume, pack: _pack, ...inherited } = hidden.configuration
    const configuration = { ...inherited, mode: run.mode, cwd: run.cwd }
    const started = await deps.start({ type: run.type, prompt: made.text, configuration })
    const title = `${run.title}, continued`
    return { ...made, run: await runs.edit(started.id, { title, isTitleOwn: run.isTitleOwn }) }
  }
}

async function readEnds({ id, lastSeq }: Run, { messages }: Stores): Promise<Message[]> {
  const first = await messages.list(id, { after: 0, limit: FIRST_MESSAGES })
  const after = Math.max(FIRST_MESSAGES, lastSeq - LAST_MESSAGES)
  return [...first, ...(await messages.list(id, { after, limit: LAST_MESSAGES }))]
}

export async function restoreRun(run: Run, deps: Deps): Promise<ContextPart> {
  const before = Number.MAX_SAFE_INTEGER
  const messages = await deps.stores.messages.list(run.id, { after: 0, before, limit: 400 })
  const count = await deps.count()
  const restored = restoredContext({ messages, parts: [], delimiter: deps.delimiter(), count })
  return {
    label: "earlier conversation",
    text: restored?.text ?? "",
    tokens: restored?.tokens ?? 0,
  }
}
