import { expect, test } from "vitest"
import { isTwin, textPrintOf } from "./similarity.ts"

const of = (body: string, title = "") => textPrintOf({ title, body })
const words = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `word${from + at}`).join(" ")

test("[MEMORY-8] equal words are duplicates regardless of case, punctuation, spacing and width", () => {
  expect(isTwin(of("Use   TABS,\nnot spaces."), of("use tabs not ｓｐａｃｅｓ"))).toBe(true)
  expect(isTwin(of("spaces.", "Use tabs, not"), of("use tabs not spaces"))).toBe(true)
})

test("[MEMORY-8] one changed word makes a short text different, but not a long one", () => {
  const long = words(400)
  expect(isTwin(of(long), of(long.replace("word200 ", "other ")))).toBe(true)
  expect(isTwin(of("Use tabs for it"), of("Use spaces for it"))).toBe(false)
  expect(isTwin(of("The port is 4242"), of("The port is 4243"))).toBe(false)
  expect(isTwin(of(long), of(words(400, 200)))).toBe(false)
  expect(isTwin(of(long), of(long.split(" ").toReversed().join(" ")))).toBe(false)
})

test("[MEMORY-8] texts without a word are never duplicates", () => {
  expect(isTwin(of("!!!"), of("???"))).toBe(false)
  expect(isTwin(of(""), of(""))).toBe(false)
})

test("[MEMORY-8] a thousand short texts are all different", () => {
  const prints = Array.from({ length: 1_000 }, (_, at) => of(`lesson ${at} about part ${at * 7}`))
  const twins = prints.flatMap((a, at) => prints.slice(at + 1).filter((b) => isTwin(a, b)))
  expect(twins).toEqual([])
})
