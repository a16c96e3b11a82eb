import { describe, expect, test } from "vitest"
import { silentLog, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { hastyClock } from "#test/wired-model"
import { modelWires, type WireScript } from "#test/wires"
import { createEmbedder } from "./embedder.ts"

const signal = new AbortController().signal
const own: WireScript = () => ({ text: "" })

async function wiredEmbedder(options: {
  readonly script?: WireScript
  readonly model?: object
  readonly knowledge?: object
  readonly key?: string
}) {
  const wires = await modelWires(options.script ?? own)
  const asked: string[] = []
  const embedder = createEmbedder({
    knowledge: Config.shape.knowledge.parse({
      embedder: "small-embedder",
      embedderUrl: `${wires.url}/v1`,
      ...options.knowledge,
    }),
    model: Config.shape.model.parse({ baseUrl: wires.url, ...options.model }),
    key: async (of) => {
      asked.push(of)
      return options.key ?? wires.key
    },
    clock: hastyClock(),
    random: systemRandom,
    log: silentLog,
  })
  if (embedder === undefined) throw new Error("the settings name an embedder")
  return { wires, embedder, asked, [Symbol.asyncDispose]: () => wires[Symbol.asyncDispose]() }
}

describe("createEmbedder", () => {
  test("[MODEL-17] a request has at most 96 texts, and vectors keep the order of the texts", async () => {
    await using scene = await wiredEmbedder({})
    const texts = Array.from({ length: 200 }, (_, at) => `text ${"abcdefghij"[at % 10]} ${at}`)
    const vectors = await scene.embedder.embed(texts, signal)
    expect(scene.wires.requests.map((it) => it.texts.length)).toEqual([96, 96, 8])
    expect(scene.wires.requests.flatMap((it) => it.texts)).toEqual(texts)
    const [again] = await scene.embedder.embed([texts[150] ?? ""], signal)
    expect(vectors).toHaveLength(200)
    expect(vectors[150]).toEqual(again)
    expect(vectors[0]).toBeInstanceOf(Float32Array)
  })

  test("[MODEL-17] vectors are ordered by their index", async () => {
    const script: WireScript = () => ({
      vectors: [
        { index: 1, embedding: [0, 1] },
        { index: 0, embedding: [1, 0] },
      ],
    })
    await using scene = await wiredEmbedder({ script })
    const vectors = await scene.embedder.embed(["a", "b"], signal)
    expect(vectors.map((it) => [...it])).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  test.each([
    ["too few", [{ embedding: [1] }], "1 vectors for 2 texts"],
    [
      "too many",
      [{ embedding: [1] }, { embedding: [1] }, { embedding: [1] }],
      "3 vectors for 2 texts",
    ],
    ["none", [], "0 vectors for 2 texts"],
    [
      "different lengths",
      [{ embedding: [1] }, { embedding: [1, 2] }],
      "they have different lengths",
    ],
    ["no length", [{ embedding: [] }, { embedding: [] }], "they have 0 dimensions"],
    [
      "two for one text",
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
      "two vectors have the same index",
    ],
  ])("[MODEL-17] vectors with %s are MODEL_EMBEDDING_WRONG", async (_, vectors, reason) => {
    await using scene = await wiredEmbedder({ script: () => ({ vectors }) })
    const asked = scene.embedder.embed(["a", "b"], signal)
    await expect(asked).rejects.toMatchObject({ code: "MODEL_EMBEDDING_WRONG", data: { reason } })
  })

  test("[MODEL-17] strings in place of numbers are refused", async () => {
    await using scene = await wiredEmbedder({ script: () => ({ vectors: [{ embedding: ["x"] }] }) })
    await expect(scene.embedder.embed(["a"], signal)).rejects.toMatchObject({
      code: "MODEL_UNREACHABLE",
    })
  })

  test("[MODEL-17] no texts make no call, an empty text makes one, and a long text is truncated", async () => {
    await using scene = await wiredEmbedder({})
    expect(await scene.embedder.embed([], signal)).toEqual([])
    await scene.embedder.embed(["", "x".repeat(30_000)], signal)
    expect(scene.wires.refusals).toEqual([])
    expect(scene.wires.requests.map((it) => it.texts.map((text) => text.length))).toEqual([
      [1, 24_000],
    ])
  })

  test("[MODEL-7] a temporary failure is retried, a refusal is not", async () => {
    let calls = 0
    const script: WireScript = () => {
      calls += 1
      return calls === 1 ? { status: 503, message: "not now" } : { text: "" }
    }
    await using scene = await wiredEmbedder({ script })
    expect(await scene.embedder.embed(["a"], signal)).toHaveLength(1)
    await using denied = await wiredEmbedder({ key: "wrong" })
    await expect(denied.embedder.embed(["a"], signal)).rejects.toMatchObject({
      code: "MODEL_REFUSED",
    })
    expect(denied.wires.refusals).toHaveLength(1)
  })

  test("[MODEL-9] an abort ends the call", async () => {
    const stop = new AbortController()
    const enough = new Error("enough")
    const script: WireScript = () => {
      stop.abort(enough)
      return { silent: true }
    }
    await using scene = await wiredEmbedder({ script })
    await expect(scene.embedder.embed(["a"], stop.signal)).rejects.toBe(enough)
    expect(await scene.wires.requests[0]?.ended).toBe("left")
  })

  test.each([
    ["openai", "/v1/embeddings"],
    ["azure", "/openai/deployments/small-embedder/embeddings"],
  ])("[MODEL-17] without its own address the embedder uses that of %s", async (provider, path) => {
    const model = { provider, name: "gpt-5.4" }
    await using scene = await wiredEmbedder({ model, knowledge: { embedderUrl: "" } })
    expect(await scene.embedder.embed(["a"], signal)).toHaveLength(1)
    expect(scene.wires.requests.map((it) => it.url.pathname)).toEqual([path])
  })

  test.each([
    ["scripted", "", "custom"],
    ["anthropic", "", "custom"],
    ["openai", "", "custom"],
    ["openai", "same", "openai"],
    ["custom", "same", "custom"],
  ])("[MODEL-12] beside %s at %j the embedder's address receives the key of %s", async (...row) => {
    const [provider, place, owner] = row
    const far = place === "same" ? {} : { baseUrl: "https://models.example" }
    await using scene = await wiredEmbedder({ model: { provider, ...far } })
    await scene.embedder.embed(["a"], signal)
    expect(scene.asked).toEqual([owner])
  })

  test.each(["scripted", "anthropic"])(
    "[MODEL-11] beside %s the embedder needs an address",
    async (provider) => {
      await using scene = await wiredEmbedder({
        model: { provider },
        knowledge: { embedderUrl: "" },
      })
      await expect(scene.embedder.embed(["a"], signal)).rejects.toMatchObject({
        code: "MODEL_SETTING_MISSING",
        data: { setting: "knowledge.embedderUrl" },
      })
    },
  )

  test("[MODEL-12] the embedder's address follows the same rules as the model's", async () => {
    await using scene = await wiredEmbedder({ knowledge: { embedderUrl: "http://far.example/v1" } })
    await expect(scene.embedder.embed(["a"], signal)).rejects.toMatchObject({
      code: "MODEL_ADDRESS_INVALID",
      data: { setting: "knowledge.embedderUrl" },
    })
  })

  test("[MODEL-17] settings without an embedding model give no embedder", () => {
    const embedder = createEmbedder({
      knowledge: Config.shape.knowledge.parse({}),
      model: Config.shape.model.parse({}),
      key: async () => undefined,
      clock: hastyClock(),
      random: systemRandom,
      log: silentLog,
    })
    expect(embedder).toBeUndefined()
  })
})
