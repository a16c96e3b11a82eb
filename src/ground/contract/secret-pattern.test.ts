import { expect, test } from "vitest"
import { Config } from "./config.ts"
import { parseSecretPattern, splitSecretPatterns } from "./secret-pattern.ts"

test("[CONTRACT-14] a pattern of secrets begins with a fixed text and ends certainly", () => {
  const matched = (source: string, text: string) => {
    const parsed = parseSecretPattern(source)
    if (typeof parsed === "string") return parsed
    return [parsed.start, parsed.pattern.exec(text)?.[0]]
  }
  expect(matched("acme_[a-z0-9]{4,8}", "acme_12ab34cdef")).toEqual(["acme_", "acme_12ab34cd"])
  expect(matched("corp-(?:live|test)-\\d+", "corp-test-123x")).toEqual(["corp-", "corp-test-123"])
  expect(matched("k\\.v1\\.[A-Z]{2,4}-[a-z]{3,}", "k.v1.ABC-xyz")).toEqual([
    "k.v1.",
    "k.v1.ABC-xyz",
  ])
  expect(matched("ABCD[0-9]{3}", "ABCD12")).toEqual(["ABCD", undefined])
  expect(matched("corp-(?:live|test)[-]?", "corp-live-")).toEqual(["corp-", "corp-live-"])
  expect(matched("corp-[0-9]{1,2}(?:-a|b)", "corp-1-a")).toEqual(["corp-", "corp-1-a"])
  expect(matched("acme[a-z]?\\d*", "acmex77")).toEqual(["acme", "acmex77"])
})

test.for([
  ["(a+)+$", '"(a+)+$" is not supported'],
  ["acme_(a|a)*", '"(a|a)*" is not supported'],
  ["acme_(?:a|b)+", "(?:a|b) cannot be repeated"],
  [
    "acme_[a-z]{0,9}[a-z]*x",
    "the text after [a-z] may begin with a character of [a-z], so its end is uncertain",
  ],
  [
    "acme_\\w+_end",
    "the text after \\w may begin with a character of \\w, so its end is uncertain",
  ],
  ["[a-z]{40}", "pattern must begin with at least 4 fixed characters"],
  ["ab[0-9]{30}", "pattern must begin with at least 4 fixed characters"],
  ["acme_[0-9]+-[a-z]+-[A-Z]+", "pattern matches more than 512 characters"],
  ["acme_[z-a]{3}", "[z-a] is not a valid class"],
  ["acme_[a]{9,3}", "[a]{9,3} has its numbers in the wrong order"],
  ["acme_\\1", "\\1 is not supported"],
  ["acme_(?=x)", '"(?=x)" is not supported'],
  ["a".repeat(301), "pattern exceeds 300 characters"],
])("[CONTRACT-14] %s is refused", ([source = "", reason]) => {
  expect(parseSecretPattern(source)).toBe(reason)
})

test("[CONTRACT-14] `secrets.patterns` has patterns separated by blanks", () => {
  expect(splitSecretPatterns("  acme_[a-z]{8}\n corp-\\d{9} ")).toEqual([
    "acme_[a-z]{8}",
    "corp-\\d{9}",
  ])
  expect(Config.parse({ secrets: { patterns: "acme_[a-z]{8}" } }).secrets.patterns).toBe(
    "acme_[a-z]{8}",
  )
  expect(
    Config.safeParse({ secrets: { patterns: "ok_ok_[a-z]{8} (a+)+$" } }).error?.issues[0]?.message,
  ).toBe('pattern 2: "(a+)+$" is not supported')
  const many = Array.from({ length: 51 }, (_, at) => `acme${at}_[a-z]{8}`).join(" ")
  expect(Config.safeParse({ secrets: { patterns: many } }).error?.issues[0]?.message).toBe(
    "more than 50 patterns",
  )
})
