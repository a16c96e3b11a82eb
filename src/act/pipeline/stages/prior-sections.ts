import type { PriorAnswer, StageWorld } from "../stage.ts"
import { PRIOR_WORD_SHARE } from "./limits.ts"
import { findOutput, Plan } from "./outputs.ts"
import { contentWords, shareOfWords } from "./words.ts"

type PriorSection = PriorAnswer["sections"][number]

export type AnsweredBefore = {
  /** Sub-queries whose words an earlier section has; the others are what it does not hold. */
  readonly answered: readonly { readonly question: string; readonly section: string }[]
  /** Those sections, each once; whatever else the earlier answer says is about something else. */
  readonly sections: readonly PriorSection[]
}

export function answeredBefore(
  questions: readonly string[],
  prior: PriorAnswer | undefined,
): AnsweredBefore {
  const offered = (prior?.sections ?? [])
    .filter((it) => it.paragraphs.length > 0)
    .map((section) => ({ section, words: contentWords(`${section.title} ${section.text}`) }))
  const found = questions.flatMap((question) => {
    const words = contentWords(question)
    const its = offered.find((it) => shareOfWords(words, it.words) >= PRIOR_WORD_SHARE)
    return its === undefined ? [] : [{ question, section: its.section }]
  })
  return {
    answered: found.map(({ question, section }) => ({ question, section: section.title })),
    sections: [...new Set(found.map((it) => it.section))],
  }
}

/** What an earlier run found of this plan; before there is one, all of it may be. */
export function priorOf(world: StageWorld): PriorAnswer | undefined {
  const plan = findOutput(world.outputs, Plan)
  if (plan === undefined || world.prior === undefined) return world.prior
  const questions = plan.subQueries.map((it) => it.question)
  return { ...world.prior, sections: answeredBefore(questions, world.prior).sections }
}
