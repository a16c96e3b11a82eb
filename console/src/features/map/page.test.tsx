import { QueryClient } from "@tanstack/react-query"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import type { MapScan, MapShow, MapTree, MapTreemap } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { mapParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { cyclesOf, folderNodes } from "./folder-view.tsx"
import { graphNodes } from "./link-lines.ts"
import { aFile, aLink, anEntry, aShownSymbol, aSymbol, aTree, STATE } from "./map.fixture.ts"
import { colorProblem, stepOf, stepOfAge } from "./measures.ts"
import { MapPage, ScanLine } from "./page.tsx"
import { foundLines } from "./search-results.tsx"
import { filterInput, findInput, folderInput } from "./use-map.ts"
import { describeScan, describeTree, formatLines } from "./words.ts"

const NOW = Date.UTC(2026, 10, 15, 8, 16)

type MapPageData = {
  readonly root?: MapTree
  readonly shown?: MapShow
  readonly answers?: readonly (readonly [readonly unknown[], unknown])[]
  readonly isReadOnly?: boolean
}

function markupOf(address: string, { root, shown, answers = [], isReadOnly }: MapPageData): string {
  const queries = new QueryClient()
  const params = mapParams.parse(address)
  if (root !== undefined) {
    queries.setQueryData(keys.operation("map.tree", folderInput("")), root)
  }
  if (shown !== undefined) {
    const input = { what: params.show, hops: params.hops }
    queries.setQueryData(keys.operation("map.show", input), shown)
  }
  if (isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  for (const [key, answer] of answers) queries.setQueryData(key, answer)
  return renderPage(queries, <MapPage now={NOW} params={params} onParams={() => undefined} />)
}

const render = (address: string, data: MapPageData) => textOf(markupOf(address, data))
const SOME = aTree([anEntry("src/rounding.ts")])
const SCAN: MapScan = {
  scan: {
    filesScanned: 412,
    filesChanged: 0,
    symbolsIndexed: 3_120,
    dependenciesIndexed: 900,
    durationSeconds: 1.34,
    gitSha: null,
    mode: "incremental",
  },
  state: STATE,
  languages: [],
  skipped: [{ path: ".env", reason: "may hold secrets" }],
  skippedCount: 14,
  problems: [],
  problemsCount: 0,
}

describe("page Map", () => {
  it("[CONSOLE-15] before the first scan it says what the page shows and gives the one command", () => {
    const never = aTree([], { state: null })
    const text = render("", { root: never })
    expect(text).toContain("This page shows each file and symbol of this repository")
    expect(text).toContain("$ qm map Copy Scan now")
    expect(render("", { root: never, isReadOnly: true })).not.toContain("Scan now")
    expect(render("", {}), "unknown is not empty").not.toContain("qm map")
  })

  it("the list shows measures and has the ARIA role tree", () => {
    const html = markupOf("?view=list", { root: SOME })
    expect(textOf(html)).toContain("Tokens Changes Rank Agent reads Age")
    expect(html).toContain('role="tree"')
    expect(textOf(html)).toContain("12 files, 1.2k tokens, scanned today")
    expect(textOf(html)).toContain("at 4e2a19c")
  })

  it("the list has no columns for changes and age without git history", () => {
    const measured = { period: null, readsSince: NOW }
    const text = render("?view=list", { root: aTree([anEntry("a.ts")], { measured }) })
    expect(text).toMatch(/Name Tokens Rank Agent reads *$/)
  })

  it("[CONSOLE-15] no match and no scan have different texts, for words and for paths", () => {
    const words = [keys.operation("search.find", findInput("zz")), { files: [], signals: [] }]
    const paths = [keys.operation("map.tree", filterInput("zz")), aTree([])]
    const renderSearch = (address: string, answer: readonly unknown[]) =>
      render(address, { root: SOME, answers: [[[answer[0]].flat(), answer[1]]] })
    expect(renderSearch("?text=zz", words)).toContain("Nothing in this repository matches.")
    expect(renderSearch("?text=zz&by=path", paths)).toContain("No path matches.")
    expect(render("", { root: aTree([]) })).toContain("No readable files.")
  })

  it("a file shows its language and the number of symbols, imports, importers and co-changed files", () => {
    const shown = aFile({ importedBy: ["a.ts", "b.ts"], problems: ["Cut at 1 MB."] })
    const text = render("?show=src%2Frounding.ts", { root: SOME, shown })
    expect(text).toContain("typescript source, 124 lines, 1,120 tokens")
    expect(text).toContain("Symbols 1 Imports 0 Imported by 2 Used in Changed with 0")
    expect(text).toContain("Cut at 1 MB.")
    const tab = (name: string) =>
      render(`?show=src%2Frounding.ts&tab=${name}`, { root: SOME, shown: aFile() })
    expect(tab("imports")).toContain("No imports.")
    expect(tab("importers")).toContain("No file of this repository imports it.")
    expect(tab("changed")).toContain("in the known history")
  })

  it("a file has a button that adds it to a package", () => {
    const text = render("?show=src%2Frounding.ts", { root: SOME, shown: aFile() })
    expect(text).toContain("Add to a package")
  })

  it("the colour Age is strongest for the newest change, weakest for an unknown one", () => {
    const ages = [1, 7, 8, 30, 31, 90, 91, 365, 366]
    const steps = ages.map((it) => stepOfAge(NOW - it * 86_400_000, NOW))
    expect(steps).toEqual([5, 5, 4, 4, 3, 3, 2, 2, 1])
    expect(stepOfAge(0, NOW)).toBe(1)
    const measured = { period: null, readsSince: null, ranked: 1 }
    expect(colorProblem("age", measured)).toBe("This folder has no git history")
  })

  it("a symbol shows its signature and location, and the graph has labels and links", () => {
    const symbol = aSymbol("roundLine", { doc: "Half to even." })
    const shown = aShownSymbol({ symbol, callers: [aLink("priceLine")], isCut: true })
    const html = markupOf("?show=src%2Frounding.ts%23roundLine", { root: SOME, shown })
    const text = textOf(html)
    expect(text).toContain("function roundLine(): void Half to even.")
    expect(text).toContain("exported function, lines 18 to 44, 312 tokens")
    expect(text).toContain("Not all are listed.")
    expect(text).toContain("priceLine")
    expect(html).toMatch(/<a [^>]*href="\/map\?show=src%2Frounding.ts%23priceLine"/)
    const alone = render("?show=src%2Frounding.ts%23roundLine", {
      root: SOME,
      shown: aShownSymbol(),
    })
    expect(alone, "no graph without neighbours").not.toContain("Around")
  })

  it("[CONSOLE-22] control and bidirectional characters in names and signatures are escaped", () => {
    const symbol = aSymbol("x\u202Ey", { signature: "fn \u202Eevil<img src=x>\u0007" })
    const shown = aShownSymbol({ symbol, callers: [aLink("\u2066z")] })
    const html = markupOf("?show=a%23x", { root: SOME, shown })
    expect(html).not.toMatch(/[\u202E\u2066\u0007]|<img/)
    expect(textOf(html)).toContain("fn \\u{202e}evil&lt;img src=x&gt;\\x07")
  })

  it("a scan shows its progress, then files, symbols, seconds and skipped files", () => {
    expect(textOf(renderToStaticMarkup(<ScanLine result={undefined} isBusy />))).toContain(
      "Scanning.",
    )
    const text = textOf(renderToStaticMarkup(<ScanLine result={SCAN} isBusy={false} />))
    expect(text).toContain("412 files, 3,120 symbols in 1.3 s, no changes")
    expect(text).toContain("14 files skipped")
    expect(text).not.toContain("partly read")
    expect(describeScan({ ...SCAN, scan: { ...SCAN.scan, filesChanged: 1 } })).toMatch(
      /1 file changed$/,
    )
    const tree = aTree([anEntry("a.ts", { tokens: 900 }), anEntry("b.ts", { tokens: 1_400 })])
    const shown = describeTree({ ...tree, state: { ...STATE, gitSha: null } }, NOW)
    expect(shown).toMatch(/^\d+ files?, 2\.3k tokens, scanned /)
    expect(shown).not.toContain("at ")
    expect(formatLines({ fromLine: 1714, toLine: 1714 })).toBe("line 1714")
  })

  it("a file found by words lists its best symbols, each once", () => {
    const symbols = ["a", "a", "b", "c", "d"].map((it) => ({ ...aSymbol(it), score: 1 }))
    const file = {
      path: "src/rounding.ts",
      score: 1,
      language: null,
      tokens: 9,
      reasons: [],
      symbols,
    }
    const lines = foundLines({ files: [file], tests: [], documents: [], signals: [], state: STATE })
    expect(lines.map((it) => it.key)).toEqual([
      "src/rounding.ts",
      "src/rounding.ts#a",
      "src/rounding.ts#b",
    ])
  })

  it("the treemap has each file with its figures, and colours without data give their reason", () => {
    const tile = { files: 1, rank: 0.5, changes: 4, changedAt: NOW, place: 2, reads: null }
    const treemap: MapTreemap = {
      folder: "",
      files: 2,
      tokens: 300,
      ranked: 9,
      tiles: [
        { ...tile, path: "src/a.ts", tokens: 200 },
        { ...tile, path: "src/b.ts", tokens: 100, changes: 0, place: null },
      ],
      period: { days: 90, endsAt: NOW, commits: 3 },
      readsSince: null,
      state: STATE,
    }
    const answers = [[keys.operation("map.treemap", { folder: "" }), treemap]] as const
    const html = markupOf("?view=treemap", { root: SOME, answers })
    expect(html).toContain("src/a.ts, Tokens 200, Changes 4 in 90 days")
    expect(html).toContain("Rank 2 of 9 imported files")
    expect(html).toContain("No stored run has read a file of this repository in 90 days")
    expect(textOf(html)).toContain("4 changes in 90 days")
    const steps = [48, 24, 23, 12, 11, 6, 5, 3, 2, 0].map((it) => stepOf(it, 48))
    expect(steps).toEqual([5, 5, 4, 4, 3, 3, 2, 2, 1, 1])
  })

  it("a folder in both directions is a cycle in words, and several symbols of one name one node", () => {
    const near = (folder: string, files: number) => ({ folder, files, paths: [] })
    const folder = { usedBy: [near("cart", 2), near("app", 1)], dependsOn: [near("cart", 17)] }
    expect(folderNodes(folder, String).map((it) => [it.label, it.count, it.tone])).toEqual([
      ["cart", 2, "warn"],
      ["app", 1, undefined],
      ["cart", 17, "warn"],
    ])
    expect(cyclesOf({ folder: "checkout", ...folder }).map((it) => it.sentence)).toEqual([
      "Cycle: 2 files in cart import checkout, and 17 files import back.",
    ])
    const called = [1, 2, 3].map((line) =>
      aLink("next", { symbol: aSymbol("next", { fromLine: line }) }),
    )
    expect(graphNodes(aShownSymbol({ called }), () => "").map((it) => it.title)).toEqual([
      "next: src/rounding.ts, lines 1, 2, 3",
    ])
  })
})
