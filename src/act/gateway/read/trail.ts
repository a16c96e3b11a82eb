import type { TokenEncoding, WireName } from "#ground/contract"
import { anthropicTurns } from "./anthropic.ts"
import { LONGEST_STEP_BYTES, MOST_STEPS } from "./limits.ts"
import { responsesTurns } from "./openai.ts"
import type { TrailStep } from "./question.ts"
import type { RawItem } from "./raw-item.ts"
import type { Weigher } from "./weigh.ts"

/** Turns that a fold took out, in pieces. */
export function removedItems(wire: WireName, removed: readonly unknown[]): readonly RawItem[] {
  return wire === "openai" ? responsesTurns(removed) : anthropicTurns(removed)
}

/**
 * What was done in a branch, for whoever looks back: what the assistant said, and each call with
 * what came of it. Thinking and the host's reminders are no part of it.
 */
export async function stepsOf(
  items: readonly RawItem[],
  encoding: TokenEncoding,
  weigher: Weigher,
): Promise<readonly TrailStep[]> {
  const results = new Map<string, string[]>()
  for (const { kind, callId = "", text } of items) {
    if (kind === "result") results.set(callId, [...(results.get(callId) ?? []), text])
  }
  const steps: TrailStep[] = []
  for (const item of items) {
    const text = stepText(item, results)
    if (text === undefined) continue
    if (steps.length === MOST_STEPS) break
    const tool = item.kind === "assistant" ? null : item.name
    const kept = cut(text)
    steps.push({ tool, text: kept, tokens: await weigher.count(kept, encoding) })
  }
  return steps
}

/** A result whose call was not in the branch stands alone. */
function stepText(item: RawItem, results: Map<string, string[]>): string | undefined {
  const { kind, text, callId = "" } = item
  if (kind === "assistant") return text.trim() === "" ? undefined : text
  if (kind !== "call" && kind !== "result") return undefined
  const found = results.get(callId)
  results.delete(callId)
  if (kind === "result") return found === undefined ? undefined : text
  return found === undefined ? text : `${text}\n\n${found.join("\n")}`
}

function cut(text: string): string {
  const size = Buffer.byteLength(text)
  if (size <= LONGEST_STEP_BYTES) return text
  const head = Buffer.from(text).subarray(0, LONGEST_STEP_BYTES)
  // A letter that was cut in two is left out.
  const whole = head.toString().replace(/\uFFFD$/, "")
  return `${whole}\n(cut here: ${size - Buffer.byteLength(whole)} more bytes were not kept)`
}
