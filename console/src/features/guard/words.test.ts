import { describe, expect, it } from "vitest"
import { HOOK_NAMES, VERDICTS } from "#ground/contract"
import { aLine, aLog, aSetting } from "./guard.fixture.ts"
import { describeSaved, previousValue } from "./use-guard.ts"
import {
  describeCounts,
  describeEvent,
  describeMorePaths,
  describeVerdict,
  pathsForShell,
  RULES_IN_WORDS,
  VERDICT_LOOKS,
} from "./words.ts"

describe("texts of the page Guard", () => {
  it("every rule has a description, and every verdict its own label and mark", () => {
    expect(Object.keys(RULES_IN_WORDS).toSorted()).toEqual(HOOK_NAMES.toSorted())
    const looks = VERDICTS.map((it) => VERDICT_LOOKS[it])
    expect(new Set(looks.map((it) => it.label)).size).toBe(VERDICTS.length)
    expect(new Set(looks.map((it) => it.mark)).size).toBe(VERDICTS.length)
    for (const { level, handlers } of Object.values(RULES_IN_WORDS)) {
      expect(level).toBeGreaterThan(1)
      expect(handlers).toMatch(/^[A-Z].{20,}\.$/)
    }
  })

  it("verdict, rule and event have labels, and unknown values are shown as they are", () => {
    expect(describeVerdict(aLine())).toBe("Denied by risk")
    expect(describeVerdict(aLine({ rule: null, verdict: "silent" }))).toBe("Silent")
    expect([describeEvent("stop"), describeEvent("new\nevent")]).toEqual([
      "session stops",
      "new\\nevent",
    ])
    expect([
      describeMorePaths([]),
      describeMorePaths(["a"]),
      describeMorePaths(["a", "b", "c"]),
    ]).toEqual(["", "", "and 2 more"])
  })

  it("the counts name denied events only if there are any", () => {
    const { counts } = aLog([aLine(), aLine(), aLine({ verdict: "block" })])
    expect(describeCounts(counts, 24)).toBe("3 verdicts in 24 hours, 2 denied, 1 blocked")
    expect(describeCounts(counts, 24, 0)).toBe("0 of 3 verdicts in 24 hours")
    expect(describeCounts(aLog([]).counts, 720)).toBe("0 verdicts in 30 days")
  })

  it.each([
    [["src/a.ts", "b c.ts"], "src/a.ts 'b c.ts'"],
    [["it's $(x).ts"], "'it'\\''s $(x).ts'"],
    [["-rf"], "./-rf"],
    [["~/x"], "'~/x'"],
    [["a\nrm -rf b"], undefined],
    [["ok.ts", "a\u202Eb"], undefined],
    [["a\u0007b"], undefined],
  ])("[CONSOLE-46] the paths %j are quoted for a shell as %s", (paths, typed) => {
    expect(pathsForShell(paths)).toBe(typed)
  })

  it("undo restores the value of the project file, and is unavailable if a higher layer hides it", () => {
    const project = "project file /r/.qm/config.json:3"
    const set = aSetting("guard.highRiskPaths", { value: "a/**", origin: project })
    expect(previousValue(set)).toEqual({ value: "a/**" })
    expect(previousValue({ ...set, origin: "default" })).toEqual({ value: null })
    expect(previousValue({ ...set, origin: "environment X", hides: [project] })).toBeUndefined()
    expect(describeSaved(set)).toBe("guard.highRiskPaths was changed in the project file")
    expect(describeSaved({ ...set, origin: "environment X" })).toMatch(
      "environment takes precedence",
    )
  })
})
