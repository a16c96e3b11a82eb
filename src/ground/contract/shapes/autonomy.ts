import { z } from "zod"

export const AUTONOMY_AREAS = [
  "edit",
  "commit",
  "push",
  "board-move",
  "session-log",
  "ship-checkpoint",
  "swarm-dispatch",
  "decision",
  "grade-change",
  "secrets",
  "gate-edit",
] as const
export const AutonomyArea = z.enum(AUTONOMY_AREAS)
export type AutonomyArea = z.infer<typeof AutonomyArea>

export const AutonomyAnswer = z
  .enum(["manual", "suggest", "auto"])
  .describe("suggest: only in a step that a person sees and can refuse")
export type AutonomyAnswer = z.infer<typeof AutonomyAnswer>

const AutonomyRow = z.object({
  area: AutonomyArea,
  answer: AutonomyAnswer,
  why: z.string(),
  isStopped: z.boolean().describe("Whether its kill switch is on"),
})

const AutonomyMeasure = z.object({
  name: z.string(),
  value: z.string(),
  needed: z.string(),
  isMet: z.boolean(),
})
export type AutonomyMeasure = z.infer<typeof AutonomyMeasure>

export const Autonomy = z.object({
  grade: z.int().min(1).max(4).describe("The grade that applies"),
  configured: z.int().nullable().describe("The grade that is set; null if it cannot be read"),
  effect: z.string(),
  areas: z.array(AutonomyRow),
  measures: z.array(AutonomyMeasure).describe("What grade 4 needs"),
})
export type Autonomy = z.infer<typeof Autonomy>
