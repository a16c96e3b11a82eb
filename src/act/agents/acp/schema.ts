import { z } from "zod"

/**
 * The messages of the Agent Client Protocol, version 1, that we read. Fields that a host omits or
 * invents do not make a message invalid, so that one wrong field never loses an activity.
 */
export const PROTOCOL_VERSION = 1

const text = z.string().nullish().catch(undefined)
const isSet = z
  .unknown()
  .optional()
  .transform((it) => it !== undefined && it !== null && it !== false)

const NO_CAPABILITIES = { resume: false, close: false }

export const Initialized = z.object({
  protocolVersion: z.number(),
  agentInfo: z.object({ name: text, title: text, version: text }).nullish().catch(undefined),
  agentCapabilities: z
    .object({
      loadSession: isSet,
      sessionCapabilities: z.object({ resume: isSet, close: isSet }).catch(NO_CAPABILITIES),
    })
    .catch({ loadSession: false, sessionCapabilities: NO_CAPABILITIES }),
  authMethods: z
    .array(z.object({ id: z.string(), name: text, description: text }))
    .default([])
    .catch([]),
})
export type Initialized = z.infer<typeof Initialized>

const Choices = z
  .array(z.object({ id: z.string() }))
  .default([])
  .catch([])

export const SessionOpened = z.object({
  sessionId: z.string().min(1).max(200).optional(),
  modes: z
    .object({ currentModeId: z.string(), availableModes: Choices })
    .nullish()
    .catch(undefined),
  models: z.object({ currentModelId: z.string() }).nullish().catch(undefined),
  configOptions: z
    .array(
      z.object({
        id: z.string(),
        category: text,
        currentValue: z.unknown().optional(),
        options: z
          .array(z.object({ value: z.string() }))
          .default([])
          .catch([]),
      }),
    )
    .nullish()
    .catch(undefined),
})
export type SessionOpened = z.infer<typeof SessionOpened>

const count = z.number().nonnegative().transform(Math.round).nullish().catch(undefined)

export const PromptEnded = z.object({
  stopReason: z.string(),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      cachedReadTokens: count,
      cachedWriteTokens: count,
    })
    .nullish()
    .catch(undefined),
  _meta: z
    .object({
      /** Gemini CLI 0.61 has its usage only here. */
      quota: z
        .object({
          token_count: z.object({ input_tokens: count, output_tokens: count }),
        })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
})
export type PromptEnded = z.infer<typeof PromptEnded>

const TextBlock = z.object({ type: z.literal("text"), text: z.string() })

export const MessageChunk = z.object({ content: TextBlock, messageId: text })

const ToolContent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("content"), content: TextBlock }),
  z.object({
    type: z.literal("diff"),
    path: z.string(),
    oldText: text,
    newText: z.string(),
  }),
  z.object({ type: z.literal("terminal"), terminalId: z.string() }),
])
export type ToolContent = z.infer<typeof ToolContent>

/** Images and other blocks are dropped. */
const ToolContents = z
  .array(z.unknown())
  .transform((items) => items.flatMap((it) => ToolContent.safeParse(it).data ?? []))
  .nullish()
  .catch(undefined)

export const ToolCall = z.object({
  toolCallId: z.string().min(1).max(200),
  title: text,
  name: text,
  kind: text,
  status: text,
  content: ToolContents,
  locations: z
    .array(z.object({ path: z.string() }))
    .nullish()
    .catch(undefined),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: z
    .object({
      claudeCode: z.object({ toolName: text, parentToolUseId: text }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
})
export type ToolCall = z.infer<typeof ToolCall>

export const UsageUpdate = z.object({
  used: z.int().nonnegative(),
  size: z.int().positive(),
  cost: z
    .object({ amount: z.number().nonnegative(), currency: z.string() })
    .nullish()
    .catch(undefined),
})

export const Notice = z.object({ title: z.string(), description: text })
export const Compaction = z.object({ status: z.string() })

export const SessionUpdate = z.object({
  sessionId: z.string(),
  update: z.looseObject({ sessionUpdate: z.string() }),
})

export const PermissionRequest = z.object({
  sessionId: z.string(),
  toolCall: ToolCall,
  options: z.array(z.object({ optionId: z.string(), kind: z.string() })).max(100),
})
export type PermissionRequest = z.infer<typeof PermissionRequest>

export const PermissionAnswer = z.object({ outcome: z.object({ optionId: z.string().optional() }) })

export const ReadFile = z.object({
  path: z.string().min(1).max(4_096),
  line: z.int().positive().nullish(),
  limit: z.int().nonnegative().nullish(),
})

export const WriteFile = z.object({ path: z.string().min(1).max(4_096), content: z.string() })

export const CreateTerminal = z.object({
  command: z.string().min(1).max(32_768),
  args: z.array(z.string().max(131_072)).max(1_000).default([]),
  env: z
    .array(z.object({ name: z.string().regex(/^[A-Za-z_]\w*$/), value: z.string().max(131_072) }))
    .max(1_000)
    .nullish(),
  cwd: z.string().max(4_096).nullish(),
  outputByteLimit: z.int().nonnegative().nullish(),
})

export const OfTerminal = z.object({ terminalId: z.string() })
