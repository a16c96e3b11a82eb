import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { redactKeepingLines, redactLines } from "./lines.ts"

/** Replaces everything from `<` to `>`, also across lines, as the real redactor does with keys. */
function redact(text: string) {
  const findings: { kind: string; line: number; hash: string; start: number; end: number }[] = []
  let safe = ""
  let last = 0
  for (const match of text.matchAll(/<[^>]*>/g)) {
    safe += text.slice(last, match.index)
    const start = safe.length
    safe += "[redacted]"
    const line = text.slice(0, match.index).split("\n").length
    findings.push({ kind: "key", line, hash: "0000", start, end: safe.length })
    last = match.index + match[0].length
  }
  return { text: safe + text.slice(last), findings }
}

test("[SECRETS-17] a secret over several lines is removed from all of them", () => {
  const { lines, secretLines } = redactLines("a\nb <one\ntwo\nthree> c\nd\n<x> <y\nz>\ne", redact)
  expect(lines).toEqual([
    "a\n",
    "b [redacted] c\n",
    undefined,
    undefined,
    "d\n",
    "[redacted] [redacted]\n",
    undefined,
    "e",
  ])
  expect(secretLines).toEqual([2, 6, 6])
})

test("[SECRETS-17] line numbers stay the same after redaction", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "<", ">"), maxLength: 60 })
  fc.assert(
    fc.property(text, (given) => {
      const { lines } = redactLines(given, redact)
      const before = given.match(/[^\n]*\n|[^\n]+$/g) ?? []
      expect(lines).toHaveLength(before.length)
      expect(lines.filter((it) => it !== undefined).join("")).toBe(redact(given).text)
      let isInside = false
      for (const [index, line] of before.entries()) {
        const isPlain = !isInside && !line.includes("<")
        if (isPlain) expect(lines[index]).toBe(line)
        for (const character of line)
          isInside = isInside
            ? character !== ">"
            : character === "<" && hasEnd(given, before, index)
      }
    }),
    fcParameters({ numRuns: 300 }),
  )
})

test("[SECRETS-17] the number of lines stays the same, also if a secret ends the text", () => {
  expect(redactKeepingLines("a\n<x\ny>", redact)).toBe("a\n[redacted]\n\n")
  expect(redactKeepingLines("a\n<x\ny\nz> b", redact)).toBe("a\n[redacted] b\n\n\n")
  expect(redactKeepingLines("a\n<x>", redact)).toBe("a\n[redacted]")
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "<", ">"), maxLength: 60 })
  const count = (of: string) => of.match(/[^\n]*\n|[^\n]+$/g)?.length ?? 0
  fc.assert(
    fc.property(text, (given) => {
      expect(count(redactKeepingLines(given, redact))).toBe(count(given))
    }),
    fcParameters({ numRuns: 300 }),
  )
})

/** An opening `<` without a `>` is not a secret. */
function hasEnd(given: string, lines: readonly string[], index: number): boolean {
  const from = lines.slice(0, index).join("").length
  return given.slice(from).includes(">")
}
