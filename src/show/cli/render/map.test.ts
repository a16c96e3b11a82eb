import { expect, test } from "vitest"
import type { FoundFile, SearchFind } from "#ground/contract"
import { createScreen } from "../screen.ts"
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

test("[CLI-23] a search without matches prints what to try", () => {
  expect(render({ files: [], signals: [], state: STATE })).toMatchInlineSnapshot(`
    "No match in 1,200 files: text, symbol names and paths were searched.
    Try a symbol name, a part of a path, or words that occur in the code."
  `)
  expect(render({ files: [], signals: [], state: { ...STATE, files: 0 } })).toContain(
    "Run `qm map`",
  )
})

test("[CLI-13] results have score, reason and symbols, in one line each", () => {
  expect(render({ files: [FILE], signals: ["words"], state: STATE })).toMatchInlineSnapshot(`
    "━━━━····  src/price/rounding.ts  matches 'round' in name
              2: function roundLine(value, value, value, value, value, value, …

    Ranked by words"
  `)
})
