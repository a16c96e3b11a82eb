import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import { MemoryState } from "#ground/contract"
import type { Memory } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { memoryParams } from "../../data/paths.ts"
import { failedQuery, renderPage, textOf } from "../../test-page.tsx"
import { aMemory, NOW } from "./memory.fixture.ts"
import { MemoryPage } from "./page.tsx"
import { listInput } from "./use-memory.ts"
import { describeStaleCites, describeState, markOf } from "./words.ts"

const aDecision = (id: string, overrides: Partial<Memory> = {}): Memory =>
  aMemory(id, {
    kind: "decision",
    title: "Round on the line",
    description: "Round on the line",
    body: "## Context\n\nTotals differed.\n\n## Decision\n\nHalf to even.",
    state: "confirmed",
    ...overrides,
  })

type DecisionsPageData = {
  readonly decisions?: readonly Memory[]
  readonly shown?: Memory
  readonly isReadOnly?: boolean
}

function markupOf(address: string, { decisions, shown, isReadOnly }: DecisionsPageData): string {
  const queries = new QueryClient()
  const params = memoryParams.parse(`?kind=decision&${address.slice(1)}`)
  if (decisions !== undefined) {
    const list = { memories: decisions, total: decisions.length, problems: [] }
    queries.setQueryData(keys.operation("memory.list", listInput(params)), list)
  }
  if (shown !== undefined) {
    queries.setQueryData(keys.operation("memory.show", { id: params.show }), shown)
  }
  if (isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  return renderPage(queries, <MemoryPage now={NOW} params={params} onParams={() => undefined} />)
}

const render = (address: string, data: DecisionsPageData) => textOf(markupOf(address, data))

describe("page Memory with the kind decision", () => {
  it("[CONSOLE-15] the empty page says what it shows and gives the one command", () => {
    const text = render("", { decisions: [] })
    expect(text).toMatch(/Decisions are memories with a context.*\$ qm decision add/)
    expect(text.match(/Add decision/g)?.length).toBe(2)
    const readOnly = render("", { decisions: [], isReadOnly: true })
    expect(readOnly.match(/Add decision/g)?.length, "only the one of the header").toBe(1)
    expect(render("", {}), "unknown is not empty").not.toContain("qm decision add")
  })

  it("each state has a mark, and an unconfirmed decision from outside is called quarantined", () => {
    const marks = MemoryState.options.map((state) => markOf(aDecision("m", { state })))
    const outside = { ...aDecision("m").source, isUntrusted: true }
    const held = aDecision("m", { source: outside, state: "proposed" })
    expect(new Set([...marks, markOf(held)]).size).toBe(MemoryState.options.length + 1)
    expect(describeState(held)).toBe("quarantined")
    const cites = [
      { path: "a", sha: "1", state: "changed" as const },
      { path: "b", sha: "1", state: "gone" as const },
      { path: "c", sha: "1", state: "fresh" as const },
    ]
    expect(describeStaleCites(aDecision("m", { cites }))).toBe(
      "1 citation changed, 1 citation gone",
    )
    expect(describeStaleCites(aDecision("m"))).toBe("")
  })

  it("a decision shows its text and its code, and can be confirmed and rated", () => {
    const shown = aDecision("mem_1", {
      state: "stale",
      supersededBy: "mem_2",
      cites: [
        { path: "src/a.ts", symbol: "roundLine", sha: "1", state: "changed" },
        { path: "src/b.ts", sha: "2", state: "gone" },
      ],
    })
    const html = markupOf("?show=mem_1", { decisions: [shown], shown })
    const text = textOf(html)
    expect(text).toContain("Stale: the cited code has changed since it was written.")
    expect(text).toContain("Half to even.")
    expect(text).toContain("src/a.ts#roundLine changed")
    expect(html, "a missing file has no link").not.toContain('href="/map?show=src%2Fb.ts"')
    expect(text).toMatch(/Confirm.*Helpful.*Unhelpful.*Forget/)
    expect(html).toContain('href="/memory?at=mem_2&amp;show=mem_2"')
  })

  it("a read-only page has no Add button", () => {
    const html = markupOf("?add=yes", { decisions: [], isReadOnly: true })
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Add</)
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><svg.*?<\/svg><span[^>]*>Add decision</)
    expect(textOf(html)).toContain("Secrets are redacted before it is written.")
  })

  it("[CONSOLE-15] an error says what happened and offers a retry", async () => {
    const params = memoryParams.parse("?kind=decision")
    const queries = await failedQuery(keys.operation("memory.list", listInput(params)))
    const page = <MemoryPage now={NOW} params={params} onParams={() => undefined} />
    const html = renderPage(queries, page)
    expect(textOf(html)).toMatch(/The disk is full.*Try again/)
  })

  it("[CONSOLE-22] control and bidirectional characters in titles, texts and files are escaped", () => {
    const shown = aDecision("mem_1", {
      title: "x\u202Ey<img src=x>",
      body: "<img src=x> [a](javascript:alert(1)) \u0007",
      file: "a\u202Eb.md",
    })
    const html = markupOf("?show=mem_1", { decisions: [shown], shown })
    expect(html).not.toMatch(/[\u202E\u0007]|<img|href="javascript/)
  })
})
