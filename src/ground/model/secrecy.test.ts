import { inspect } from "node:util"
import { describe, expect, test } from "vitest"
import { WIRE_PROVIDERS, wiredModel } from "#test/wired-model"
import type { WireAnswer, WireRequest } from "#test/wires"
import { reasonFrom, scrub } from "./providers/classify.ts"

const keyIn = ({ headers }: WireRequest): string =>
  String(
    headers["x-api-key"] ?? headers["api-key"] ?? headers.authorization?.replace("Bearer ", ""),
  )

const ECHOES: readonly (readonly [string, (key: string) => WireAnswer])[] = [
  ["a refusal", (key) => ({ status: 401, message: `Incorrect API key: ${key}` })],
  ["a failure", (key) => ({ status: 500, message: `cannot use ${key}`, type: key })],
  [
    "a redirect",
    (key) => ({ status: 302, message: key, headers: { location: `http://x/${key}` } }),
  ],
  [
    "an error in the stream",
    (key) => ({ failAfter: "half", message: `no: ${key}`, type: "api_error" }),
  ],
  ["a stream that is none", (key) => ({ raw: `data: {"${key}": \n\n` })],
  ["a body of another form", (key) => ({ raw: `data: {"unknown":"${key}"}\n\n` })],
  ["an answer", (key) => ({ text: `the key is ${key}`, pieces: 9 })],
  ["an answer in one piece", (key) => ({ text: key, pieces: 1 })],
]

describe.each(WIRE_PROVIDERS)("the key of %s", (provider) => {
  test.each(ECHOES)(
    "[MODEL-13] the key is redacted if the server repeats it in %s",
    async (_, echo) => {
      const told: string[] = []
      await using scene = await wiredModel({ provider, script: (request) => echo(keyIn(request)) })
      const outcome: unknown = await scene
        .ask({ onText: (soFar) => void told.push(soFar) })
        .catch((error: unknown) => error)
      expect(scene.wires.requests.length).toBeGreaterThan(0)
      const all = inspect({ outcome, logged: scene.logged }, { depth: 20, showHidden: true })
      expect(all).not.toContain(scene.wires.key)
      expect(told.filter((it) => it.includes(scene.wires.key))).toEqual([])
    },
  )
})

describe("redacting the key", () => {
  test("[MODEL-13] a key is removed in plain, JSON-escaped and URL-encoded form", () => {
    const key = 'a"b/c+d'
    const text = `${key} ${JSON.stringify(key)} ${encodeURIComponent(key)}`
    expect(scrub(text, key)).toBe('[key] "[key]" [key]')
  })

  test("[MODEL-13] a text without the key is unchanged", () => {
    expect(scrub("as it is", undefined)).toBe("as it is")
    expect(scrub("as it is", "")).toBe("as it is")
  })

  test("[MODEL-13] a server's reason is one short line without control characters", () => {
    expect(reasonFrom("no\u001b[31m\nreally", undefined)).toBe("no\\x1b[31m\\nreally")
    expect(reasonFrom("x".repeat(10_000), undefined)).toHaveLength(500)
    expect(reasonFrom(" ", undefined)).toBe("no reason was given")
  })
})
