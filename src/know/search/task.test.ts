import fc from "fast-check"
import { expect, test } from "vitest"
import { isNight } from "#test/seed"
import { isIssue, parseIssue } from "./issue/parse-issue.ts"
import { readTask } from "./task.ts"

const PROSE = "The cart rounds each line before it adds the shipping costs of the order. "

test("[SEARCH-17] a task is an issue from 60 words, five words of code or a stack frame on", () => {
  const isReadAsIssue = (text: string) => readTask(text).issue !== undefined
  expect(isReadAsIssue("fix rounding of quotes")).toBe(false)
  expect(isReadAsIssue(PROSE.repeat(4))).toBe(false)
  expect(isReadAsIssue(PROSE.repeat(5))).toBe(true)
  expect(isReadAsIssue("Wrong total\n```\ncart = Cart()\ncart.add(1)\nprint(cart)\n```")).toBe(true)
  expect(isReadAsIssue('Crash\n  File "shop/cart.py", line 3, in total')).toBe(true)
  expect(isReadAsIssue("Crash\n\tat org.shop.Cart.total(Cart.java:12)")).toBe(true)
})

test("[SEARCH-17] a short phrase is never an issue, so parsing it as one is left out", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\w[\w -]{0,79}$/), (phrase) => {
      expect(isIssue(parseIssue(phrase))).toBe(false)
    }),
  )
})

test("[SEARCH-17] an issue that consists of addresses is searched by its words", () => {
  const task = readTask("https://example.org/shop/issues/12 ".repeat(30))
  expect(task.issue).toBe(undefined)
  expect(task.query.terms).toContain("shop")
})

test("[SEARCH-17] the terms of an issue include its defined names with case", () => {
  const { terms } = readTask(
    "Cart.total() is wrong\n```\nfrom shop import Cart\nCart().total()\n```",
  )
  expect(terms).toEqual(expect.arrayContaining(["cart", "total", "=Cart", "=total"]))
})

test.for([
  "<!-- ",
  "![",
  "` ",
  "a.",
  "at a(",
  'File "',
  "from a import ",
  "#1 ",
  "  \n",
  "```\n",
  "Error: ",
  "- [ ] ",
  "python: 1.1 ",
])("[SEARCH-2] parseIssue reads repetitions of %j in time linear in their number", (piece) => {
  const unit = isNight() ? 20_000 : 5_000
  const times = [1, 4].map((factor) => {
    const text = `Title\n${piece.repeat((unit * factor) / piece.length)}`
    parseIssue(text)
    const started = process.cpuUsage()
    for (let round = 0; round < 3; round++) parseIssue(text)
    const { user, system } = process.cpuUsage(started)
    return user + system
  })
  // Linear is a factor of 4; quadratic would be 16. The constant absorbs short times.
  expect(times[1]).toBeLessThan(10 * (times[0] ?? 0) + 60_000)
})
