import { BREAKOUTS, CONFIRMATIONS, DENIALS, findPhrase } from "./phrases.ts"
import { readWords } from "./words.ts"

export type Breakout = {
  /**
   * With a breakout pending: A goes on, B answers the message that asked for it, C answers this
   * one, D asks once more. Without: D asks first, E goes on, unless the classifier is sure of a
   * breakout.
   */
  readonly case: "A" | "B" | "C" | "D" | "E"
}

/** What a message to a paused run comes to, by its words alone; total, and linear in its length. */
export function decideBreakout(said: {
  readonly message: string
  /** The message that asked for the breakout which waits for 1 yes / 2 no. */
  readonly pending: string | undefined
}): Breakout {
  return {
    case: said.pending === undefined ? whilePaused(said.message) : whilePending(said.message),
  }
}

function whilePaused(message: string): "D" | "E" {
  if (isMenuNumber(message, 3)) return "D"
  return findPhrase(readWords(message), BREAKOUTS).plain === undefined ? "E" : "D"
}

function whilePending(message: string): "A" | "B" | "C" | "D" {
  if (isMenuNumber(message, 2)) return "A"
  if (isMenuNumber(message, 1)) return "B"
  // The menu's exit again: the question still stands.
  if (isMenuNumber(message, 3)) return "D"
  const words = readWords(message)
  // Nothing was said, so nothing is ended.
  if (words.length === 0) return "A"
  const denial = findPhrase(words, DENIALS)
  const confirmation = findPhrase(words, CONFIRMATIONS)
  if (denial.plain !== undefined) return "A"
  if (confirmation.plain !== undefined) return "B"
  // "don't stop" and "not sure" go on; "I don't want to continue" leaves.
  if (confirmation.negated !== undefined) return "A"
  return denial.negated === undefined ? "C" : "B"
}

/** The menu's own number and nothing else: "Stage 1 looks good" chooses nothing. */
export function isMenuNumber(message: string, number: number): boolean {
  const text = message.trim()
  return text === `${number}` || text === `${number}.`
}
