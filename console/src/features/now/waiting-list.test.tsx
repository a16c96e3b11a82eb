import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import type { Approval, NowRow } from "../../contract.ts"
import { textOf } from "../../test-page.tsx"
import { WaitingList, waitingRows } from "./waiting-list.tsx"

const NOW = 1_000_000_000
const row = (id: string): NowRow => ({
  id,
  kind: "run",
  state: "waiting",
  title: `Run ${id}`,
  ask: "asks for something",
  agent: "codex",
  at: NOW - 60_000,
})
const approval = (id: string, runId: string): Approval => ({
  id,
  runId,
  tool: "Bash",
  title: "Run a command",
  input: JSON.stringify({ command: `make ${id}` }),
  digest: "d",
  path: null,
  cwd: "/r",
  status: "open",
  requestedAt: NOW - 11 * 60_000,
  expiresAt: NOW + 60_000,
  answeredAt: null,
  answeredBy: null,
  note: null,
})

function render(at: string | null): string {
  const rows = waitingRows([row("rn_1"), row("rn_2")], [approval("ap_1", "rn_1")])
  const html = renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <WaitingList rows={rows} now={NOW} at={at} isReadOnly={false} />
    </QueryClientProvider>,
  )
  return textOf(html)
}

describe("waiting runs on the page Now", () => {
  it("[CONSOLE-25] a row names the agent, its request and the waiting time, and links to its run", () => {
    expect(render(null)).toContain("Run rn_1 codex asks to run make ap_1")
    expect(render(null)).toContain("Allow or deny 11 min")
    expect(render(null)).toContain("asks for something")
  })

  it("[CONSOLE-25] only the selected row has buttons, and Allow only after the row was measured to fit", () => {
    expect(render(null)).not.toContain("Deny")
    const selected = render("ap_1")
    expect(selected).toMatch(/Open.*Deny/)
    expect(selected).toContain("Deny")
    expect(selected).not.toMatch(/Allow(?! or)/)
  })

  it("[CONSOLE-25] on a narrow screen each row has a button that opens the full request", () => {
    expect(render(null).match(/Open/g)).toHaveLength(2)
  })

  it("the longest waiting run comes first, as in the inbox", () => {
    const rows = waitingRows(
      [row("rn_1"), row("rn_2"), { ...row("rn_3"), at: NOW - 30 * 60_000 }],
      [{ ...approval("ap_1", "rn_1"), requestedAt: NOW - 60_000 }, approval("ap_2", "rn_2")],
    )
    expect(rows.map((it) => it.key)).toEqual(["rn_3", "ap_2", "ap_1"])
  })

  it("[CONSOLE-25] a row is selected by its approval id, so the next approval of a run is another row", () => {
    const of = (...ids: readonly string[]) =>
      waitingRows(
        [row("rn_1")],
        ids.map((it) => approval(it, "rn_1")),
      ).map(({ key, further }) => [key, further])
    expect(of("ap_1", "ap_2")).toEqual([["ap_1", 1]])
    expect(of("ap_2")).toEqual([["ap_2", 0]])
    expect(of()).toEqual([["rn_1", 0]])
  })
})
