import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { HOSTS } from "../src/data/paths.ts"
import { captureDiff, captureList, captureOf, captureText, newestOf } from "./fake-capture.ts"
import { captureHosts, captureSettings } from "./fake-capture-tables.ts"

describe("the captures of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers is what the contract allows", () => {
    const all = captureList(null).captures
    expect(all.length).toBeGreaterThan(4)
    OPERATIONS["capture.list"].output.parse({ captures: all })
    OPERATIONS["capture.hosts"].output.parse(captureHosts())
    OPERATIONS["capture.settings"].output.parse(captureSettings("claude-code"))
    for (const { id } of all) {
      const capture = OPERATIONS["capture.show"].output.parse(captureOf(id))
      OPERATIONS["capture.diff"].output.parse(captureDiff(id, newestOf("claude-code")))
      for (const { path } of capture.manifest.items.slice(0, 60)) {
        OPERATIONS["capture.text"].output.parse(captureText(path))
      }
    }
  })

  it("[CONSOLE-23] there is a host for each state: observed, refused, nothing found, 2,000 items", () => {
    const of = (host: string, trust = false) =>
      captureOf(newestOf(host), { observe: host === "codex", trust })
    expect(of("claude-code")?.budget.tokens).toBe(16_981)
    expect(of("claude-code")?.observation).not.toBeNull()
    expect(of("codex")?.observationProblem?.code).toBe("not-trusted")
    expect(of("codex", true)?.observation).not.toBeNull()
    expect(of("copilot")?.manifest.items).toEqual([])
    expect(of("gemini")?.manifest.items).toHaveLength(2_000)
    expect(captureList("antigravity").captures).toEqual([])
    expect(captureHosts().hosts.map((it) => it.name)).toEqual([...HOSTS])
  })
})
