import { describe, expect, test } from "vitest"
import { silentLog, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { testClock } from "#test/clock"
import { QUESTION } from "#test/wired-model"
import { createModel, type ModelDeps } from "./model.ts"
import type { ScriptedBrain } from "./scripted-model.ts"

function scriptedModel(script: ScriptedBrain, more: Partial<ModelDeps> = {}) {
  return createModel({
    settings: Config.shape.model.parse({}),
    key: () => Promise.reject(new Error("a script needs no key")),
    price: () => undefined,
    clock: testClock(),
    random: systemRandom,
    log: silentLog,
    script,
    ...more,
  })
}

describe("scripted model", () => {
  test("[MODEL-16] the script receives the question, and its text is streamed in four parts", async () => {
    const asked: unknown[] = []
    const told: string[] = []
    const model = scriptedModel(async (ask) => {
      asked.push(ask)
      return { text: "one two three" }
    })
    const answer = await model.ask({ ...QUESTION, onText: (soFar) => void told.push(soFar) })
    const { signal, ...question } = QUESTION
    expect(signal.aborted).toBe(false)
    expect(asked).toEqual([question])
    expect(told).toEqual(["one ", "one two", "one two th", "one two three"])
    expect(answer).toEqual({
      text: "one two three",
      value: undefined,
      problem: undefined,
      isCut: false,
      usage: { input: 7, output: 4, cacheRead: 0, cacheWrite: 0 },
      usd: 0,
      model: "scripted",
      retries: 0,
      durationMs: 0,
    })
  })

  test("[MODEL-16] an empty text is not streamed", async () => {
    const told: string[] = []
    const model = scriptedModel(async () => ({ text: "" }))
    const answer = await model.ask({ ...QUESTION, onText: (soFar) => void told.push(soFar) })
    expect(told).toEqual([])
    expect(answer.problem).toBe("The response is empty.")
  })

  test("[MODEL-16] values of a script are parsed and validated like those of other providers", async () => {
    const schema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] }
    const model = scriptedModel(async () => ({ text: 'Well: {"a": 1,}' }))
    expect(await model.ask({ ...QUESTION, schema })).toMatchObject({
      value: { a: 1 },
      problem: undefined,
    })
  })

  test("[MODEL-14] a script reports the tokens and the price in its definition", async () => {
    const usage = { input: 10, output: 5, cacheRead: 1, cacheWrite: 2 }
    const model = scriptedModel(async () => ({ text: "x", usage }), { price: () => 1.5 })
    expect(await model.ask(QUESTION)).toMatchObject({ usage, usd: 1.5 })
  })

  test("[MODEL-10] the response limit applies to a script", async () => {
    const model = scriptedModel(async () => ({ text: "x".repeat(1_000_001) }))
    await expect(model.ask(QUESTION)).rejects.toMatchObject({ code: "MODEL_ANSWER_TOO_LARGE" })
  })

  test("[MODEL-9] an abort ends a script that never returns", async () => {
    const stop = new AbortController()
    const model = scriptedModel(() => new Promise(() => undefined))
    const asked = model.ask({ ...QUESTION, signal: stop.signal })
    stop.abort(new Error("enough"))
    await expect(asked).rejects.toBe(stop.signal.reason)
  })

  test("[MODEL-8] a script that never returns is MODEL_TIMED_OUT", async () => {
    const clock = testClock()
    const settings = Config.shape.model.parse({ timeout: 30 })
    const model = scriptedModel(() => new Promise(() => undefined), { clock, settings })
    const asked = model.ask(QUESTION).catch((error: unknown) => error)
    await clock.advance(30_000)
    expect(await asked).toMatchObject({ code: "MODEL_TIMED_OUT", data: { seconds: 30 } })
  })

  test("[MODEL-16] an error that the script throws is passed on unchanged", async () => {
    const bug = new Error("the script is wrong")
    const model = scriptedModel(() => Promise.reject(bug))
    await expect(model.ask(QUESTION)).rejects.toBe(bug)
  })
})
