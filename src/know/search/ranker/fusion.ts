import { z } from "zod"
import { invariant, isRecord, parseJson } from "#ground/base"
import { RankerDamaged } from "../errors.ts"
import type { Inputs } from "./features.ts"

/** The heads of `fusion.json`; the head `issue` has a file of its own. */
export const HEADS = ["lex", "lex+hist", "lex+model", "all"] as const
export type Head = (typeof HEADS)[number] | "issue"

export type Fusion = Readonly<Record<Head, Net>>

export const FUSION_FILES = { fusion: "fusion.json", issue: "issue.json" } as const

export function parseFusion(fusionText: string, issueText: string): Fusion {
  const { heads } = parseFile(() => FusionFile, fusionText, {
    file: FUSION_FILES.fusion,
    isValid: (it): it is z.output<typeof FusionFile> =>
      isRecord(it) && it["version"] === 1 && hasHeads(it["heads"], HEADS),
  })
  const issue = parseFile(() => IssueFile, issueText, {
    file: FUSION_FILES.issue,
    isValid: (it): it is z.output<typeof IssueFile> =>
      isRecord(it) && Number.isInteger(it["version"]) && hasHeads(it["heads"], ["issue"]),
  })
  return {
    issue: toNet("issue", issue.heads.issue),
    lex: toNet("lex", heads.lex),
    "lex+hist": toNet("lex+hist", heads["lex+hist"]),
    "lex+model": toNet("lex+model", heads["lex+model"]),
    all: toNet("all", heads.all),
  }
}

type FileKind<Content> = {
  readonly file: string
  readonly isValid: (json: unknown) => json is Content
}

/** `isValid` is faster than the shape; the shape says what is wrong. */
function parseFile<Shape extends z.ZodType>(
  shape: () => Shape,
  text: string,
  { file, isValid }: FileKind<z.output<Shape>>,
): z.output<Shape> {
  const json = parseJson(text)
  if (json === undefined) throw RankerDamaged({ file, wrong: "it is not valid JSON" })
  if (isValid(json)) return json
  const parsed = shape().safeParse(json)
  if (!parsed.success) throw RankerDamaged({ file, wrong: firstIssue(parsed.error) })
  return parsed.data
}

function hasHeads(heads: unknown, names: readonly Head[]): boolean {
  const isHead = (head: unknown): boolean =>
    isRecord(head) &&
    isList(head["features"], (it) => typeof it === "string") &&
    isList(head["W1"], (row) => isList(row, Number.isFinite)) &&
    ["b1", "w2", "v"].every((field) => isList(head[field], Number.isFinite)) &&
    [head["features"], head["b1"]].every((it) => Array.isArray(it) && it.length > 0)
  return isRecord(heads) && names.every((it) => isHead(heads[it]))
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
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

const FusionHead = z.object({
  features: z.array(z.string()).min(1),
  W1: z.array(z.array(z.number())),
  b1: z.array(z.number()).min(1),
  w2: z.array(z.number()),
  v: z.array(z.number()),
})
const FusionFile = z.object({
  version: z.literal(1),
  heads: z.object({
    lex: FusionHead,
    "lex+hist": FusionHead,
    "lex+model": FusionHead,
    all: FusionHead,
  }),
})
const IssueFile = z.object({ version: z.int(), heads: z.object({ issue: FusionHead }) })

function toNet(head: Head, { features, W1, b1, w2, v }: z.infer<typeof FusionHead>): Net {
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

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues
  return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid shape"}`
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
