import { readFence } from "../stages/fence.ts"
import { contentWords, shareOfWords } from "../stages/words.ts"
import { asQuestion, oneLine } from "./analyze.ts"
import { listOf, queryOf } from "./question.ts"

/**
 * The plan with the document that fits each part, and with the one word that the web uses most and
 * the plan does not, in the part that can best do with it: the last.
 */
export function refine(prompt: string): Readonly<Record<string, unknown>> {
  const questions = listOf(prompt, "plan").map((it) => it.replace(/ \(look in: [^)]*\)$/, ""))
  const wishes = listOf(prompt, "amendments").map(oneLine)
  const documents = listOf(prompt, "documents")
  const word = newWord(questions, readFence(prompt, "web") ?? "")
  const planned = [...new Set([...questions, ...wishes])]
  const kept = planned.length === 0 ? [asQuestion(oneLine(queryOf(prompt)))] : planned
  return {
    subQueries: kept.map((question, index) => ({
      question:
        index === kept.length - 1 && word !== undefined ? widened(question, word) : question,
      why: "kept from the plan",
      target: targetOf(question, documents),
    })),
  }
}

function widened(question: string, word: string): string {
  return `${question.replace(/\?$/, "")} (elsewhere: ${word})?`
}

/** A word in the titles of at least two pages that the plan does not have. */
function newWord(questions: readonly string[], web: string): string | undefined {
  const planned = contentWords(questions.join(" "))
  const counts = new Map<string, { readonly word: string; readonly pages: number }>()
  for (const [, title = ""] of web.matchAll(/^W\d+\. (.+)$/gm)) {
    for (const word of new Set(title.toLowerCase().match(/\p{L}{5,}/gu) ?? [])) {
      const [stem] = contentWords(word)
      if (stem === undefined || planned.has(stem)) continue
      counts.set(stem, { word, pages: (counts.get(stem)?.pages ?? 0) + 1 })
    }
  }
  const best = [...counts.values()].toSorted((one, other) => other.pages - one.pages)[0]
  return best !== undefined && best.pages > 1 ? best.word : undefined
}

/** The title that shares most words; documents come in the order in which they were found. */
function targetOf(question: string, documents: readonly string[]): string {
  const words = contentWords(question)
  const [best] = documents
    .map((title) => ({ title, share: shareOfWords(contentWords(title), words) }))
    .toSorted((one, other) => other.share - one.share)
  return best?.title ?? "knowledge base"
}
