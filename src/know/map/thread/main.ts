import { answerQuestions } from "#ground/base"
import type { FileFacts } from "../facts.ts"
import { createParser } from "../parse/parser.ts"
import type { BatchAnswer, SourceFile } from "../workers.ts"

const parser = createParser()

answerQuestions(async (files: readonly SourceFile[]): Promise<BatchAnswer> => {
  const facts: FileFacts[] = []
  for (const file of files) {
    facts.push(await parser.parse(file))
    if (parser.isSpent()) break
  }
  return { facts, done: facts.length, isSpent: parser.isSpent() }
})
