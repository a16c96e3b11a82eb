import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import type { Header } from "./exchange.ts"
import { forwardedHeaders, pairsOf, returnedHeaders } from "./headers.ts"

const forward = (headers: readonly Header[], changedBytes?: number, method = "POST") =>
  pairsOf(forwardedHeaders({ method, headers }, "provider.example", changedBytes))

describe("header lines", () => {
  test("[GATE-3] headers keep their names, case, order and values; Host is the provider's", () => {
    const asked: readonly Header[] = [
      ["X-Api-KEY", "one"],
      ["hOST", "127.0.0.1:1"],
      ["Cookie", "a=1"],
      ["cookie", "b=2"],
      ["content-LENGTH", "12"],
      ["X-Empty", ""],
      ["X-Latin", "café"],
    ]
    const expected = asked.map(([name, value]) => [
      name,
      name === "hOST" ? "provider.example" : value,
    ])
    expect(forward(asked)).toEqual(expected)
  })

  test("[GATE-3] hop-by-hop headers are not forwarded, in either direction", () => {
    const hops: readonly Header[] = [
      ["Connection", "keep-alive"],
      ["Keep-Alive", "timeout=5"],
      ["TE", "trailers"],
      ["Upgrade", "h2c"],
      ["Proxy-Authorization", "Basic x"],
      ["Proxy-Connection", "keep-alive"],
      ["Expect", "100-continue"],
    ]
    expect(forward([["Host", "x"], ...hops], undefined, "GET")).toEqual([
      ["Host", "provider.example"],
    ])
    const back = [...hops, ["Transfer-Encoding", "chunked"], ["Via", "1.1 x"]].flat()
    expect(returnedHeaders(back, false)).toEqual(["Via", "1.1 x"])
  })

  test("[GATE-3] a body keeps its framing, and a changed body gets a Content-Length", () => {
    const chunked: Header = ["Transfer-Encoding", "chunked"]
    const length: Header = ["Content-Length", "5"]
    const trailer: Header = ["Trailer", "x-sum"]
    expect(forward([chunked, trailer])).toEqual([chunked, trailer])
    expect(forward([length, trailer])).toEqual([length])
    expect(forward([chunked, trailer], 7)).toEqual([["Content-Length", "7"]])
    expect(forward([length], 7)).toEqual([["Content-Length", "7"]])
    expect(forward([])).toEqual([["Content-Length", "0"]])
    expect(forward([], undefined, "DELETE")).toEqual([])
  })

  test("[GATE-3] every other header is forwarded unchanged, whatever its name", () => {
    const name = fc.stringMatching(/^x-[A-Za-z0-9!#$%&'*+.^_`|~-]{1,20}$/)
    const lines = fc.array(fc.tuple(name, fc.string({ maxLength: 30 })), { maxLength: 20 })
    fc.assert(
      fc.property(lines, (headers) => {
        expect(forward(headers, undefined, "GET")).toEqual(headers)
        expect(returnedHeaders(headers.flat(), true)).toEqual(headers.flat())
      }),
      fcParameters({ numRuns: 200 }),
    )
  })
})
