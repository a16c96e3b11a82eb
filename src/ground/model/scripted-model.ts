import type { TokenUsage } from "#ground/contract"
import { estimateUsage, type ModelAsk } from "./ask.ts"
import { AnswerTooLarge } from "./errors.ts"
import { LONGEST_ANSWER_CHARACTERS } from "./limits.ts"

export type ScriptedBrain = (
  ask: Omit<ModelAsk, "signal" | "onText">,
) => Promise<{ readonly text: string; readonly usage?: TokenUsage }>

/** Enough to show streaming, few enough to cost no time. */
const PIECES = 4

export async function askScript(script: ScriptedBrain, ask: ModelAsk) {
  const { signal, onText, ...question } = ask
  const { text, usage } = await script(question)
  if (text.length > LONGEST_ANSWER_CHARACTERS) throw AnswerTooLarge({ provider: "scripted" })
  signal.throwIfAborted()
  for (const end of pieceEnds(text)) onText?.(text.slice(0, end))
  return { text, usage: usage ?? estimateUsage(ask.instructions + ask.prompt, text) }
}

function pieceEnds(text: string): readonly number[] {
  const ends = Array.from({ length: PIECES }, (_, at) =>
    Math.ceil((text.length * (at + 1)) / PIECES),
  )
  return [...new Set(ends)].filter((end) => end > 0)
}
