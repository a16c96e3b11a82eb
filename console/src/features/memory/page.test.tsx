import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import type { Memory, MemoryList } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { memoryParams } from "../../data/paths.ts"
import { failedQuery, renderPage, textOf } from "../../test-page.tsx"
import { aList, aMemory, NOW, OUTSIDE } from "./memory.fixture.ts"
import { MemoryPage } from "./page.tsx"
import { listInput, searchInput } from "./use-memory.ts"

type MemoryPageData = {
  readonly list?: MemoryList
  readonly shown?: Memory
  readonly answers?: readonly (readonly [readonly unknown[], unknown])[]
  readonly isReadOnly?: boolean
}

function markupOf(
  address: string,
  { list, shown, answers = [], isReadOnly }: MemoryPageData,
): string {
  const queries = new QueryClient()
  const params = memoryParams.parse(address)
  if (list !== undefined) {
    queries.setQueryData(keys.operation("memory.list", listInput(params)), list)
  }
  if (shown !== undefined) {
    queries.setQueryData(keys.operation("memory.show", { id: params.show }), shown)
  }
  if (isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  for (const [key, answer] of answers) queries.setQueryData(key, answer)
  return renderPage(queries, <MemoryPage now={NOW} params={params} onParams={() => undefined} />)
}

const render = (address: string, data: MemoryPageData) => textOf(markupOf(address, data))
const SOME = aList([aMemory("mem_1")])

describe("page Memory", () => {
  it("[CONSOLE-15] the empty page says what it shows and gives the one command", () => {
    const text = render("", { list: aList([]) })
    expect(text).toContain("This page lists memories")
    expect(text).toMatch(/\$ qm memory add &quot;Berth&quot; &quot;[^&]+&quot; --kind term/)
    const readOnly = render("", { list: aList([]), isReadOnly: true })
    expect(readOnly.match(/Add memory/g)?.length, "only the one of the header").toBe(1)
    expect(render("", {}), "unknown is not empty").not.toContain("qm memory add")
  })

  it("[CONSOLE-15] no memory of a kind, no search result and no memory at all have different texts", () => {
    const filtered = render("?kind=term&state=stale", { list: aList([]) })
    expect(filtered).toContain("No memory has this kind and state. Show all")
    const none = { found: [], total: 38 }
    const key = keys.operation("memory.search", searchInput("zz", null))
    const noMatch = render("?text=zz", { list: SOME, answers: [[key, none]] })
    expect(noMatch).toContain("None of 38 memories matches. Show all")
  })

  it("search results are also filtered by state, which the server's search does not do", () => {
    const matches = [{ memory: aMemory("mem_1"), score: 1, why: ["words cent"] }]
    const key = keys.operation("memory.search", searchInput("cent", "pitfall"))
    const answers = [[key, { found: matches, total: 38 }]] as const
    const list = aList([])
    expect(render("?text=cent&kind=pitfall", { list, answers })).toContain("1 memory of 38")
    expect(render("?text=cent&kind=pitfall&state=stale", { list, answers })).toContain(
      "None of 38 memories matches",
    )
  })

  it("unreadable files are named, up to three", () => {
    const problems = ["a", "b", "c", "d"].map((it) => ({ file: `${it}.md`, problem: "No kind." }))
    const text = render("", { list: aList([aMemory("mem_1")], { problems }) })
    expect(text).toContain("4 files could not be read as a memory. a.md: No kind. b.md: No kind.")
    expect(text).toContain("c.md: No kind. And 1 more.")
    expect(render("", { list: SOME })).not.toContain("could not be read")
  })
})

describe("memory on the page Memory", () => {
  it("a memory shows its text, its code, its source and its confidence", () => {
    const shown = aMemory("mem_1", {
      state: "stale",
      cites: [
        { path: "src/a.ts", symbol: "roundLine", sha: "1", state: "changed" },
        { path: "src/b.ts", sha: "2", state: "gone" },
      ],
      signals: { helpful: 4, unhelpful: 1, succeeded: 0, failed: 0 },
      supersededBy: "mem_2",
    })
    const html = markupOf("?show=mem_1", { list: SOME, shown })
    const text = textOf(html)
    expect(text).toContain("Stale: the cited code has changed since it was written.")
    expect(text).toContain("Round on the line first")
    expect(html).toContain('href="/map?show=src%2Fa.ts%23roundLine"')
    expect(html, "a missing file has no link").not.toContain('href="/map?show=src%2Fb.ts"')
    expect(text).toMatch(/changed .* missing/)
    expect(text).toContain("Confidence 0.70, fair, computed from signals and uses")
    expect(text).toContain("Signals 4 helpful, 1 unhelpful")
    expect(text).toContain("Source an agent, distilled, in session s-1, at 4e2a19c")
    expect(text).toContain("Age 4 days,")
    expect(html).toContain('href="/memory?at=mem_2&amp;show=mem_2"')
  })

  it("an unconfirmed memory from outside is called quarantined, with the way to change that", () => {
    const shown = aMemory("mem_1", { source: OUTSIDE })
    const text = render("?show=mem_1", { list: SOME, shown })
    expect(text).toContain("Quarantined: based on text from outside.")
    expect(text).toContain("until you confirm it")
    const confirmed = aMemory("mem_1", { source: OUTSIDE, state: "confirmed" })
    expect(render("?show=mem_1", { list: SOME, shown: confirmed })).not.toContain("Quarantined")
  })

  it("a read-only page offers nothing that writes", () => {
    const html = markupOf("?show=mem_1", { list: SOME, shown: aMemory("mem_1"), isReadOnly: true })
    for (const name of ["Add memory", "Confirm", "Helpful", "Unhelpful", "Forget"]) {
      expect(html).toMatch(
        new RegExp(`<button[^>]*disabled=""[^>]*>(<svg.*?</svg>)?<span[^>]*>${name}<`),
      )
    }
    expect(textOf(html)).toContain("This page is read only.")
    const form = markupOf("?add=yes", { list: SOME, isReadOnly: true })
    expect(form).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Add</)
  })

  it("the form explains each kind and what happens to text from outside", () => {
    const text = render("?add=yes", { list: SOME })
    expect(text).toContain("decision a choice and its reason")
    expect(text).toContain("Outside quarantined until confirmed")
    expect(text).toContain("Secrets are redacted before it is written.")
  })

  it("[CONSOLE-15] an error says what happened and offers a retry", async () => {
    const queries = await failedQuery(
      keys.operation("memory.list", listInput({ kind: null, state: null })),
    )
    const page = <MemoryPage now={NOW} params={memoryParams.parse("")} onParams={() => undefined} />
    const html = renderPage(queries, page)
    expect(textOf(html)).toContain("The disk is full")
    expect(textOf(html)).toContain("Try again")
  })

  it("[CONSOLE-22] control and bidirectional characters in titles, texts and files are escaped", () => {
    const shown = aMemory("mem_1", {
      title: "x\u202Ey<img src=x>",
      description: "\u2066<b>",
      body: "<img src=x> [a](javascript:alert(1)) \u0007",
      file: "a\u202Eb.md",
    })
    const html = markupOf("?show=mem_1", { list: SOME, shown })
    expect(html).not.toMatch(/[\u202E\u2066\u0007]|<img|href="javascript/)
  })
})
