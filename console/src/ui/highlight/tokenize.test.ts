import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import { tokenizeCode } from "./tokenize.ts"

const coloured = (text: string, language: string) =>
  (tokenizeCode(text, language) ?? []).flatMap((it) =>
    it.kind === undefined ? [] : [`${it.kind} ${it.text}`],
  )

describe("code highlighting", () => {
  it("[CONSOLE-105] keywords, texts, numbers and comments get their own kind", () => {
    expect(coloured('const a = "b // c" // d\nreturn 1.5', "ts")).toEqual([
      "keyword const",
      'string "b // c"',
      "comment // d",
      "keyword return",
      "number 1.5",
    ])
    expect(coloured("def f():\n  '''doc\n  x'''  # end", "python")).toEqual([
      "keyword def",
      "string '''doc\n  x'''",
      "comment # end",
    ])
    expect(coloured("SELECT id FROM t -- all", "sql")).toEqual([
      "keyword SELECT",
      "keyword FROM",
      "comment -- all",
    ])
    expect(coloured("a { color: red /* x */; }", "css")).toEqual(["comment /* x */"])
  })

  it("[CONSOLE-105] an open quote ends with its line, an open comment with the text", () => {
    expect(coloured("let a = 'x\nlet b", "js")).toEqual(["keyword let", "string 'x", "keyword let"])
    expect(coloured("/* never closed", "go")).toEqual(["comment /* never closed"])
    expect(coloured('"a\\"b"', "json")).toEqual(['string "a\\"b"'])
  })

  it("[CONSOLE-105] an unknown language and a long text have no colours", () => {
    expect(tokenizeCode("x", "klingon")).toBeUndefined()
    expect(tokenizeCode("x", "constructor")).toBeUndefined()
    expect(tokenizeCode("x".repeat(60_001), "ts")).toBeUndefined()
  })

  it("[CONSOLE-105] the parts together are the text, whatever it is", () => {
    const languages = ["ts", "py", "sql", "css", "html", "sh", "yaml", "rs"]
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.constantFrom(...languages),
        (text, language) => {
          const parts = tokenizeCode(text, language) ?? []
          expect(parts.map((it) => it.text).join("")).toBe(text)
        },
      ),
      withSeed(),
    )
  })
})
