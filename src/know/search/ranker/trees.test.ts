import { readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { RankerDamaged } from "../errors.ts"
import { correctOrder, parseTrees, runTrees } from "./trees.ts"

const shipped = readFileSync(
  path.join(import.meta.dirname, "../../../../models/ranker/issue-trees.json"),
  "utf8",
)
const FEATURES: readonly string[] = JSON.parse(shipped).features

/** On `size`: at most 1 gives 0.5; above that, at most 3 of `age` gives -1, else 2. */
const SMALL = {
  version: 1,
  features: ["size", "age"],
  netWeight: 1,
  treesWeight: 10,
  trees: [
    [
      [0, 1],
      [1, 3],
      [-1, -2],
      [1, -3],
      [0.5, -1, 2],
    ],
    [[], [], [], [], [0.25]],
  ],
}

function small(change: (copy: typeof SMALL) => void = () => {}) {
  const copy = structuredClone(SMALL)
  change(copy)
  return parseTrees(JSON.stringify(copy), ["size", "age"])
}

describe("runTrees", () => {
  test("[SEARCH-22] adds the leaf of each tree; a value equal to a threshold goes left", () => {
    const inputs = new Map<string, Float64Array | number>([
      ["size", Float64Array.of(1, 1.5, 1.5, 9)],
      ["age", 3],
    ])
    expect([...runTrees(small(), inputs, Int32Array.of(0, 1, 3))]).toEqual([0.75, -0.75, -0.75])
    const older = new Map(inputs).set("age", Float64Array.of(0, 3, 3.1, 4))
    expect([...runTrees(small(), older, Int32Array.of(3, 2, 1, 0))]).toEqual([
      2.25, 2.25, -0.75, 0.75,
    ])
  })
})

describe("correctOrder", () => {
  const size = 60
  const scores = Float64Array.from({ length: size }, (_, at) => (size - at) / 10)
  const order = Int32Array.from(scores.keys())
  const sizes = new Float64Array(size)

  test("[SEARCH-22] gives the same scores to other files among the best fifty", () => {
    const inputs = new Map([
      ["size", sizes.map((_, at) => (at === 40 || at === 55 ? 9 : 0))],
      ["age", sizes.map(() => 9)],
    ])
    const corrected = correctOrder(small(), inputs, { scores, order })
    expect(corrected[40]).toBe(scores[0])
    expect(corrected[0]).toBe(scores[1])
    expect(corrected[41]).toBe(scores[41])
    expect([...corrected.subarray(50)]).toEqual([...scores.subarray(50)])
    expect(corrected.toSorted()).toEqual(scores.toSorted())
  })

  test("[SEARCH-22] changes nothing where the trees say nothing", () => {
    const inputs = new Map([
      ["size", sizes],
      ["age", sizes],
    ])
    expect(correctOrder(small(), inputs, { scores, order })).toEqual(scores)
  })
})

test.for<readonly [string, (copy: typeof SMALL) => void]>([
  ["version: it is another one", (it) => (it.version = 2)],
  ["features: it is not a list of names", (it) => (it.features = [])],
  ["it reads magic, which the head does not have", (it) => (it.features[0] = "magic")],
  ["netWeight: it is not a positive number", (it) => (it.netWeight = 0)],
  ["treesWeight: it is not a positive number", (it) => (it.treesWeight = -1)],
  ["trees: it is not a list", (it) => (it.trees = [])],
  ["trees.0: it is not five lists of numbers", (it) => it.trees[0]?.pop()],
  ["trees.1: it is not five lists of numbers", (it) => (it.trees[1] = null as never)],
  ["trees.0: its parts do not fit together", (it) => it.trees[0]?.[4]?.pop()],
  ["trees.0: its parts do not fit together", (it) => (it.trees[0]![3]![0] = 0)],
  ["trees.0: its parts do not fit together", (it) => (it.trees[0]![2]![1] = -4)],
  ["trees.0: its parts do not fit together", (it) => (it.trees[0]![0]![1] = 2)],
])("[SEARCH-9] rejects issue-trees.json: %s", ([wrong, damage]) => {
  expect(() => small(damage)).toThrow(
    expect.objectContaining({
      code: RankerDamaged.code,
      data: { file: "issue-trees.json", wrong },
    }),
  )
})

test("[SEARCH-9] rejects an issue-trees.json that is not an object", () => {
  expect(() => parseTrees("{", FEATURES)).toThrow("it is not valid JSON")
  expect(() => parseTrees("[]", FEATURES)).toThrow("it is not an object")
})

test("[SEARCH-22] the shipped trees read only inputs of the head", () => {
  const trees = parseTrees(shipped, FEATURES)
  expect(trees.trees.length).toBe(800)
  expect(trees.features).toHaveLength(45)
})
