import { describe, expect, it } from "vitest"
import { formatWhen } from "../../base/format.ts"
import type { Observation } from "../../contract.ts"
import { aCapture, anAgreement, anItem } from "./capture.fixture.ts"
import {
  describeObserved,
  describeObserver,
  describeTrust,
  formatOrdinal,
  shortHash,
} from "./words.ts"

describe("texts of a capture", () => {
  it("positions are ordinal numbers", () => {
    expect([1, 2, 3, 4, 11, 12, 22, 1_003].map(formatOrdinal)).toEqual([
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "12th",
      "22nd",
      "1,003rd",
    ])
  })

  it("[CONSOLE-19] an item says whether the host confirmed it", () => {
    const files = [anAgreement("a.md", "both", {}), anAgreement("b.md", "estimated-only", {})]
    const capture = aCapture({ items: [], files })
    const toneOf = (path: string) => describeObserved(capture, path).tone
    expect(["/r/a.md", "/r/b.md", "/r/c.md"].map(toneOf)).toEqual(["ok", "warn", undefined])
    expect(describeObserved(capture, "/r/c.md").description).toBe("not compared")
    expect(describeObserved(aCapture({ items: [] }), "/r/a.md").description).toBe("not queried yet")
  })

  it("[CONSOLE-19] an observation names its source, time and version", () => {
    const noon = new Date(2026, 10, 15, 12, 0).getTime()
    const { observation } = aCapture({ items: [], files: [anAgreement("a.md", "both", {})] })
    if (observation === null) throw new Error("the fixture is observed")
    const description = (by: Observation["by"]) =>
      describeObserver(
        { ...observation, by, at: noon, session: "s-1", hostVersion: "2.1.325" },
        noon,
      )
    expect(description("host")).toBe("Host report of today 12:00, version 2.1.325")
    expect(description("transcript")).toBe("Last session, today 12:00, version 2.1.325")
    expect(description("wire")).toBe(
      "Recorded by the gateway, today 12:00, session s-1, version 2.1.325",
    )
  })

  it("properties are short and do not repeat each other", () => {
    expect(describeTrust(anItem("a.md", {}))).toBe("project")
    expect(describeTrust(anItem("a.md", { scope: "local" }))).toBe("project, local")
    expect(describeTrust(anItem("a.md", { trust: "own", scope: "user" }))).toBe("yours")
    expect(shortHash(`${"5d0c91fe".repeat(7)}0000a27b`)).toBe("5d0c91fe…a27b")
  })

  it("a time is given by day and clock time", () => {
    const noon = new Date(2026, 10, 15, 12, 0).getTime()
    const hours = (count: number) => noon - count * 3_600_000
    expect(formatWhen(hours(1), noon)).toBe("today 11:00")
    expect(formatWhen(hours(24), noon)).toBe("yesterday 12:00")
    expect(formatWhen(hours(72), noon)).toBe("12 November 12:00")
  })
})
