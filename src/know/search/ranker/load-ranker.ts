import path from "node:path"
import { packageFile, parseJson, readBounded } from "#ground/base"
import { RankerDamaged, RankerMissing } from "../errors.ts"
import { FUSION_FILES, type Fusion, parseFusion } from "./fusion.ts"
import { parseTrees, TREES_FILE, type Trees } from "./trees.ts"
import { parseWordTable, type WordTable } from "./word-table.ts"

const LARGEST_TABLE_BYTES = 64_000_000

const LARGEST_VOCABULARY_BYTES = 8_000_000

const LARGEST_FUSION_BYTES = 1_000_000

export type Ranker = {
  readonly fusion: Fusion
  /** Correct the order of the head `issue`. */
  readonly trees: Trees
  readonly table: WordTable | undefined
}

const SHIPPED = packageFile("models/ranker")

export async function loadRanker(options: {
  readonly table: "load" | "leave"
  readonly folder?: string
}): Promise<Ranker> {
  const folder = options.folder ?? SHIPPED
  const fusion = parseFusion(
    await readText(folder, FUSION_FILES.fusion, LARGEST_FUSION_BYTES),
    await readText(folder, FUSION_FILES.issue, LARGEST_FUSION_BYTES),
  )
  const trees = parseTrees(
    await readText(folder, TREES_FILE, LARGEST_FUSION_BYTES),
    fusion.issue.features,
  )
  if (options.table === "leave") return { fusion, trees, table: undefined }
  const words = parseVocabulary(await readText(folder, "vocab.json", LARGEST_VOCABULARY_BYTES))
  const bytes = await read(folder, "model.bin", LARGEST_TABLE_BYTES)
  return { fusion, trees, table: parseWordTable(bytes, words) }
}

export function parseVocabulary(text: string): readonly string[] {
  const damaged = (wrong: string) => RankerDamaged({ file: "vocab.json", wrong })
  const parsed = parseJson(text)
  if (parsed === undefined) throw damaged("it is not valid JSON")
  if (!areWords(parsed)) throw damaged("it is not a list of words")
  if (new Set(parsed).size !== parsed.length) throw damaged("it contains a word twice")
  return parsed
}

function areWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((it) => typeof it === "string")
}

async function readText(folder: string, file: string, maxBytes: number): Promise<string> {
  const bytes = await read(folder, file, maxBytes)
  return bytes.toString("utf8")
}

async function read(folder: string, file: string, maxBytes: number) {
  const outcome = await readBounded(path.join(folder, file), { maxBytes })
  if (outcome.kind === "read") return outcome.bytes
  const reason = outcome.kind === "unreadable" ? outcome.reason : outcome.kind
  throw RankerMissing({ file, reason })
}
