import fc from "fast-check"
import { expect, test } from "vitest"
import { TokenEncoding } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { slicesOf } from "./slices.ts"
import { loadVocabulary } from "./vocabulary.ts"

const PATTERNS = await Promise.all(
  TokenEncoding.options.map(async (encoding) => (await loadVocabulary(encoding)).wordPattern),
)

test("[TOKENS-1] slices at word boundaries have the same words as the whole text", () => {
  const part = fc.tuple(
    fc.constantFrom(
      "a",
      "Zz",
      "abc",
      "12",
      "1234",
      "中文",
      "é",
      "e\u0301",
      "Ж",
      "ab1",
      "中𠀀中𠀀中",
    ),
    fc.constantFrom(
      " ",
      "\n",
      "  ",
      "\r\n\r\n",
      "'s ",
      "'",
      ".",
      "...\n",
      "/",
      "😀 ",
      "\uFEFF",
      "_",
    ),
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 40 }),
      fc.integer({ min: 24, max: 60 }),
      (parts, longest) => {
        // A plain word beside each part, so that every slice has a word boundary.
        const text = parts.map(([word, character]) => `${word}${character}x `).join("")
        for (const pattern of PATTERNS) {
          const apart = [...slicesOf(text, longest)].flatMap((slice) => slice.match(pattern) ?? [])
          expect(apart).toEqual(text.match(pattern) ?? [])
        }
      },
    ),
    fcParameters({ numRuns: 2_000 }),
  )
})

test("[TOKENS-3] slices concatenate to the text, stay within the limit and split no surrogate pair", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 2, max: 9 }), (text, longest) => {
      const slices = [...slicesOf(text, longest)]
      expect(slices.join("")).toBe(text)
      for (const slice of slices) {
        expect(slice.length).toBeLessThanOrEqual(longest)
        expect(slice.isWellFormed()).toBe(true)
      }
    }),
    fcParameters({ numRuns: 1_000 }),
  )
})
