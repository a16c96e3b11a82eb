import { describe, expect, test } from "vitest"
import type { HookState, VerdictLine } from "#ground/contract"
import { formatReview } from "./hosts/codex.ts"
import { checksOf, lookAt, type StoryOutcome, statesOf } from "./report.ts"
import type { Marks } from "./scene.ts"

const MARKS: Marks = {
  main: "mark-main",
  agent: "mark-agent",
  boot: "mark-boot",
  package: "mark-p",
}

function row(hook: HookState["hook"], state: HookState["state"] = "installed"): HookState {
  return { host: "codex", hook, event: "Stop", state, at: null, why: null }
}

function line(event: string, rest: Partial<VerdictLine> = {}): VerdictLine {
  const base = { host: "codex", session: "s", tool: null, paths: [], text: "", ms: 1, at: 5 }
  return { ...base, event, rule: null, verdict: "silent", ...rest }
}

function toldBy(verdicts: readonly VerdictLine[], asked: readonly string[] = []): StoryOutcome {
  return {
    kind: "told",
    seen: lookAt(asked, verdicts, { marks: MARKS }),
    why: (event) => `not ${event}`,
  }
}

describe("hook states", () => {
  test("[PROVE-1] a hook has fired only if its event is in the log, at its last line", () => {
    const told = toldBy([line("session-start", { at: 7 }), line("session-start", { at: 9 })])
    expect(statesOf([row("boot"), row("track")], told)).toEqual([
      { ...row("boot"), state: "fired", at: 9 },
      { ...row("track"), why: "not Stop" },
    ])
  })

  test("[PROVE-1] each hook is judged by its own event and by no other", () => {
    const shown = {
      "session-start": ["boot"],
      "after-edit": ["track"],
      "after-tool": [],
      stop: ["drift"],
      "before-edit": ["concurrency", "risk", "pitfall"],
      "before-agent": [],
      "agent-start": ["package"],
      loaded: ["loaded"],
    }
    const all = Object.values(shown)
      .flat()
      .map((it) => row(it as HookState["hook"]))
    for (const [event, hooks] of Object.entries(shown)) {
      const fired = statesOf(all, toldBy([line(event)])).filter((it) => it.state === "fired")
      expect([event, fired.map((it) => it.hook)]).toEqual([event, hooks])
    }
  })

  test("[PROVE-2] hooks that are not installed or not offered keep their state", () => {
    const rows = [row("boot", "not installed"), row("loaded", "not offered")]
    expect(statesOf(rows, toldBy([line("session-start"), line("loaded")]))).toEqual(rows)
  })

  test("[PROVE-2] the hook for compactions cannot run in a proof, which is no warning", () => {
    const told = toldBy([line("session-start")])
    const states = statesOf([row("boot"), row("compaction")], told)
    expect(states[1]).toMatchObject({
      state: "installed",
      why: expect.stringContaining("compacts"),
    })
    expect(checksOf("Codex", states, told).filter((it) => it.name === "Codex: hooks")).toEqual([])
  })

  test("[PROVE-2] when the host could not run, each hook gets that reason", () => {
    const told: StoryOutcome = { kind: "untold", why: "Codex was not found." }
    expect(statesOf([row("boot"), row("loaded", "not offered")], told)).toEqual([
      { ...row("boot"), why: "Codex was not found." },
      row("loaded", "not offered"),
    ])
    expect(checksOf("Codex", [row("boot")], told)).toMatchObject([
      { state: "warn", name: "Codex: hooks", detail: "not proved: Codex was not found." },
    ])
    expect(checksOf("Codex", [row("boot", "not installed")], told)).toEqual([])
  })

  test("[PROVE-6] a host that ran none of its hooks fails the check, with the whole reason; some is a warning", () => {
    const silent = toldBy([])
    const states = statesOf([row("boot"), row("drift")], silent)
    expect(checksOf("Codex", states, silent)).toMatchObject([
      { state: "fail", detail: "2 of 2 hooks did not run. not Stop" },
    ])
    const part = toldBy([line("session-start")])
    const [check] = checksOf("Codex", statesOf([row("boot"), row("drift")], part), part)
    expect(check).toMatchObject({ state: "warn", detail: "1 of 2 hooks did not run. not Stop" })
  })

  test("[PROVE-4] the state that Codex reports for a hook becomes a sentence with the next step", () => {
    expect(formatReview({ enabled: true, trustStatus: "untrusted" })).toContain(
      "/hooks and trust it",
    )
    expect(formatReview({ enabled: true, trustStatus: "modified" })).toContain("changed since")
    expect(formatReview({ enabled: false, trustStatus: "trusted" })).toContain("disabled")
    expect(formatReview({ enabled: true, trustStatus: "trusted" })).toContain(
      "did not start the hook",
    )
    expect(formatReview(undefined)).toContain("qm init")
  })
})

describe("what reached the model", () => {
  const fired = (hook: HookState["hook"]) => row(hook, "fired")
  const bodyWith = (text: string) => JSON.stringify({ messages: [{ text: "mark-main" }, { text }] })
  const detailOf = (told: StoryOutcome, hook: HookState["hook"]) =>
    checksOf("Codex", [fired(hook)], told).map(({ state, detail }) => [state, detail])

  test("the start context is measured as it arrived, without the host's own text", () => {
    const asked = [
      bodyWith("SessionStart hook additional context: é mark-boot\n\n# Environment\nof the host"),
    ]
    expect(detailOf(toldBy([], asked), "boot")).toEqual([
      ["ok", "the context reached the model, 12 of at most 9000 bytes"],
    ])
  })

  test("a start context that is too long or did not arrive is a warning", () => {
    const long = toldBy([], [bodyWith(`mark-boot${"x".repeat(9_000)}`)])
    expect(detailOf(long, "boot")[0]?.[0]).toBe("warn")
    const other = toldBy([], [bodyWith("nothing"), bodyWith("mark-boot, but later")])
    expect(detailOf(other, "boot")).toEqual([
      ["warn", "the hook ran, but no context reached the model"],
    ])
  })

  test("a package counts only in the sub-agent's own request", () => {
    const inMain = toldBy([], ["mark-main mark-agent mark-p"])
    expect(detailOf(inMain, "package")[0]?.[0]).toBe("warn")
    const inAgent = toldBy([], ["mark-main", "mark-agent mark-p"])
    expect(detailOf(inAgent, "package")[0]?.[0]).toBe("ok")
  })

  test("a reminder must arrive exactly once", () => {
    const nudge = line("stop", { rule: "drift", verdict: "block" })
    const stop = line("stop")
    expect(detailOf(toldBy([nudge, stop]), "drift")).toEqual([["ok", "one reminder arrived"]])
    expect(detailOf(toldBy([stop]), "drift")[0]?.[0]).toBe("warn")
    expect(detailOf(toldBy([nudge, nudge]), "drift")[0]?.[0]).toBe("warn")
  })

  test("a high-risk edit must be rejected by the high-risk rule", () => {
    const refused = toldBy([line("before-edit", { rule: "risk", verdict: "deny" })])
    expect(detailOf(refused, "risk")[0]?.[0]).toBe("ok")
    const other = toldBy([line("before-edit", { rule: "concurrency", verdict: "deny" })])
    expect(detailOf(other, "risk")[0]?.[0]).toBe("warn")
  })
})
