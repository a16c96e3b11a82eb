import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { loadWordVectors, nearestWords, parseWordVectors } from "./word-vectors.ts"

const FOLDER = path.join(import.meta.dirname, "../../../../models/words")

test("[SEARCH-21] the shipped vectors are those of their README, and relate words of one meaning", async () => {
  const bytes = readFileSync(path.join(FOLDER, "english.bin"))
  const sum = createHash("sha256").update(bytes).digest("hex")
  expect(readFileSync(path.join(FOLDER, "README.md"), "utf8")).toContain(sum)
  const vectors = await loadWordVectors()
  expect(vectors.rowByWord.size).toBe(30_000)
  const vocabulary = ["vessel", "fee", "illness", "electricity", "tariff", "zzyzx", "ship"]
  const find = nearestWords(vectors, vocabulary)
  expect(find("ship")[0]?.word).toBe("vessel")
  expect(find("sick")[0]?.word).toBe("illness")
  expect(find("power").map((it) => it.word)).toContain("electricity")
  expect(find("ship").map((it) => it.word)).not.toContain("ship")
  expect(find("zzyzx")).toEqual([])
})

test("[SEARCH-21] a damaged file names what is wrong", async () => {
  const whole = readFileSync(path.join(FOLDER, "english.bin"))
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(whole)
    bytes[at] = value
    return bytes
  }
  expect(() => parseWordVectors(Buffer.alloc(3))).toThrow("it has 3 bytes")
  expect(() => parseWordVectors(changed(0, 0))).toThrow("it does not begin with QMWV")
  expect(() => parseWordVectors(changed(4, 9))).toThrow("its version is 9, not 1")
  expect(() => parseWordVectors(changed(8, 7))).toThrow("its length is wrong")
  expect(() => parseWordVectors(whole.subarray(0, 1_000))).toThrow("its length is wrong")
  await expect(loadWordVectors(path.join(FOLDER, "none.bin"))).rejects.toMatchObject({
    message: expect.stringContaining("english.bin"),
  })
})
