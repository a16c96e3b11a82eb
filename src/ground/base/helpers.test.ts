import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  firstLine,
  formatAgo,
  formatBytes,
  formatCostChange,
  formatCostSum,
  formatCount,
  formatDuration,
  formatExact,
  formatForecast,
  formatUsd,
  isInside,
  isRecord,
  once,
  onceUnlessRejected,
  oneLine,
  openOnce,
  parseJson,
  parseJsonRecord,
  plural,
  shareNext,
  sliceBytes,
  sliceText,
  truncate,
} from "./index.ts"

describe("isRecord and parseJson", () => {
  test("[BASE-32] isRecord accepts objects, and neither arrays nor null", () => {
    expect([{}, Object.create(null), [], null, "x", 1, undefined].map(isRecord)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ])
  })

  test("[BASE-32] parseJson and parseJsonRecord return undefined for malformed JSON", () => {
    expect([parseJson("[1]"), parseJson("null"), parseJson("{")]).toEqual([[1], null, undefined])
    expect([parseJsonRecord('{"a":1}'), parseJsonRecord("[1]"), parseJsonRecord("")]).toEqual([
      { a: 1 },
      undefined,
      undefined,
    ])
  })
})

describe("lazy values", () => {
  test("[BASE-33] once calls make a single time, also if it returns undefined", () => {
    let calls = 0
    const get = once(() => void calls++)
    expect([get(), get(), calls]).toEqual([undefined, undefined, 1])
  })

  test("[BASE-46] shareNext serves all callers before a work begins, and none that arrive later", async () => {
    const share = shareNext<number>()
    const begun: PromiseWithResolvers<number>[] = []
    const work = () => {
      const pending = Promise.withResolvers<number>()
      begun.push(pending)
      return pending.promise
    }
    const first = [share("a", work), share("a", work)]
    await Promise.resolve()
    const later = [share("a", work), share("a", work)]
    const other = share("b", work)
    await Promise.resolve()
    expect(begun.length).toBe(2)
    begun[0]?.resolve(1)
    begun[1]?.resolve(2)
    expect(await Promise.all([...first, other])).toEqual([1, 1, 2])
    begun[2]?.reject(new Error("no"))
    expect(await Promise.allSettled(later)).toMatchObject([
      { reason: new Error("no") },
      { reason: new Error("no") },
    ])
    const last = share("a", work)
    await Promise.resolve()
    begun[3]?.resolve(4)
    expect([await last, begun.length]).toEqual([4, 4])
  })

  test("[BASE-33] onceUnlessRejected calls make again after a rejection", async () => {
    let calls = 0
    const get = onceUnlessRejected(async () => {
      calls++
      if (calls === 1) throw new Error("first")
      return calls
    })
    await expect(get()).rejects.toThrow("first")
    expect([await get(), await get()]).toEqual([2, 2])
  })

  test("[BASE-33] openOnce closes a resource only if it was opened", async () => {
    const events: string[] = []
    const resource = openOnce(async () => {
      events.push("open")
      return { close: async () => void events.push("close") }
    })
    await resource.close()
    await Promise.all([resource.open(), resource.open()])
    await resource.close()
    expect(events).toEqual(["open", "close"])
  })
})

describe("truncation", () => {
  test("[BASE-34] a truncated text has at most the requested length and no split surrogate pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const shown = truncate(text, max)
        expect(shown.length).toBeLessThanOrEqual(max)
        expect(shown === text || shown.endsWith("…")).toBe(true)
        expect(sliceText(text, max).isWellFormed()).toBe(text.isWellFormed())
        expect(Buffer.byteLength(sliceBytes(text, max))).toBeLessThanOrEqual(max)
        expect(text.startsWith(sliceBytes(text, max))).toBe(true)
      }),
    )
  })

  test("[BASE-34] oneLine joins lines; firstLine returns the first line that is not blank", () => {
    expect(oneLine(" a\n\t b  c ")).toBe("a b c")
    expect(oneLine("one two three", 8)).toBe("one two…")
    expect(firstLine("\n  \n first \nsecond")).toBe("first")
    expect(firstLine("first line", 6)).toBe("first…")
  })
})

