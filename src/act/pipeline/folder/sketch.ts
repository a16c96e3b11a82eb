import { z } from "zod"

/**
 * A config as far as it can be read at all: whatever is wrong with one field, the others are held
 * against each other too, so that a person sees every problem at once.
 */
const text = z.string().optional().catch(undefined)
const texts = z.array(z.string().catch("")).catch([])

const StageSketch = z.object({
  name: text,
  kind: text,
  prompt: text,
  output: z.unknown().optional(),
  agent: text,
  mode: text,
  passes: text,
  budgetUsd: z.number().optional().catch(undefined),
  scope: z
    .object({ knowledge: z.boolean().catch(false), sources: texts, agents: texts })
    .catch({ knowledge: false, sources: [], agents: [] }),
})
export type StageSketch = z.infer<typeof StageSketch>

const Sketch = z.object({
  stages: z.array(StageSketch.catch(StageSketch.parse({}))).catch([]),
  pauseAfterStages: texts,
  repairUnits: z
    .array(z.object({ stages: texts, feedbackField: text }).catch({ stages: [] }))
    .catch([]),
  budgetUsd: z.number().optional().catch(undefined),
  depths: z.record(z.string(), z.unknown()).catch({}),
})
export type Sketch = z.infer<typeof Sketch>

export function readSketch(value: unknown): Sketch {
  return Sketch.catch(Sketch.parse({})).parse(value)
}
