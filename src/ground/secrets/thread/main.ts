import { answerQuestions, systemRandom, withoutHiddenCharacters } from "#ground/base"
import type { RedactAnswer, RedactQuestion } from "../redact-long.ts"
import { createSecrets } from "../secrets.ts"

answerQuestions(async ({ texts, ...keys }: RedactQuestion): Promise<RedactAnswer> => {
  const { redact } = createSecrets({ ...keys, random: systemRandom })
  const forms = new Set(texts.flatMap(formsOf))
  return [...forms].map((text) => [text, redact(text)] as const)
})

function formsOf(text: string): readonly string[] {
  const plain = withoutHiddenCharacters(text.replaceAll("\r\n", "\n"))
  return [text, text.trim(), plain, plain.trim()]
}
