import { QueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { describe, expect, it } from "vitest"
import type { CaptureSummary, HookState, HostSession, LiveSession } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { renderPage } from "../../test-page.tsx"
import {
  ClaimFacts,
  describeChanges,
  describeFiredHooks,
  describeUpstream,
  HookFacts,
  newestByHost,
} from "./facts.tsx"
import { recentRows } from "./sessions.tsx"

const NOW = Date.UTC(2026, 10, 15, 8, 16)

type Answers = readonly (readonly [readonly unknown[], unknown])[]

function markupOf(part: ReactNode, answers: Answers): string {
  const queries = new QueryClient()
  for (const [key, answer] of answers) queries.setQueryData(key, answer)
  return renderPage(queries, part)
}

const render = (part: ReactNode, answers: Answers) =>
  markupOf(part, answers)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")

const CLAIMS = keys.operation("claim.list", {})

const hook = (name: HookState["hook"], state: HookState["state"]): HookState => ({
  host: "claude-code",
  hook: name,
  event: "Stop",
  state,
  at: null,
  why: null,
})

describe("facts on the page Now", () => {
  it("[CONSOLE-65] up to five claims are listed with their holders, and none leave no block", () => {
    const claims = Array.from({ length: 7 }, (_, i) => ({ path: `src/${i}.ts`, session: "s-1" }))
    const html = markupOf(<ClaimFacts />, [[CLAIMS, { claims }]])
    expect(html).toContain("7 paths, 1 session")
    expect(html).toContain("And 2 more")
    expect(html).toContain('href="/sessions?tab=claims"')
    expect(render(<ClaimFacts />, [[CLAIMS, { claims: [] }]])).toBe("")
    expect(render(<ClaimFacts />, [])).toBe("")
  })

  it("[CONSOLE-65] sessions of hooks and of hosts are one list, newest first", () => {
    const live = (session: string, lastAt: number, drifted = 0): LiveSession => ({
      session,
      host: "codex",
      startedAt: null,
      lastAt,
      edits: 2,
      files: 1,
      drifted,
      claims: 0,
      isRegistered: false,
    })
    const stored: HostSession = {
      host: "codex",
      sessionId: "s-1",
      title: "Explain the tariff",
      cwd: null,
      file: "/h/x",
      sizeBytes: 2_000,
      changedAt: NOW - 9_000,
      runId: null,
      isResumable: true,
    }
    const imported = { ...stored, sessionId: "s-3", runId: "run_1", changedAt: NOW - 2_000 }
    const rows = recentRows([live("s-1", NOW - 1_000, 3), live("s-2", NOW)], [stored, imported])
    expect(rows.map((it) => [it.key, it.title, it.work, it.href])).toEqual([
      ["s-2", "Session s-2", "2 edits", "/sessions?at=s-2&show=s-2"],
      ["s-1", "Explain the tariff", "3 not registered", "/sessions?at=s-1&show=s-1"],
      ["s-3", "Explain the tariff", "2.0 kB", "/runs/run_1"],
    ])
  })

  it("[CONSOLE-65] branch and work tree are described in words", () => {
    const state = { upstream: "origin/main", apart: { ahead: 2, behind: 1 } }
    const base = { branch: "main", fetchedAt: null, changes: null, problem: null }
    const describe = (it: object) => describeUpstream({ ...base, ...state, ...it })
    expect(describe({})).toBe("2 ahead, 1 behind origin/main")
    expect(describe({ apart: { ahead: 0, behind: 0 } })).toBe("up to date with origin/main")
    expect(describe({ apart: null })).toBe("origin/main, not fetched")
    const none = { modified: 0, added: 0, deleted: 0, conflict: 0, untracked: 0, files: [] }
    expect(describeChanges(none)).toBe("clean")
    expect(describeChanges({ ...none, modified: 3, added: 1, untracked: 2 })).toBe(
      "4 files changed, 2 untracked",
    )
    expect(describeChanges(null)).toBe("unknown")
  })

  it("[CONSOLE-65] the newest capture of each host in this repository counts", () => {
    const capture = (id: string, host: CaptureSummary["host"], more: Partial<CaptureSummary>) => ({
      id,
      host,
      workingDirectory: "/r",
      capturedAt: 1,
      lastSeenAt: 1,
      times: 1,
      files: 1,
      tokensInWindow: 1,
      tokensOnDemand: 0,
      ...more,
    })
    const captures = [
      capture("a", "codex", { lastSeenAt: 5 }),
      capture("b", "codex", { lastSeenAt: 9, tokensInWindow: 2 }),
      capture("c", "claude-code", { tokensInWindow: 7 }),
      capture("d", "copilot", { workingDirectory: "/other" }),
    ]
    expect(newestByHost(captures, "/r").map((it) => it.id)).toEqual(["c", "b"])
  })

  it("only hooks that ran count as fired, and hooks that a host does not have do not count", () => {
    expect(describeFiredHooks([hook("boot", "fired")])).toBe("1 of 1 fired")
    const four = (["boot", "track", "drift", "risk"] as const).map((it) => hook(it, "installed"))
    expect(describeFiredHooks([hook("loaded", "fired"), ...four])).toBe(
      "1 of 5 fired, not boot, track, drift and 1 more",
    )
    const doctor = { checks: [], isHealthy: true, hooks: [hook("boot", "fired")] }
    const key = keys.operation("doctor.run", {})
    expect(render(<HookFacts />, [[key, doctor]])).toContain("Claude Code 1 of 1 fired")
    const none = { ...doctor, hooks: [hook("boot", "not offered")] }
    expect(render(<HookFacts />, [[key, none]])).toBe("")
  })
})
