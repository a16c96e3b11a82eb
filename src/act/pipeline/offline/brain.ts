import type { ScriptedBrain } from "#ground/model"
import { analyze } from "./analyze.ts"
import { decide, plan, refinePlan, review, understand } from "./develop.ts"
import { queryOf } from "./question.ts"
import { refine } from "./refine.ts"
import { fieldsOf, fillSchema, fitted } from "./schema.ts"
import { synthesize } from "./synthesize.ts"
import { classify, converse } from "./talk.ts"

/**
 * Answers the stages of the shipped agents without a model: by the words of the question and of
 * the material, the same every time, with no answer prepared for any question. It goes by what an
 * answer must hold, so that a copied agent with stages of other names works as well.
 */
export const offlineBrain: ScriptedBrain = async ({ prompt, schema }) => {
  if (schema === undefined) return { text: converse(prompt) }
  const fields = fieldsOf(schema)
  const thought = THOUGHTS.find(({ wants }) => wants.every((it) => fields.has(it)))
  const words = queryOf(prompt).slice(0, 400)
  const value =
    thought === undefined ? fillSchema(schema, words) : fitted(thought.think(prompt), schema, words)
  return { text: JSON.stringify(value) }
}

type Thought = {
  /** Fields by which it is known what is asked; the first that fits is taken. */
  readonly wants: readonly string[]
  think(prompt: string): Readonly<Record<string, unknown>>
}

const THOUGHTS: readonly Thought[] = [
  { wants: ["subQueries", "clarity"], think: analyze },
  { wants: ["subQueries"], think: refine },
  { wants: ["sections"], think: synthesize },
  // It has no judgement of its own to give: the words alone count, and the report says so.
  { wants: ["verdicts"], think: () => ({ verdicts: [] }) },
  { wants: ["breakout", "confidence"], think: classify },
  { wants: ["goal", "acceptance"], think: understand },
  { wants: ["steps"], think: (prompt) => (isRefining(prompt) ? refinePlan(prompt) : plan(prompt)) },
  { wants: ["remarks"], think: review },
  { wants: ["decision"], think: decide },
]

const isRefining = (prompt: string): boolean => prompt.includes('<data name="outputs.plan">')
