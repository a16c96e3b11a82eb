import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { type ExtractedJson, extractJson } from "./extract-json.ts"

const found = (value: unknown): ExtractedJson => ({ kind: "found", value })
const NONE: ExtractedJson = { kind: "none" }
const CUT: ExtractedJson = { kind: "cut" }

const ANSWERS: readonly (readonly [string, string, ExtractedJson])[] = [
  ["plain JSON", '{"a":1}', found({ a: 1 })],
  ["blanks around it", '\n\n  {"a":1}\n', found({ a: 1 })],
  ["a byte-order mark", '\uFEFF{"a":1}', found({ a: 1 })],
  ["a fence", '```json\n{"a":1}\n```', found({ a: 1 })],
  ["a fence without a language", '```\n{"a":1}\n```', found({ a: 1 })],
  ["a fence of tildes", '~~~json\n{"a":1}\n~~~', found({ a: 1 })],
  ["a fence that is not closed", '```json\n{"a":1}', found({ a: 1 })],
  ["a number in a fence", "```json\n42\n```", found(42)],
  ["a sentence before", 'Here is the answer: {"a":1}', found({ a: 1 })],
  ["a sentence after", '{"a":1}\n\nI hope this helps.', found({ a: 1 })],
  ["a fence between sentences", 'Sure.\n```json\n{"a":1}\n```\nDone.', found({ a: 1 })],
  ["a footnote before", 'As [1] and [2] say: {"a":1}', found({ a: 1 })],
  ["a mark before", 'See [P1] and [W2].\n{"a":1}', found({ a: 1 })],
  [
    "a longer echo before a fence",
    '{"question":"why so"} →\n```json\n{"a":1}\n```',
    found({ a: 1 }),
  ],
  ["tags around it", '<answer>{"a":1}</answer>', found({ a: 1 })],
  ["an assignment", 'const answer = {"a":1};', found({ a: 1 })],
  ["thoughts before", '<think>maybe {"b":"something longer"}</think>{"a":1}', found({ a: 1 })],
  ["JSON inside a string", '"{\\"a\\":1}"', found({ a: 1 })],
  ["two objects, the longer", '{"a":1}\n{"a":1,"b":2}', found({ a: 1, b: 2 })],
  ["a trailing comma in an object", '{"a":1,}', found({ a: 1 })],
  ["a trailing comma in a list", '{"a":[1,2,]}', found({ a: [1, 2] })],
  ["missing commas between fields", '{"a":1\n"b":2}', found({ a: 1, b: 2 })],
  ["missing commas in a list", '{"a":["x" "y"]}', found({ a: ["x", "y"] })],
  ["single quotes", "{'a':'it'}", found({ a: "it" })],
  ["curly quotes", "{“a”:“x”}", found({ a: "x" })],
  ["an escaped single quote", "{'a':'it\\'s'}", found({ a: "it's" })],
  ["an escaped single quote in double ones", '{"a":"it\\\'s"}', found({ a: "it's" })],
  ["bare keys", "{a: 1, is_b: 2, c-d: 3}", found({ a: 1, is_b: 2, "c-d": 3 })],
  ["bare keys of another language", "{größe: 1}", found({ größe: 1 })],
  ["a line comment", '{"a":1, // the first\n"b":2}', found({ a: 1, b: 2 })],
  ["a block comment", '{/* one */"a":1}', found({ a: 1 })],
  ["an address is no comment", '{"a":"https://x.y/z",}', found({ a: "https://x.y/z" })],
  ["Python's words", "{'a':True,'b':False,'c':None}", found({ a: true, b: false, c: null })],
  ["no numbers", '{"a":NaN,"b":-Infinity,"c":undefined}', found({ a: null, b: null, c: null })],
  ["numbers as people write them", "[+1, .5, 2., 1e3, -4]", found([1, 0.5, 2, 1_000, -4])],
  ["a line break in a string", '{"a":"one\ntwo"}', found({ a: "one\ntwo" })],
  ["a tab in a string", '{"a":"one\ttwo"}', found({ a: "one\ttwo" })],
  ["an escape that is none", '{"a":"\\d+ \\alpha",}', found({ a: "\\d+ \\alpha" })],
  ["the usual escapes", "{'a':'\\n\\t\\u00e9\\\\\\/'}", found({ a: "\n\té\\/" })],
  ["half a pair of surrogates", "{'a':'\\ud83d'}", found({ a: "\ud83d" })],
  ["brackets in a string", '{"a":"}]{[",}', found({ a: "}]{[" })],
  ["a fence in a string", '```json\n{"a":"```js\\nx\\n```"}\n```', found({ a: "```js\nx\n```" })],
  ["a list at the top", 'Items: [{"a":1},{"a":2}]', found([{ a: 1 }, { a: 2 }])],
  ["empty ones", '{"a":{},"b":[],}', found({ a: {}, b: [] })],
  ["the last of two equal keys", "{a:1,a:2}", found({ a: 2 })],
  ["a string cut off", '{"a":"some te', CUT],
  ["a list cut off", '{"a":[1,2', CUT],
  ["a word cut off", '{"a":tru', CUT],
  ["a key cut off", '{"a":1,"b', CUT],
  ["cut after a whole part", '{"findings":[{"a":1},{"b":', CUT],
  ["cut after a footnote", 'As [1] says: {"a":"b', CUT],
  ["prose", "I cannot answer this question.", NONE],
  ["nothing", "", NONE],
  ["blanks", " \n ", NONE],
  ["marks only", "See [P1].", NONE],
  ["code", "if (a) { return b }", NONE],
  ["left out parts", '{"a":[1, ...]}', NONE],
]

