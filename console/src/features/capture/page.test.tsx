import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import type { Capture, CaptureSummary } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { captureParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { aCapture, anAgreement, anItem, aSearched } from "./capture.fixture.ts"
import { describeNoContext } from "./list/list-pane.tsx"
import { CapturePage } from "./page.tsx"
import { biggestLines, changeLines, foundLines, settingsLines } from "./tables.ts"
import { describeFile, describeQuery } from "./words.ts"

const NOW = Date.UTC(2026, 10, 15, 8, 16)
const PLACE = { path: ".", host: "claude-code", limit: 50 } as const
const HOST = {
  name: "claude-code" as const,
  title: "Claude Code",
  factsVersion: "2.1.214",
  isVerified: true,
  installed: "2.1.214",
  program: "/bin/claude",
  canObserve: true,
}
const SUMMARY: CaptureSummary = {
  id: "cap_1",
  host: "claude-code",
  workingDirectory: "/r",
  capturedAt: NOW,
  lastSeenAt: NOW,
  times: 3,
  files: 1,
  tokensInWindow: 100,
  tokensOnDemand: 0,
}

function render(
  of: { capture?: Capture; captures?: readonly CaptureSummary[]; host?: object },
  address = "",
): string {
  const { capture, captures = [SUMMARY], host = {} } = of
  const queries = new QueryClient()
  queries.setQueryData(keys.operation("capture.hosts", {}), { hosts: [{ ...HOST, ...host }] })
  queries.setQueryData(keys.operation("capture.list", PLACE), { captures })
  if (capture !== undefined) {
    queries.setQueryData(keys.operation("capture.show", { id: "cap_1" }), capture)
  }
  const html = renderPage(
    queries,
    <CapturePage now={NOW} params={captureParams.parse(address)} onParams={() => undefined} />,
  )
  return textOf(html)
}

describe("page Capture", () => {
  it("[CONSOLE-15] before the first capture it says what the page shows and gives the one command", () => {
    const text = render({ captures: [] })
    expect(text).toContain("This page shows which files Claude Code loads here")
    expect(text).toContain("$ qm capture Copy Capture now")
    expect(text).not.toContain("tokens in the window")
  })

  it("[CONSOLE-15] while loading it shows a skeleton and no numbers", () => {
    const text = render({})
    expect(text).toContain("tokens before the first prompt")
    expect(text).not.toMatch(/\b0 tokens/)
  })

  it("[CONSOLE-15] without context files it says which paths were searched and which file to create", () => {
    const searched = [aSearched("docs", "missing"), aSearched("CLAUDE.md", "missing")]
    const capture = aCapture({ items: [], searched })
    expect(describeNoContext(capture.manifest)).toBe(
      "Claude Code finds no context file from /r. 2 paths were searched; they are listed below. Create CLAUDE.md in this folder; the host reads it at the next start.",
    )
    expect(render({ capture })).toContain("Create CLAUDE.md")
  })

  it("[CONSOLE-19] without an observation it explains how to get one and what that does", () => {
    const capture = aCapture({ items: [anItem("CLAUDE.md", {})] })
    const text = render({ capture })
    expect(text).toContain("not observed yet")
    expect(text).toContain("Claude Code can report what it really loads; no model is called.")
    expect(describeQuery(HOST, "/r")).toMatch(
      /starts Claude Code 2\.1\.214 in \/r.*No model is called/,
    )
  })

  it("[CONSOLE-19] a host that cannot be queried has no query button", () => {
    const capture = aCapture({ items: [anItem("CLAUDE.md", {})] })
    const text = render({ capture, host: { canObserve: false } })
    expect(text).toContain("estimate only")
    expect(text).not.toContain("Query the host")
  })

  it("[CONSOLE-19] an untrusted folder offers to query anyway, other problems offer to retry", () => {
    const capture = aCapture({ items: [anItem("CLAUDE.md", {})] })
    const problem = (code: "not-trusted" | "no-answer") =>
      render({ capture: { ...capture, observationProblem: { code, text: "It did not." } } })
    expect(problem("not-trusted")).toContain("Query anyway")
    expect(problem("no-answer")).toContain("Query again")
  })

  it("[CONSOLE-19] agreement is shown with its numbers and the source of each file", () => {
    const files = [
      anAgreement("a.md", "both", { tokens: 7 }),
      anAgreement("b.md", "estimated-only", { explanation: "It came later" }),
    ]
    const capture = aCapture({ items: [anItem("a.md", {}), anItem("b.md", {})], files })
    expect(render({ capture })).toContain("1 of 2 observed")
    expect(files.map(describeFile)).toEqual([
      "agrees, the host counts 7",
      "estimated, not reported by the host. It came later",
    ])
  })

  it("the selected item shows its properties, and its text is requested when it is opened", () => {
    const capture = aCapture({ items: [anItem("CLAUDE.md", { redactions: 2 })] })
    const at = `?at=${encodeURIComponent("/r/CLAUDE.md")}`
    const closed = render({ capture }, at)
    expect(closed).toContain("Show the text")
    expect(closed).toContain("always, 1st of 1")
    expect(closed).toContain("100 sent, 100.0 % of the initial context")
    expect(closed).toContain("2 secrets")
    expect(render({ capture }, `${at}&open=yes`)).not.toContain("Show the text")
    expect(render({ capture }, `${at}&view=diff`)).toContain("This is the first capture")
  })

  it("[CONSOLE-22] control and bidirectional characters in names are escaped", () => {
    const label = "docs/\u202Egpj.exe\u0007.md"
    const text = render(
      { capture: aCapture({ items: [anItem(label, {})] }) },
      `?at=${encodeURIComponent(`/r/${label}`)}`,
    )
    expect(text).toContain("\\u{202e}gpj.exe\\x07.md")
    expect(text).not.toMatch(/[\u0007\u202E]/)
  })

  it("[CONSOLE-15] a capture that was not stored says so", () => {
    const capture = aCapture({ items: [anItem("a.md", {})] })
    const historyProblem = "The disk is full. [STORE_DISK_FULL]"
    expect(render({ capture: { ...capture, historyProblem } })).toContain(historyProblem)
  })
})

describe("other tabs of Capture", () => {
  it("the tab of searched paths keeps the search order", () => {
    const searched = [aSearched("a.md", "found"), aSearched("b.md", "missing")]
    const lines = foundLines(aCapture({ items: [anItem("a.md", {})], searched }))
    expect(lines.map((it) => [it.label, it.item?.tokens])).toEqual([
      ["a.md", 100],
      ["b.md", undefined],
    ])
  })

  it("settings, servers and files are distinguished and all are listed", () => {
    const where = { layer: "project", path: "/r/s.json" }
    const lines = settingsLines({
      host: "claude-code",
      workingDirectory: "/r",
      layers: [{ ...where, outcome: "found" }],
      settings: [{ key: "model", value: '"a"', ...where, hidden: [{ ...where, value: '"b"' }] }],
      mcpServers: [
        { name: "x", scope: "user", path: "/p", transport: "stdio", target: "x", state: "on" },
      ],
    })
    expect(lines.map((it) => it.kind)).toEqual([
      "heading",
      "setting",
      "heading",
      "server",
      "heading",
      "layer",
    ])
  })

  it("[CONSOLE-19] the total is the reported one or the estimate, with the other one beside it", () => {
    const of = aCapture({ items: [anItem("CLAUDE.md", {})] })
    const capture = { ...of, budget: { ...of.budget, tokens: 900 } }
    const reported = {
      ...capture,
      headline: { ...capture.headline, tokens: 1_000, estimate: 900, by: "host" as const },
    }
    expect(render({ capture })).not.toContain("Reported Estimate")
    const text = render({ capture: reported })
    expect(text).toContain("Reported Estimate")
    expect(text).toContain("1,000 tokens before the first prompt")
    expect(text).toMatch(/reported by the host 900 sum of the rows, estimated, 10\.0 % lower/)
    const estimate = render({ capture: reported }, "?figure=estimate")
    expect(estimate).toContain("900 tokens before the first prompt")
    expect(estimate).toContain("1,000 reported by the host")
  })

  it("[CONSOLE-19] suggested cuts are beside the loads until one is selected", () => {
    const advice = {
      kind: "unused-server" as const,
      title: "Disable the postgres server",
      evidence: "No session called it.",
      tokens: 2_388,
      edit: "claude mcp remove postgres",
    }
    const capture = { ...aCapture({ items: [anItem("CLAUDE.md", {})] }), advice: [advice] }
    const text = render({ capture })
    expect(text).toMatch(/What to cut 1 suggestion .*postgres server 2,388 No session called it\./)
    expect(render({ capture }, "?tab=found")).not.toContain("What to cut")
    const selected = render({ capture }, "?at=cuts&tab=cuts")
    expect(selected).not.toContain("What to cut")
  })

  it("notes are grouped by topic and show their path", () => {
    const capture = aCapture({ items: [] })
    const notes = [
      { code: "file-cut" as const, text: "one", path: "/r/a.md", line: 7 },
      { code: "duplicate" as const, text: "two" },
      { code: "file-cut" as const, text: "three" },
    ]
    const lines = biggestLines({ ...capture, manifest: { ...capture.manifest, notes } })
    expect(lines.map((it) => (it.kind === "heading" ? it.name : it.key))).toEqual([
      "File cut",
      "note:file-cut 0",
      "note:file-cut 1",
      "Duplicate",
      "note:duplicate 0",
    ])
    expect(lines[1]).toMatchObject({ place: "a.md:7" })
  })

  it("changes are listed in the order added, removed, changed, moved", () => {
    const change = (label: string, kind: "added" | "moved" | "removed") =>
      ({ path: label, label, change: kind, tokensBefore: 1, tokensAfter: 1 }) as const
    const lines = changeLines({
      from: SUMMARY,
      to: SUMMARY,
      tokensBefore: 1,
      tokensAfter: 1,
      changes: [change("m", "moved"), change("r", "removed"), change("a", "added")],
    })
    expect(lines.map((it) => (it.kind === "heading" ? it.name : it.change.label))).toEqual([
      "Added",
      "a",
      "Removed",
      "r",
      "Moved",
      "m",
    ])
  })
})
