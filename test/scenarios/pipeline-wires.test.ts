import { expect, test } from "vitest"
import { offlineBrain } from "#act/pipeline"
import { Config, type ModelProvider } from "#ground/contract"
import { newResearch } from "#test/research"
import { modelWires, type WireRequest } from "#test/wires"

const QUESTION = "Within how many hours must the Re-pricing Notice be given to the Master?"

/** The model's answers: the text of the offline brain, with its cost. */
const speaks = async ({ instructions, prompt, schema }: WireRequest) => {
  const asked = { name: "wire", instructions, prompt, maxOutputTokens: 8_000 }
  const { text } = await offlineBrain({ ...asked, ...(schema === undefined ? {} : { schema }) })
  return { text, usage: { input: 1_000, output: 100 } }
}

function settings(provider: ModelProvider, url: string) {
  const name = provider === "azure" ? "our-deployment" : "some-model"
  const baseUrl = provider === "openai" ? `${url}/v1` : url
  return { ...Config.parse({}).model, provider, name, baseUrl, retries: 2 }
}

test.for(["anthropic", "openai", "azure"] as const)(
  "deep research over the wire format of %s gives the offline result",
  async (provider) => {
    await using offline = await newResearch()
    await offline.goes(QUESTION)
    await using wires = await modelWires(speaks)
    const model = { settings: settings(provider, wires.url), key: async () => wires.key }
    await using room = await newResearch({ model })
    const done = await room.goes(QUESTION)
    expect(wires.refusals).toEqual([])
    expect(done).toMatchObject({ status: "completed", isPartial: false, provider })
    expect(done.usage).toMatchObject({ input: 5_000, output: 500 })
    expect(wires.requests.map((it) => it.wire)).toEqual(Array.from({ length: 5 }, () => provider))
    expect(wires.requests.every((it) => it.schema !== undefined)).toBe(true)
    expect((await room.document("p-1")).markdown).toBe((await offline.document("p-1")).markdown)
    expect(JSON.stringify(await room.show("p-1"))).not.toContain(wires.key)
  },
)

test("a request to a busy provider is retried, and the run succeeds", async () => {
  let calls = 0
  await using wires = await modelWires((request) => {
    calls += 1
    if (calls > 1) return speaks(request)
    return {
      status: 529,
      message: "Overloaded",
      type: "overloaded_error",
      headers: { "retry-after": "0" },
    }
  })
  const model = { settings: settings("anthropic", wires.url), key: async () => wires.key }
  await using room = await newResearch({ model })
  expect(await room.goes(QUESTION)).toMatchObject({ status: "completed" })
  expect(calls).toBe(6)
})

test("a connection cut during an answer is retried, and a persistent cut is an error", async () => {
  await using wires = await modelWires(() => ({ cutAfter: '{"intent": "to fi' }))
  const cut = { ...settings("openai", wires.url), retries: 1 }
  await using room = await newResearch({ model: { settings: cut, key: async () => wires.key } })
  const done = await room.goes(QUESTION)
  expect(done).toMatchObject({ status: "failed", isPartial: true })
  expect(done.error?.code).toBe("MODEL_UNREACHABLE")
  expect(wires.requests).toHaveLength(2)
})

test("after the end the next turn's prompt contains the summary block", async () => {
  await using wires = await modelWires(speaks)
  const model = { settings: settings("anthropic", wires.url), key: async () => wires.key }
  await using room = await newResearch({ model })
  await room.goes(QUESTION)
  const { signal } = new AbortController()
  const said = await room.say("p-1", { text: "Who is told?", by: "you", signal })
  expect(said).toMatchObject({ case: "after", answered: "Who is told?" })
  const prompt = wires.requests.at(-1)?.prompt ?? ""
  expect(prompt).toContain('<orchestrator_prior_research run="p-1"')
  expect(prompt.endsWith("Who is told?")).toBe(true)
})

test("without a key the error names the setting, the variable and the command", async () => {
  for (const provider of ["anthropic", "openai", "azure"] as const) {
    await using room = await newResearch({
      model: { settings: settings(provider, "https://model.example"), key: async () => undefined },
    })
    const done = await room.goes(QUESTION)
    expect(done.error?.code).toBe("MODEL_NO_KEY")
    const words = `${done.error?.message} ${done.error?.hint}`
    expect(words).toContain("model.provider")
    expect(words).toContain("qm credential set")
    expect(words).toMatch(/[A-Z]+_API_KEY/)
  }
})
