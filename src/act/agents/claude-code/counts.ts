import type { z } from "zod"
import { type ContextKind, TokenUsage } from "#ground/contract"
import type { Telling } from "../wire/telling.ts"
import { contextKind } from "./modes.ts"
import { ContextUsage, type Result, type Turn } from "./shapes.ts"

type Called = {
  readonly telling: Telling
  /** The call whose use was told last; absent where only the whole is wanted. */
  readonly lastCall?: { id: string }
}

/**
 * What one call of the model used, so that a budget stops before the next; the result's total takes
 * its place. A message of several blocks comes as several lines with the same figures.
 */
export function tellCall({ telling, lastCall }: Called, { message }: Turn): void {
  const { id, usage, model } = message
  if (lastCall === undefined || usage === undefined || id === undefined) return
  if (id === lastCall.id) return
  lastCall.id = id
  telling.say({
    event: "cost",
    isTotal: false,
    model,
    usage: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
    },
  })
}

/** One figure for all models it used, the helpers' small ones among them, and each beside it. */
export function tellCost(
  telling: Telling,
  { modelUsage }: Pick<z.infer<typeof Result>, "modelUsage">,
): void {
  const all = Object.entries(modelUsage).map(([model, it]) => ({
    model,
    reportedUsd: it.costUSD,
    usage: TokenUsage.parse({
      input: it.inputTokens,
      output: it.outputTokens,
      cacheRead: it.cacheReadInputTokens,
      cacheWrite: it.cacheCreationInputTokens,
    }),
  }))
  const [dearest] = all.toSorted((a, b) => (b.reportedUsd ?? 0) - (a.reportedUsd ?? 0))
  if (dearest === undefined) return
  const sum = (part: keyof TokenUsage) => all.reduce((total, it) => total + it.usage[part], 0)
  telling.say({
    event: "cost",
    model: dearest.model,
    isTotal: true,
    usage: {
      input: sum("input"),
      output: sum("output"),
      cacheRead: sum("cacheRead"),
      cacheWrite: sum("cacheWrite"),
    },
    reportedUsd: all.reduce((total, it) => total + (it.reportedUsd ?? 0), 0),
    models: all.map(({ model, usage }) => ({ model, usage })),
  })
}

/** The host's own count of its window; false when it was something else. */
export function tellContextUsage(telling: Telling, response: unknown): boolean {
  const usage = ContextUsage.safeParse(response)
  if (!usage.success) return false
  const { totalTokens: used, maxTokens: window, categories } = usage.data
  const tokens = new Map<ContextKind, number>()
  for (const it of categories.filter((category) => category.kind === "used")) {
    const kind = contextKind(it.id ?? "")
    tokens.set(kind, (tokens.get(kind) ?? 0) + it.tokens)
  }
  const kinds = [...tokens].map(([kind, count]) => ({ kind, tokens: count }))
  telling.say({ event: "context.usage", used, window, kinds })
  return true
}
