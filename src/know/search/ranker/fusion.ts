import { z } from "zod"
import { RankerDamaged } from "../errors.ts"
import type { Net } from "./net.ts"

/** What a ranking may rest on: words alone, with history, with the table of words, with all. */
export const HEADS = ["lex", "lex+hist", "lex+model", "all"] as const
export type Head = (typeof HEADS)[number]

export type Fusion = Readonly<Record<Head, Net>>

const FUSION_FILE = "fusion.json"

export function parseFusion(text: string): Fusion {
  const parsed = FusionFile.safeParse(parseJson(text))
  if (!parsed.success) throw damaged(firstIssue(parsed.error))
  const { heads } = parsed.data
  return {
    lex: toNet("lex", heads.lex),
    "lex+hist": toNet("lex+hist", heads["lex+hist"]),
    "lex+model": toNet("lex+model", heads["lex+model"]),
    all: toNet("all", heads.all),
  }
}

export function usesHistory(head: Head): boolean {
  return head === "lex+hist" || head === "all"
}

export function usesTable(head: Head): boolean {
  return head === "lex+model" || head === "all"
}

const LEXICAL = "bm25 bm25f path defs base cover subj dir dirmax rr_bm25f loglen depth"
const GATES = "g_logN g_qlen g_peak"
const OF_TABLE = "dense densem densec rr_dense exact rr_exact pp"
const OF_HISTORY = "hist touch cochg msgvote rr_hist rr_msgvote g_hcov"

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

function toNet(head: Head, { features, W1, b1, w2, v }: z.infer<typeof FusionHead>): Net {
  const known = new Set(
    `${LEXICAL} ${GATES} ${usesTable(head) ? OF_TABLE : ""} ${usesHistory(head) ? OF_HISTORY : ""}`
      .trim()
      .split(/\s+/),
  )
  const unknown = features.find((it) => !known.has(it))
  if (unknown !== undefined) throw damaged(`head ${head} reads ${unknown}, which it cannot have`)
  const isSquare = W1.length === features.length && W1.every((row) => row.length === b1.length)
  if (!isSquare || v.length !== features.length || w2.length !== b1.length) {
    throw damaged(`the sizes of head ${head} do not fit each other`)
  }
  return {
    features,
    W1: Float64Array.from(W1.flat()),
    b1: Float64Array.from(b1),
    w2: Float64Array.from(w2),
    v: Float64Array.from(v),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw RankerDamaged({ file: FUSION_FILE, wrong: "it is no JSON" }, error)
  }
}

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues
  return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it has another shape"}`
}

function damaged(wrong: string) {
  return RankerDamaged({ file: FUSION_FILE, wrong })
}
