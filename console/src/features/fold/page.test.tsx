import { QueryClient } from "@tanstack/react-query"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { FoldShow, FoldTree } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { foldParams } from "../../data/paths.ts"
import { failedQuery, renderPage, textOf } from "../../test-page.tsx"
import { ACTIVE, aBranch, aStep, aTree, NOW } from "./fold.fixture.ts"
import { FoldPage } from "./page.tsx"
import { keptInput, searchInput, treeInput } from "./use-fold.ts"

type Answers = readonly (readonly [readonly unknown[], unknown])[]

type FoldPageData = {
  readonly tree?: FoldTree
  readonly shown?: FoldShow
  readonly answers?: Answers
}

function markupOf(address: string, { tree, shown, answers = [] }: FoldPageData): string {
  const queries = new QueryClient()
  const params = foldParams.parse(address)
  if (tree !== undefined) {
    queries.setQueryData(keys.operation("fold.tree", treeInput(params.all)), tree)
  }
  if (shown !== undefined) {
    queries.setQueryData(keys.operation("fold.show", { id: params.show }), shown)
  }
  for (const [key, answer] of answers) queries.setQueryData(key, answer)
  return renderPage(queries, <FoldPage now={NOW} params={params} onParams={() => undefined} />)
}

const render = (address: string, data: FoldPageData) => textOf(markupOf(address, data))
const TREE = aTree([aBranch("fb_1"), aBranch("fb_2", ACTIVE)])
const storedTotal = (total: number): Answers => [
  [
    keys.operation("fold.list", keptInput()),
    { branches: [], active: 0, total, tokensInWindow: 0, tokensKeptOut: 0 },
  ],
]

describe("page Folds", () => {
  it("[CONSOLE-15] the empty page says what a branch is and gives the one command", () => {
    const text = render("", { tree: aTree([]), answers: storedTotal(0) })
    expect(text).toContain("A branch is a sub-task outside the agent&#x27;s window")
    expect(text).toContain("$ qm init --host claude-code Copy")
    expect(render("?all=yes", { tree: aTree([]) })).toContain("qm init")
    expect(render("", {}), "unknown is not empty").not.toContain("qm init")
    expect(render("", { tree: aTree([]) }), "nor is what is asked for").not.toContain("qm init")
  })

  it("[CONSOLE-15] no branch in the last hour and no branch at all have different texts", () => {
    const text = render("", { tree: aTree([]), answers: storedTotal(12) })
    expect(text).toContain("No branch was active in the last hour; 12 are stored. Show all")
    expect(text).not.toContain("qm init")
  })

  it("the savings, the totals and the ways are shown, and the tree has an accessible name", () => {
    const html = markupOf("", { tree: TREE })
    const text = textOf(html)
    expect(html).toContain('role="tree"')
    expect(text).toContain("Folds 2 branches, 1 active")
    expect(text).toContain("18,800 tokens saved in the windows 824 tokens returned")
    expect(text).toContain("In the windows 824 Without folds 19,624")
    expect(text).toContain("Fold methods: sub-agent for 2.")
    expect(text, "nothing was counted in part").not.toContain("at least")
    const part = render("", { tree: aTree([aBranch("a", { isLowerBound: true })]) })
    expect(part).toContain("at least 9,400 tokens saved")
    expect(part).toContain("neither hooks nor a gateway counted")
  })
})

describe("figures of the page Folds", () => {
  it("[T8][FOLD-32] shown parts add up to shown totals, for any branches", () => {
    const figure = (text: string | undefined) => Number((text ?? "").replaceAll(",", ""))
    const tokens = fc.nat(2_000_000)
    const branch = fc.record({
      tokensInWindow: tokens,
      tokensKeptOut: tokens,
      resultTokens: tokens,
    })
    fc.assert(
      fc.property(fc.array(branch, { minLength: 1, maxLength: 6 }), (figures) => {
        const tree = aTree(figures.map((it, i) => aBranch(`fb_${i}`, it)))
        const text = render("", { tree })
        const [, kept] = /([\d,]+) tokens saved in the windows/.exec(text) ?? []
        const [, seen, whole] = /In the windows ([\d,]+) Without folds ([\d,]+)/.exec(text) ?? []
        expect(figure(kept) + figure(seen)).toBe(figure(whole))
        expect(figure(kept)).toBe(figures.reduce((sum, it) => sum + it.tokensKeptOut, 0))
        expect(figure(kept)).toBe(tree.sessions[0]?.tokensKeptOut)
        expect(figure(seen)).toBe(tree.sessions[0]?.tokensInWindow)
      }),
      { numRuns: 50 },
    )
  })
})

