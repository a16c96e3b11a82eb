import { describe, expect, test } from "vitest"
import { inTurn, WIRE_PROVIDERS, wiredModel } from "#test/wired-model"

const PLAN = {
  type: "object",
  properties: {
    clarity: { type: "number", minimum: 0 },
    topics: { type: "array", items: { type: "string" } },
  },
  required: ["clarity", "topics"],
  additionalProperties: false,
}
const OPEN_PLAN = { ...PLAN, required: ["clarity"], additionalProperties: undefined }

describe.each(WIRE_PROVIDERS)("the %s provider", (provider) => {
  test("[MODEL-1] a question uses the provider's wire format and returns text, tokens and model name", async () => {
    await using scene = await wiredModel({
      provider,
      script: () => ({ text: "A place for a ship." }),
    })
    const answer = await scene.ask()
    expect(scene.wires.refusals).toEqual([])
    expect(scene.wires.requests).toMatchObject([
      {
        wire: provider === "custom" ? "openai" : provider,
        prompt: "What is a berth?",
        instructions: "Be brief.",
      },
    ])
    expect(answer).toEqual({
      text: "A place for a ship.",
      value: undefined,
      problem: undefined,
      isCut: false,
      usage: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 },
      usd: null,
      model: provider === "azure" ? "gpt-5.4-2026-03-05" : scene.model.name,
      retries: 0,
      durationMs: 0,
    })
  })

  test("[MODEL-1] a question can name another model", async () => {
    await using scene = await wiredModel({ provider })
    await scene.ask({ model: "claude-haiku-4-5" })
    expect(scene.wires.requests[0]?.model).toBe("claude-haiku-4-5")
  })

  test("[MODEL-1] instructions can be empty", async () => {
    await using scene = await wiredModel({ provider })
    expect((await scene.ask({ instructions: "" })).text).toBe("understood")
  })

  test("[MODEL-2] onText receives the text so far, in order, without thoughts", async () => {
    const gate = Promise.withResolvers<void>()
    const script = () => ({ text: "one two three", pieces: 3, thinking: "hm", hold: gate.promise })
    await using scene = await wiredModel({ provider, script })
    const told: string[] = []
    const onText = (soFar: string) => {
      told.push(soFar)
      // The rest is sent only after the test received the first part.
      gate.resolve()
    }
    const answer = await scene.ask({ onText })
    expect(told).toEqual(["one t", "one two th", "one two three"])
    expect(answer.text).toBe("one two three")
  })

  test("[MODEL-2] after a retry onText starts again with a shorter text", async () => {
    const script = inTurn({ cutAfter: "half an ans" }, { text: "whole", pieces: 1 })
    await using scene = await wiredModel({ provider, script })
    const told: string[] = []
    const answer = await scene.ask({ onText: (soFar) => void told.push(soFar) })
    expect(told.at(-1)).toBe("whole")
    expect(answer).toMatchObject({ text: "whole", retries: 1 })
  })

  test.each([
    ["closed", PLAN],
    ["open", OPEN_PLAN],
  ])("[MODEL-3] a schema that is %s is sent in the provider's own format", async (_, schema) => {
    const script = () => ({ text: '{"clarity":0.5,"topics":["ships"]}' })
    await using scene = await wiredModel({ provider, script })
    const answer = await scene.ask({ schema })
    expect(scene.wires.refusals).toEqual([])
    expect(scene.wires.requests[0]?.schema).toBeDefined()
    expect(answer).toMatchObject({ value: { clarity: 0.5, topics: ["ships"] }, problem: undefined })
  })

  test("[MODEL-6] prose in place of JSON is a problem and costs one call", async () => {
    await using scene = await wiredModel({ provider, script: () => ({ text: "I think so." }) })
    const answer = await scene.ask({ schema: PLAN })
    expect(answer).toMatchObject({ value: undefined, problem: "The response contains no JSON." })
    expect(scene.wires.requests).toHaveLength(1)
  })

  test("[MODEL-6] a response that ran out of tokens is a problem that says so", async () => {
    const script = () => ({ text: '{"clarity":0.5,"top', stop: "length" as const })
    await using scene = await wiredModel({ provider, script })
    const answer = await scene.ask({ schema: PLAN })
    expect(answer.isCut).toBe(true)
    expect(answer.problem).toBe(
      "The JSON in the response is incomplete. It was truncated at the token limit.",
    )
  })

  test("[MODEL-6] a declined response is a problem that says so", async () => {
    const script = () => ({ text: "No.", stop: "refused" as const })
    await using scene = await wiredModel({ provider, script })
    expect((await scene.ask()).problem).toBe("The model refused to respond.")
  })

  test("[MODEL-6] an empty response is a problem", async () => {
    await using scene = await wiredModel({ provider, script: () => ({ text: "" }) })
    expect(await scene.ask()).toMatchObject({ text: "", problem: "The response is empty." })
  })

  test("[MODEL-14] tokens read from a cache are counted separately", async () => {
    const usage = { input: 40, output: 7, cacheRead: 60 }
    await using scene = await wiredModel({ provider, script: () => ({ text: "yes", usage }) })
    expect((await scene.ask()).usage).toEqual({ ...usage, cacheWrite: 0 })
  })

  test("[MODEL-14] the price is calculated for the tokens and the model that responded", async () => {
    const asked: unknown[] = []
    const price = (...question: unknown[]) => {
      asked.push(question)
      return 0.25
    }
    await using scene = await wiredModel({ provider, price })
    const answer = await scene.ask()
    expect(answer.usd).toBe(0.25)
    expect(asked).toEqual([[answer.usage, answer.model]])
  })
})

