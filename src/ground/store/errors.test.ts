import { expect, test } from "vitest"
import type { ErrorFactory } from "#ground/base"
import * as errors from "./errors.ts"

test("every failure of the store says what to do next, in at most 160 characters", () => {
  const factories = Object.values(errors) as unknown as ErrorFactory<string, object>[]
  const shown = new Proxy({}, { get: (_, name) => `‹${String(name)}›` })
  for (const { code, text } of factories) {
    expect(code).toMatch(/^STORE_[A-Z_]+$/)
    expect(text.message(shown), code).toMatch(/\.$/)
    expect(text.hint(shown).length, code).toBeLessThanOrEqual(160)
    expect(text.hint({}).length, code).toBeLessThanOrEqual(160)
  }
  expect(new Set(factories.map((it) => it.code)).size).toBe(factories.length)
})
