import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import { failure } from "../../base/errors.ts"
import type { PackBuilt, PackSummaryItem } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { packParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { buildInput, choicesOf } from "./choices.ts"
import { aBuilt, aFile, aLeft, aPack } from "./pack.fixture.ts"
import { PackPage } from "./page.tsx"

const NOW = Date.UTC(2026, 10, 15, 8, 16)
const ITEM: PackSummaryItem = {
  id: "pk_1",
  task: "Fix the cent\nand more",
  role: "backend",
  budget: 24_000,
  tokens: 18_985,
  files: 9,
  session: null,
  builtAt: NOW - 60_000,
}

type PackPageData = {
  readonly built?: PackBuilt
  readonly shown?: PackBuilt
  readonly packs?: readonly PackSummaryItem[]
  readonly refusal?: ReturnType<typeof failure>
}

async function render(address: string, data: PackPageData = {}): Promise<string> {
  const html = await renderHtml(address, data)
  return textOf(html)
}

async function renderHtml(address: string, data: PackPageData = {}): Promise<string> {
  const { built, shown, packs = [], refusal } = data
  const rests = { retry: false, retryOnMount: false, staleTime: Number.POSITIVE_INFINITY }
  const queries = new QueryClient({ defaultOptions: { queries: rests } })
  const params = packParams.parse(address)
  const input = buildInput(choicesOf(params), params.tab)
  queries.setQueryData(keys.operation("pack.list", { limit: 50 }), { packs: [...packs] })
  if (built !== undefined) queries.setQueryData(keys.operation("pack.build", input), built)
  const storedKey = keys.operation("pack.show", { id: params.id, format: params.tab })
  if (shown !== undefined) queries.setQueryData(storedKey, shown)
  if (refusal !== undefined) {
    const queryKey = keys.operation("pack.build", input)
    await queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(refusal) })
  }
  return renderPage(queries, <PackPage now={NOW} params={params} onParams={() => undefined} />)
}

