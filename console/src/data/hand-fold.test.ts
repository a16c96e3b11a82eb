import { describe, expect, it } from "vitest"
import { anItem, aRequest } from "../features/gateway/gateway.fixture.ts"
import { describeSpan, draftOf, requestsWithResults } from "./hand-fold.ts"

describe("folding a span by hand", () => {
  const read = anItem("result", "Read")
  const [first, aside, plain] = [
    aRequest(1, { added: [read, anItem("user", "")] }),
    aRequest(2, { agent: "explorer", added: [read] }),
    aRequest(3, { added: [anItem("user", "")] }),
  ]

  it("only requests of the main conversation that brought results can be selected", () => {
    const shown = requestsWithResults([first, aside, plain], "gw_1")
    expect(shown.map((it) => it.seq)).toEqual([1])
    expect(requestsWithResults([first], "gw_2"), "of another proxied session").toEqual([])
  })

  it("the draft names the calls, and the description what is replaced", () => {
    expect(draftOf([first])).toBe("Done: Read.")
    expect(draftOf([])).toBe("")
    expect(describeSpan([first])).toMatch(
      /^Replaces 1 tool result with [\d,]+ tokens from the next/,
    )
    expect(describeSpan([])).toBe("No request has a tool result.")
  })
})
