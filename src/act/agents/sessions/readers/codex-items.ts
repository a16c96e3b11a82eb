import { z } from "zod"
import { isRecord, textField } from "../../wire/text.ts"
import { entryOf } from "./reader.ts"

type Loose = { readonly type: string; readonly id: string } & Readonly<Record<string, unknown>>

/** An item of a rollout as the app-server spells it; seen on 0.166.0. */
export function itemOf(item: unknown): Loose | undefined {
  const type = textField(item, "type")
  const id = textField(item, "id")
  if (!isRecord(item) || type === undefined || id === undefined) return undefined
  const named = Object.entries(item).map(([key, value]) => [camelCase(key), value] as const)
  const plain = { ...Object.fromEntries(named), type: lowerFirst(type), id }
  return { ...plain, ...entryOf(RESPELLED, type)?.(item) }
}

function camelCase(key: string): string {
  return key.replace(/_(?<letter>[a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

type Respelling = (item: Readonly<Record<string, unknown>>) => object

const RESPELLED: Readonly<Record<string, Respelling>> = {
  AgentMessage: (item) => ({ text: textsOf(item["content"]) }),
  CommandExecution: (item) => ({
    command: commandOf(item["command"]),
    durationMs: millisecondsOf(item["duration"]),
  }),
  McpToolCall: (item) => ({ durationMs: millisecondsOf(item["duration"]) }),
  FileChange: (item) => ({ changes: changesOf(item["changes"]) }),
}

function textsOf(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  return blocks.flatMap((it) => textField(it, "text") ?? []).join("\n")
}

/** Program and arguments; the last of a shell's is the command itself. */
export function commandOf(command: unknown): string {
  if (typeof command === "string") return command
  const words: readonly unknown[] = Array.isArray(command) ? command : []
  const [shell = "", flag, script] = words.map(String)
  const isShell = words.length === 3 && shell.endsWith("sh") && /^-l?c$/.test(flag ?? "")
  return isShell ? `${shell} ${flag} '${script}'` : words.map(String).join(" ")
}

const Duration = z.object({ secs: z.number().nonnegative(), nanos: z.number().nonnegative() })

function millisecondsOf(duration: unknown): number | undefined {
  const parsed = Duration.safeParse(duration)
  return parsed.success ? parsed.data.secs * 1_000 + parsed.data.nanos / 1_000_000 : undefined
}

/** By path in a rollout, one after the other in the app-server. */
function changesOf(changes: unknown): readonly object[] {
  if (!isRecord(changes)) return []
  return Object.entries(changes).map(([path, change]) => ({
    path,
    kind: { type: textField(change, "type") ?? "update" },
    diff: textField(change, "unified_diff", "content") ?? "",
  }))
}

const Tokens = z.int().nonnegative().catch(0)
const Breakdown = z
  .object({
    total_tokens: Tokens,
    input_tokens: Tokens,
    cached_input_tokens: Tokens,
    cache_write_input_tokens: Tokens,
    output_tokens: Tokens,
  })
  .transform((it) => ({
    totalTokens: it.total_tokens,
    inputTokens: it.input_tokens,
    cachedInputTokens: it.cached_input_tokens,
    cacheWriteInputTokens: it.cache_write_input_tokens,
    outputTokens: it.output_tokens,
  }))

const TokenInfo = z.object({
  total_token_usage: Breakdown,
  last_token_usage: Breakdown,
  model_context_window: z.int().positive().nullish().catch(undefined),
})

/** Of the thread so far, and of its last call. */
export function tokenUsageOf(info: unknown) {
  const parsed = TokenInfo.safeParse(info)
  if (!parsed.success) return undefined
  const { total_token_usage: total, last_token_usage: last } = parsed.data
  return { total, last, modelContextWindow: parsed.data.model_context_window }
}
