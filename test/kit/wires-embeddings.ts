import { openaiWire } from "./wires-openai.ts"
import type { Wire, WireCall } from "./wires-script.ts"

const DIMENSIONS = 32
/** OpenAI accepts 2,048 texts; this is the limit of the strictest provider. */
const MOST_TEXTS = 96

/**
 * `/embeddings`; texts with common words get similar vectors.
 */
export const embeddingsWire: Wire = {
  refusal(call) {
    const isAzure = call.url.pathname.startsWith("/openai/deployments/")
    const question = { ...call, wire: isAzure ? ("azure" as const) : ("openai" as const) }
    // The chat wire checks the key; a request without messages checks nothing else.
    const denied = openaiWire.refusal({ ...question, body: PROBE })
    if (denied !== undefined) return denied
    const message = problemOf(call)
    return message === undefined
      ? undefined
      : { status: 400, type: "invalid_request_error", message }
  },
  read: (call) => ({
    model: String(call.body["model"]),
    instructions: "",
    prompt: "",
    schema: undefined,
    texts: textsOf(call),
  }),
  refuse: openaiWire.refuse,
  events(request, answer) {
    const vectors = "vectors" in answer ? answer.vectors : undefined
    const own = request.texts.map((text, index) => ({ index, embedding: vectorOf(text) }))
    const data = (vectors ?? own).map((it) => ({ object: "embedding", ...it }))
    const usage = { prompt_tokens: 1, total_tokens: 1 }
    const body = { object: "list", data, model: request.model, usage }
    return {
      contentType: "application/json",
      before: [],
      pieces: [JSON.stringify(body)],
      after: [],
    }
  },
}

const PROBE = { model: "probe", messages: [{ role: "user", content: "probe" }] }
const FIELDS = new Set(["model", "input", "encoding_format", "dimensions", "user"])

function problemOf(call: WireCall): string | undefined {
  const extra = Object.keys(call.body).find((it) => !FIELDS.has(it))
  if (extra !== undefined) return `Unrecognized request argument supplied: ${extra}`
  if (typeof call.body["model"] !== "string") return "you must provide a model parameter"
  const texts = textsOf(call)
  if (texts.length === 0 || texts.length > MOST_TEXTS) return "'input' must have 1 to 96 texts."
  const isEmpty = texts.some((it) => typeof it !== "string" || it === "")
  return isEmpty ? "'input' must not hold an empty text." : undefined
}

function textsOf(call: WireCall): readonly string[] {
  const { input } = call.body
  return Array.isArray(input) ? (input as string[]) : []
}

function vectorOf(text: string): readonly number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const place = [...word].reduce(
      (sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997,
      7,
    )
    vector[place % DIMENSIONS] = (vector[place % DIMENSIONS] ?? 0) + 1
  }
  return vector
}
