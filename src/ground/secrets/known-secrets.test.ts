import { Buffer } from "node:buffer"
import { execFileSync } from "node:child_process"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { systemRandom } from "#ground/base"
import { fcParameters } from "#test/seed"
import { createSecrets } from "./secrets.ts"

const withKnown = (...known: string[]) => createSecrets({ random: systemRandom, known })

describe("known values", () => {
  test("[SECRETS-9] known values are found at any position and in every encoding", () => {
    const value = fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 })
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (known, before, after) => {
        const trimmed = known.trim()
        fc.pre(trimmed.length >= 8 && !/[\\%/~]|\[redacted/.test(`${known}${before}${after}`))
        const { redact } = withKnown(known)
        const text = `${before}${known}${after}`
        expect(redact(text).text).not.toContain(trimmed)
        expect(JSON.parse(redact(JSON.stringify(text)).text)).not.toContain(trimmed)
        const coded = `${redact(encodeURIComponent(`-${text.toWellFormed()}-`)).text}`
        expect(coded).not.toContain(encodeURIComponent(trimmed.toWellFormed()))
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("[SECRETS-9] known values are found in base64, also with non-ASCII letters", () => {
    for (const value of ["plain words only", "gänzlich geheim", "日本語のパスワード"]) {
      const coded = Buffer.from(`before it: ${value}, after it`).toString("base64")
      expect(
        withKnown(value)
          .redact(coded)
          .findings.map((it) => it.kind),
      ).toEqual(["known-value"])
    }
  })

  test("[SECRETS-9] two overlapping known values are both replaced", () => {
    const { redact } = withKnown("abcd efgh", "efgh ijkl mnop", "abcd efgh ijk")
    expect(redact("x abcd efgh ijkl mnop y").text).toMatch(/^x \[redacted: known-value \w{4}\] y$/)
  })

  test("[SECRETS-9] a known value longer than a scan window is replaced as a whole", () => {
    const value = Array.from({ length: 30_000 }, (_, index) =>
      String.fromCharCode(97 + (index % 23)),
    ).join("")
    const { text } = withKnown(value).redact(`[${value}]`)
    expect(text).toMatch(/^\[\[redacted: known-value \w{4}\]\]$/)
  })

  test("[SECRETS-9] a text that differs slightly from a known value is not found", () => {
    const { redact } = withKnown("almost the same value")
    for (const text of [
      "almost the same valuf",
      "lmost the same value",
      "almost  the same value",
    ]) {
      expect(redact(text)).toEqual({ text, findings: [] })
    }
  })

  test("[SECRETS-9] short values and plain settings are not stored", () => {
    const plain = [
      "short",
      "development",
      "http://localhost:3000",
      "/usr/local/bin",
      "127.0.0.1:80",
    ]
    const text = plain.join(" ")
    expect(withKnown(...plain, "").redact(text)).toEqual({ text, findings: [] })
  })

  test("[SECRETS-9] process memory contains no part of a known value", () => {
    expect(memoryHolds({ isKept: true })).toBe(true)
    expect(memoryHolds({ isKept: false })).toBe(false)
  })
})

/**
 * Passes a value to an instance in a separate process and searches its memory dump. With `isKept`
 * the process keeps the value, which proves that the search works.
 */
function memoryHolds(options: { isKept: boolean }): boolean {
  const room = new URL("./secrets.ts", import.meta.url).href
  const script = `
    import { randomBytes } from "node:crypto"
    import { getHeapSnapshot } from "node:v8"
    import { createSecrets } from ${JSON.stringify(room)}
    const backwards = (text) => text.split("").reverse().join("")
    const make = () => {
      const value = backwards(randomBytes(24).toString("hex"))
      globalThis.instance = createSecrets({ random: { bytes: randomBytes }, known: [value] })
      if (${options.isKept}) globalThis.kept = value
      return backwards(value)
    }
    const reversed = make()
    gc()
    let picture = ""
    for await (const part of getHeapSnapshot()) picture += part
    const isUsable = globalThis.instance.redact("x " + backwards(reversed)).findings.length === 1
    console.log(isUsable ? picture.includes(backwards(reversed)) : "unusable")
  `
  const output = execFileSync(
    process.execPath,
    ["--expose-gc", "--input-type=module", "--eval", script],
    { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
  )
  return z.literal(["true", "false"]).parse(output.trim()) === "true"
}
