import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { Tokenizer } from "ai-tokenizer"
import * as claudeTables from "ai-tokenizer/encoding/claude"
import * as o200kTables from "ai-tokenizer/encoding/o200k_base"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { TokenEncoding } from "#ground/contract"
import { fcParameters, isNight } from "#test/seed"
import { createCounter } from "./counter.ts"
import { createTokens } from "./tokens.ts"
import { loadVocabulary } from "./vocabulary.ts"

const TABLES = { claude: claudeTables, o200k: o200kTables }
const ENCODINGS = TokenEncoding.options
const COUNTERS = {
  claude: createCounter(await loadVocabulary("claude")),
  o200k: createCounter(await loadVocabulary("o200k")),
}

describe("exact counts", () => {
  // Published by OpenAI for tiktoken's o200k_base (cookbook, "How to count tokens").
  test.for([
    ["hello world", 2],
    ["tiktoken is great!", 6],
    ["antidisestablishmentarianism", 6],
    ["2 + 2 = 4", 7],
    ["お誕生日おめでとう", 8],
    ["", 0],
  ] as const)("[TOKENS-1] tiktoken's own count for %j in o200k is %i", ([text, tokens]) => {
    expect(COUNTERS.o200k.count(text)).toBe(tokens)
  })

  test.for(ENCODINGS)(
    "[TOKENS-1] %s equals the library's count on every source file here",
    (encoding) => {
      const library = new Tokenizer(TABLES[encoding])
      const files = sourceFiles()
      expect(files.length).toBeGreaterThan(20)
      for (const file of files) {
        const text = withoutLibraryTraps(readFileSync(file, "utf8"))
        expect([file, COUNTERS[encoding].count(text)]).toEqual([
          file,
          library.encode(text, "all").length,
        ])
      }
    },
  )

  test.for(ENCODINGS)("[TOKENS-1] %s equals naive byte-pair encoding", (encoding) => {
    const countNaively = createNaiveCounter(encoding)
    fc.assert(
      fc.property(anyText(60), (text) => {
        expect(COUNTERS[encoding].count(text)).toBe(countNaively(text))
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test.for(ENCODINGS)(
    "[TOKENS-1] %s equals it on ASCII texts, which are split by hand",
    (encoding) => {
      const countNaively = createNaiveCounter(encoding)
      const parts = fc.constantFrom(
        ..."' s t re ve m ll d x 7 . \n \t \r \v \u001F \0 (".split(/( )/),
      )
      fc.assert(
        fc.property(fc.array(parts, { maxLength: 40 }), (text) => {
          const ascii = text.join("")
          expect([ascii, COUNTERS[encoding].count(ascii)]).toEqual([ascii, countNaively(ascii)])
        }),
        fcParameters({ numRuns: 500 }),
      )
    },
  )

  test.for(ENCODINGS)(
    "[TOKENS-1] %s: names of inherited object properties are counted as ordinary text",
    (encoding) => {
      const countNaively = createNaiveCounter(encoding)
      for (const word of Object.getOwnPropertyNames(Object.prototype)) {
        expect([word, COUNTERS[encoding].count(word)]).toEqual([word, countNaively(word)])
      }
    },
  )

  test("[TOKENS-1] a byte-order mark is not white space and joins the next word", () => {
    expect(COUNTERS.o200k.count("\uFEFF#")).toBe(1)
    expect(COUNTERS.o200k.count("\uFEFFusing")).toBe(1)
  })

  test.for(ENCODINGS)("[TOKENS-1] %s: the last word of a text is counted", (encoding) => {
    const { count } = COUNTERS[encoding]
    fc.assert(
      fc.property(anyText(40), anyText(40), (before, after) => {
        expect(count(`${before}x ${after}`)).toBe(count(`${before}x`) + count(` ${after}`))
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test.for(ENCODINGS)(
    "[TOKENS-1] %s: splitting a text anywhere changes the count by little",
    (encoding) => {
      const { count } = COUNTERS[encoding]
      fc.assert(
        fc.property(anyText(40), anyText(40), (before, after) => {
          const apart = count(before) + count(after)
          expect(Math.abs(count(before + after) - apart)).toBeLessThanOrEqual(8)
        }),
        fcParameters({ numRuns: 500 }),
      )
    },
  )
})

test.for(ENCODINGS)("[TOKENS-2] %s: names of special tokens are plain text", (encoding) => {
  const { count } = COUNTERS[encoding]
  for (const name of Object.keys(TABLES[encoding].special_tokens)) {
    expect(count(name)).toBeGreaterThan(1)
    expect(count(`a ${name} b`)).toBeGreaterThan(count("a  b"))
  }
})

describe("bounded time", () => {
  test.for(ENCODINGS)(
    "[TOKENS-3] %s: a lone surrogate is counted as its replacement character",
    (encoding) => {
      const { count } = COUNTERS[encoding]
      expect(count("a\uD83Db")).toBe(count("a\uFFFDb"))
      expect(count("\uDE00".repeat(2_000))).toBe(count("\uFFFD".repeat(2_000)))
      expect(count("\0")).toBe(1)
      expect(count("\0".repeat(3_000))).toBeGreaterThan(0)
    },
  )
})

test("a text counted again, or after thousands of others, has the same count", () => {
  const { count } = COUNTERS.claude
  const text = "export const answer = 42 // the question is elsewhere\n".repeat(40)
  const first = count(text)
  for (let other = 0; other < 2_000; other++) count(`${text}${other}`)
  expect(count(text)).toBe(first)
  expect(count(text.slice(0, 500))).toBeLessThan(first)
})

test("[TOKENS-5] each result says whether it is exact or estimated", () => {
  expect(COUNTERS.claude).toMatchObject({ encoding: "claude", exact: true })
  expect(COUNTERS.claude.describe()).toContain("an estimate of a Claude model's own count")
  expect(COUNTERS.o200k.describe()).toBe("Counted exactly, with the o200k encoding.")
})

test("[TOKENS-6] an encoding is loaded once, on first use", async () => {
  const tokens = createTokens({ encoding: "o200k" })
  expect(tokens.estimator.count("a word or two")).toBeGreaterThan(0)
  const [first, second] = await Promise.all([tokens.counter(), tokens.counter()])
  expect(first).toBe(second)
  expect(first.encoding).toBe("o200k")
})

function anyText(maxLength: number) {
  const characters = fc.constantFrom(
    ..."' \n\t\r.,/_-=\uFEFF\u0085\u00A0\u0301é中ΩЖ𝔘😀".split(/(?:)/u),
  )
  const words = fc.constantFrom("don't", "HTTPServer", "1234567", "  ", "\r\n", "toString", "naïve")
  return fc
    .array(fc.oneof(fc.string({ unit: "binary", maxLength: 4 }), characters, words), { maxLength })
    .map((parts) => parts.join(""))
}

/** Byte-pair encoding as defined: all tokens as bytes, the whole word at each step. */
function createNaiveCounter(encoding: TokenEncoding) {
  const tables = TABLES[encoding]
  const rankByBytes = new Map<string, number>()
  for (const [text, rank] of Object.entries(tables.stringEncoder)) {
    rankByBytes.set(Buffer.from(text, "utf8").toString("latin1"), rank)
  }
  for (const [bytes, rank] of tables.binaryEncoder) {
    rankByBytes.set(Buffer.from(bytes).toString("latin1"), rank)
  }
  const space = "\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
  const words = new RegExp(
    tables.pat_str
      .replaceAll("[^\\s", `[^${space}`)
      .replaceAll("\\s", `[${space}]`)
      .replaceAll("\\S", `[^${space}]`),
    "gu",
  )
  const countWord = (word: string): number => {
    const whole = Buffer.from(word, "utf8").toString("latin1")
    if (rankByBytes.has(whole)) return 1
    let parts = whole.split("")
    for (;;) {
      const ranks = parts.slice(1).map((part, index) => rankByBytes.get(parts[index] + part))
      const lowest = Math.min(...ranks.map((rank) => rank ?? Number.POSITIVE_INFINITY))
      if (lowest === Number.POSITIVE_INFINITY) return parts.length
      const place = ranks.indexOf(lowest)
      parts = parts.toSpliced(place, 2, `${parts[place]}${parts[place + 1]}`)
    }
  }
  return (text: string) =>
    (text.toWellFormed().match(words) ?? []).reduce((sum, word) => sum + countWord(word), 0)
}

/** The library counts inherited names as tokens and a byte-order mark as white space. */
function withoutLibraryTraps(text: string): string {
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  return [...inherited, "\uFEFF"].reduce((rest, trap) => rest.replaceAll(trap, "x"), text)
}

function sourceFiles(): readonly string[] {
  const root = path.resolve(import.meta.dirname, "../../..")
  return ["src", "docs", "bench", "node_modules/zod/src", "node_modules/pg"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile() && /\.(?:ts|js|md|json)$/.test(it.name))
      .slice(0, isNight() ? 150 : 40)
      .map((it) => path.join(it.parentPath, it.name)),
  )
}
