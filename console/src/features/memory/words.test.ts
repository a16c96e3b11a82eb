import { describe, expect, it } from "vitest"
import { MemoryState } from "#ground/contract"
import { aMemory, OUTSIDE } from "./memory.fixture.ts"
import { withRating } from "./use-memory.ts"
import {
  describeConfidence,
  describeForget,
  describeFullSource,
  describeSignals,
  describeSource,
  describeStaleCites,
  describeState,
  describeUses,
  isQuarantined,
  markOf,
  placeOf,
} from "./words.ts"

describe("texts of the page Memory", () => {
  it("every state has its own mark, and quarantined has another one", () => {
    const marks = MemoryState.options.map((state) => markOf(aMemory("m", { state })))
    const held = aMemory("m", { source: OUTSIDE })
    expect(new Set([...marks, markOf(held)]).size).toBe(MemoryState.options.length + 1)
    expect([isQuarantined(held), describeState(held)]).toEqual([true, "quarantined"])
  })

  it("only an unconfirmed memory from outside is quarantined", () => {
    expect(isQuarantined(aMemory("m"))).toBe(false)
    expect(isQuarantined(aMemory("m", { source: OUTSIDE, state: "confirmed" }))).toBe(false)
    expect(describeState(aMemory("m"))).toBe("proposed")
  })

  it.each([
    [0.93, "high"],
    [0.85, "high"],
    [0.7, "fair"],
    [0.69, "low"],
    [0.39, "poor"],
  ])("a confidence of %d is called %s", (confidence, label) => {
    expect(describeConfidence(confidence)).toBe(label)
  })

  it("the source names author, location and commit, and omits unknown values", () => {
    expect(describeSource(aMemory("m"))).toBe("an agent, distilled")
    expect(describeFullSource(aMemory("m"))).toBe("an agent, distilled, in session s-1, at 4e2a19c")
    expect(describeFullSource(aMemory("m", { source: OUTSIDE }))).toBe("an agent")
  })

  it("changed and missing citations are counted", () => {
    const cite = (state: "fresh" | "changed" | "gone") => ({ path: "a.ts", sha: "1", state })
    expect(describeStaleCites(aMemory("m", { cites: [cite("fresh")] }))).toBe("")
    const cites = [cite("changed"), cite("changed"), cite("gone")]
    expect(describeStaleCites(aMemory("m", { cites }))).toBe("2 citations changed, 1 citation gone")
    expect(placeOf({ ...cite("fresh"), symbol: "roundLine" })).toBe("a.ts#roundLine")
  })

  it("signals and uses are given in words, and none is not shown as 0", () => {
    const signals = { helpful: 4, unhelpful: 1, succeeded: 1, failed: 0 }
    expect(describeSignals(aMemory("m", { signals }))).toBe(
      "4 helpful, 1 unhelpful, 1 task succeeded",
    )
    expect(describeSignals(aMemory("m"))).toBe("none yet")
    expect(describeUses(aMemory("m"))).toBe("never on this machine")
    expect(describeUses(aMemory("m", { uses: 2 }))).toBe("2 times on this machine")
  })

  it("a rating adds one signal at once and does not change the confidence", () => {
    const memory = aMemory("m")
    expect(withRating(memory, "helpful").signals.helpful).toBe(1)
    expect(withRating(memory, "unhelpful").signals).toMatchObject({ helpful: 0, unhelpful: 1 })
    expect(withRating(memory, "unhelpful").confidence).toBe(memory.confidence)
    expect(describeForget(aMemory("m"))).toContain(
      ".qm/memory/lessons/half-cents.md will be deleted",
    )
  })
})
