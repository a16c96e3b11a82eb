import { describe, expect, test } from "vitest"
import { testClock } from "#test/clock"
import { hastyClock, inTurn, QUESTION, WIRE_PROVIDERS, wiredModel } from "#test/wired-model"
import type { WireAnswer } from "#test/wires"

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe.each(WIRE_PROVIDERS)("failures of %s", (provider) => {
  test.each([408, 409, 429, 500, 502, 503, 529])(
    "[MODEL-7] status %i is retried",
    async (status) => {
      const script = inTurn({ status, message: "not now" }, { text: "now" })
      await using scene = await wiredModel({ provider, script })
      expect(await scene.ask()).toMatchObject({ text: "now", retries: 1 })
    },
  )

  test.each([400, 401, 403, 404, 413, 422])(
    "[MODEL-7] status %i is MODEL_REFUSED without a retry",
    async (status) => {
      await using scene = await wiredModel({
        provider,
        script: () => ({ status, message: "no such thing" }),
      })
      const error = await errorOf(scene.ask())
      expect(error).toMatchObject({
        code: "MODEL_REFUSED",
        data: { status, reason: "no such thing" },
      })
      expect(scene.wires.requests).toHaveLength(1)
    },
  )

  test.each([
    [429, "MODEL_BUSY"],
    [500, "MODEL_FAILED"],
  ])("[MODEL-7] repeated status %i is %s after three tries", async (status, code) => {
    await using scene = await wiredModel({
      provider,
      script: () => ({ status, message: "not now" }),
    })
    expect(await errorOf(scene.ask())).toMatchObject({
      code,
      data: { tries: 3, reason: "not now" },
    })
    expect(scene.wires.requests).toHaveLength(3)
  })

  test("[MODEL-7] an error in the middle of the stream is retried", async () => {
    const failing = { failAfter: "half", type: "overloaded_error", message: "Overloaded" }
    await using scene = await wiredModel({ provider, script: inTurn(failing, { text: "whole" }) })
    expect(await scene.ask()).toMatchObject({ text: "whole", retries: 1 })
  })

  test("[MODEL-7] a response that is not a stream is retried, then MODEL_UNREACHABLE", async () => {
    await using scene = await wiredModel({ provider, script: () => ({ raw: "data: {{{\n\n" }) })
    const error = await errorOf(scene.ask())
    expect(error).toMatchObject({ code: "MODEL_UNREACHABLE", data: { tries: 3 } })
  })

  test("[MODEL-7] a stream that breaks off every time is MODEL_UNREACHABLE", async () => {
    await using scene = await wiredModel({ provider, script: () => ({ cutAfter: "half" }) })
    expect(await errorOf(scene.ask())).toMatchObject({
      code: "MODEL_UNREACHABLE",
      data: { tries: 3 },
    })
  })

  test("[MODEL-7] a missing server is MODEL_UNREACHABLE", async () => {
    const scene = await wiredModel({ provider })
    await scene[Symbol.asyncDispose]()
    const error = await errorOf(scene.ask())
    expect(error).toMatchObject({ code: "MODEL_UNREACHABLE", data: { tries: 3 } })
    expect(String(error)).toContain("ECONNREFUSED")
  })

  test.each([
    ["seconds", { "retry-after": "3" }, 3_000],
    ["milliseconds", { "retry-after-ms": "1500" }, 1_500],
    ["a date", { "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }, 9_000],
  ])("[MODEL-7] the wait is as long as a retry-after in %s", async (_, headers, waitMs) => {
    const clock = hastyClock()
    const script = inTurn({ status: 429, message: "wait", headers }, { text: "now" })
    await using scene = await wiredModel({ provider, script, clock })
    await scene.ask()
    expect(clock.waitsMs).toEqual([waitMs])
  })

  test("[MODEL-9] an abort before the response closes the connection immediately", async () => {
    const stop = new AbortController()
    await using scene = await wiredModel({
      provider,
      script() {
        stop.abort(new Error("enough"))
        return { silent: true }
      },
    })
    expect(await errorOf(scene.ask({ signal: stop.signal }))).toBe(stop.signal.reason)
    expect(await scene.wires.requests[0]?.ended).toBe("left")
  })

  test("[MODEL-9] an abort in the middle of the response closes the connection immediately", async () => {
    const stop = new AbortController()
    const never = new Promise(() => undefined)
    await using scene = await wiredModel({
      provider,
      script: () => ({ text: "one two", hold: never }),
    })
    const asked = scene.ask({ signal: stop.signal, onText: () => stop.abort(new Error("enough")) })
    expect(await errorOf(asked)).toBe(stop.signal.reason)
    expect(await scene.wires.requests[0]?.ended).toBe("left")
  })

  test("[MODEL-10] a response of a million characters is accepted, one more is MODEL_ANSWER_TOO_LARGE", async () => {
    const script = inTurn({ text: "x".repeat(1_000_000) }, { text: "x".repeat(1_000_001) })
    await using scene = await wiredModel({ provider, script })
    expect((await scene.ask()).text).toHaveLength(1_000_000)
    expect(await errorOf(scene.ask())).toMatchObject({ code: "MODEL_ANSWER_TOO_LARGE" })
    expect(scene.wires.requests).toHaveLength(2)
  })

  test("[MODEL-10] an endless response is cancelled", async () => {
    await using scene = await wiredModel({
      provider,
      script: () => ({ endless: "and so on ".repeat(100) }),
    })
    expect(await errorOf(scene.ask())).toMatchObject({ code: "MODEL_ANSWER_TOO_LARGE" })
    expect(await scene.wires.requests[0]?.ended).toBe("left")
  })

  test("[MODEL-12] a redirect is not followed", async () => {
    const headers = { location: "http://127.0.0.1:1/elsewhere" }
    const script = () => ({ status: 307, message: "over there", headers })
    await using scene = await wiredModel({ provider, script })
    const error = await errorOf(scene.ask())
    expect(error).toMatchObject({ code: "MODEL_REFUSED", data: { status: 307 } })
    expect(String(error)).toContain("redirects to another address")
  })

  test("[MODEL-8] a silent server is abandoned at the timeout", async () => {
    const clock = testClock()
    const reached = Promise.withResolvers<void>()
    const script = (): WireAnswer => {
      reached.resolve()
      return { silent: true }
    }
    await using scene = await wiredModel({ provider, script, clock, settings: { timeout: 20 } })
    const asked = errorOf(scene.ask())
    await reached.promise
    await clock.advance(20_000)
    expect(await asked).toMatchObject({ code: "MODEL_TIMED_OUT", data: { provider, seconds: 20 } })
    expect(await scene.wires.requests[0]?.ended).toBe("left")
  })

  test("[MODEL-9] an error of the text listener is rethrown and closes the connection", async () => {
    const bug = Object.assign(new TypeError("not mine"), { code: "ERR_OTHER" })
    const never = new Promise(() => undefined)
    await using scene = await wiredModel({
      provider,
      script: () => ({ text: "one two", hold: never }),
    })
    const onText = () => {
      throw bug
    }
    expect(await errorOf(scene.ask({ onText }))).toBe(bug)
    expect(await scene.wires.requests[0]?.ended).toBe("left")
  })

  test("[MODEL-10] an endless stream without content is cancelled", async () => {
    const raw = `: ${"x".repeat(64_000_000)}`
    await using scene = await wiredModel({ provider, script: () => ({ raw }) })
    expect(await errorOf(scene.ask())).toMatchObject({ code: "MODEL_ANSWER_TOO_LARGE" })
    expect(scene.wires.requests).toHaveLength(1)
  })
})

describe("requests that are not sent or not retried", () => {
  test("[MODEL-7] an exhausted quota is refused although its status is 429", async () => {
    const script = () => ({
      status: 429,
      type: "insufficient_quota",
      message: "You exceeded your quota",
    })
    await using scene = await wiredModel({ provider: "openai", script })
    expect(await errorOf(scene.ask())).toMatchObject({ code: "MODEL_REFUSED" })
  })

  test("[MODEL-10] a prompt over four million characters is MODEL_PROMPT_TOO_LARGE", async () => {
    await using scene = await wiredModel({ provider: "openai" })
    const prompt = "x".repeat(4_000_001 - QUESTION.instructions.length)
    expect(await errorOf(scene.ask({ prompt }))).toMatchObject({
      code: "MODEL_PROMPT_TOO_LARGE",
      data: { characters: 4_000_001 },
    })
    expect(scene.wires.requests).toEqual([])
  })
})
