import { describe, expect, test } from "vitest"
import { readPatterns, splitList, transform } from "./transform.ts"

describe("transform of an instruction file", () => {
  test.each([
    ["a head goes", "---\na: 1\n---\nbody", "body"],
    ["a broken head goes too", "---\na: [1\nb: }\n---\nbody", "body"],
    ["a head that does not end stays", "---\na: 1\nbody", "---\na: 1\nbody"],
    ["a mark at the start goes with a head", "\uFEFF---\na: 1\n---\nx", "x"],
    ["dashes in a value end the head", "---\na: x---\nb\n---\nc", "b\n---\nc"],
    ["a comment of its own goes", "a\n\n<!-- c -->\n\nb", "a\n\nb"],
    ["a comment over lines goes", "a\n\n<!--\nc\n-->\nb", "a\n\nb"],
    ["words behind a comment stay", "a\n\n<!-- c --> d\n\nb", "a\n\n d\n\nb"],
    ["a comment in a sentence stays", "a <!-- c --> b", "a <!-- c --> b"],
    ["a comment in a fence stays", "```\n<!-- c -->\n```", "```\n<!-- c -->\n```"],
    ["a comment without an end stays", "<!-- c", "<!-- c"],
    ["other lines keep their ends", "a\r\nb\r\n", "a\r\nb\r\n"],
  ])("[HOSTS-7] %s", async (_, raw, sent) => {
    expect((await transform(raw)).content).toBe(sent)
  })

  test("[HOSTS-7] invalid UTF-8 becomes replacement characters, as in the host", async () => {
    const raw = Buffer.from([0x61, 0xff, 0x62]).toString()
    expect((await transform(raw)).content).toBe("a\uFFFDb")
  })
})

test("[HOSTS-3] `paths` can be a text, a comma-separated text or a list", () => {
  expect(readPatterns("a/**, b")).toEqual(["a", "b"])
  expect(readPatterns(["x/*.{a, b}", 3, "y,z"])).toEqual(["x/*.a", "x/*.b", "y", "z"])
  for (const always of [undefined, 3, "", [], "**", ["**", ""], "/**"]) {
    expect(readPatterns(always)).toEqual([])
  }
  const bomb = "{a,b}".repeat(20)
  expect(readPatterns(bomb)).toEqual([bomb])
  expect(splitList("a, {b,c},d ,")).toEqual(["a", "{b,c}", "d"])
})
