import { QueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { describe, expect, it } from "vitest"
import type { Approval, Message, Permissions, Run } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { runsParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { labelsFrom } from "./actions.tsx"
import { describeDelete } from "./dialogs.tsx"
import { describePermission } from "./launch/permissions.tsx"
import { RunsPage } from "./page.tsx"
import { lastMessageIn } from "./peek.tsx"
import { RunRow } from "./run-row.tsx"
import { aRun } from "./runs.fixture.ts"
import { previousEdit } from "./use-actions.ts"
import { listInput } from "./use-runs.ts"

const NOW = Date.UTC(2026, 10, 15, 8, 16)
const APPROVAL: Approval = {
  id: "ap_1",
  runId: "rn_1",
  tool: "Bash",
  title: "Run a command",
  input: JSON.stringify({ command: "npm run check -- --month 10" }),
  digest: "d",
  path: null,
  cwd: "/r",
  status: "open",
  requestedAt: NOW - 120_000,
  expiresAt: NOW + 581_000,
  answeredAt: null,
  answeredBy: null,
  note: null,
}
const RULE = { id: "ru_1", decision: "allow", origin: "project", isInForce: false } as const

type RunsPageData = {
  readonly runs?: readonly Run[]
  readonly approvals?: readonly Approval[]
  readonly permissions?: Permissions
  readonly built?: { readonly pack: object }
}

function renderedText(node: ReactNode, queries = new QueryClient()): string {
  return textOf(renderPage(queries, node))
}

function render(
  address: string,
  { runs, approvals = [], permissions, built }: RunsPageData,
): string {
  const queries = new QueryClient()
  const params = runsParams.parse(address)
  if (runs !== undefined) {
    queries.setQueryData(keys.operation("agents.list", listInput(params)), { runs })
  }
  queries.setQueryData(keys.operation("agents.approvals", {}), { approvals })
  const shown = keys.operation("pack.show", { id: params.pack, format: "summary" })
  if (built !== undefined) queries.setQueryData(shown, built)
  if (permissions !== undefined) {
    queries.setQueryData(keys.operation("permissions.list", {}), permissions)
  }
  return renderedText(<RunsPage now={NOW} params={params} onParams={() => undefined} />, queries)
}

describe("page Runs", () => {
  it("[CONSOLE-15] before the first run it says what the page shows and gives the one command", () => {
    const text = render("", { runs: [] })
    expect(text).toContain("This page lists agent runs")
    expect(text).toContain("--agent synthetic")
  })

  it("[CONSOLE-15] a filter without a match, an empty archive and no run at all have different texts", () => {
    expect(render("?text=zz", { runs: [] })).toContain("No run matches. Show all runs")
    expect(render("?archived=yes", { runs: [] })).toContain("The archive is empty.")
    expect(render("", {})).not.toContain("0 runs")
  })

  it("filters show counts, and empty ones are left out", () => {
    const text = render("", { runs: [aRun(), aRun({ id: "rn_2", status: "waiting" })] })
    expect(text).toContain("All 2 Waiting 1 Completed 1")
    expect(text).not.toContain("Failed")
    expect(text).toContain("2 runs")
  })

  it("[CONSOLE-22] control and bidirectional characters in titles and labels are escaped", () => {
    const run = aRun({ title: "a\u202Eb\u0007<img src=x>", labels: ["\u202Eevil"] })
    const option = { id: "o", isSelected: false, onPick: () => undefined }
    const text = renderedText(<RunRow run={run} option={option} isPicked={false} time="next" />)
    expect(text).toContain("a\\u{202e}b\\x07&lt;img src=x&gt;")
    expect(text).toContain("\\u{202e}evil")
  })

  it("[CONSOLE-15] an unknown context window is empty and does not show the tokens used", () => {
    const option = { id: "o", isSelected: false, onPick: () => undefined }
    const row = (overrides: Partial<Run>) =>
      renderedText(<RunRow run={aRun(overrides)} option={option} isPicked={false} time="next" />)
    const usage = { input: 24_500, output: 0, cacheRead: 0, cacheWrite: 0 }
    const cost = { usage, reportedUsd: null, computedUsd: null }
    expect(row({ contextUsed: null, contextWindow: null, cost })).not.toContain("24.5k")
    expect(row({ contextUsed: 9_100, contextWindow: null, cost })).toContain("9.1k")
  })

  it("[CONSOLE-25] the peek shows the full request with three answers and the rule", () => {
    const runs = [aRun({ status: "waiting" })]
    const text = render("?at=rn_1&beside=peek", { runs, approvals: [APPROVAL] })
    expect(text).toContain("npm run check -- --month 10")
    expect(text).toMatch(/Allow once.*Deny.*Always allow/)
    expect(text).toContain("allow Bash to run exactly this command")
    expect(text).toContain("Expires in 9:41")
  })

  it("[CONSOLE-25] the inbox counts open approvals, and a missing approval has a text", () => {
    const runs = [aRun({ status: "waiting" })]
    const text = render("?view=approvals&at=ap_9", { runs, approvals: [APPROVAL] })
    expect(text).toContain("1 open")
    expect(text).toContain("It was answered or has expired.")
    expect(render("?view=approvals", { runs })).toContain("No agent is waiting for an answer.")
  })

  it("the form explains the chosen mode", () => {
    const text = render("?beside=new", { runs: [] })
    expect(text).toContain("Asks before it changes a file or runs a command.")
    expect(text).toContain("Budget in USD")
  })

  it("the form is prefilled with the prompt and the package of the URL", () => {
    const pack = { id: "pk_7", files: [{ path: "a.ts" }], tokens: 1_250 }
    const address = "?beside=new&prompt=Round+it&pack=pk_7"
    const text = render(address, { runs: [], built: { pack } })
    expect(text).toContain("Task Round it Package")
    expect(text).toContain("1 file, 1,250 tokens, before the first turn.")
    expect(render("?beside=new", { runs: [] })).not.toContain("before the first turn")
  })

  it("inactive approval rules say so and how to change that", () => {
    const permissions = {
      file: "/r/p.json",
      digest: "d",
      isTrusted: false,
      rules: [{ ...RULE, tool: "Edit" }],
    }
    const text = render("?view=permissions", { runs: [], permissions })
    expect(text).toContain("1 allow rule in it is inactive until you trust the current file")
    expect(text).toContain("Trust this file")
    expect(text).toContain("not trusted")
    const trusted = render("?view=permissions", {
      runs: [],
      permissions: { ...permissions, isTrusted: true, rules: [] },
    })
    expect(trusted).toContain("No rules yet")
    expect(trusted).not.toContain("Trust this file")
  })

  it("a rule lists every condition", () => {
    expect(describePermission({ ...RULE, tool: "Bash", command: "npm *" })).toBe(
      "Bash, command npm *",
    )
    expect(describePermission({ ...RULE, path: "src/**" })).toBe("path src/**")
    expect(describePermission(RULE)).toBe("everything")
  })
})

describe("actions on runs", () => {
  it("[CONSOLE-27] the delete dialog shows the number of runs and messages, and which runs stop first", () => {
    const ended = aRun({ lastSeq: 1_200 })
    const live = aRun({ lastSeq: 4, status: "running" })
    expect(describeDelete([ended])).toBe(
      'The run "Port the clock" with 1,200 messages will be deleted. This cannot be undone.',
    )
    expect(describeDelete([live])).toContain("It is still active and will be stopped first.")
    expect(describeDelete([ended, live, live])).toContain(
      "3 runs with 1,208 messages will be deleted. 2 of them are still active",
    )
  })

  it("[CONSOLE-27] undo restores what each run had before the edit and nothing else", () => {
    const run = aRun({ title: "old", labels: ["a"], workflow: "todo" })
    expect(previousEdit(run, { title: "new" })).toEqual({ title: "old" })
    expect(previousEdit(run, { unlabel: true })).toEqual({ label: ["a"] })
    expect(previousEdit(aRun(), { label: ["b"] })).toEqual({ unlabel: true })
    expect(previousEdit(run, { archived: true })).toEqual({ archived: false })
  })

  it("[CONSOLE-27] labels are read from one line, and a single dash removes them", () => {
    expect(labelsFrom(" a, b ,a,, ")).toEqual({ label: ["a", "b"] })
    expect(labelsFrom("-")).toEqual({ unlabel: true })
  })

  it("the last message is default, not tool output", () => {
    const message = (type: Message["type"], content: string): Message => ({
      id: content,
      seq: 1,
      type,
      role: "assistant",
      content,
      timestamp: 0,
      metadata: {},
    })
    const messages = [
      message("assistant", " done "),
      message("tool", "log"),
      message("assistant", ""),
    ]
    expect(lastMessageIn(messages)).toBe("done")
    expect(lastMessageIn([message("tool", "log")])).toBeUndefined()
  })
})
