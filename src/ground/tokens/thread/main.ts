import { answerQuestions } from "#ground/base"
import type { CountQuestion } from "../count-long.ts"
import { createTokens } from "../tokens.ts"

answerQuestions(async ({ encoding, text }: CountQuestion) =>
  (await createTokens({ encoding }).counter()).count(text),
)
