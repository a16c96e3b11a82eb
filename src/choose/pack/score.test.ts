import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { PackWeightsInvalid } from "./errors.ts"
import { foundFile } from "./fit.fixture.ts"
import { scoreFiles } from "./score.ts"

const LEARNED = { scoring: "learned", astWeight: 0.6, semanticWeight: 0.4 } as const
const WEIGHTED = { ...LEARNED, scoring: "weighted" } as const

const scoresOf = (
  files: Parameters<typeof scoreFiles>[0],
  scoring: Parameters<typeof scoreFiles>[1],
) => scoreFiles(files, scoring).map((it) => [it.file.path, it.score, it.source])

test("[PACK-8] named files have 1, definers of a named symbol 0.95, the rest the learned share", () => {
  const files = [
    foundFile("words.ts", { share: 0.7, rank: 1 }),
    foundFile("defines.ts", { share: 0.1, rank: 9, defines: ["roundLine"] }),
    foundFile("task.ts", { share: null, naming: "task" }),
    foundFile("target.ts", { share: 0.2, rank: 5, naming: "target" }),
    foundFile("uses.ts", { share: 0, rank: 20, uses: ["roundLine"] }),
  ]
  expect(scoresOf(files, LEARNED)).toEqual([
    ["target.ts", 1, "target"],
    ["task.ts", 1, "target"],
    ["defines.ts", 0.95, "both"],
    ["words.ts", 0.7, "semantic"],
    ["uses.ts", 0, "ast"],
  ])
})

test("[PACK-8] by weights a signal that is missing is unknown, not zero", () => {
  const files = [
    foundFile("words.ts", { share: 0.7 }),
    foundFile("both.ts", { share: 0.2, uses: ["x"] }),
    foundFile("structure.ts", { share: null, defines: ["x"] }),
  ]
  expect(scoresOf(files, WEIGHTED)).toEqual([
    ["structure.ts", 0.95, "ast"],
    ["words.ts", 0.7, "semantic"],
    ["both.ts", 0.5 * 0.6 + 0.2 * 0.4, "both"],
  ])
  expect(scoresOf(files, { ...WEIGHTED, semanticWeight: 0 })[2]).toEqual([
    "words.ts",
    0,
    "semantic",
  ])
})

test.for([
  [Number.NaN, 0.4],
  [0.6, Number.NaN],
  [-1, 0.4],
  [0.6, -0.1],
  [0, 0],
  [Number.POSITIVE_INFINITY, 1],
])("[PACK-8] the weights %d and %d are an error", ([astWeight = 0, semanticWeight = 0]) => {
  const scoring = { ...WEIGHTED, astWeight, semanticWeight }
  expect(() => scoreFiles([], scoring)).toThrow(
    PackWeightsInvalid({ ast: astWeight, semantic: semanticWeight }),
  )
})

test("[PACK-9] reasons have at most six words, and there are at most four", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "B", "_", "9"), minLength: 2, maxLength: 90 })
  fc.assert(
    fc.property(
      fc.array(name),
      fc.array(name),
      fc.constantFrom("target", "task", undefined),
      (defines, uses, naming) => {
        const reasons = ["matches 'a', 'b' in text", "one", "two", "three"]
        const [scored] = scoreFiles(
          [foundFile("a.ts", { defines, uses, naming, reasons })],
          LEARNED,
        )
        expect(scored?.reasons.length).toBeLessThanOrEqual(4)
        for (const it of scored?.reasons ?? []) {
          expect(it.split(" ").length).toBeLessThanOrEqual(6)
          expect(it.length).toBeLessThanOrEqual(60)
        }
      },
    ),
    fcParameters({ numRuns: 100 }),
  )
})
