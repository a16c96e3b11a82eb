import { KINDS } from "../../base/kinds.ts"
import type { ContextKind, PipelineEvent } from "../../contract.ts"

import type { RunStarted } from "./words.ts"

export type StageContext = {
  readonly stage: number
  readonly tokens: Partial<Record<ContextKind, number>>
  readonly total: number
  /** Of how much; null where nothing limits it. */
  readonly budget: number | null
}

export function contextOf(
  events: readonly PipelineEvent[],
  start: RunStarted | undefined,
): StageContext | undefined {
  for (const { body } of events.toReversed()) {
    const isShaped = body.type === "substep" && body.phase === "ended" && IS_CONTEXT.test(body.tool)
    const context = isShaped ? readShaped(body, start) : undefined
    if (context !== undefined) return context
  }
  return undefined
}

const IS_CONTEXT = /^context/i
/** 9800 of 12000 tokens, 12 texts. */
const FIGURES = /^([\d,]+) of ([\d,]+) tokens/

type Substep = Extract<PipelineEvent["body"], { type: "substep" }>

function readShaped(body: Substep, start: RunStarted | undefined): StageContext | undefined {
  const result = asRecord(body.result)
  const kinds = kindsIn(asRecord(result["tokens"]))
  const [, used, of] = FIGURES.exec(body.title) ?? []
  const total = sumOf(kinds) || body.tokens || figureOf(used)
  if (total === undefined || total === 0) return undefined
  return {
    stage: body.stage,
    // Without kinds it is what stages are given: paragraphs of the knowledge base.
    tokens: sumOf(kinds) > 0 ? kinds : { knowledge: total },
    total,
    budget: figureOf(of) ?? ownBudget(body.stage, start),
  }
}

function figureOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text.replaceAll(",", ""))
}

function ownBudget(stage: number, start: RunStarted | undefined): number | null {
  if (start === undefined) return null
  const { stages, depths } = start.config
  return stages[stage]?.contextTokens ?? depths[start.depth]?.contextTokens ?? null
}

function kindsIn(given: Record<string, unknown>): Partial<Record<ContextKind, number>> {
  return Object.fromEntries(
    KINDS.flatMap((kind) => {
      const tokens = given[kind]
      return typeof tokens === "number" && tokens > 0 ? [[kind, tokens]] : []
    }),
  )
}

function sumOf(kinds: Partial<Record<ContextKind, number>>): number {
  return KINDS.reduce((sum, kind) => sum + (kinds[kind] ?? 0), 0)
}

function asRecord(it: unknown): Record<string, unknown> {
  return typeof it === "object" && it !== null ? { ...it } : {}
}
