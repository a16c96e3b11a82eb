import { answerQuestions } from "#ground/base"
import { createParser } from "../../parse/parser.ts"
import { createBatchReader, type GivenText } from "../read-text.ts"
import type { ReadAnswer, ReadItem } from "../readers.ts"
import type { TextFacts } from "../store/encode-facts.ts"

const parser = createParser()

answerQuestions(async (items: readonly ReadItem[]): Promise<ReadAnswer> => {
  const reading = createBatchReader()
  for (const item of items) {
    reading.add(item.text, await factsOf(item))
    if (parser.isSpent()) break
  }
  const result = reading.result()
  return { ...result, done: result.texts.length, isSpent: parser.isSpent() }
})

async function factsOf({ text, language, problem }: GivenText): Promise<TextFacts> {
  if (language !== undefined && problem === undefined) return parser.parse({ language, text })
  return {
    language: language ?? null,
    packages: [],
    symbols: [],
    references: [],
    imports: [],
    problems: problem === undefined ? [] : [problem],
  }
}
