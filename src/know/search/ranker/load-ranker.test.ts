import { createHash } from "node:crypto"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { RankerDamaged, RankerMissing } from "../errors.ts"
import { parseFusion } from "./fusion.ts"
import { loadRanker, parseVocabulary } from "./load-ranker.ts"
import { parseWordTable } from "./word-table.ts"

const SHIPPED = path.join(import.meta.dirname, "../../../../models/ranker")
const bytes = readFileSync(path.join(SHIPPED, "model.bin"))
const words = parseVocabulary(readFileSync(path.join(SHIPPED, "vocab.json"), "utf8"))
const fusion = JSON.parse(readFileSync(path.join(SHIPPED, "fusion.json"), "utf8"))
const issueText = readFileSync(path.join(SHIPPED, "issue.json"), "utf8")

function damaged(file: string, wrong: string) {
  return expect.objectContaining({ code: RankerDamaged.code, data: { file, wrong } })
}

describe("loadRanker", () => {
  test("[SEARCH-9] reads the word table only on request", async () => {
    await using folder = await tempDirectory()
    for (const file of ["fusion.json", "issue.json", "issue-trees.json"]) {
      copyFileSync(path.join(SHIPPED, file), path.join(folder.path, file))
    }
    const ranker = await loadRanker({ table: "leave", folder: folder.path })
    expect(ranker.table).toBe(undefined)
    expect(ranker.fusion.all.features).toHaveLength(29)
    await expect(loadRanker({ table: "load", folder: folder.path })).rejects.toThrow(
      expect.objectContaining({
        code: RankerMissing.code,
        message: "The ranker file vocab.json could not be read: missing.",
      }),
    )
  })

  test("[SEARCH-9] does not read an oversized file", async () => {
    await using folder = await tempDirectory()
    writeFileSync(path.join(folder.path, "fusion.json"), " ".repeat(1_000_001))
    await expect(loadRanker({ table: "leave", folder: folder.path })).rejects.toThrow(
      expect.objectContaining({ code: RankerMissing.code }),
    )
  })

  test("[SEARCH-9] the files have the checksums that the README lists", () => {
    const readme = readFileSync(path.join(SHIPPED, "README.md"), "utf8")
    const rows = [...readme.matchAll(/^\| `(\S+)` \|.*\| ([\d,]+) \| `([0-9a-f]{64})` \|$/gm)]
    expect(rows.map((it) => it[1])).toEqual([
      "fusion.json",
      "issue.json",
      "issue-trees.json",
      "model.bin",
      "vocab.json",
    ])
    for (const [, file, size, sum] of rows) {
      const content = readFileSync(path.join(SHIPPED, file!))
      expect(content.length).toBe(Number(size!.replaceAll(",", "")))
      expect(createHash("sha256").update(content).digest("hex")).toBe(sum)
    }
  })

  test("[SEARCH-9] accepts unaligned bytes", () => {
    const shifted = new Uint8Array(bytes.length + 1)
    shifted.set(bytes, 1)
    const table = parseWordTable(shifted.subarray(1), words)
    expect(table.columns).toEqual(parseWordTable(bytes, words).columns)
    expect(table.constants.k1).toBeGreaterThan(0)
  })

  test.for<readonly [string, (copy: Buffer) => Buffer]>([
    ["it has 12 bytes", (it) => it.subarray(0, 12)],
    ["it does not begin with QMSE", (it) => it.fill("X", 0, 1)],
    ["its version is 2, not 1", (it) => withNumber(it, 4, 2)],
    ["it has 7 rows for 16938 words", (it) => withNumber(it, 8, 7)],
    ["it has 15 levels, not 16", (it) => withNumber(it, 16, 15)],
    ["it has 4675007 bytes, not 4675008", (it) => it.subarray(0, -1)],
    ["NaN at byte 124", (it) => withNumber(it, 124, 0x7fc00000)],
  ])("[SEARCH-9] rejects model.bin: %s", ([wrong, damage]) => {
    expect(() => parseWordTable(damage(Buffer.from(bytes)), words)).toThrow(
      damaged("model.bin", wrong),
    )
  })

  test.for([
    ["it is not valid JSON", "["],
    ["it is not a list of words", '{"a":1}'],
    ["it is not a list of words", "[1]"],
    ["it contains a word twice", '["a","a"]'],
  ] as const)("[SEARCH-9] rejects vocab.json: %s", ([wrong, text]) => {
    expect(() => parseVocabulary(text)).toThrow(damaged("vocab.json", wrong))
  })

  test.for<readonly [string, (copy: typeof fusion) => void]>([
    ["version: it is another one", (it) => (it.version = 2)],
    ["heads.lex: it is missing", (it) => delete it.heads.lex],
    ["heads.all.v: it is not a list of the right values", (it) => (it.heads.all.v[3] = null)],
    ["the sizes of head lex do not match", (it) => it.heads.lex.w2.pop()],
    ["the sizes of head all do not match", (it) => it.heads.all.W1[4].pop()],
    ["head lex reads hist, which it cannot use", (it) => (it.heads.lex.features[0] = "hist")],
    ["head lex+hist reads magic, which it cannot use", (it) => addFeature(it, "magic")],
  ])("[SEARCH-9] rejects fusion.json: %s", ([wrong, damage]) => {
    const copy = structuredClone(fusion)
    damage(copy)
    expect(() => parseFusion(JSON.stringify(copy), issueText)).toThrow(
      damaged("fusion.json", wrong),
    )
  })

  test("[SEARCH-9] rejects a fusion.json that is not JSON", () => {
    expect(() => parseFusion("{", issueText)).toThrow(
      damaged("fusion.json", "it is not valid JSON"),
    )
    expect(() => parseFusion(JSON.stringify(fusion), "{")).toThrow(
      damaged("issue.json", "it is not valid JSON"),
    )
  })
})

function withNumber(copy: Buffer, offset: number, value: number): Buffer {
  copy.writeUInt32LE(value, offset)
  return copy
}

function addFeature(copy: typeof fusion, name: string): void {
  copy.heads["lex+hist"].features.push(name)
}