test("[BASE-35] isInside compares whole path components; a folder is inside itself", () => {
  expect(isInside("/a/b", "/a/b")).toBe(true)
  expect(isInside("/a/b", "/a/b/..c")).toBe(true)
  expect(isInside("/a/b", "/a/bc")).toBe(false)
  expect(isInside("/a/b", "/a")).toBe(false)
})

describe("format", () => {
  test.each([
    [0, "$0.00"],
    [0.0042, "$0.0042"],
    [1234.5, "$1,234.50"],
  ])("[BASE-31] formatUsd(%d) is %s", (usd, text) => expect(formatUsd(usd)).toBe(text))

  test.each([
    [1.2, 0, "$1.20"],
    [1.2, 2, "$1.20 and 2 unknown"],
    [0, 2, "2 unknown"],
    [0, 0, "$0.00"],
  ])("[BASE-31] formatCostSum(%d, %d) is %s", (usd, unknown, text) =>
    expect(formatCostSum(usd, unknown)).toBe(text),
  )

  test.each([
    [9.4, 2, "+9 %"],
    [-4.5, 2, "−4 %"],
    [-0.4, 2, "0 %"],
    [1_240, 2, "+1,240 %"],
    [null, 0, "new"],
    [null, 2, "unknown"],
    [null, null, "unknown"],
  ])("[BASE-31] formatCostChange of %d %% against %d is %s", (percent, beforeUsd, text) =>
    expect(formatCostChange({ percent, beforeUsd })).toBe(text),
  )

  test.each([
    [314.6, 300, "about $315 by 30 November, $15 over"],
    [314.6, 310.5, "about $315 by 30 November, $4.50 over"],
    [299.7, 300, "about $300 by 30 November"],
    [12_345, undefined, "about $12,345 by 30 November"],
    [3.456, undefined, "about $3.46 by 30 November"],
    [null, 300, undefined],
  ])("[BASE-31] formatForecast of %d against a limit of %d is %s", (forecastUsd, limitUsd, text) =>
    expect(formatForecast({ until: Date.UTC(2026, 11, 1), forecastUsd }, limitUsd)).toBe(text),
  )

  test.each([
    [-5, "just now"],
    [59_999, "just now"],
    [60_000, "1 minute ago"],
    [3_600_000, "1 hour ago"],
    [47 * 3_600_000, "47 hours ago"],
    [48 * 3_600_000, "2 days ago"],
  ])("[BASE-31] formatAgo of %d ms is %s", (ms, text) => expect(formatAgo(ms)).toBe(text))

  test.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1.0k"],
    [12_440, "12.4k"],
    [999_949, "999.9k"],
    [999_950, "1.0M"],
    [1_300_000, "1.3M"],
  ])("[BASE-31] formatCount(%d) is %s", (count, text) => expect(formatCount(count)).toBe(text))

  test.each([
    [7, "7 B"],
    [1_500, "1.5 kB"],
    [2_000_000, "2.0 MB"],
    [3_200_000_000, "3.2 GB"],
  ])("[BASE-31] formatBytes(%d) is %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  test.each([
    [8, "8 ms"],
    [1_310, "1.3 s"],
    [372_000, "6:12 min"],
    [7_500_000, "2 h 05 min"],
  ])("[BASE-31] formatDuration(%d) is %s", (ms, text) => expect(formatDuration(ms)).toBe(text))

  test("[BASE-31] formatExact writes separators; plural makes the noun agree with the number", () => {
    expect(formatExact(16_981)).toBe("16,981")
    expect([plural(1, "file"), plural(3, "file"), plural(0, "entry", "entries")]).toEqual([
      "1 file",
      "3 files",
      "0 entries",
    ])
  })
})
