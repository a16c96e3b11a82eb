import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider"
import { visibleLine } from "#ground/base"
import type { TokenUsage } from "#ground/contract"
import { AnswerTooLarge } from "../errors.ts"
import { LONGEST_ANSWER_CHARACTERS } from "../limits.ts"
import type { Try } from "../retry.ts"
import { BROKEN_OFF, classify, isTooLarge, type Listener, scrub } from "./classify.ts"

const LONGEST_MODEL_NAME_CHARACTERS = 200

export type Reply = {
  readonly text: string
  readonly usage: TokenUsage | undefined
  readonly model: string | undefined
  readonly end: "complete" | "length" | "refused"
}

export type Call = Listener & {
  readonly model: LanguageModelV4
  readonly provider: string
  readonly options: LanguageModelV4CallOptions
  readonly signal: AbortSignal
  onText?: ((soFar: string) => void) | undefined
}

/** One try. Leaving the stream before its end, for any reason, closes the connection. */
export async function callOnce(call: Call): Promise<Try<Reply>> {
  try {
    const begun = await begin(call)
    return begun.kind === "done" ? await readStream(begun.value, call) : begun
  } catch (error) {
    call.signal.throwIfAborted()
    return notDone(error, call)
  }
}

type Parts = ReadableStream<LanguageModelV4StreamPart>

/** Until the stream starts, any exception is the provider's. */
async function begin(call: Call): Promise<Try<Parts>> {
  try {
    const { stream } = await call.model.doStream({ ...call.options, abortSignal: call.signal })
    return { kind: "done", value: stream }
  } catch (error) {
    call.signal.throwIfAborted()
    if (isTooLarge(error)) throw AnswerTooLarge({ provider: call.provider })
    return { kind: "not-done", failure: classify(error, call) ?? BROKEN_OFF }
  }
}

function notDone(error: unknown, call: Call): Try<never> {
  // The package's error contains prompt and response; ours must not.
  if (isTooLarge(error)) throw AnswerTooLarge({ provider: call.provider })
  const failure = classify(error, call)
  if (failure === undefined) throw error
  return { kind: "not-done", failure }
}

async function readStream(stream: Parts, call: Call): Promise<Try<Reply>> {
  const text = collectText(call)
  let model: string | undefined
  let finish: Extract<LanguageModelV4StreamPart, { type: "finish" }> | undefined
  for await (const part of stream) {
    if (part.type === "error") return notDone(part.error, call)
    if (part.type === "text-delta") text.add(part.delta)
    if (part.type === "response-metadata") model = nameFrom(part.modelId, call) ?? model
    if (part.type === "finish") finish = part
  }
  const reason = finish?.finishReason.unified ?? "interrupted"
  if (finish === undefined || reason === "interrupted" || reason === "error") {
    return { kind: "not-done", failure: BROKEN_OFF }
  }
  const end = ENDS[reason] ?? "complete"
  return { kind: "done", value: { text: text.soFar(), usage: usageFrom(finish.usage), model, end } }
}

const ENDS: Readonly<Record<string, Reply["end"]>> = {
  length: "length",
  "content-filter": "refused",
}

/**
 * A repeated key is redacted. Only the last characters are searched for it, because searching all
 * of them for each chunk would take minutes at 1 MB.
 */
function collectText(call: Call) {
  const keyCharacters = call.key?.length ?? 0
  let text = ""
  let tail = ""
  return {
    soFar: () => text,
    add(piece: string): void {
      text += piece
      const recentText = tail + piece
      if (call.key !== undefined && recentText.includes(call.key)) text = scrub(text, call.key)
      tail = recentText.slice(-keyCharacters)
      if (text.length > LONGEST_ANSWER_CHARACTERS) throw AnswerTooLarge({ provider: call.provider })
      call.onText?.(text)
    },
  }
}

function nameFrom(modelId: string | undefined, call: Call): string | undefined {
  const name = visibleLine(scrub(modelId ?? "", call.key)).slice(0, LONGEST_MODEL_NAME_CHARACTERS)
  return name === "" ? undefined : name
}

function usageFrom(usage: LanguageModelV4Usage): TokenUsage | undefined {
  const input = usage.inputTokens.noCache ?? usage.inputTokens.total
  const output = usage.outputTokens.total
  if (input === undefined || output === undefined) return undefined
  return {
    input: whole(input),
    output: whole(output),
    cacheRead: whole(usage.inputTokens.cacheRead),
    cacheWrite: whole(usage.inputTokens.cacheWrite),
  }
}

/** Some servers send fractions and, for the uncached rest, negative numbers. */
function whole(count: number | undefined): number {
  return Number.isFinite(count) ? Math.max(0, Math.ceil(count ?? 0)) : 0
}
