import type { Word } from "./words.ts"

/**
 * A phrase is words; `a|b` is either, `~` is an article or nothing. A command may follow a bare
 * "no": "no stop the pipeline" is an answer and a wish, "no new question" is a negation.
 */
type Phrase = { readonly slots: readonly Slot[]; readonly isCommand: boolean }
type Slot = ReadonlySet<string> | "articles"

const LEAVING = phrases({ isCommand: true }, [
  "break out",
  "exit|stop|cancel|skip|leave|abandon|quit ~ pipeline",
  "exit|stop|cancel ~ agent",
  "forget the|this|that ~ pipeline",
  "change topic",
  "change the topic",
  "never mind",
  "nevermind",
  "forget it",
  "changed my mind",
])

const TURNING = phrases({ isCommand: false }, [
  "breakout|break-out",
  "something else|different",
  "different question|topic",
  "new question|topic",
])

/** Phrases by which a person leaves a paused pipeline. */
export const BREAKOUTS = [...LEAVING, ...TURNING]

export const CONFIRMATIONS = phrases({ isCommand: true }, [
  "yes|yeah|yep|yup|sure|confirm|quit|leave|exit|terminate|stop|abort|cancel",
  "end|kill|close it",
])

export const DENIALS = phrases({ isCommand: true }, [
  "no|nah|nope|stay|continue|proceed|resume",
  "keep going",
  "go back|on",
  "carry on",
  "forget i said that",
  "back to",
])

const ARTICLES = new Set(["the", "this", "that", "my", "our", "your", "whole", "entire", "current"])
const MOST_ARTICLES = 3

function phrases(
  kind: { readonly isCommand: boolean },
  texts: readonly string[],
): readonly Phrase[] {
  return texts.map((text) => ({
    ...kind,
    slots: text.split(" ").map((it): Slot => (it === "~" ? "articles" : new Set(it.split("|")))),
  }))
}

export type Matches = { readonly plain: string | undefined; readonly negated: string | undefined }

/** The first that is meant, and the first that is negated; "exit code" is no exit. */
export function findPhrase(words: readonly Word[], among: readonly Phrase[]): Matches {
  let negated: string | undefined
  for (const at of words.keys()) {
    const phrase = among.find((it) => lengthAt(words, at, it.slots) > 0)
    if (phrase === undefined || isExitCode(words, at)) continue
    const text = textOf(words, at, phrase.slots)
    if (!isNegatedAt(words, at, phrase)) return { plain: text, negated }
    negated ??= text
  }
  return { plain: undefined, negated }
}

/** How many words it takes from here on; 0 when it does not stand here. */
function lengthAt(words: readonly Word[], at: number, slots: readonly Slot[]): number {
  let next = at
  for (const slot of slots) {
    if (slot === "articles") next += articlesAt(words, next)
    else if (slot.has(words[next]?.text ?? "")) next++
    else return 0
  }
  return next - at
}

function articlesAt(words: readonly Word[], at: number): number {
  const found = words.slice(at, at + MOST_ARTICLES).findIndex((it) => !ARTICLES.has(it.text))
  return found === -1 ? Math.min(MOST_ARTICLES, words.length - at) : found
}

function textOf(words: readonly Word[], at: number, slots: readonly Slot[]): string {
  const taken = words.slice(at, at + lengthAt(words, at, slots))
  return taken.map((it) => it.text).join(" ")
}

function isNegatedAt(words: readonly Word[], at: number, phrase: Phrase): boolean {
  const before = words[at - 1]
  const isBareNo = phrase.isCommand && before?.text === "no"
  return (isBareNo ? before : words[at])?.isNegated ?? false
}

function isExitCode(words: readonly Word[], at: number): boolean {
  return words[at]?.text === "exit" && /^(?:codes?|status)$/.test(words[at + 1]?.text ?? "")
}
