import { contentWords, shareOfWords } from "../stages/words.ts"
import { oneLine } from "./analyze.ts"
import { split } from "./sentences.ts"

const SURE = 0.75

/** English only, as the rest of it: what it cannot read it does not judge. */
const ASKS = /^(?:what|when|where|which|who|why|how|is|are|can|could|does|do|did|will|would)\b/i

/** A whole question that shares no word with the topic leaves it; everything else belongs to it. */
export function classify(prompt: string): Readonly<Record<string, unknown>> {
  const topic = contentWords(`${tag(prompt, "topic")} ${tag(prompt, "sub_queries")}`)
  const message = oneLine(tag(prompt, "message"))
  const words = contentWords(message)
  const isQuestion = ASKS.test(message) && message.endsWith("?") && words.size >= 2
  const breakout = isQuestion && words.isDisjointFrom(topic)
  return { breakout, confidence: breakout ? SURE : 0.5 }
}

function tag(prompt: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(prompt)?.[1] ?? ""
}

const BLOCK = /<orchestrator_prior_research[^>]*>([\s\S]*?)<\/orchestrator_prior_research>/

/** An answer after the end: what the summary in front of the message says about it. */
export function converse(prompt: string): string {
  const research = BLOCK.exec(prompt)?.[1] ?? ""
  const message = prompt.replace(BLOCK, "").trim()
  const words = contentWords(message)
  const fitting = lines(research)
    .map((text) => ({ text, share: shareOfWords(words, contentWords(text)) }))
    .filter((it) => it.share >= FITTING_SHARE)
    .toSorted((one, other) => other.share - one.share)
    .slice(0, 3)
  const found = fitting.map((it) => `- ${it.text}`).join("\n")
  return found === ""
    ? `The research that is kept does not say anything about this. ${OFFLINE}`
    : `The research that is kept says:\n${found}\n\n${OFFLINE}`
}

const FITTING_SHARE = 0.3

const OFFLINE = "No model is set up, so this was looked up by its words (setting model.provider)."

function lines(text: string): readonly string[] {
  const bare = text.split("\n").map((it) => it.replace(/^-\s*/, ""))
  return [...new Set(bare.flatMap((it) => [it, ...split(it)]).map(oneLine))].filter(
    (it) => it.length > 20,
  )
}
