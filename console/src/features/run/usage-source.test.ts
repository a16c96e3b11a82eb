import { describe, expect, it } from "vitest"
import { anEvent } from "./run.fixture.ts"
import { lastHostReport, newestWire } from "./usage-source.ts"

const usage = (seq: number) =>
  anEvent(seq, { event: "context.usage", used: 10, window: 100, kinds: [] })
const turn = (seq: number) => ({ ...anEvent(seq, { event: "cost" }), type: "user" as const })
const wire = { at: 4_000, proxiedSession: "gw_1", seq: 2, used: 9, kinds: [], savedTokens: 0 }
const context = { used: 10, wire, compactions: [] }

describe("newest report of the context window", () => {
  it("the host's report is as old as the turn that contains it", () => {
    expect(lastHostReport([])).toBeNull()
    expect(lastHostReport([usage(1)])).toBeNull()
    const compacted = anEvent(8, { event: "context.compacted", tokensAfter: 4 })
    expect(lastHostReport([turn(1), usage(2), turn(5), anEvent(6, { event: "cost" })])).toBe(1_000)
    expect(lastHostReport([turn(1), usage(2), turn(5), usage(6), turn(7)])).toBe(5_000)
    expect(lastHostReport([turn(1), usage(2), turn(5), compacted])).toBe(5_000)
  })

  it("the gateway's number counts until the host reports one in a later turn", () => {
    expect(newestWire(context, null)).toBe(wire)
    expect(newestWire(context, 3_999)).toBe(wire)
    expect(newestWire(context, 4_000), "not older").toBe(wire)
    expect(newestWire(context, 4_001)).toBeNull()
    const compactions = [{ seq: 9, at: 4_001 }]
    expect(newestWire({ ...context, compactions }, null)).toBeNull()
    expect(newestWire({ ...context, used: null }, 4_001), "the only report").toBe(wire)
    expect(newestWire({ ...context, wire: null }, null)).toBeNull()
  })
})
