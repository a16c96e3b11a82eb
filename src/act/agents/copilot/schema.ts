import { z } from "zod"

/** The events of `--output-format json` that we read, seen on 1.0.102. */
export const Line = z.object({ type: z.string(), data: z.unknown().optional() })

const inTool = { parentToolCallId: z.string().optional().catch(undefined) }

export const MessageDelta = z.object({ deltaContent: z.string(), ...inTool })
export const AssistantMessage = z.object({ content: z.string(), ...inTool })

export const ToolStart = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  arguments: z.unknown().optional(),
  toolTitle: z.string().optional().catch(undefined),
  mcpServerName: z.string().optional().catch(undefined),
  ...inTool,
})

export const ShellOutput = z.object({ toolCallId: z.string(), text: z.string() })

const Tokens = z.int().nonnegative()

export const ToolComplete = z.object({
  toolCallId: z.string(),
  success: z.boolean(),
  result: z
    .object({ content: z.string().default(""), detailedContent: z.string().optional() })
    .optional()
    .catch(undefined),
  error: z.object({ message: z.string(), code: z.string().optional() }).optional().catch(undefined),
  toolTelemetry: z
    .object({
      metrics: z.object({
        context_token_limit: Tokens.min(1),
        context_current_tokens: Tokens,
      }),
    })
    .optional()
    .catch(undefined),
})

export const Words = z.object({
  message: z.string().optional().catch(undefined),
  content: z.string().optional().catch(undefined),
})

export const Compacted = z.object({
  preCompactionTokens: Tokens.optional().catch(undefined),
  postCompactionTokens: Tokens.optional().catch(undefined),
})

export const Result = z.object({
  type: z.literal("result"),
  sessionId: z.string(),
  exitCode: z.int(),
  usage: z
    .object({ sessionDurationMs: z.number().nonnegative().optional() })
    .optional()
    .catch(undefined),
})

export const UsageFile = z.object({
  modelMetrics: z.record(
    z.string(),
    z.object({
      usage: z.object({
        inputTokens: Tokens,
        outputTokens: Tokens,
        cacheReadTokens: Tokens.default(0),
        cacheWriteTokens: Tokens.default(0),
      }),
    }),
  ),
})
