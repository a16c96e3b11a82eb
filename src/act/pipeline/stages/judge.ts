import { z } from "zod"
import type { StageWorld } from "../stage.ts"
import { MOST_EVIDENCE_CHARACTERS, MOST_JUDGED_PAIRS } from "./limits.ts"
import type { Cited, Judge, Verifications } from "./ports.ts"
import { instructionsFor, promptFor, templateOf } from "./prompt.ts"

type Draft = { readonly text: string; readonly cited: readonly Cited[] }
type Pair = { readonly sentence: string; readonly evidence: string }

const Verdicts = z.object({
  verdicts: z.array(z.object({ number: z.int(), isSupported: z.boolean() })),
})

const SCHEMA = {
  type: "object",
  required: ["verdicts"],
  properties: {
    verdicts: {
      type: "array",
      items: {
        type: "object",
        required: ["number", "isSupported"],
        properties: { number: { type: "integer" }, isSupported: { type: "boolean" } },
      },
    },
  },
} as const

/**
 * A model's yes or no to each citation that the words let pass, all in one question: a call for
 * every sentence would cost more than the answer did. Without a prompt nobody is asked.
 */
export async function judged(
  world: StageWorld,
  draft: Draft,
  verify: Pick<Verifications, "citationAccuracy">,
): Promise<Judge | undefined> {
  if (world.stage.prompt === undefined) return undefined
  const pairs = await pairsOf(draft, verify)
  if (pairs.length === 0) return undefined
  const { value } = await world.effects.ask("judge", {
    title: `does each of ${pairs.length} citations support its sentence`,
    instructions: instructionsFor(world),
    prompt: promptFor(world, templateOf(world), { pairs: pairs.map(describe).join("\n\n") }),
    schema: SCHEMA,
    effort: world.stage.effort,
    maxOutputTokens: world.stage.maxOutputTokens,
  })
  return judgeFrom(pairs, value)
}

/** The verification itself says which pairs it would ask about. */
async function pairsOf(draft: Draft, verify: Pick<Verifications, "citationAccuracy">) {
  const pairs: Pair[] = []
  await verify.citationAccuracy(draft.text, draft.cited, async (sentence, evidence) => {
    if (pairs.length < MOST_JUDGED_PAIRS) pairs.push({ sentence, evidence })
    return undefined
  })
  return pairs
}

function describe({ sentence, evidence }: Pair, index: number): string {
  const read = evidence.slice(0, MOST_EVIDENCE_CHARACTERS)
  return `${index + 1}. Sentence: ${sentence}\n   Evidence: ${read}`
}

/** What it did not judge counts by the words alone, and the report says so. */
function judgeFrom(pairs: readonly Pair[], value: unknown): Judge | undefined {
  const parsed = Verdicts.safeParse(value)
  if (!parsed.success) return undefined
  const verdicts = new Map<string, boolean>()
  for (const { number, isSupported } of parsed.data.verdicts) {
    const pair = pairs[number - 1]
    if (pair !== undefined) verdicts.set(keyOf(pair.sentence, pair.evidence), isSupported)
  }
  return async (sentence, evidence) => verdicts.get(keyOf(sentence, evidence))
}

const keyOf = (sentence: string, evidence: string): string => `${sentence}\0${evidence}`
