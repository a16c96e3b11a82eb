import { describe, expect, test } from "vitest"
import { AppError, defineError, invariant, isAppError } from "./error.ts"
import * as errors from "./errors.ts"

const Stale = defineError<{ ageMs: number }>()("TEST_STALE", {
  family: "conflict",
  message: (it) => `It is ${it.ageMs} ms old.`,
  hint: () => "Read it again.",
})

describe("defineError", () => {
  test("[BASE-1] an AppError has code, family, message with values, hint, data and cause", () => {
    const cause = new Error("below")
    const error = Stale({ ageMs: 7 }, cause)
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({
      name: "AppError",
      code: "TEST_STALE",
      family: "conflict",
      message: "It is 7 ms old.",
      hint: "Read it again.",
      data: { ageMs: 7 },
      cause,
    })
    expect("cause" in Stale({ ageMs: 7 })).toBe(false)
  })

  test("[BASE-1] is() matches an error by its code only", () => {
    const Other = defineError<object>()("TEST_OTHER", Stale.text as never)
    expect(Stale.is(Stale({ ageMs: 1 }))).toBe(true)
    expect(Stale.is(Other({}))).toBe(false)
    expect(Stale.is(new Error("TEST_STALE"))).toBe(false)
    expect(Stale.is({ code: "TEST_STALE" })).toBe(false)
    expect([Stale({ ageMs: 1 }), new Error("x"), undefined].map(isAppError)).toEqual([
      true,
      false,
      false,
    ])
  })
})

test("[BASE-1] invariant() throws a bug that states the failed condition", () => {
  expect(() => invariant(true, "one is one")).not.toThrow()
  expect(() => invariant(0, "zero is something")).toThrow("invariant broken: zero is something")
})

describe("errors of ground/base", () => {
  const longName = `/${"very-long-".repeat(100)}`
  const data = {
    path: longName,
    reason: "EROFS",
    what: "symbolic link",
    neededBytes: 12_345,
    sizeBytes: 2_000,
    maxLineBytes: 1_000,
    waiting: 10_000,
    pid: 4_711,
  }
  const factories = Object.values(errors)

  test("[BASE-1] codes are unique, messages name the path, and hints have at most 160 characters", () => {
    expect(factories.length).toBeGreaterThan(5)
    expect(new Set(factories.map((it) => it.code)).size).toBe(factories.length)
    for (const make of factories) {
      const error = make(data)
      expect(error.code).toMatch(/^[A-Z]+(_[A-Z]+)+$/)
      expect(error.message).toContain(longName)
      expect(error.hint.length).toBeLessThanOrEqual(160)
      expect(error.hint).not.toContain(longName)
    }
  })

  test("[S7] a hostile name in a message cannot control the terminal; data has the original name", () => {
    const error = errors.StorageFull({ path: "/a\u001b[2J\nb" })
    expect(error.message).toBe("No space left to write more at /a\\x1b[2J\\nb.")
    expect(error.data.path).toBe("/a\u001b[2J\nb")
    expect(errors.StorageFull({ path: "/a", neededBytes: 9 }).message).toContain("9 bytes")
  })
})
