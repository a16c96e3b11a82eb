import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { Tokenizer } from "ai-tokenizer"
import * as claude from "ai-tokenizer/encoding/claude"
import * as o200k from "ai-tokenizer/encoding/o200k_base"
import type { TokenEncoding } from "#ground/contract"
import { createTokens } from "#ground/tokens"
import { atLeastTimes, atMostTimes, type Bench, interleave, makeRow, type Row } from "./frame.ts"

const ROUNDS = 7

export const bench: Bench = {
  name: "tokens",
  about: "counting the text of this repository and of its packages, each round from cold caches",
  async run(context) {
    const texts = corpus(context.root)
    const megabytes = texts.reduce((sum, it) => sum + Buffer.byteLength(it), 0) / 1_000_000
    context.note(`  ${texts.length} files, ${megabytes.toFixed(1)} MB`)
    const times = await interleave(
      [
        { name: "loop", run: () => texts.map(sumOfCodes) },
        {
          name: "estimate",
          run: () => texts.map(createTokens({ encoding: "claude" }).estimator.count),
        },
        { name: "claude", run: () => countAll("claude", texts) },
        { name: "o200k", run: () => countAll("o200k", texts) },
        { name: "library claude", run: () => countWithLibrary("claude", texts) },
        { name: "library o200k", run: () => countWithLibrary("o200k", texts) },
      ],
      { clock: context.clock, rounds: context.rounds ?? ROUNDS, warmUpRounds: 1 },
    )
    const rate = (name: Parameters<typeof times>[0], of: "median" | "p95") =>
      megabytes / (times(name)[of] / 1_000)
    const counterRows = (["claude", "o200k"] as const).flatMap((encoding) =>
      (["median", "p95"] as const).map((of) =>
        makeRow({
          what: of === "median" ? `count, ${encoding}` : `count, ${encoding}, p95`,
          measured: rate(encoding, of),
          unit: "MB/s",
          against: "ai-tokenizer",
          floor: rate(`library ${encoding}`, of),
          bar: atLeastTimes(1),
        }),
      ),
    )
    const loop = {
      unit: "MB/s",
      against: "a loop over the characters",
      floor: rate("loop", "median"),
    }
    return [
      ...counterRows,
      makeRow({ ...loop, what: "count, claude", measured: rate("claude", "median") }),
      makeRow({ ...loop, what: "estimate", measured: rate("estimate", "median") }),
      ...(await errorRows(texts)),
    ]
  },
}

const PACKAGES = ["zod", "vite", "fast-check", "pg", "@types/node"]
const FILES_A_FOLDER = 120
const LARGEST_FILE_BYTES = 200_000

function corpus(root: string): readonly string[] {
  const folders = [
    "src",
    "docs",
    "bench",
    "scripts",
    "test",
    ...PACKAGES.map((it) => `node_modules/${it}`),
  ]
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile() && /\.(?:ts|js|mjs|cjs|md|json)$/.test(it.name))
      .slice(0, FILES_A_FOLDER)
      .map((it) => readFileSync(path.join(it.parentPath, it.name), "utf8"))
      .filter((it) => it.length > 0 && it.length < LARGEST_FILE_BYTES),
  )
}

/** A new counter each time, because a used one would answer from its cache. */
async function countAll(encoding: TokenEncoding, texts: readonly string[]): Promise<void> {
  const { count } = await createTokens({ encoding }).counter()
  for (const text of texts) count(text)
}

const TABLES = { claude, o200k }

function countWithLibrary(encoding: TokenEncoding, texts: readonly string[]): void {
  const tokenizer = new Tokenizer(TABLES[encoding])
  for (const text of texts) tokenizer.encode(text, "all")
}

function sumOfCodes(text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index)
  return sum
}

async function errorRows(texts: readonly string[]): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const encoding of ["claude", "o200k"] as const) {
    const tokens = createTokens({ encoding })
    const { count } = await tokens.counter()
    const meanError = (guess: (text: string) => number) =>
      texts.reduce((sum, it) => sum + Math.abs(guess(it) / count(it) - 1), 0) / texts.length
    rows.push(
      makeRow({
        what: `error of the estimate, ${encoding}`,
        measured: 100 * meanError(tokens.estimator.count),
        unit: "%",
        against: "characters / 4",
        floor: 100 * meanError((it) => it.length / 4),
        bar: atMostTimes(1),
      }),
    )
  }
  return rows
}
