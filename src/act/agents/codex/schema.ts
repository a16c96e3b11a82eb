import { z } from "zod"

/** The messages of `codex app-server` that we read, seen on 0.166.0. */
export const ThreadOpened = z.object({
  thread: z.object({ id: z.string(), cliVersion: z.string().optional() }),
  model: z.string().optional(),
  cwd: z.string(),
  instructionSources: z.array(z.string()).default([]).catch([]),
})

export const InThread = z.object({ threadId: z.string(), turnId: z.string().optional() })

export const TurnOf = z.object({
  threadId: z.string(),
  turn: z.object({
    id: z.string(),
    status: z.string(),
    error: z.object({ message: z.string() }).nullish(),
    durationMs: z.number().nonnegative().nullish(),
  }),
})

const ms = z.number().nonnegative().nullish().catch(undefined)

const Change = z.object({
  path: z.string(),
  kind: z.object({ type: z.string(), move_path: z.string().nullish() }),
  diff: z.string(),
})
export type Change = z.infer<typeof Change>

export const Item = z.discriminatedUnion("type", [
  z.object({ type: z.literal("agentMessage"), id: z.string(), text: z.string() }),
  z.object({
    type: z.literal("commandExecution"),
    id: z.string(),
    command: z.string(),
    status: z.string(),
    aggregatedOutput: z.string().nullish(),
    exitCode: z.number().nullish(),
    durationMs: ms,
  }),
  z.object({
    type: z.literal("fileChange"),
    id: z.string(),
    changes: z.array(Change),
    status: z.string(),
  }),
  z.object({
    type: z.literal("mcpToolCall"),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    status: z.string(),
    arguments: z.unknown().optional(),
    result: z.unknown().optional(),
    error: z.object({ message: z.string() }).nullish().catch(undefined),
    durationMs: ms,
  }),
  z.object({
    type: z.literal("collabAgentToolCall"),
    id: z.string(),
    tool: z.string(),
    status: z.string(),
    receiverThreadIds: z.array(z.string()).default([]),
    prompt: z.string().nullish(),
  }),
  z.object({ type: z.literal("webSearch"), id: z.string(), query: z.string().default("") }),
  z.object({ type: z.literal("imageView"), id: z.string(), path: z.string() }),
  z.object({ type: z.literal("plan"), id: z.string(), text: z.string() }),
  z.object({ type: z.literal("contextCompaction"), id: z.string() }),
])
export type Item = z.infer<typeof Item>

export const ItemOf = z.object({
  threadId: z.string(),
  item: z.object({ type: z.string(), id: z.string() }).loose(),
})

export const Delta = z.object({ threadId: z.string(), itemId: z.string(), delta: z.string() })

const Tokens = z.int().nonnegative().catch(0)
const Breakdown = z.object({
  totalTokens: Tokens,
  inputTokens: Tokens,
  cachedInputTokens: Tokens,
  cacheWriteInputTokens: Tokens,
  outputTokens: Tokens,
})

export const UsageOf = z.object({
  threadId: z.string(),
  tokenUsage: z.object({
    total: Breakdown,
    last: Breakdown,
    modelContextWindow: z.int().positive().nullish(),
  }),
})

export type UsageOf = z.infer<typeof UsageOf>

export const ErrorOf = z.object({
  error: z.object({ message: z.string() }),
  willRetry: z.boolean().default(false),
})

export const Resolved = z.object({ requestId: z.union([z.string(), z.number()]) })

export const ApprovalOf = z.object({
  threadId: z.string(),
  turnId: z.string(),
  itemId: z.string(),
  command: z.string().nullish(),
  reason: z.string().nullish(),
  grantRoot: z.string().nullish(),
  cwd: z.string().nullish(),
  kind: z.string().nullish(),
  networkApprovalContext: z.unknown().optional(),
  permissions: z.record(z.string(), z.unknown()).optional().catch(undefined),
})
export type ApprovalOf = z.infer<typeof ApprovalOf>

/** The host asks for a server's tool as if the server asked; the tool is only in `message`. */
export const ToolOfServer = z.object({
  threadId: z.string(),
  turnId: z.string().nullish(),
  serverName: z.string(),
  message: z.string(),
  _meta: z.object({ codex_approval_kind: z.literal("mcp_tool_call"), tool_params: z.unknown() }),
})
export type ToolOfServer = z.infer<typeof ToolOfServer>

export const Servers = z.object({
  config: z.object({ mcp_servers: z.record(z.string(), z.unknown()).nullish() }),
})

export const Words = z.object({ message: z.string().optional(), summary: z.string().optional() })
