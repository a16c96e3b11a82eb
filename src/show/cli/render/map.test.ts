import { expect, test } from "vitest"
import type { FoundFile, MapLink, MapShow, MapSymbol, SearchFind } from "#ground/contract"
import { createScreen } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 80 })
const render = (found: SearchFind) => renderers["search.find"]?.text(found, screen) ?? ""

const STATE: SearchFind["state"] = {
  digest: "d",
  gitSha: null,
  scannedAt: 0,
  files: 1_200,
  commits: 0,
  historyProblem: null,
}
const FILE: FoundFile = {
  path: "src/price/rounding.ts",
  score: 0.5,
  language: "typescript",
  tokens: 40,
  reasons: ["matches 'round' in name"],
  symbols: [
    {
      path: "src/price/rounding.ts",
      name: "roundLine",
      kind: "function",
      signature: `function roundLine(${"value, ".repeat(20)})`,
      fromLine: 2,
      toLine: 4,
      isExported: true,
      tokens: 9,
      score: 1,
    },
  ],
}

const NOTHING: SearchFind = { files: [], tests: [], documents: [], signals: [], state: STATE }

test("[CLI-23] a search without matches prints what to try", () => {
  expect(render(NOTHING)).toMatchInlineSnapshot(`
    "No match in 1,200 files: text, symbol names and paths were searched.
    Try a symbol name, a part of a path, or words that occur in the code."
  `)
  expect(render({ ...NOTHING, state: { ...STATE, files: 0 } })).toContain("Run `qm map`")
})

test("[CLI-13] results have score, reason and symbols, in one line each", () => {
  expect(render({ ...NOTHING, files: [FILE], signals: ["words"] })).toMatchInlineSnapshot(`
    "Match     File  Reason
    ━━━━····  src/price/rounding.ts  matches 'round' in name
              2: function roundLine(value, value, value, value, value, value, …

    Ranked by words"
  `)
})

test("[CLI-13] tests and documents are groups of their own below the files", () => {
  const beside = (path: string) => [{ ...FILE, path, symbols: [] }]
  const found = { ...NOTHING, files: [FILE], signals: ["words"] }
  const tests = beside("src/price/rounding.test.ts")
  const documents = beside("docs/rounding.md")
  expect(render({ ...found, tests, documents })).toMatchInlineSnapshot(`
    "Match     File  Reason
    ━━━━····  src/price/rounding.ts  matches 'round' in name
              2: function roundLine(value, value, value, value, value, value, …

    Tests
    ━━━━····  src/price/rounding.test.ts  matches 'round' in name

    Documents
    ━━━━····  docs/rounding.md  matches 'round' in name

    Ranked by words"
  `)
})

test("[CLI-13] a caller has the line of its call, a called symbol the line of its definition", () => {
  const symbol = (name: string, path: string, fromLine: number): MapSymbol => ({
    path,
    name,
    kind: "function",
    signature: `function ${name}()`,
    fromLine,
    toLine: fromLine + 3,
    isExported: true,
    tokens: 9,
  })
  const link = (of: MapSymbol, line: number): MapLink => ({
    symbol: of,
    line,
    hops: 1,
    confidence: "import",
  })
  const shown: MapShow = {
    kind: "symbol",
    symbol: symbol("onSendHook", "lib/reply.js", 550),
    others: [],
    callers: [link(symbol("send", "lib/route.js", 10), 12)],
    called: [link(symbol("onSendHookRunner", "lib/hooks.js", 278), 563)],
    isCut: false,
  }
  const text = renderers["map.show"]?.text(shown, screen) ?? ""
  expect(text).toContain("lib/route.js:12 ")
  expect(text).toContain("lib/hooks.js:278 ")
  expect(text).not.toContain("563")
})