describe("page Pack", () => {
  it("[CONSOLE-15] without a task it shows a field for one and the stored packages", async () => {
    expect(await render("")).toContain(
      "Packages that you save or that agents request are listed here.",
    )
    const text = await render("", { packs: [ITEM, { ...ITEM, id: "pk_2" }] })
    expect(text).toContain("2 packages saved Compare")
    expect(text).toContain("Fix the cent 9 files, 19.0k of 24.0k tokens backend")
    expect(text).not.toContain("and more")
  })

  it("[CONSOLE-15] while the first package is built it shows a skeleton and no numbers", async () => {
    const text = await render("?task=fix+it")
    expect(text).toContain("Candidates by score")
    expect(text).not.toMatch(/\b0 (of|files)/)
  })

  it("it shows what was recognised in the task and which signal is missing", async () => {
    const pack = aPack({
      analysis: {
        filePaths: ["src/a.ts"],
        symbolNames: ["roundLine"],
        domain: "tariff",
        action: "fix",
        keywords: ["cent", "split"],
      },
      signals: { used: ["graph", "words"], missing: [{ signal: "meaning", why: "no model" }] },
    })
    const text = await render("?task=fix+it", { built: aBuilt(pack) })
    expect(text).toContain("Recognised fix Domain tariff Symbols roundLine Paths src/a.ts")
    expect(text).toContain("Keywords cent, split Signals graph, words; no meaning, no model")
  })

  it("it shows tokens used, tokens free and tokens that did not fit", async () => {
    const files = [aFile("a.ts", { tokens: 700 }), aFile("b.ts", { tokens: 200, form: "symbols" })]
    const manifest = {
      ...aPack().manifest,
      kinds: [
        { kind: "files" as const, tokens: 700 },
        { kind: "symbols" as const, tokens: 200 },
        { kind: "memory" as const, tokens: 0 },
      ],
      leftTokens: 8_410,
    }
    const left = [aLeft("c.ts")]
    const text = await render("?task=t", { built: aBuilt(aPack({ files, left, manifest })) })
    expect(text).toContain("900 of 1,000 tokens, 2 files 100 free 8,410 did not fit")
    expect(text).toContain("files 700 symbols 200 files left out 8,410")
    expect(text).toContain("Candidates 3")
    expect(text).toContain("Selected 2, in final order")
    expect(text).toContain("not saved")
  })

  it("[CONSOLE-15] it shows the expected recall by size, and where the package ends", async () => {
    const files = [aFile("a.ts", { tokens: 900 })]
    const curve = [
      { tokens: 500, recall: 0.41 },
      { tokens: 2_000, recall: 0.93 },
    ]
    const built = aBuilt(aPack({ files, expectation: { recall: 0.76, curve } }))
    const text = await render("?task=t", { built })
    expect(text).toContain(
      "Estimate: 76 % of the code the task needs. The package ends at 900 tokens. Others would have 41 % at 500, 93 % at 2.0k.",
    )
    const html = await renderHtml("?task=t", { built })
    const sizes = [...html.matchAll(/<title>([^<]*) tokens: /g)].map(([, size]) => size)
    expect(sizes).toEqual(["500", "900", "2.0k"])
    const none = aBuilt(aPack({ files }))
    expect(await render("?task=t", { built: none })).not.toContain("Estimate")
  })

  it("[CONSOLE-15] an empty package says why it is empty", async () => {
    const pack = aPack({ emptyReason: "Packages are switched off." })
    const text = await render("?task=t", { built: aBuilt(pack) })
    expect(text).toContain("Packages are switched off.")
  })

  it("a budget that is too small shows the required budget and offers it", async () => {
    const refusal = failure({
      code: "PACK_BUDGET_TOO_SMALL",
      message: "The opening needs 420 tokens; the budget is 20.",
      hint: "Raise the budget to at least 420.",
      data: { needed: 420 },
    })
    const text = await render("?task=t&budget=20", { refusal })
    expect(text).toContain("The opening needs 420 tokens")
    expect(text).toContain("Raise the budget to 420")
    expect(text).toContain("PACK_BUDGET_TOO_SMALL")
    expect(text).not.toContain("Candidates")
  })

  it("a rejected pin can be removed, another error can be retried", async () => {
    const data = { path: "web/a.ts" }
    const refused = (code: string) => failure({ code, message: "No.", hint: "Do.", data })
    const denied = refused("PACK_TARGET_DENIED")
    expect(await render("?task=t&pin=web/a.ts", { refusal: denied })).toContain("Unpin it")
    expect(await render("?task=t&pin=other.ts", { refusal: denied })).not.toContain("Unpin it")
    const empty = await render("?task=t", { refusal: refused("PACK_TASK_EMPTY") })
    expect(empty).toMatch(/No\. Do\. Try again PACK_TASK_EMPTY/)
  })

  it("[CONSOLE-38] a stored package shows when it was stored and cannot be stored twice", async () => {
    const pack = aPack({ task: "Round it", builtAt: NOW - 60_000, files: [aFile("a.ts")] })
    const text = await render("?id=pk_1", { shown: aBuilt(pack) })
    expect(text).toContain("Pack / Round it saved today 08:15")
    expect(text).toContain("Saved")
  })

  it("a package with files can be given to an agent, an empty one cannot", async () => {
    const runs = async (files: readonly ReturnType<typeof aFile>[]) => {
      const html = await renderHtml("?task=t", { built: aBuilt(aPack({ files: [...files] })) })
      const button = /<button[^>]*>(?:(?!<\/button>).)*Start run/s.exec(html)?.[0] ?? ""
      return !/disabled=/.test(button.slice(button.lastIndexOf("<button")))
    }
    expect(await runs([aFile("a.ts")])).toBe(true)
    expect(await runs([])).toBe(false)
  })

  it("[CONSOLE-22] control and bidirectional characters in task, role and reason are escaped", async () => {
    const bidi = "\u202Etxt"
    const pack = aPack({
      task: bidi,
      role: bidi,
      files: [],
      emptyReason: bidi,
      notes: [bidi],
      analysis: { ...aPack().analysis, keywords: [bidi], domain: bidi },
    })
    const text = await render("?id=pk_1", { shown: aBuilt(pack) })
    // The input field itself holds the unescaped text.
    expect(text.replace(/ Pack \/.*? Budget /, " ")).not.toContain("\u202E")
    expect(text).toContain("\\u{202e}txt")
  })

  it("comparing needs two stored packages", async () => {
    expect(await render("?compare=yes", { packs: [ITEM] })).toContain(
      "A comparison needs two saved packages.",
    )
  })
})