describe("extractJson", () => {
  test.each(ANSWERS)("[MODEL-4] extractJson reads %s", (_, text, expected) => {
    expect(extractJson(text)).toEqual(expected)
  })

  test("[MODEL-4] the table has at least forty responses", () => {
    expect(ANSWERS.length).toBeGreaterThanOrEqual(40)
  })

  test("[MODEL-4] a field named `__proto__` is an ordinary field", () => {
    const { value } = extractJson("{__proto__: {a: 1}, b: 2,}") as { value: object }
    expect(Object.keys(value)).toEqual(["__proto__", "b"])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test("[MODEL-5] complete JSON is read as JSON.parse reads it, whatever text is around it", () => {
    const property = fc.property(
      fc.object(),
      fc.constantFrom("", "So:\n", "```json\n"),
      (value, before) => {
        const text = `${before}${JSON.stringify(value)}`
        expect(extractJson(text)).toEqual(found(JSON.parse(JSON.stringify(value))))
      },
    )
    fc.assert(property, fcParameters({ numRuns: 300 }))
  })

  test("[MODEL-5] extractJson throws for no text", () => {
    const character = fc.constantFrom(
      ..."{}[]\",:'\\/*`“”tfn1.-+eN \n".split(""),
      "```json\n",
      "<think>",
    )
    const texts = fc.oneof(
      fc.string(),
      fc.array(character, { maxLength: 60 }).map((it) => it.join("")),
    )
    const property = fc.property(texts, (text) => {
      expect(["found", "cut", "none"]).toContain(extractJson(text).kind)
    })
    fc.assert(property, fcParameters({ numRuns: 2_000 }))
  })

  const HALF_A_MILLION = 500_000
  test.each([
    ["opened lists", "["],
    ["opened objects", "{"],
    ["opened fields", '{"a":'],
    ["lists with comments", "[/*"],
    ["strings that do not end", '["'],
    ["quotes", '"'],
    ["fences", "```json\n"],
    ["thoughts", "<think>"],
    ["backslashes", "['\\"],
    ["nested lists", "[1,"],
    ["letters in a list", "[a"],
    ["digits", "[1"],
    ["blanks", "[ "],
  ])("[MODEL-5] half a million characters of %s are read in bounded time", (_, unit) => {
    const text = unit.repeat(Math.ceil(HALF_A_MILLION / unit.length))
    // Quadratic work on this text would take most of an hour and time out.
    expect(["cut", "none"]).toContain(extractJson(text).kind)
  })

  test("[MODEL-5] a value deeper than a hundred levels is not accepted", () => {
    const deep = "[".repeat(5_000) + "]".repeat(5_000)
    expect(extractJson(deep).kind).not.toBe("found")
    expect(extractJson("[".repeat(90) + "]".repeat(90)).kind).toBe("found")
  })
})
