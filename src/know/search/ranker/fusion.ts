import { invariant, isRecord, parseJson } from "#ground/base"
import { RankerDamaged } from "../errors.ts"
import type { Inputs } from "./features.ts"

/** The heads of `fusion.json`; the head `issue` has a file of its own. */
export const HEADS = ["lex", "lex+hist", "lex+model", "all"] as const
export type Head = (typeof HEADS)[number] | "issue"

export type Fusion = Readonly<Record<Head, Net>>

export const FUSION_FILES = { fusion: "fusion.json", issue: "issue.json" } as const

export function parseFusion(fusionText: string, issueText: string): Fusion {
  const heads = headsIn(fusionText, {
    file: FUSION_FILES.fusion,
    names: HEADS,
    isVersion: (it) => it === 1,
  })
  const issue = headsIn(issueText, {
    file: FUSION_FILES.issue,
    names: ["issue"],
    isVersion: Number.isInteger,
  })
  return {
    issue: toNet("issue", issue("issue")),
    lex: toNet("lex", heads("lex")),
    "lex+hist": toNet("lex+hist", heads("lex+hist")),
    "lex+model": toNet("lex+model", heads("lex+model")),
    all: toNet("all", heads("all")),
  }
}

type FusionHead = {
  readonly features: readonly string[]
  readonly W1: readonly (readonly number[])[]
  readonly b1: readonly number[]
  readonly w2: readonly number[]
  readonly v: readonly number[]
}

/** Checked by hand: the threads of a scan load this room, and schemas take 25 MB in each. */
function headsIn(
  text: string,
  kind: {
    readonly file: string
    readonly names: readonly Head[]
    readonly isVersion: (version: unknown) => boolean
  },
): (name: Head) => FusionHead {
  const damaged = (wrong: string) => RankerDamaged({ file: kind.file, wrong })
  const json = parseJson(text)
  if (json === undefined) throw damaged("it is not valid JSON")
  if (!isRecord(json)) throw damaged("it is not an object")
  if (!kind.isVersion(json["version"])) throw damaged("version: it is another one")
  const heads: Readonly<Record<string, unknown>> = isRecord(json["heads"]) ? json["heads"] : {}
  const headByName = new Map<Head, FusionHead>()
  for (const name of kind.names) {
    const head = heads[name]
    if (!isRecord(head)) throw damaged(`heads.${name}: it is missing`)
    const { features, W1, b1, w2, v } = head
    if (!areStrings(features)) throw damaged(`heads.${name}.features: ${NOT_A_LIST}`)
    if (!areRows(W1)) throw damaged(`heads.${name}.W1: ${NOT_A_LIST}`)
    if (!areNumbers(b1)) throw damaged(`heads.${name}.b1: ${NOT_A_LIST}`)
    if (!areNumbers(w2)) throw damaged(`heads.${name}.w2: ${NOT_A_LIST}`)
    if (!areNumbers(v)) throw damaged(`heads.${name}.v: ${NOT_A_LIST}`)
    headByName.set(name, { features, W1, b1, w2, v })
  }
  return (name) => {
    const head = headByName.get(name)
    invariant(head !== undefined, "every head that is asked for was read")
    return head
  }
}

const NOT_A_LIST = "it is not a list of the right values"

function areStrings(value: unknown): value is readonly string[] {
  return isFilledList(value, (it) => typeof it === "string")
}

function areNumbers(value: unknown): value is readonly number[] {
  return isFilledList(value, Number.isFinite)
}

function areRows(value: unknown): value is readonly (readonly number[])[] {
  return isFilledList(value, areNumbers)
}

function isFilledList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isItem)
}

export function usesHistory(head: Head): boolean {
  return head === "lex+hist" || head === "all" || head === "issue"
}

export function usesTable(head: Head): boolean {
  return head === "lex+model" || head === "all"
}

const LEXICAL = "bm25 bm25f path defs base cover subj dir dirmax rr_bm25f loglen depth"
const GATES = "g_logN g_qlen g_peak"
const OF_TABLE = "dense densem densec rr_dense exact rr_exact pp"
const OF_HISTORY = "hist touch cochg msgvote rr_hist rr_msgvote g_hcov"
const OF_ISSUE =
  "zk z_title z_inline z_prose zdef zpath zbase zcov rr_zk idd rr_idd idraw cm pm fr frn mod imp" +
  " frdef stem_t stem_i aux init"

function toNet(head: Head, { features, W1, b1, w2, v }: FusionHead): Net {
  const allowedFeatures = new Set(
    [LEXICAL, GATES]
      .concat(usesTable(head) ? OF_TABLE : [], usesHistory(head) ? OF_HISTORY : [])
      .concat(head === "issue" ? OF_ISSUE : [])
      .flatMap((it) => it.split(" ")),
  )
  const damaged = (wrong: string) =>
    RankerDamaged({ file: head === "issue" ? FUSION_FILES.issue : FUSION_FILES.fusion, wrong })
  const unknown = features.find((it) => !allowedFeatures.has(it))
  if (unknown !== undefined) throw damaged(`head ${head} reads ${unknown}, which it cannot use`)
  const isSquare = W1.length === features.length && W1.every((row) => row.length === b1.length)
  if (!isSquare || v.length !== features.length || w2.length !== b1.length) {
    throw damaged(`the sizes of head ${head} do not match`)
  }
  return {
    features,
    W1: Float64Array.from(W1.flat()),
    b1: Float64Array.from(b1),
    w2: Float64Array.from(w2),
    v: Float64Array.from(v),
  }
}

type Net = {
  readonly features: readonly string[]
  readonly W1: Float64Array
  readonly b1: Float64Array
  readonly w2: Float64Array
  readonly v: Float64Array
}

export function runNet(net: Net, inputs: Inputs, size: number): Float64Array {
  const units = net.b1.length
  const { bias, constant, columns } = split(net, inputs)
  const scores = new Float64Array(size)
  const hidden = new Float64Array(units)
  for (let at = 0; at < size; at++) {
    hidden.set(bias)
    let score = constant
    for (const { values, offset, direct } of columns) {
      const value = values[at] ?? 0
      if (value === 0) continue
      score += value * direct
      for (let unit = 0; unit < units; unit++) {
        hidden[unit] = (hidden[unit] ?? 0) + value * (net.W1[offset + unit] ?? 0)
      }
    }
    for (let unit = 0; unit < units; unit++) {
      score += Math.tanh(hidden[unit] ?? 0) * (net.w2[unit] ?? 0)
    }
    scores[at] = score
  }
  return scores
}

type Column = { readonly values: Float64Array; readonly offset: number; readonly direct: number }

/** Gates are equal for every file, so they are added once. */
function split(net: Net, inputs: Inputs) {
  const bias = Float64Array.from(net.b1)
  const columns: Column[] = []
  let constant = 0
  for (const [index, name] of net.features.entries()) {
    const input = inputs.get(name)
    invariant(input !== undefined, `the feature ${name} was measured`)
    const offset = index * bias.length
    const direct = net.v[index] ?? 0
    if (typeof input !== "number") {
      columns.push({ values: input, offset, direct })
      continue
    }
    constant += input * direct
    for (let unit = 0; unit < bias.length; unit++) {
      bias[unit] = (bias[unit] ?? 0) + input * (net.W1[offset + unit] ?? 0)
    }
  }
  return { bias, constant, columns }
}
