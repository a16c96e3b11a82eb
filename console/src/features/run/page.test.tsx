import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { failure } from "../../base/errors.ts"
import type { AgentsContext, Message, PipelineLine, Run } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { runParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { aLine } from "../pipelines/pipelines.fixture.ts"
import { Drawer } from "./drawer.tsx"
import { RunPage } from "./page.tsx"
import { aMessage, anApproval, anEvent, aRun, ended, started } from "./run.fixture.ts"
import { flatten } from "./transcript/flat.ts"
import type { RowHandlers } from "./transcript/row-handlers.ts"
import { RowView } from "./transcript/row-view.tsx"
import { foldMessages } from "./transcript/rows.ts"
import { describeCosts } from "./vitals.tsx"

const ID = "rn_1"
const NOW = 372_000

function asText(queries: QueryClient, page: ReactNode): string {
  const html = renderPage(queries, page)
  return textOf(html)
}

function renderRun(run: Run | Error, more: (queries: QueryClient) => void = () => {}): string {
  const queries = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } })
  const key = keys.operation("agents.show", { id: ID })
  if (run instanceof Error) {
    const query = queries.getQueryCache().build(queries, { queryKey: key })
    query.setState({ status: "error", error: run, fetchStatus: "idle" })
  } else queries.setQueryData(key, run)
  more(queries)
  const noop = () => undefined
  return asText(
    queries,
    <RunPage
      id={ID}
      now={NOW}
      params={runParams.parse("")}
      areFactsHidden={false}
      onToggleFacts={noop}
      onParams={noop}
    />,
  )
}

const DOES: RowHandlers = {
  runId: ID,
  cwd: "/r",
  writing: new Map(),
  now: NOW,
  isReadOnly: false,
  approvals: new Map([["ap", anApproval("ap", { expiresAt: NOW + 581_000 })]]),
  askedNow: "ap",
  again: null,
  isWhole: () => false,
  wantWhole: () => undefined,
  toggle: () => undefined,
  pick: () => undefined,
  copyLink: () => undefined,
  copyText: () => undefined,
  showRaw: () => undefined,
}

function renderRows(
  messages: readonly Message[],
  handlers: Partial<RowHandlers> = {},
  turned: readonly string[] = [],
): string {
  const rows = flatten(foldMessages(messages), new Set(turned))
  return asText(
    new QueryClient(),
    rows.map((row) => (
      <RowView
        key={row.key}
        row={row}
        isSelected={false}
        isFound={false}
        handlers={{ ...DOES, ...handlers }}
      />
    )),
  )
}

const CONTEXT: AgentsContext = {
  used: 62_400,
  window: 200_000,
  wire: null,
  kinds: [{ kind: "history", tokens: 62_400 }],
  files: [],
  parts: [],
  compactions: [],
  changes: [],
}

describe("failed turn", () => {
  const end = anEvent(2, {
    event: "turn.ended",
    outcome: "failed",
    error: "Overloaded.",
    denials: 0,
  })

  it("the last one offers to send its prompt again, an earlier one does not", () => {
    const send = () => undefined
    expect(renderRows([end], { again: { seq: 2, send } })).toContain("Overloaded. Send again")
    expect(renderRows([end], { again: { seq: 9, send } })).not.toContain("Send again")
  })
})

describe("context window of a run", () => {
  it("ring and bar name the source of their numbers: gateway or host", () => {
    const wire = {
      at: NOW,
      proxiedSession: "gw_1",
      seq: 12,
      used: 41_230,
      kinds: [{ kind: "files" as const, tokens: 41_230 }],
      savedTokens: 9_000,
    }
    const drawn = (context: Partial<AgentsContext>) =>
      renderRun(aRun(), (queries) => {
        queries.setQueryData(keys.operation("agents.context", { id: ID }), {
          ...CONTEXT,
          ...context,
        })
      })
    const exact = drawn({ wire })
    expect(exact).toContain("41.2k of 200k, gateway")
    expect(exact).toContain("Context 41.2k of 200k")
    expect(exact).toContain("Exact, from the gateway, request 12 , 9,000 tokens folded out")
    const older = { wire, compactions: [{ seq: 9, at: NOW + 1 }] }
    for (const context of [{ wire: null }, older]) {
      const text = drawn(context)
      expect(text).toContain("62.4k of 200k, host")
      expect(text).toContain("Reported by the host.")
      expect(text).not.toMatch(/exact|41\.2k/i)
    }
  })
})

