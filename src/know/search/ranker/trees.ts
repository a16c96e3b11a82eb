import { invariant, isRecord, parseJson } from "#ground/base"
import { RankerDamaged } from "../errors.ts"
import type { Inputs } from "./features.ts"

/** Regression trees whose sum corrects the order of the head `issue`; see models/ranker/README.md. */
export type Trees = {
  readonly features: readonly string[]
  /** Of the net's scores and of the sum, when both are added. */
  readonly netWeight: number
  readonly treesWeight: number
  readonly trees: readonly Tree[]
}

/**
 * By split: the input, the largest value that goes left, and the two next nodes. A next node from 0
 * on is a split, -1 is the first leaf.
 */
type Tree = {
  readonly inputs: readonly number[]
  readonly thresholds: readonly number[]
  readonly left: readonly number[]
  readonly right: readonly number[]
  readonly leaves: readonly number[]
}

export const TREES_FILE = "issue-trees.json"

export function parseTrees(text: string, knownFeatures: readonly string[]): Trees {
  const json = parseJson(text)
  if (json === undefined) throw damaged("it is not valid JSON")
  if (!isRecord(json)) throw damaged("it is not an object")
  if (json["version"] !== 1) throw damaged("version: it is another one")
  const { features, netWeight, treesWeight, trees } = json
  if (!areNames(features)) throw damaged("features: it is not a list of names")
  const unknown = features.find((it) => !knownFeatures.includes(it))
  if (unknown !== undefined) throw damaged(`it reads ${unknown}, which the head does not have`)
  if (!isWeight(netWeight)) throw damaged("netWeight: it is not a positive number")
  if (!isWeight(treesWeight)) throw damaged("treesWeight: it is not a positive number")
  if (!Array.isArray(trees) || trees.length === 0) throw damaged("trees: it is not a list")
  return {
    features,
    netWeight,
    treesWeight,
    trees: trees.map((tree: unknown, index) => toTree(tree, { index, inputs: features.length })),
  }
}

function damaged(wrong: string) {
  return RankerDamaged({ file: TREES_FILE, wrong })
}

function toTree(
  value: unknown,
  { index, inputs: inputCount }: { readonly index: number; readonly inputs: number },
): Tree {
  const lists: readonly unknown[] = Array.isArray(value) ? value : []
  if (lists.length !== 5 || !lists.every(areNumbers)) {
    throw damaged(`trees.${index}: it is not five lists of numbers`)
  }
  const [inputs = [], thresholds = [], left = [], right = [], leaves = []] = lists
  const splits = inputs.length
  const isWhole =
    [thresholds, left, right].every((it) => it.length === splits) &&
    leaves.length === splits + 1 &&
    inputs.every((it) => Number.isInteger(it) && it >= 0 && it < inputCount) &&
    [left, right].every((side) => side.every((it, at) => isNext(it, at, splits)))
  if (!isWhole) throw damaged(`trees.${index}: its parts do not fit together`)
  return { inputs, thresholds, left, right, leaves }
}

/** A split leads to later ones only, so every walk ends. */
function isNext(next: number, at: number, splits: number): boolean {
  return Number.isInteger(next) && (next < 0 ? -next <= splits + 1 : next > at && next < splits)
}

function areNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((it) => typeof it === "string")
}

function areNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(Number.isFinite)
}

function isWeight(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0
}

/** The sum of all trees for each of `positions`. */
export function runTrees(
  { features, trees }: Trees,
  inputs: Inputs,
  positions: Int32Array,
): Float64Array {
  const columns = features.map((name) => {
    const column = inputs.get(name)
    invariant(column !== undefined, `the feature ${name} was measured`)
    return column
  })
  const values = new Float64Array(columns.length)
  return Float64Array.from(positions, (position) => {
    for (const [index, column] of columns.entries()) {
      values[index] = typeof column === "number" ? column : (column[position] ?? 0)
    }
    return trees.reduce((sum, tree) => sum + leafOf(tree, values), 0)
  })
}

function leafOf({ inputs, thresholds, left, right, leaves }: Tree, values: Float64Array): number {
  if (inputs.length === 0) return leaves[0] ?? 0
  let node = 0
  while (node >= 0) {
    const goesLeft = (values[inputs[node] ?? 0] ?? 0) <= (thresholds[node] ?? 0)
    node = (goesLeft ? left[node] : right[node]) ?? -1
  }
  return leaves[-node - 1] ?? 0
}

/** The trees were learned from the best files only, as an order among them. */
const CORRECTED_FILES = 50

/**
 * Corrects the order of the best files. Their scores stay the same numbers, given to other files,
 * because probabilities are computed from them.
 */
export function correctOrder(
  trees: Trees,
  inputs: Inputs,
  net: { readonly scores: Float64Array; readonly order: Int32Array },
): Float64Array {
  const best = net.order.slice(0, CORRECTED_FILES)
  const sums = runTrees(trees, inputs, best)
  const worth = Float64Array.from(
    best,
    (position, at) =>
      trees.netWeight * (net.scores[position] ?? 0) + trees.treesWeight * (sums[at] ?? 0),
  )
  const corrected = Array.from(best.keys()).toSorted(
    (a, b) => (worth[b] ?? 0) - (worth[a] ?? 0) || a - b,
  )
  const scores = Float64Array.from(net.scores)
  for (const [place, at] of corrected.entries()) {
    scores[best[at] ?? 0] = net.scores[best[place] ?? 0] ?? 0
  }
  return scores
}
