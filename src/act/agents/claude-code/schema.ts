import { z } from "zod"

/**
 * The fields of `--output-format stream-json` that we read, seen on 2.1.325. All other fields stay
 * in `raw`.
 */
const parent = z.string().nullish()

export const Init = z.object({
  session_id: z.string(),
  cwd: z.string(),
  model: z.string().optional(),
  claude_code_version: z.string().optional(),
  permissionMode: z.string().optional(),
  tools: z.array(z.string()).default([]),
})

const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.unknown().optional(),
    is_error: z.boolean().nullish(),
  }),
])
export type Block = z.infer<typeof Block>

const Blocks = z.array(z.unknown()).transform((blocks) =>
  blocks.flatMap((rawBlock) => {
    const block = Block.safeParse(rawBlock)
    return block.success ? [block.data] : []
  }),
)

export const Turn = z.object({
  message: z.object({
    content: z.union([z.string().transform((text): Block[] => [{ type: "text", text }]), Blocks]),
    id: z.string().optional().catch(undefined),
    model: z.string().optional().catch(undefined),
    usage: z
      .object({
        input_tokens: z.int().nonnegative(),
        output_tokens: z.int().nonnegative().catch(0),
        cache_read_input_tokens: z.int().nonnegative().catch(0),
        cache_creation_input_tokens: z.int().nonnegative().catch(0),
      })
      .optional()
      .catch(undefined),
  }),
  parent_tool_use_id: parent,
  tool_use_result: z.unknown().optional(),
  tool_result_meta: z
    .array(
      z.object({
        id: z.string(),
        permission_decision: z.object({ decision: z.string() }).optional(),
      }),
    )
    .optional()
    .catch(undefined),
})
export type Turn = z.infer<typeof Turn>

export const StreamEvent = z.object({
  event: z.object({
    type: z.string(),
    delta: z.object({ type: z.string().optional(), text: z.string().optional() }).optional(),
  }),
  parent_tool_use_id: parent,
})

const Tokens = z.int().nonnegative().catch(0)

export const Result = z.object({
  is_error: z.boolean().default(false),
  result: z.string().optional(),
  errors: z.array(z.string()).optional().catch(undefined),
  terminal_reason: z.string().optional().catch(undefined),
  num_turns: z.int().nonnegative().optional().catch(undefined),
  duration_ms: z.number().nonnegative().optional().catch(undefined),
  permission_denials: z.array(z.unknown()).default([]).catch([]),
  modelUsage: z
    .record(
      z.string(),
      z.object({
        inputTokens: Tokens,
        outputTokens: Tokens,
        cacheReadInputTokens: Tokens,
        cacheCreationInputTokens: Tokens,
        costUSD: z.number().nonnegative().optional().catch(undefined),
      }),
    )
    .default({})
    .catch({}),
})

export type Result = z.infer<typeof Result>

export const Words = z.object({
  content: z.unknown().optional(),
  message: z.unknown().optional(),
  text: z.unknown().optional(),
})

export const Compacted = z.object({
  compact_metadata: z.object({
    trigger: z.string().default("auto"),
    pre_tokens: z.int().nonnegative().optional().catch(undefined),
    post_tokens: z.int().nonnegative().optional().catch(undefined),
  }),
})

export const Retry = z.object({
  attempt: z.number(),
  max_retries: z.number(),
  error_status: z.number().nullish(),
  error: z.string().nullish(),
})

export const Task = z.object({
  subtype: z.string().optional().catch(undefined),
  tool_use_id: z.string(),
  description: z.string().optional(),
  usage: z.object({ total_tokens: Tokens, duration_ms: Tokens }).optional().catch(undefined),
})

export const PermissionRequest = z.object({
  request_id: z.string(),
  request: z.object({
    subtype: z.string(),
    tool_name: z.string().optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    description: z.string().optional(),
    tool_use_id: z.string().optional(),
  }),
})

/** Sent before every tool use, whatever the mode. */
export const HookCallback = z.object({
  request_id: z.string(),
  request: z.object({
    subtype: z.literal("hook_callback"),
    input: z.object({
      hook_event_name: z.literal("PreToolUse"),
      tool_name: z.string(),
      tool_input: z.record(z.string(), z.unknown()).catch({}),
      tool_use_id: z.string().optional(),
      cwd: z.string().optional(),
    }),
  }),
})

/** Sent when an instruction file enters the window; not for AGENTS.md (seen on 2.1.325). */
export const InstructionsCallback = z.object({
  request_id: z.string(),
  request: z.object({
    subtype: z.literal("hook_callback"),
    input: z.object({
      hook_event_name: z.literal("InstructionsLoaded"),
      file_path: z.string(),
      load_reason: z.string().optional(),
    }),
  }),
})

export const CancelRequest = z.object({ request_id: z.string() })

export const ControlResponse = z.object({
  response: z.object({
    subtype: z.string(),
    request_id: z.string(),
    error: z.string().optional(),
    response: z.unknown().optional(),
  }),
})

export const ContextUsage = z.object({
  totalTokens: z.int().nonnegative(),
  maxTokens: z.int().positive(),
  categories: z
    .array(z.object({ id: z.string().optional(), kind: z.string().optional(), tokens: Tokens }))
    .default([]),
})

export const Patch = z.object({
  filePath: z.string(),
  content: z.string().optional(),
  originalFile: z.string().nullish(),
  structuredPatch: z.array(
    z.object({
      oldStart: z.number(),
      oldLines: z.number(),
      newStart: z.number(),
      newLines: z.number(),
      lines: z.array(z.string()),
    }),
  ),
})