describe("page of a run", () => {
  it("a working pipeline of the session is named with a link", () => {
    const withPipeline = (line: PipelineLine) =>
      renderRun(aRun(), (queries) => {
        const key = keys.operation("pipeline.list", { session: ID, limit: 1 })
        queries.setQueryData(key, { runs: [line] })
      })
    const running = withPipeline(aLine("p-12", { status: "running", session: ID }))
    expect(running).toContain("deep-research is working on")
    expect(running).toContain("Open p-12")
    // A pause has its card in the transcript.
    expect(withPipeline(aLine("p-12", { status: "paused" }))).not.toContain("p-12")
    expect(withPipeline(aLine("p-12", { endedAt: NOW }))).not.toContain("p-12")
  })

  it("it shows status, agent, mode, window, cost against budget, and time", () => {
    const text = renderRun(aRun({ status: "waiting" }))
    expect(text).toContain("Waiting for you")
    expect(text).toContain("Claude Code sonnet")
    expect(text).toMatch(/62\.4k of 200k, host \$0\.84 of \$2\.00/)
    expect(text).toContain("6:12")
  })

  it("the reported and the computed cost are shown with their difference", () => {
    const cost = (reportedUsd: number | null, computedUsd: number | null) =>
      describeCosts({ cost: { ...aRun().cost, reportedUsd, computedUsd } })
    expect(cost(0.84, 0.8)).toBe(
      "The provider reports $0.84; our price table gives $0.80; $0.04 apart",
    )
    expect(cost(0.84, 0.84)).toContain("they agree")
    expect(cost(null, 0.8)).toBe("The provider reports no cost; our price table gives $0.80")
    expect(cost(0.84, null)).toContain("our price table does not know the model")
  })

  it("unknown window, cost and model are left out, never 0", () => {
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const text = renderRun(
      aRun({
        contextUsed: null,
        model: null,
        budgetUsd: null,
        cost: { usage, reportedUsd: null, computedUsd: null },
      }),
    )
    expect(text).not.toMatch(/\$0|0 of|null/)
  })

  it("without a known cost, tokens are not compared with a budget in dollars", () => {
    const usage = { input: 600, output: 2, cacheRead: 0, cacheWrite: 0 }
    const cost = { usage, reportedUsd: null, computedUsd: null }
    const text = renderRun(aRun({ budgetUsd: 4, cost }))
    expect(text).toContain("602 tokens")
    expect(text).not.toContain("$4.00")
  })

  it("a nearly full window is reported before it is full", () => {
    expect(renderRun(aRun({ contextUsed: 165_000 }))).toContain("filling up")
    expect(renderRun(aRun({ contextUsed: 196_000 }))).toContain("nearly full")
  })

  it("[CONSOLE-15] an unknown id says so and links to Runs, another error offers a retry", () => {
    const wire = { message: "There is no run of this id.", hint: "Run qm runs.", data: {} }
    const unknown = renderRun(failure({ code: "AGENTS_RUN_UNKNOWN", ...wire }))
    expect(unknown).toContain("No run has this id. It may have been deleted. All runs")
    const broken = renderRun(failure({ code: "STORE_DISK_FULL", ...wire, message: "Disk full" }))
    expect(broken).toContain("Disk full")
    expect(broken).toContain("Try again")
  })

  it("a run that cannot be resumed is read-only and says why", () => {
    expect(renderRun(aRun({ origin: "imported", sessionId: null }))).toContain(
      "its session is not on this machine",
    )
    expect(renderRun(aRun())).toContain("Queue")
    expect(renderRun(aRun({ status: "completed", endedAt: 9 }))).toContain("Send")
  })

  it("Stop is shown while the run is active, and not for a run opened after its end", () => {
    expect(renderRun(aRun())).toContain(" Stop ")
    expect(renderRun(aRun({ status: "completed", endedAt: 9 }))).not.toContain(" Stop ")
  })

  it("queued turns and the context of the next turn are shown", () => {
    const text = renderRun(aRun(), (queries) => {
      queries.setQueryData(keys.operation("agents.turns", { id: ID }), {
        turns: [{ id: "t", text: "Then the docs.", queuedAt: 1 }],
        canSteer: true,
      })
      queries.setQueryData(keys.operation("agents.parts", { id: ID }), {
        parts: [{ label: "Memories", text: "", tokens: 1_108 }],
      })
    })
    expect(text).toContain("Queued Then the docs.")
    expect(text).toContain("1 context part before the next turn, 1,108 tokens")
    expect(text).toContain("Steer now")
  })

  it("the package of the first turn is named with a link", () => {
    const part = { label: "package pk_7, 9 files", tokens: 18_985, pack: "pk_7" }
    const html = renderToStaticMarkup(
      <QueryClientProvider client={withContext([{ ...part, seq: 1 }])}>
        <Drawer
          id={ID}
          cwd="/r"
          hostReportedAt={null}
          hasEnded={false}
          onClose={() => undefined}
          onPick={() => undefined}
        />
      </QueryClientProvider>,
    )
    expect(html).toMatch(/<a [^>]*href="\/pack\?id=pk_7".*package pk_7, 9 files.*18,985/)
    const parts = [part, { label: "date and state", tokens: 12 }]
    const turn = aMessage(1, { type: "user", role: "user", content: "go", metadata: { parts } })
    expect(renderRows([turn])).toMatch(/with package pk_7, 9 files , date and state in front/)
  })
})

