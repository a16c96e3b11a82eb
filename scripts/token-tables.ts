import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import * as claude from "ai-tokenizer/encoding/claude"
import * as o200k from "ai-tokenizer/encoding/o200k_base"

/**
 * `node scripts/token-tables.ts`: writes models/tokens from the package ai-tokenizer. Its modules
 * have 8 MB and take 90 to 290 ms to load; these files have 2.6 MB and take a quarter.
 */
const folder = path.join(import.meta.dirname, "../models/tokens")

type Library = {
  readonly pat_str: string
  readonly stringEncoder: Readonly<Record<string, unknown>>
  readonly binaryEncoder: readonly (readonly [Uint8Array, number])[]
}

/** Ranks have no gaps, so the position in `tokens` is the rank. Special tokens are left out. */
export function tableOf({ pat_str: pattern, stringEncoder, binaryEncoder }: Library): string {
  const texts = Object.entries(stringEncoder).flatMap(([text, rank]) =>
    typeof rank === "number" ? [{ text, rank, isText: true }] : [],
  )
  const bytes = binaryEncoder.map(([it, rank]) => {
    return { text: String.fromCharCode(...it), rank, isText: false }
  })
  const all = [...texts, ...bytes].toSorted((a, b) => a.rank - b.rank)
  const firstRank = all[0]?.rank ?? 0
  if (all.some((it, index) => it.rank !== firstRank + index)) throw new Error("ranks have a gap")
  const byteTokens = all.flatMap((it, index) => (it.isText ? [] : [index]))
  return `${JSON.stringify({ pattern, firstRank, byteTokens, tokens: all.map((it) => it.text) })}\n`
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, "claude.json"), tableOf(claude))
  writeFileSync(path.join(folder, "o200k.json"), tableOf(o200k))
}
