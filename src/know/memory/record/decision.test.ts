import { expect, test } from "vitest"
import { decisionBody } from "./decision.ts"

test("[MEMORY-22] a decision has three headings, and its parts have none of their own", () => {
  const body = decisionBody({
    context: "Two stores.\r\n# not a heading\n  ## nor this",
    decision: "  One store. #1 stays.  ",
    consequences: "\n",
  })
  expect(body).toMatchInlineSnapshot(`
    "## Context

    Two stores.
    \\# not a heading
      \\## nor this

    ## Decision

    One store. #1 stays.

    ## Consequences

    None given."
  `)
})