function withContext(parts: AgentsContext["parts"]): QueryClient {
  const queries = new QueryClient()
  const nothing = { used: null, window: null, kinds: [], files: [], compactions: [], changes: [] }
  queries.setQueryData(keys.operation("agents.context", { id: ID }), { ...nothing, parts })
  return queries
}

describe("rows of a run", () => {
  it("[CONSOLE-30] an activity is one row with tokens and time, and a failure says so", () => {
    const more = { kind: "command", title: "npm test" }
    const text = renderRows([
      started(1, "a", more),
      ended(2, "a", { durationMs: 82_000, tokens: 9_800, outcome: "failed" }),
    ])
    expect(text).toMatch(/npm test failed 9\.8k 82 s/)
  })

  it("[CONSOLE-30] an edit shows its diff", () => {
    const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-old\n+new"
    const text = renderRows([started(1, "a", { kind: "edit" }), ended(2, "a", { diff })])
    expect(text).toMatch(/x\.ts \+1 −1 Show less 1 − old 1 \+ new/)
  })

  it("[CONSOLE-30] a changed file below the run's folder has a relative path, others an absolute path", () => {
    const edit = (path: string) =>
      renderRows([
        started(1, "a", { kind: "edit", path }),
        ended(2, "a", {
          diff: `--- a${path}\n+++ b${path}\n@@ -1 +1 @@\n-old\n+new`,
        }),
      ])
    expect(edit("/r/src/note.txt")).toMatch(/ src\/ note\.txt \+1 −1/)
    expect(edit("/etc/hosts")).toMatch(/ \/etc\/ hosts \+1 −1/)
  })

  it("[CONSOLE-30] the final output of an activity is shown once, and before that the output so far", () => {
    const update = anEvent(2, { event: "activity.updated", activityId: "a" }, "one line")
    const end = { ...ended(3, "a"), content: "one line, and two" }
    const of = (messages: readonly Message[]) =>
      renderRows([started(1, "a", { kind: "command" }), ...messages], {}, ["a:a"])
    expect(of([update, end]).match(/one line/g)).toHaveLength(1)
    expect(of([update, end])).toContain("one line, and two")
    expect(of([update])).toContain("one line")
    expect(of([update, ended(3, "a")])).toContain("one line")
  })

  it("[CONSOLE-30] text streamed inside an activity is shown in it until it ends", () => {
    const task = started(1, "a", { kind: "agent", title: "Look around" })
    const writing = new Map([["a", `${"x".repeat(200)} and so on`]])
    expect(renderRows([task], { writing })).toMatch(/Look around … x+ and so on/)
    expect(renderRows([task], { writing }, ["a:a"])).toContain("x".repeat(200))
    expect(renderRows([task, ended(2, "a")], { writing })).not.toContain("and so on")
  })

  it("[CONSOLE-25] an open approval shows the full command, its expiry and its answers", () => {
    const ask = {
      event: "approval.requested",
      approvalId: "ap",
      tool: "Bash",
      title: "Run",
      input: "",
    }
    const text = renderRows([anEvent(1, ask)])
    expect(text).toContain(
      "Run a command not covered by a rule expires in 9:41 npm test Allow once Deny",
    )
    expect(text).toContain("Always allow Bash")
    const elsewhere = new Map([["ap", anApproval("ap", { status: "denied", answeredBy: "cli" })]])
    const answered = renderRows([anEvent(1, ask)], { approvals: elsewhere })
    expect(answered).toContain("denied by cli")
    expect(answered).not.toContain("Allow once")
    expect(renderRows([anEvent(1, ask)], { approvals: new Map() })).not.toContain("Allow")
  })

  it("[CONSOLE-30] notes, errors and unknown messages have a text", () => {
    const text = renderRows([
      anEvent(1, { event: "mode.changed", mode: "edits", by: "console" }),
      anEvent(2, {
        event: "context.compacted",
        trigger: "auto",
        tokensBefore: 162_000,
        tokensAfter: 41_000,
      }),
      anEvent(3, { event: "error", message: "", isFatal: true }, "The model is overloaded."),
      anEvent(4, { event: "of.tomorrow" }, "A kind of tomorrow"),
    ])
    expect(text).toContain("Mode edits from here on, by console")
    expect(text).toContain("The host compacted its context (auto), 162.0k became 41.0k tokens")
    expect(text).toContain("The model is overloaded.")
    expect(text).toContain("A kind of tomorrow")
  })

  it("[T15][CONSOLE-30] the context at start lists what is in the window when it is open, with the disclaimer", () => {
    const context = aMessage(1, {
      type: "context",
      metadata: {
        capture: "cap_7",
        disclaimer: "An estimate.",
        contextFileCount: 3,
        tokens: 2_509,
        inWindow: [{ path: "/r/CLAUDE.md", label: "CLAUDE.md", tokens: 9 }],
      },
    })
    const [entry] = foldMessages([context])
    const closed = renderRows([context])
    expect(closed).toContain("Context at start 1 item, 2,509 tokens")
    expect(closed).not.toContain("CLAUDE.md")
    const open = renderRows([context], {}, [entry?.key ?? ""])
    expect(open).toContain("CLAUDE.md")
    expect(open, "the lines add up").toContain("System prompt, tools and lists of the host 2,500")
    expect(open).toContain("An estimate.")
  })

  it("[CONSOLE-30] a long text shows its length and is requested on demand", () => {
    const text = renderRows([
      aMessage(1, { type: "user", content: "abc", metadata: { cut: 12_304 } }),
    ])
    expect(text).toContain("abc Show all 12,304 characters")
  })

  it("[CONSOLE-22] control and bidirectional characters in names, titles, paths and reasons are escaped", () => {
    const evil = "<img src=x onerror=alert(1)>\u202E\u0007"
    const text = renderRows([
      aMessage(1, { type: "user", content: evil }),
      started(2, "a", { title: evil, kind: "command", tool: evil }),
      ended(3, "a", { diff: `--- a/${evil}\n+++ b/${evil}\n@@ -1 +1 @@\n-${evil}\n+${evil}` }),
      anEvent(4, { event: "mode.changed", mode: "ask", by: evil }),
      anEvent(5, { event: "error", message: evil, isFatal: false }, evil),
    ])
    expect(text).not.toMatch(/[\u202E\u0007]/)
    expect(text.match(/\\u\{202e\}\\x07/g)?.length).toBeGreaterThanOrEqual(5)
  })
})
