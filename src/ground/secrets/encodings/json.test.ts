import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { createSecrets } from "../secrets.ts"
import { DEEPEST_JSON_LEVELS, MOST_JSON_VALUES } from "./json.ts"

const { redactJson, redact } = createSecrets({ random: systemRandom })
const token = `${"gh"}p_${Buffer.from(systemRandom.bytes(18)).toString("hex")}`

describe("redactJson", () => {
  test("[SECRETS-13] a value under a secret name is replaced as a whole", () => {
    const keys = [
      "password",
      "dbPassword",
      "DB_PASSWORD",
      "token",
      "accessToken",
      "access-token",
      "secret",
      "client_secret",
      "apiKey",
      "x-api-key",
      "privateKey",
      "Authorization",
      "cookie",
      "Set-Cookie",
      "credentials",
    ]
    for (const key of keys) {
      const { value, findings } = redactJson({ [key]: "plain word" })
      expect(value).toEqual({ [key]: expect.stringMatching(/^\[redacted: named-value \w{4}\]$/) })
      expect(findings.map((it) => it.kind)).toEqual(["named-value"])
    }
  })

  test("[SECRETS-13] values under other names stay, and secrets inside strings are redacted", () => {
    const given = {
      max_tokens: 4_096,
      tokenCount: 7,
      sessionId: "ses_1",
      author: "someone",
      password: "",
      secret: null,
      token: true,
      list: [1, "two", { note: `see ${token}` }],
    }
    const { value, findings } = redactJson(given)
    expect(value).toEqual({ ...given, list: [1, "two", { note: redact(`see ${token}`).text }] })
    expect(findings.map((it) => it.kind)).toEqual(["github-token"])
  })

  test("[SECRETS-13] all values of a map are replaced only in maps that the caller names", () => {
    const given = { env: { NODE_ENV: "production", LEVEL: 3 }, headers: ["a: b"], name: "x" }
    expect(redactJson(given).value).toEqual(given)
    const marker: unknown = expect.stringMatching(/^\[redacted: named-value \w{4}\]$/)
    expect(redactJson(given, { secretMaps: ["ENV", "headers"] }).value).toEqual({
      env: { NODE_ENV: marker, LEVEL: marker },
      headers: [marker],
      name: "x",
    })
    expect(redactJson({ Pin: 1_234 }, { secretKeys: ["pin"] }).value).toEqual({ Pin: marker })
  })

  test("[SECRETS-13] objects and numbers under a secret name are replaced; a second call changes nothing", () => {
    const once = redactJson({ credentials: { user: "a", hint: "b" }, password: 12_345 }).value
    expect(JSON.stringify(once)).not.toMatch(/user|hint|12345/)
    expect(redactJson(once)).toEqual({ value: once, findings: [] })
  })

  test("[SECRETS-13] keys are redacted, and __proto__ is an ordinary key", () => {
    const given: unknown = JSON.parse(`{"__proto__":{"a":1},"${token}":2}`)
    const { value } = redactJson(given)
    expect(JSON.stringify(value)).toBe(`{"__proto__":{"a":1},"${redact(token).text}":2}`)
  })

  test("[SECRETS-13] a string is redacted, and other scalar values are unchanged", () => {
    expect(redactJson(token).value).toBe(redact(token).text)
    for (const value of [1, true, null, undefined, 10n]) expect(redactJson(value).value).toBe(value)
  })
})

describe("limits of redactJson", () => {
  test("[SECRETS-14] values that are too deep or circular are replaced", () => {
    const circle: Record<string, unknown> = { text: token }
    circle["again"] = circle
    const printed = JSON.stringify(redactJson(circle).value)
    expect(printed.split('"again"').length - 1).toBe(DEEPEST_JSON_LEVELS)
    expect(printed).toContain("[redacted: beyond-depth ")
    expect(printed).not.toContain(token)
  })

  test("[SECRETS-14] values after the maximum count are replaced", () => {
    const many: unknown[] = Array.from({ length: MOST_JSON_VALUES }, () => 0)
    const { value } = redactJson([...many, "a word", { a: 1 }])
    expect((value as unknown[]).slice(-2)).toEqual([
      expect.stringMatching(/^\[redacted: beyond-size \w{4}\]$/),
      expect.stringMatching(/^\[redacted: beyond-size \w{4}\]$/),
    ])
  })
})
