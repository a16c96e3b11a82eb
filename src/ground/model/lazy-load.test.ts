import { describe, expect, test } from "vitest"
import { run } from "#ground/base"

describe("loading of provider packages", () => {
  test("[MODEL-18] no provider package is loaded before the first question", async () => {
    const script = `
      import { registerHooks } from "node:module"
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      const room = await import("#ground/model")
      const before = loaded.filter((it) => it.includes("@ai-sdk")).length
      const settings = { provider: "openai", name: "m", baseUrl: "http://127.0.0.1:1", apiVersion: "", effort: "low", retries: 0, timeout: 9 }
      const clock = { now: () => 0, monotonicMs: () => 0, sleep: () => new Promise(() => {}) }
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      const model = room.createModel({ settings, clock, log, key: async () => "k", random: { bytes: (n) => new Uint8Array(n) }, price() {} })
      const ask = { name: "x", instructions: "", prompt: "x", maxOutputTokens: 1, signal: new AbortController().signal }
      const code = await model.ask(ask).catch((error) => error.code)
      const after = loaded.filter((it) => it.includes("@ai-sdk")).length
      console.log(JSON.stringify({ before, isLoaded: after > 0, code }))
    `
    const outcome = await run(process.execPath, ["--input-type=module", "-e", script], {
      cwd: process.cwd(),
      env: {},
      timeoutMs: 60_000,
      maxOutputBytes: 10_000,
    })
    const said = "stdout" in outcome ? outcome.stdout.toString() : outcome.kind
    const expected = { before: 0, isLoaded: true, code: "MODEL_UNREACHABLE" }
    expect(said).toBe(`${JSON.stringify(expected)}\n`)
  })
})
