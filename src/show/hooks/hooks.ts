import { answerHook, type HookAnswer, type Judge } from "./answer.ts"
import { LARGEST_ANSWER_BYTES } from "./limits.ts"
import { readPayload } from "./payload.ts"

export type HookDeps = {
  readonly input: AsyncIterable<unknown>
  readonly judges: readonly Judge[]
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Resolves when the line is handed over. */
  readonly write: (line: string) => Promise<void>
  /** For whoever debugs a hook; silent otherwise. */
  readonly debug: (sentence: string) => void
}

/** One event: read it, ask the judges, write one line if there is something to say. Never throws. */
export async function runHook(deps: HookDeps): Promise<void> {
  try {
    const read = await readPayload(deps.input, deps)
    if (read.kind === "unusable") return deps.debug(read.why)
    const { answer, troubles } = await answerHook(read.payload, deps.judges, deps)
    for (const trouble of troubles) deps.debug(trouble)
    if (answer !== undefined) await say(answer, deps)
  } catch (error) {
    deps.debug(`the hook failed: ${String(error)}`)
  }
}

async function say(answer: HookAnswer, deps: HookDeps): Promise<void> {
  const line = `${JSON.stringify(answer)}\n`
  const sizeBytes = Buffer.byteLength(line)
  if (sizeBytes <= LARGEST_ANSWER_BYTES) return deps.write(line)
  deps.debug(`the answer has ${sizeBytes} bytes, more than ${LARGEST_ANSWER_BYTES}`)
}
