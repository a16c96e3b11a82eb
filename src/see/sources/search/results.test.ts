import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { readResults } from "./results.ts"

const text = (it: string) => ({ type: "text" as const, text: it })
const answer = (content: readonly ReturnType<typeof text>[], structured?: unknown) => ({
  content,
  structured,
  isError: false,
})
const RESULT = { title: "One", url: "https://a.example/1", text: "first" }

describe("formats of search results", () => {
  test("[SOURCES-13] results are found at any depth of a structured response", () => {
    const raw = { name: "One", link: "https://a.example/1", snippet: "first" }
    for (const structured of [[raw], { results: [raw] }, { web: { results: [raw] } }, raw]) {
      expect(readResults(answer([], structured), 5)).toEqual([RESULT])
    }
  })

  test("[SOURCES-13] results are read from JSON text, one for all or one per result", () => {
    const two = { ...RESULT, url: "https://a.example/2" }
    expect(readResults(answer([text(JSON.stringify([RESULT, two]))]), 5)).toEqual([RESULT, two])
    const apart = [RESULT, two].map((it) => text(JSON.stringify(it)))
    expect(readResults(answer(apart), 5)).toEqual([RESULT, two])
  })

  test("[SOURCES-13] results are read from lines of text", () => {
    const lines = [
      "Detailed results:",
      "",
      "Title: One",
      "URL: https://a.example/1",
      "Content: first",
      "and more",
      "Title: Two",
      "URL: https://a.example/2",
      "Content: second",
    ]
    expect(readResults(answer([text(lines.join("\n"))]), 5)).toEqual([
      { ...RESULT, text: expect.stringContaining("first\nand more") },
      { title: "Two", url: "https://a.example/2", text: "second" },
    ])
  })

  test("[SOURCES-13] results are read from resource links", () => {
    const link = {
      type: "resource_link" as const,
      uri: RESULT.url,
      name: "One",
      description: "first",
    }
    const image = { type: "image" as const, data: "", mimeType: "image/png" }
    expect(
      readResults({ content: [image, link], structured: undefined, isError: false }, 5),
    ).toEqual([RESULT])
  })
})

describe("limits of search results", () => {
  test("[SOURCES-13] only http addresses, each once, and at most the requested number", () => {
    const urls = [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "data:text/html,x",
      "ftp://a.example/",
      "https://name:word@a.example/",
      "not an address",
      "/relative",
      `https://a.example/${"x".repeat(2_000)}`,
      "https://a.example/1",
      "https://a.example/1",
      " http://a.example/2 ",
      "https://a.example/3",
    ]
    const found = readResults(
      answer(
        [],
        urls.map((url) => ({ url, title: "x", text: "" })),
      ),
      2,
    )
    expect(found.map((it) => it.url)).toEqual(["https://a.example/1", "http://a.example/2"])
  })

  test("[SOURCES-13] texts are truncated, hidden characters removed, and a missing title is the address", () => {
    const hidden = "vis\u200bible\u202e text\u{e0041}"
    const [found] = readResults(
      answer([], { url: RESULT.url, text: `${hidden}${"x".repeat(5_000)}` }),
      5,
    )
    expect(found?.title).toBe(RESULT.url)
    expect(found?.text.startsWith("visible textx")).toBe(true)
    expect(found?.text).toHaveLength(2_000)
  })

  test("[SOURCES-13] for any response, results are bounded and have http addresses only", () => {
    const strange = fc.oneof(
      fc.jsonValue({ maxDepth: 6 }),
      fc.object({ key: fc.constantFrom("url", "text", "title", "results") }),
    )
    fc.assert(
      fc.property(strange, fc.string(), fc.integer({ min: 1, max: 20 }), (value, words, limit) => {
        const blocks = [text(words), text(JSON.stringify(value) ?? "")]
        const found = readResults(answer(blocks, value), limit)
        expect(found.length).toBeLessThanOrEqual(limit)
        for (const it of found) {
          expect(it.url).toMatch(/^https?:\/\//)
          expect(it.text.length).toBeLessThanOrEqual(2_000)
        }
      }),
      fcParameters({ numRuns: 300 }),
    )
  })
})
