import { expect, test } from "vitest"
import { candidateFile } from "../fit.fixture.ts"
import { memoryTree } from "../memory-tree.fixture.ts"
import { counter, packFixture } from "../pack.fixture.ts"
import { scoreFiles } from "../rank.ts"
import { fitFileOf } from "./fit-file.ts"

test("[PACK-14] a one-line constant is sent alone, blank lines and brackets are not", async () => {
  const text = [
    "function one() {\n  return 1\n}\n",
    "\nconst RATE = 7\n\n",
    "function two() {\n  return 2\n}\n",
    "\n\n",
    "function three() {\n  return 3\n}\n",
  ].join("")
  const content = (await memoryTree({ "a.ts": text }, { count: counter.count }).contents([0])).get(
    0,
  )
  const scoring = { scoring: "learned", astWeight: 1, semanticWeight: 1 } as const
  const [scored] = scoreFiles([candidateFile("a.ts")], scoring)
  if (content === undefined || scored === undefined) throw new Error("the tree has one file")
  const { segments } = fitFileOf({ ...scored, content, text, scores: [] }, 0, {
    analysis: { filePaths: [], symbolNames: [], domain: null, action: null, keywords: [] },
    mostScore: 1,
    mostProbability: 1,
    isBestSource: true,
    taskKind: "task",
    formOf: () => undefined,
    headingTokens: () => 0,
    isSent: () => false,
  })
  const bareAt = (line: number) =>
    segments[content.segments.findIndex((it) => it.fromLine <= line && it.toLine >= line)]?.isBare
  expect([bareAt(2), bareAt(5), bareAt(8), bareAt(10)]).toEqual([false, false, false, true])
})

test("[PACK-19] edges come from the lines that are sent, at every budget", async () => {
  const filler = (word: string) =>
    Array.from({ length: 60 }, (_, at) => `  ${word}[${at}] = ${at}`).join("\n")
  const tree = memoryTree(
    {
      "src/cents.ts": `export function tidyCents(y) {\n${filler("cents")}\n}\n`,
      "src/bill.ts": `export function roundBill(x) {\n${filler("bill")}\n  tidyCents(x)\n}\n`,
    },
    { count: counter.count },
  )
  await using lab = packFixture(tree)
  let sent = 0
  for (let budget = 960; budget <= 1_060; budget += 2) {
    const request = { task: "`tidyCents` of cents", budget, save: false }
    const { files, dependencies } = (await lab.build(request)).pack
    const texts = files.map((it) => [it.path, it.pieces.map((one) => one.text).join("")] as const)
    const bill = texts.find(([path]) => path === "src/bill.ts")?.[1] ?? ""
    const hasEdge = bill.includes("  tidyCents(x)") && texts.length === 2
    if (hasEdge) sent++
    expect(dependencies).toHaveLength(hasEdge ? 1 : 0)
  }
  expect(sent).toBeGreaterThan(0)
})
