import { QueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { describe, expect, it } from "vitest"
import type { HookState } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { renderPage } from "../../test-page.tsx"
import { ClaimFacts, describeFiredHooks, HookFacts, SessionFacts } from "./facts.tsx"

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

const SESSIONS = keys.operation("session.list", { sinceHours: 24, limit: 50 })
const CLAIMS = keys.operation("claim.list", {})

const hook = (name: HookState["hook"], state: HookState["state"]): HookState => ({
  host: "claude-code",
  hook: name,
  event: "Stop",
  state,
  at: null,
  why: null,
})

describe("sessions and claims on the page Now", () => {
  it("up to five sessions with unregistered changes and claims with their holders are listed", () => {
    const live = Array.from({ length: 7 }, (_, i) => ({
      session: `s-${i}`,
      host: i === 0 ? "codex" : null,
      startedAt: null,
      lastAt: NOW - 60_000,
      edits: 2,
      files: 1,
      drifted: i === 0 ? 3 : 0,
      claims: 0,
      isRegistered: false,
    }))
    const text = render(<SessionFacts now={NOW} />, [[SESSIONS, { live }]])
    expect(text).toContain("Sessions 7 in 24 hours codex s-0 3 not registered, 1 min")
    expect(text).toMatch(/s-4 2 edits, 1 min And 2 more/)
    expect(text).not.toContain("s-5")
    const claims = [
      { path: "src/a.ts", session: "s-1" },
      { path: "src/b.ts", session: "s-1" },
    ]
    const html = markupOf(<ClaimFacts />, [[CLAIMS, { claims }]])
    expect(html).toContain("2 paths, 1 session")
    expect(html).toContain('href="/sessions?tab=claims"')
  })

  it("[CONSOLE-15] no session and no claim have their own texts, and unknown is different from both", () => {
    expect(render(<SessionFacts now={NOW} />, [[SESSIONS, { live: [] }]])).toContain(
      "No hook reported one.",
    )
    expect(render(<ClaimFacts />, [[CLAIMS, { claims: [] }]])).toContain("No file is claimed.")
    expect(render(<ClaimFacts />, []) + render(<SessionFacts now={NOW} />, [])).toBe("")
  })

  it("only hooks that ran count as fired, and hooks that a host does not have do not count", () => {
    expect(describeFiredHooks([hook("boot", "fired")])).toBe("1 of 1 fired")
    const four = (["boot", "track", "drift", "risk"] as const).map((it) => hook(it, "installed"))
    expect(describeFiredHooks([hook("loaded", "fired"), ...four])).toBe(
      "1 of 5 fired, not boot, track, drift and 1 more",
    )
    const doctor = { checks: [], isHealthy: true, hooks: [hook("boot", "fired")] }
    const key = keys.operation("doctor.run", {})
    expect(render(<HookFacts />, [[key, doctor]])).toContain("claude-code 1 of 1 fired")
    const none = { ...doctor, hooks: [hook("boot", "not offered")] }
    expect(render(<HookFacts />, [[key, none]])).toBe("")
  })
})
