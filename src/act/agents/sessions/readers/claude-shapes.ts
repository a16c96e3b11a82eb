import { z } from "zod"

/** The lines of Claude Code's transcripts as far as we read them, seen on 2.1.325. */
const Tokens = z.int().nonnegative().catch(0)

const Usage = z
  .object({
    input_tokens: Tokens,
    output_tokens: Tokens,
    cache_read_input_tokens: Tokens,
    cache_creation_input_tokens: Tokens,
  })
  .transform((it) => ({
    input: it.input_tokens,
    output: it.output_tokens,
    cacheRead: it.cache_read_input_tokens,
    cacheWrite: it.cache_creation_input_tokens,
  }))

export const AssistantLine = z.object({
  message: z.object({
    id: z.string().optional().catch(undefined),
    model: z.string().optional().catch(undefined),
    stop_reason: z.string().nullish().catch(undefined),
    usage: Usage.optional().catch(undefined),
  }),
  isApiErrorMessage: z.boolean().default(false).catch(false),
})
export type AssistantLine = z.infer<typeof AssistantLine>

export const CompactLine = z.object({
  subtype: z.literal("compact_boundary"),
  compactMetadata: z.object({
    trigger: z.string().default("auto").catch("auto"),
    preTokens: z.int().nonnegative().optional().catch(undefined),
    postTokens: z.int().nonnegative().optional().catch(undefined),
  }),
})

const ModelUsage = z
  .object({
    inputTokens: Tokens,
    outputTokens: Tokens,
    cacheReadInputTokens: Tokens,
    cacheCreationInputTokens: Tokens,
  })
  .transform((it) => ({
    input: it.inputTokens,
    output: it.outputTokens,
    cacheRead: it.cacheReadInputTokens,
    cacheWrite: it.cacheCreationInputTokens,
  }))

/** Of the whole session so far, also of what was before a resume. */
export const CostLine = z.object({
  totalCostUSD: z.number().nonnegative(),
  modelUsage: z.record(z.string(), ModelUsage),
})
