import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compareText } from "#ground/base"
import { fcParameters } from "#test/seed"
import { definedNames } from "../definitions.ts"
import { LONGEST_TASK_UNITS, LONGEST_TERM_UNITS, MOST_QUERY_TERMS } from "../limits.ts"
import {
  countMessageTerms,
  countNameTerms,
  countTerms,
  readQuery,
  STOP_WORDS,
  wordForms,
} from "./words.ts"

describe("countTerms", () => {
  test.for([
    ["parseHTTPRequest", ["parse", "http", "request", "parsehttprequest"]],
    ["HTTPServer2 IPv6", ["http", "server", "httpserver2", "pv", "ipv6"]],
    ["__init__ _a1_ x", ["init", "a1"]],
    ["MAX_SIZE", ["max", "size", "max_size"]],
    ["3foo naïve", ["foo", "na", "ve"]],
  ] as const)("[SEARCH-1] %s", ([text, terms]) => {
    expect([...countTerms(text).counts.keys()]).toEqual(terms)
  })

  test("[SEARCH-1] counts every emitted term, including the whole identifier", () => {
    const { counts, emitted } = countTerms("fooFoo foo_1 foo")
    expect(counts).toEqual(
      new Map([
        ["foo", 4],
        ["foofoo", 1],
        ["foo_1", 1],
      ]),
    )
    expect(emitted).toBe(6)
  })

  test("[SEARCH-1] any text gives the terms of the two reference patterns", () => {
    const letters = fc.constantFrom(..."aZbY_09 -./\n$äΩ😀")
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: letters }))
    fc.assert(
      fc.property(texts, (text) => {
        const { counts, emitted } = countTerms(text)
        const defined = termsByDefinition(text)
        const groups = Map.groupBy(defined, (term) => term)
        expect([...counts]).toEqual([...groups].map(([term, all]) => [term, all.length]))
        expect(emitted).toBe(defined.length)
      }),
      fcParameters({ numRuns: 1_000 }),
    )
  })

  test("[SEARCH-1] a message leaves out its stop words", () => {
    expect([...countMessageTerms("Fix the a rounding of Prices").keys()]).toEqual([
      "rounding",
      "prices",
    ])
  })

  test("[SEARCH-1] the stop words equal those of the reference", () => {
    const list = [...STOP_WORDS].toSorted(compareText).join(" ")
    expect(STOP_WORDS.size).toBe(157)
    expect(createHash("sha256").update(list).digest("hex")).toBe(
      "2f630b06405fff4472cca8a7b969e3a14425ce671f4adbe548112fc27fee752e",
    )
  })

  test("[SEARCH-1] names may contain non-ASCII characters", () => {
    expect([...countNameTerms(["$fooBar", "größe", "größe"]).keys()]).toEqual([
      "foo",
      "bar",
      "$foobar",
      "gr",
      "größe",
    ])
  })
})

function termsByDefinition(text: string): readonly string[] {
  return [...text.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)].flatMap(([word]) => {
    const parts = word.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g) ?? []
    const terms = parts.filter((it) => it.length > 1).map((it) => it.toLowerCase())
    return parts.length > 1 ? [...terms, word.toLowerCase().replace(/^_+|_+$/g, "")] : terms
  })
}

describe("hostile text", () => {
  test("[SEARCH-2] words of several megabytes are read and not stored", () => {
    const long = `a${"_".repeat(2_000_000)}b ${"Q".repeat(5_000_000)} ${"x1".repeat(50)}`
    expect(countTerms(long)).toEqual({ counts: new Map(), emitted: 3 })
    const line = `${"y".repeat(LONGEST_TERM_UNITS)} ${"z".repeat(LONGEST_TERM_UNITS + 1)}`
    expect([...countTerms(line).counts.keys()]).toEqual(["y".repeat(LONGEST_TERM_UNITS)])
    expect(countNameTerms(["z".repeat(LONGEST_TERM_UNITS + 1)]).size).toBe(0)
  })

  test("[SEARCH-2] the search for definitions ends on a file of modifiers only", () => {
    expect(definedNames("public\n".repeat(200_000)).size).toBe(0)
    expect(definedNames(`${"public ".repeat(100_000)}class Quay`).size).toBe(0)
    expect(definedNames(`${" ".repeat(1_000_000)}=`).size).toBe(0)
    expect(definedNames(`a${".a".repeat(500_000)}`).size).toBe(0)
    expect(definedNames(`int a${" a(".repeat(300_000)};`).size).toBe(0)
  })

  test("[SEARCH-2] a task of 1 MB is read up to the limit, with a limited number of terms", () => {
    const words = Array.from({ length: 100_000 }, (_, index) => `word${index}x`).join(" ")
    expect(readQuery(words).terms).toHaveLength(MOST_QUERY_TERMS)
    expect(readQuery(`${" ".repeat(LONGEST_TASK_UNITS)} rounding`).terms).toEqual([])
  })
})

describe("names that a text defines", () => {
  test.for([
    ["export async function loadPage(", ["loadPage"]],
    ["func (c *Cache) Get(key string) {", ["Get"]],
    ["  def self.build(options)", ["build"]],
    ["pub(crate) fn next_token(&mut self)", ["next_token"]],
    ["const open = async (props) =>", ["open"]],
    ["exports.run = function () {}", ["run"]],
    ["  private final int size(String key) {", ["size"]],
    ["static int parse_line(char *text)", ["parse_line"]],
    ["class $Größe {}", ["$Größe"]],
    ["return value", []],
  ] as const)("[SEARCH-1] %s", ([text, names]) => {
    expect([...definedNames(text)]).toEqual(names)
  })
})

test("[SEARCH-1] words and definitions are the same by every way of reading a text", () => {
  const texts = sourceTexts()
  expect(texts.length).toBeGreaterThan(10)
  for (const text of texts) {
    // A word that is too long to be remembered makes each word of the text be read anew.
    const long = "q".repeat(100)
    const [once, anew] = [countTerms(text), countTerms(`${text}\n${long}`)]
    expect([...anew.counts]).toEqual([...once.counts])
    expect(anew.emitted).toBe(once.emitted + 1)
    // A separator of lines makes each pattern be tried everywhere.
    expect([...definedNames(`${text}\n\u2028`)]).toEqual([...definedNames(text)])
  }
})

function sourceTexts(): readonly string[] {
  const here = path.dirname(import.meta.dirname)
  const folders = [here, path.join(here, "../../../test/languages")]
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile())
      .map((it) => readFileSync(path.join(it.parentPath, it.name), "utf8")),
  )
}

describe("readQuery", () => {
  test("[SEARCH-1] a repeated word weighs more, up to three times", () => {
    const query = readQuery("\n\n  Round prices\n\nprices tax tax tax tax")
    expect(query.terms).toEqual(["round", "prices", "tax"])
    expect([...query.weights]).toEqual([1, Math.SQRT2, Math.sqrt(3)])
    expect(query.isSubject).toEqual([true, true, false])
  })
})

describe("word forms", () => {
  test("[SEARCH-20] a word has its singular, plural, past and -ing forms, without itself", () => {
    expect(wordForms("quotes")).toEqual(expect.arrayContaining(["quote", "quoted", "quoting"]))
    expect(wordForms("rounding")).toEqual(expect.arrayContaining(["round", "rounded", "rounds"]))
    expect(wordForms("round")).toContain("rounding")
    expect(wordForms("round")).not.toContain("round")
    expect(wordForms("is")).toEqual([])
  })
})