describe("branch on the page Folds", () => {
  it("a branch shows its status, its result and its evidence", () => {
    const branch = aBranch("fb_1", {
      evidence: ["quote.ts:41 rounds the sum"],
      openQuestions: ["Is the export affected?"],
      files: ["docs/x.md"],
      outOfScope: ["docs/x.md"],
      scope: ["src/**"],
      injectedMemoryIds: ["mem_1", "mem_2"],
      redactions: 1,
    })
    const shown = { branch, trail: [aStep(1)] }
    const title = [keys.operation("memory.show", { id: "mem_1" }), { title: "Half cents" }] as const
    const html = markupOf("?show=fb_1", { tree: TREE, shown, answers: [title] })
    const text = textOf(html)
    expect(text).toMatch(/State returned, today \d\d:\d\d/)
    expect(text).toContain("Budget 9,812 of 12,000 tokens, 81 %")
    expect(text).toContain("Time 1:22 of 5:00 minutes")
    expect(text).toContain("Saved 9,400 tokens")
    expect(text).toContain("Returned to the parent 412 tokens Seven callers.")
    expect(text).toContain("Evidence 1 quote.ts:41 rounds the sum")
    expect(text).toContain("out of scope, named")
    expect(text).toContain("Open questions 1 Is the export affected?")
    expect(text).toContain("Secrets 1 value replaced")
    expect(html).toContain('href="/memory?at=mem_1&amp;show=mem_1">Half cents</a>')
    expect(html, "a deleted memory is shown by its id").toContain(">mem_2</a>")
    expect(text).not.toContain("partial")
  })

  it("a force-closed branch is called partial, an active one shows its progress", () => {
    const forced = aBranch("fb_1", {
      status: "failed",
      endReason: "budget",
      isPartial: true,
      error: "a charge would have exceeded its budget of 12,000 tokens",
    })
    const text = render("?show=fb_1", { tree: TREE, shown: { branch: forced, trail: [] } })
    expect(text).toContain("over budget, partial")
    expect(text).toContain("Result when it was ended partial")
    expect(text).toContain(
      "Ended automatically: a charge would have exceeded its budget of 12,000 tokens.",
    )
    const late = aBranch("fb_1", { endReason: "budget", isExhausted: true })
    const returned = render("?show=fb_1", { tree: TREE, shown: { branch: late, trail: [] } })
    expect(returned).toContain("State returned over budget,")
    expect(returned).not.toContain("partial")
    const branch = aBranch("fb_2", { ...ACTIVE, progress: "3 of 7 read" })
    const live = render("?show=fb_2", { tree: TREE, shown: { branch, trail: [] } })
    expect(live).toContain("So far 3 of 7 read")
    const silent = { branch: aBranch("fb_2", ACTIVE), trail: [] }
    expect(render("?show=fb_2", { tree: TREE, shown: silent })).toContain("No progress note yet")
    const trail = render("?show=fb_2&tab=trail", { tree: TREE, shown: silent })
    expect(trail).toContain("No steps stored yet.")
  })

  it("a step of the trail opens its text, and the restored text says what is left out", () => {
    const shown = { branch: aBranch("fb_1"), trail: [aStep(1), aStep(2, { handle: "fh_1" })] }
    const open = markupOf("?show=fb_1&tab=trail&step=2", { tree: TREE, shown })
    expect(textOf(open)).toContain("search, 604 tokens Copy handle 1 roundLine( 2 src/quote.ts:41")
    expect(open).toContain("Copy handle")
    const none = markupOf("?show=fb_1&tab=trail&step=9", { tree: TREE, shown })
    expect(none).not.toContain("Text of the step")
    const restored = { branchId: "fb_1", text: "# The trail", tokens: 318, leftOut: 2 }
    const text = render("?show=fb_1&tab=restored", {
      tree: TREE,
      shown,
      answers: [[keys.operation("fold.restore", { id: "fb_1" }), restored]],
    })
    expect(text).toContain("318 tokens, 2 steps did not fit Copy 1 # The trail")
    const prompt = render("?show=fb_1&tab=prompt", { tree: TREE, shown })
    expect(prompt).toContain("Read what is needed.")
  })

  it("an empty search result says how many trails were searched", () => {
    const none = [keys.operation("fold.search", searchInput("zz")), { found: [], searched: 11 }]
    const text = render("?text=zz", { tree: TREE, answers: [[[none[0]].flat(), none[1]]] })
    expect(text).toContain("No trail of 11 branches matches. Show the tree")
  })

  it("[CONSOLE-15] an error says what happened and offers a retry", async () => {
    const queries = await failedQuery(keys.operation("fold.tree", treeInput(false)))
    const page = <FoldPage now={NOW} params={foldParams.parse("")} onParams={() => undefined} />
    const html = renderPage(queries, page)
    expect(textOf(html)).toContain("The disk is full")
    expect(textOf(html)).toContain("Try again")
  })

  it("[CONSOLE-22] control and bidirectional characters in descriptions, results and paths are escaped", () => {
    const branch = aBranch("fb_1", {
      description: "x\u202Ey<img src=x>",
      result: "<img src=x> \u2066z",
      evidence: ["\u0007<b>"],
      files: ["a\u202Eb.ts"],
      client: "\u202Eevil",
    })
    const html = markupOf("?show=fb_1", { tree: TREE, shown: { branch, trail: [] } })
    expect(html).not.toMatch(/[\u202E\u2066\u0007]|<img/)
  })
})