describe("differences between the wire formats", () => {
  test("[MODEL-3] an address that refuses the schema gets it as text, now and in later questions", async () => {
    await using scene = await wiredModel({
      provider: "custom",
      script: (request) =>
        request.schema === undefined
          ? { text: '{"clarity":1,"topics":[]}' }
          : { status: 400, message: "This response_format type is unavailable now" },
    })
    expect(await scene.ask({ schema: PLAN })).toMatchObject({
      value: { clarity: 1, topics: [] },
      retries: 0,
    })
    await scene.ask({ schema: PLAN })
    const { requests } = scene.wires
    expect(requests.map((it) => it.schema === undefined)).toEqual([false, true, true])
    expect(requests[1]?.instructions).toContain(JSON.stringify(PLAN))
  })

  test("[MODEL-3] OpenAI's strict mode is used if the schema allows it", async () => {
    await using scene = await wiredModel({ provider: "openai", script: () => ({ text: "{}" }) })
    await scene.ask({ schema: PLAN })
    await scene.ask({ schema: OPEN_PLAN })
    const formats = scene.wires.requests.map((it) => it.body["response_format"])
    expect(formats).toMatchObject([
      { json_schema: { strict: true } },
      { json_schema: { strict: false } },
    ])
  })

  test("[MODEL-3] an older Claude model returns the value through a tool call", async () => {
    const script = () => ({ text: '{"clarity":1,"topics":[]}' })
    await using scene = await wiredModel({ provider: "anthropic", script })
    const answer = await scene.ask({ schema: PLAN, model: "claude-sonnet-4-20250514" })
    expect(scene.wires.requests[0]?.body["tools"]).toHaveLength(1)
    expect(answer.value).toEqual({ clarity: 1, topics: [] })
  })

  test("[MODEL-14] without usage numbers from the server, tokens are estimated from the length", async () => {
    const script = () => ({ text: "x".repeat(400), usage: "none" as const })
    await using scene = await wiredModel({ provider: "custom", script })
    const answer = await scene.ask({ instructions: "", prompt: "y".repeat(80) })
    expect(answer.usage).toEqual({ input: 20, output: 100, cacheRead: 0, cacheWrite: 0 })
  })

  test("[MODEL-14] a deployment without its own price has the price of its model name", async () => {
    const price = (_: unknown, model: string) => (model === "our-gpt" ? 3 : undefined)
    await using scene = await wiredModel({ provider: "azure", price })
    expect((await scene.ask()).usd).toBe(3)
  })

  test.each([
    [
      "anthropic",
      "claude-sonnet-5-5",
      "high",
      { max_tokens: 24_500, output_config: { effort: "high" } },
    ],
    ["anthropic", "claude-haiku-4-5", "high", { max_tokens: 500 }],
    ["openai", "gpt-5.4", "low", { max_completion_tokens: 2_500, reasoning_effort: "low" }],
    ["openai", "gpt-4.1", "low", { max_completion_tokens: 500 }],
    ["azure", "gpt-5.4", "medium", { max_completion_tokens: 8_500, reasoning_effort: "medium" }],
    ["azure", "our-gpt", "medium", { max_completion_tokens: 500 }],
    ["custom", "local-gpt", "medium", { max_tokens: 500 }],
  ] as const)(
    "[MODEL-15] %s %s with effort %s is sent %o",
    async (...[provider, model, effort, expected]) => {
      await using scene = await wiredModel({ provider })
      await scene.ask({ model, effort })
      expect(scene.wires.refusals).toEqual([])
      const names = ["max_tokens", "max_completion_tokens", "reasoning_effort", "output_config"]
      const sent = Object.entries(scene.wires.requests[0]?.body ?? {})
      expect(Object.fromEntries(sent.filter(([name]) => names.includes(name)))).toEqual(expected)
    },
  )

  test("[MODEL-15] a question without an effort uses the one in the settings", async () => {
    await using scene = await wiredModel({ provider: "openai", settings: { effort: "high" } })
    await scene.ask()
    expect(scene.wires.requests[0]?.body["reasoning_effort"]).toBe("high")
  })
})
