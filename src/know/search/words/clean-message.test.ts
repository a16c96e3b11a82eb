import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { cleanMessage } from "./clean-message.ts"

describe("cleanMessage", () => {
  test.for([
    ["Round cents (#12)", "Round cents"],
    ["Fixes #12, #13 -- Round cents", "Round cents"],
    ["Fixed #12, Refs #7 -- Round cents", "Round cents"],
    ["Round cents, closes: acme/shop#44.", "Round cents, ."],
    ["GH-12 Round cents", "Round cents"],
    ["SHOP-1234: Round cents", "Round cents"],
    ["[SHOP-1234] Round cents", "Round cents"],
    ["UTF-8: read SHA-256 of bytes", "UTF-8: read SHA-256 of bytes"],
    ["See https://example.invalid/a?b=c#d for rounding", "See for rounding"],
    ["Regression in 5d911f2d2fecc703 of rounding", "Regression in of rounding"],
    ["A defaced facade of 1234567 words", "A defaced facade of 1234567 words"],
    ["Call round() and total(#2)", "Call round() and total( )"],
    ["Write to <ann@example.invalid> and lodash@4.17", "Write to and lodash@4.17"],
    ["feat(cli)!: show the budget", "cli: show the budget"],
    ["fix: show the budget", "show the budget"],
    ["docs(cli): show the budget", "docs(cli): show the budget"],
    ["&#123; is an entity, a#12 an anchor", "&#123; is an entity, a#12 an anchor"],
  ] as const)("[SEARCH-13] cleans one line: %s", ([message, cleaned]) => {
    expect(cleanMessage(message)).toBe(cleaned)
  })

  test("[SEARCH-13] removes trailers, quoted headers and link introductions, and leaves the other words", () => {
    const message = [
      "Round half a cent",
      "",
      "On Mon, 3 May, Ann Example wrote:",
      "> From: Ann Example",
      "> Subject: cents",
      "> Totals are off by one.",
      "From: Bob",
      "Date: today",
      "",
      "Fixes: https://example.invalid/issues/12",
      "Date: is a class of its own here",
      "",
      "Signed-off-by: Ann Example",
      "Co-authored-by: Bob Example",
      "Reviewed-by: Cy",
      "Change-Id: I5d911f2d2fecc703be91b2b9b28acc59d34b35f3",
      "(cherry picked from commit 5d911f2d2f)",
    ]
    expect(cleanMessage(message.join("\r\n"))).toMatchInlineSnapshot(`
      "Round half a cent

      cents
      > Totals are off by one.

      Date: is a class of its own here"
    `)
  })

  test("[SEARCH-13] the first line is never a trailer, and leading blank lines are removed", () => {
    expect(cleanMessage("Cc: send copies\n\nCc: ann")).toBe("Cc: send copies")
    expect(cleanMessage("#12\n\nRound cents")).toBe("Round cents")
    expect(cleanMessage("https://example.invalid/issues/12")).toBe("")
  })

  test("[SEARCH-13] plain words are unchanged", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/)
    const line = fc.array(word, { minLength: 1, maxLength: 8 }).map((it) => `so ${it.join(" ")}`)
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        expect(cleanMessage(lines.join("\n"))).toBe(lines.join("\n"))
      }),
      fcParameters({ numRuns: 100 }),
    )
  })

  // A pattern that restarts at every position would take hours for one of these.
  test.for([
    "a",
    "a.",
    "#1",
    "#1,",
    "0a",
    "a-",
    "a/",
    "fix ",
    "fixes: ",
    "> ",
    " ",
    "\t",
    "\n",
    "(",
    "http://",
    "From: x\n",
    "On ",
    "-",
  ])("[SEARCH-2] cleans a long repetition of %j in bounded time", (part) => {
    const message = part.repeat(100_000)
    expect(cleanMessage(message).length).toBeLessThanOrEqual(message.length)
  })
})
