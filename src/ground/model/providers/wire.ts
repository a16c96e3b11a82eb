import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import { z } from "zod"
import type { Effort } from "#ground/contract"
import type { JsonSchema, ModelAsk } from "../ask.ts"
import type { Try } from "../retry.ts"
import type { Destination } from "../settings.ts"
import { anthropicModel, takesEffort as anthropicTakesEffort } from "./anthropic.ts"
import { callOnce, type Reply } from "./call.ts"
import { openaiModel, takesEffort as openaiTakesEffort, PROVIDER_OPTIONS } from "./openai.ts"

/**
 * Thinking counts as output. This is added to the requested limit, otherwise a limit of 200 tokens
 * would be used up before the response starts.
 */
const THINKING_ROOM_TOKENS = { low: 2_000, medium: 8_000, high: 24_000 } as const

export type WireCall = {
  readonly ask: ModelAsk
  readonly effort: Effort
  readonly to: Destination
  readonly signal: AbortSignal
  now(): number
}

/** Addresses that refused a response schema; they get it as text from then on. */
export type SchemalessAddresses = Set<string>

export async function callProvider(
  call: WireCall,
  formless: SchemalessAddresses,
): Promise<Try<Reply>> {
  const place = `${call.to.baseUrl} ${call.to.model}`
  if (formless.has(place)) return ask(call, "in-words")
  const tried = await ask(call, "by-provider")
  const isFormless = call.ask.schema !== undefined && refusesForm(tried)
  if (!isFormless) return tried
  formless.add(place)
  return ask(call, "in-words")
}

function refusesForm(tried: Try<Reply>): boolean {
  if (tried.kind === "done" || tried.failure.kind !== "refused") return false
  const { status, reason } = tried.failure
  return status === 400 && /response_format|json_schema|output_config|output_format/i.test(reason)
}

function ask(call: WireCall, form: "by-provider" | "in-words"): Promise<Try<Reply>> {
  const { to, signal } = call
  return callOnce({
    model: to.provider === "anthropic" ? anthropicModel(to) : openaiModel(to),
    provider: to.provider,
    key: to.key,
    options: optionsOf(call, form),
    signal,
    now: call.now,
    onText: call.ask.onText,
  })
}

function optionsOf(call: WireCall, form: "by-provider" | "in-words"): LanguageModelV4CallOptions {
  const { ask: question, effort, to } = call
  const { schema } = question
  const canThink = takesEffort(to)
  const isFormed = schema !== undefined && form === "by-provider"
  const inWords = schema === undefined || isFormed ? "" : formInWords(schema)
  const instructions = `${question.instructions}${inWords}`
  return {
    prompt: [
      ...(instructions === "" ? [] : [{ role: "system" as const, content: instructions }]),
      { role: "user", content: [{ type: "text", text: question.prompt }] },
    ],
    maxOutputTokens: question.maxOutputTokens + (canThink ? THINKING_ROOM_TOKENS[effort] : 0),
    ...(canThink ? { reasoning: effort } : {}),
    ...(isFormed ? { responseFormat: { type: "json", schema, name: "answer" } } : {}),
    ...(isFormed && to.provider !== "anthropic"
      ? { providerOptions: { [PROVIDER_OPTIONS]: { strictJsonSchema: isStrictSchema(schema) } } }
      : {}),
  }
}

function takesEffort(to: Destination): boolean {
  if (to.provider === "anthropic") return anthropicTakesEffort(to.model)
  return to.provider !== "custom" && openaiTakesEffort(to.model)
}

function formInWords(schema: JsonSchema): string {
  return `\n\nAnswer with one JSON value and nothing else. It must fit this JSON schema:\n${JSON.stringify(schema)}`
}

/**
 * OpenAI's strict mode needs closed objects, all fields required and only the keywords it knows.
 * Otherwise the schema is sent as non-strict.
 */
function isStrictSchema(schema: JsonSchema): boolean {
  return schema["type"] === "object" && isStrict(schema)
}

const KNOWN = new Set(
  `$defs $ref additionalProperties anyOf const description enum exclusiveMaximum exclusiveMinimum
  format items maxItems maximum minItems minimum multipleOf pattern properties required title type`.split(
    /\s+/,
  ),
)
const Schemas = z.record(z.string(), z.unknown()).catch({})
const Names = z.array(z.string()).catch([])
const List = z.array(z.unknown()).catch([])

function isStrict(schema: unknown): boolean {
  const keywords = z.record(z.string(), z.unknown()).safeParse(schema).data
  if (keywords === undefined) return false
  const properties = Schemas.parse(keywords["properties"])
  const required = new Set(Names.parse(keywords["required"]))
  const isObject = List.parse([keywords["type"]].flat()).includes("object")
  const isClosed =
    keywords["additionalProperties"] === false &&
    Object.keys(properties).every((name) => required.has(name))
  const children = [
    ...Object.values(properties),
    ...Object.values(Schemas.parse(keywords["$defs"])),
    ...List.parse(keywords["anyOf"]),
    ...(keywords["items"] === undefined ? [] : [keywords["items"]]),
  ]
  return (
    Object.keys(keywords).every((name) => KNOWN.has(name)) &&
    (!isObject || isClosed) &&
    children.every(isStrict)
  )
}
