import { LONGEST_CALL_LABEL_UNITS } from "./limits.ts"

/** What the model reads of a region that left, below the branch's result. */
export function keptText(texts: Iterable<string>): string {
  return ["Kept from the turns that were folded into the result above:", ...texts].join("\n\n")
}

/** An answer that stays without its call, under what it was asked. */
export function answerText(call: {
  readonly name: unknown
  readonly asked: string
  readonly text: string
  readonly isError: boolean
}): string {
  const asked = call.asked.slice(0, LONGEST_CALL_LABEL_UNITS).toWellFormed()
  return `[${call.isError ? "error" : "answer"} of ${String(call.name)} ${asked}]\n${call.text}`
}

/** What was loaded inside has left with the answer that loaded it. */
export function loadAgainText(names: readonly string[]): string {
  return `[tools that were loaded inside: load them again before you call them] ${names.join(", ")}`
}
