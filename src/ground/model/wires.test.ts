import { describe, expect, test } from "vitest"
import { type ModelWires, modelWires } from "#test/wires"

type Change = {
  readonly headers?: Record<string, string | undefined>
  readonly body?: object
  readonly path?: string
}

const MESSAGES = [{ role: "user", content: [{ type: "text", text: "hello" }] }]
const GOOD = {
  anthropic: {
    path: "/v1/messages",
    headers: (key: string) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    body: { model: "claude-sonnet-5-5", max_tokens: 10, messages: MESSAGES, stream: true },
  },
  openai: {
    path: "/v1/chat/completions",
    headers: (key: string) => ({ authorization: `Bearer ${key}` }),
    body: { model: "gpt-5.4", messages: MESSAGES, stream: true },
  },
  azure: {
    path: "/openai/deployments/d/chat/completions?api-version=2025-04-01-preview",
    headers: (key: string) => ({ "api-key": key }),
    body: { model: "d", messages: MESSAGES, stream: true },
  },
  embeddings: {
    path: "/v1/embeddings",
    headers: (key: string) => ({ authorization: `Bearer ${key}` }),
    body: { model: "e", input: ["x"] },
  },
} as const

async function send(wires: ModelWires, wire: keyof typeof GOOD, change: Change = {}) {
  const good = GOOD[wire]
  const headers = {
    "content-type": "application/json",
    ...good.headers(wires.key),
    ...change.headers,
  }
  const given = Object.entries(headers).filter((it): it is [string, string] => it[1] !== undefined)
  const response = await fetch(`${wires.url}${change.path ?? good.path}`, {
    method: "POST",
    headers: given,
    body: JSON.stringify({ ...good.body, ...change.body }),
  })
  await response.arrayBuffer()
  return response.status
}

const strict = (schema: object) => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
})

describe("loopback servers for the provider tests", () => {
  test.each(Object.keys(GOOD) as (keyof typeof GOOD)[])(
    "a valid call to %s is accepted",
    async (wire) => {
      await using wires = await modelWires()
      expect(await send(wires, wire)).toBe(200)
    },
  )

  test.each<readonly [string, keyof typeof GOOD, Change, number]>([
    ["a wrong key", "anthropic", { headers: { "x-api-key": "wrong" } }, 401],
    ["a bearer token", "anthropic", { headers: { authorization: "Bearer x" } }, 401],
    ["no version", "anthropic", { headers: { "anthropic-version": undefined } }, 400],
    ["no max_tokens", "anthropic", { body: { max_tokens: undefined } }, 400],
    ["an unknown field", "anthropic", { body: { response_format: {} } }, 400],
    ["no messages", "anthropic", { body: { messages: [] } }, 400],
    [
      "a system message",
      "anthropic",
      { body: { messages: [{ role: "system", content: "x" }] } },
      400,
    ],
    [
      "thinking beyond the tokens",
      "anthropic",
      { body: { thinking: { type: "enabled", budget_tokens: 2_000 } } },
      400,
    ],
    ["an unknown effort", "anthropic", { body: { output_config: { effort: "some" } } }, 400],
    [
      "an open schema",
      "anthropic",
      { body: { output_config: { format: { type: "json_schema", schema: { type: "object" } } } } },
      400,
    ],
    ["a wrong key", "openai", { headers: { authorization: "Bearer wrong" } }, 401],
    ["Azure's header", "openai", { headers: { "api-key": "x" } }, 401],
    ["an unknown field", "openai", { body: { max_output_tokens: 1 } }, 400],
    ["max_tokens for a model that thinks", "openai", { body: { max_tokens: 1 } }, 400],
    [
      "effort for a model that does not",
      "openai",
      { body: { model: "gpt-4.1", reasoning_effort: "low" } },
      400,
    ],
    ["an unknown format", "openai", { body: { response_format: { type: "xml" } } }, 400],
    [
      "a format with unknown fields",
      "openai",
      { body: { response_format: { type: "json_schema", json_schema: { name: "a", odd: 1 } } } },
      400,
    ],
    [
      "a format without a name",
      "openai",
      { body: { response_format: { type: "json_schema", json_schema: {} } } },
      400,
    ],
    [
      "a strict schema that is open",
      "openai",
      { body: strict({ type: "object", properties: {} }) },
      400,
    ],
    [
      "a strict schema with a choice left",
      "openai",
      {
        body: strict({
          type: "object",
          properties: { a: {} },
          required: [],
          additionalProperties: false,
        }),
      },
      400,
    ],
    [
      "JSON that nobody mentions",
      "openai",
      { body: { response_format: { type: "json_object" } } },
      400,
    ],
    [
      "a bearer token",
      "azure",
      { headers: { "api-key": undefined, authorization: "Bearer x" } },
      401,
    ],
    ["no version", "azure", { path: "/openai/deployments/d/chat/completions" }, 404],
    [
      "too many texts",
      "embeddings",
      { body: { input: Array.from({ length: 97 }, () => "x") } },
      400,
    ],
    ["an empty text", "embeddings", { body: { input: [""] } }, 400],
    ["a wrong key", "embeddings", { headers: { authorization: "Bearer wrong" } }, 401],
    ["another path", "openai", { path: "/v1/responses" }, 404],
  ])("an invalid call is refused: %s to %s", async (...[, wire, change, status]) => {
    await using wires = await modelWires()
    expect(await send(wires, wire, change)).toBe(status)
    expect(wires.requests).toEqual([])
  })
})
