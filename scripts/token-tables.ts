import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import * as claude from "ai-tokenizer/encoding/claude"
import * as o200k from "ai-tokenizer/encoding/o200k_base"

/**
 * `node scripts/token-tables.ts`: writes models/tokens from the package ai-tokenizer. Its modules
 * have 8 MB and take 90 to 290 ms to load; these files have 2.6 MB and take 2 ms.
 */
const folder = path.join(import.meta.dirname, "../models/tokens")

type Library = {
  readonly pat_str: string
  readonly stringEncoder: Readonly<Record<string, unknown>>
  readonly binaryEncoder: readonly (readonly [Uint8Array, number])[]
}

/** The format is described in src/ground/tokens/vocabulary.ts. Special tokens are left out. */
export function tableOf({ pat_str: pattern, stringEncoder, binaryEncoder }: Library): Buffer {
  const texts = Object.entries(stringEncoder).flatMap(([text, rank]) =>
    typeof rank === "number" ? [{ bytes: Buffer.from(text), rank }] : [],
  )
  const others = binaryEncoder.map(([it, rank]) => ({ bytes: Buffer.from(it), rank }))
  const all = [...texts, ...others].toSorted(
    (a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes),
  )
  if (all.some((it, index) => index > 0 && all[index - 1]?.bytes.equals(it.bytes))) {
    throw new Error("two tokens have the same bytes")
  }
  const counts = Array.from({ length: (all.at(-1)?.bytes.length ?? 0) + 1 }, () => 0)
  for (const { bytes } of all) counts[bytes.length] = (counts[bytes.length] ?? 0) + 1
  const head = Buffer.from(JSON.stringify({ pattern, counts }))
  const headLength = Buffer.alloc(4)
  headLength.writeUInt32LE(head.length)
  const ranks = [0, 8, 16].map((bits) => Buffer.from(all.map(({ rank }) => (rank >> bits) & 0xff)))
  return Buffer.concat([headLength, head, ...ranks, ...all.map((it) => it.bytes)])
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, "claude.bin"), tableOf(claude))
  writeFileSync(path.join(folder, "o200k.bin"), tableOf(o200k))
}
