import { describe, expect, it } from "vitest"
import { HOOK_NAMES, VERDICTS } from "#ground/contract"
import { aLine, aLog, aSetting } from "./guard.fixture.ts"
import { formerly, saySaved } from "./use-guard.ts"
import {
  pathsForShell,
  RULES_IN_WORDS,
  sayCounts,
  sayEvent,
  sayMorePaths,
  sayVerdict,
  VERDICT_LOOKS,
} from "./words.ts"

describe("the words of Guard", () => {
  it("[CONSOLE-45] every rule says what it does, and every verdict has a word and mark of its own", () => {
    expect(Object.keys(RULES_IN_WORDS).toSorted()).toEqual(HOOK_NAMES.toSorted())
    const looks = VERDICTS.map((it) => VERDICT_LOOKS[it])
    expect(new Set(looks.map((it) => it.word)).size).toBe(VERDICTS.length)
    expect(new Set(looks.map((it) => it.mark)).size).toBe(VERDICTS.length)
    for (const { level, handlers } of Object.values(RULES_IN_WORDS)) {
      expect(level).toBeGreaterThan(1)
      expect(handlers).toMatch(/^[A-Z].{20,}\.$/)
    }
  })

  it("[CONSOLE-45] a verdict, its rule and its event in words; what is not known is shown as it is", () => {
    expect(sayVerdict(aLine())).toBe("Denied by risk")
    expect(sayVerdict(aLine({ rule: null, verdict: "silent" }))).toBe("Silent")
    expect([sayEvent("stop"), sayEvent("new\nevent")]).toEqual(["session stops", "new\\nevent"])
    expect([sayMorePaths([]), sayMorePaths(["a"]), sayMorePaths(["a", "b", "c"])]).toEqual([
      "",
      "",
      "and 2 more",
    ])
  })

  it("[CONSOLE-45] the counts name what was refused, and nothing that was not", () => {
    const { counts } = aLog([aLine(), aLine(), aLine({ verdict: "block" })])
    expect(sayCounts(counts, 24)).toBe("3 verdicts in 24 hours, 2 denied, 1 blocked")
    expect(sayCounts(aLog([]).counts, 720)).toBe("0 verdicts in 30 days")
  })

  it.each([
    [["src/a.ts", "b c.ts"], "src/a.ts 'b c.ts'"],
    [["it's $(x).ts"], "'it'\\''s $(x).ts'"],
    [["-rf"], "./-rf"],
    [["~/x"], "'~/x'"],
    [["a\nrm -rf b"], undefined],
    [["ok.ts", "a\u202Eb"], undefined],
    [["a\u0007b"], undefined],
  ])("[CONSOLE-46] %j is offered to a shell as %s", (paths, typed) => {
    expect(pathsForShell(paths)).toBe(typed)
  })

  it("[CONSOLE-47] undo knows what the project's file said, or that a higher layer hides it", () => {
    const project = "project file /r/.qm/config.json:3"
    const set = aSetting("guard.highRiskPaths", { value: "a/**", origin: project })
    expect(formerly(set)).toEqual({ value: "a/**" })
    expect(formerly({ ...set, origin: "default" })).toEqual({ value: null })
    expect(formerly({ ...set, origin: "environment X", hides: [project] })).toBeUndefined()
    expect(saySaved(set)).toBe("guard.highRiskPaths was changed in the project file")
    expect(saySaved({ ...set, origin: "environment X" })).toMatch("environment still decides")
  })
})
