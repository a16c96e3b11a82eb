import type { KbVerification } from "#ground/contract"
import type { Entity } from "./entities.ts"
import {
  type CitedParagraph,
  evidenceFor,
  type Failure,
  type ReadAnswer,
  readAnswer,
  reportOf,
  shown,
} from "./statements.ts"

const ENTITY_BAR = 0.8

export function entityGrounding(answer: string, cited: readonly CitedParagraph[]): KbVerification {
  const reading = readAnswer(answer, cited)
  const labels = reading.statements.flatMap((it) => it.sentence.labels)
  const evidence = evidenceFor(reading, [...new Set(labels)])
  const keys = new Set(evidence.flatMap((it) => [...it.profile.keys]))
  const read = shown(evidence)
  const failed: Failure[] = []
  const checkedKeys = new Set<string>()
  for (const { entity, sentence } of mentionsOf(reading)) {
    if (checkedKeys.has(entity.key) || entity.isOwnCount) continue
    checkedKeys.add(entity.key)
    if (keys.has(entity.key)) continue
    const problem = `${NAMES[entity.kind]} "${entity.text}" is in none of the cited paragraphs.`
    failed.push({ sentence, problem, evidence: read })
  }
  return reportOf({ checked: checkedKeys.size, failed, bar: ENTITY_BAR })
}

type Mention = { readonly entity: Entity; readonly sentence: string }

function mentionsOf({ statements }: ReadAnswer): readonly Mention[] {
  return statements.flatMap(({ entities, sentence }) =>
    entities.map((entity) => ({ entity, sentence: sentence.text })),
  )
}

const NAMES: Readonly<Record<Entity["kind"], string>> = {
  term: "The term",
  figure: "The number",
  date: "The date",
  reference: "The reference",
}
