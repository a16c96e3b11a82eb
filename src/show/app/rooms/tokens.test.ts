import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { silentLog } from "#ground/base"
import { createTokens } from "#ground/tokens"
import { tempDirectory } from "#test/temp"
import { preparedTables } from "./tokens.ts"

const TEXTS = ["hasOwnProperty constructor __proto__", "Grüße 😀 \uFEFF\u0085", "a".repeat(3_000)]

async function countWith(home: string): Promise<number[]> {
  const prepared = preparedTables(home, silentLog)
  const { count } = await createTokens({ encoding: "claude", prepared }).counter()
  return TEXTS.map((it) => count(it))
}

test("[TOKENS-11] a stored table counts like the library's, and a damaged one is rebuilt", async () => {
  await using temp = await tempDirectory()
  const { count } = await createTokens({ encoding: "claude" }).counter()
  const expected = TEXTS.map((it) => count(it))
  expect(await countWith(temp.path)).toEqual(expected)
  const [name = ""] = await readdir(path.join(temp.path, "cache"))
  const file = path.join(temp.path, "cache", name)
  const kept = await readFile(file, "utf8")
  expect(await countWith(temp.path)).toEqual(expected)
  const short = { ...JSON.parse(kept), textRanks: [1] }
  for (const damaged of [
    "",
    "nonsense",
    kept.slice(0, -20),
    '{"texts":[]}',
    JSON.stringify(short),
  ]) {
    await writeFile(file, damaged)
    expect(await countWith(temp.path)).toEqual(expected)
    expect(await readFile(file, "utf8")).toBe(kept)
  }
})

test("[TOKENS-11] texts are counted where no table can be written", async () => {
  await using temp = await tempDirectory()
  await mkdir(path.join(temp.path, "home"))
  await writeFile(path.join(temp.path, "home", "cache"), "a file in the way")
  await chmod(path.join(temp.path, "home"), 0o700)
  expect(await countWith(path.join(temp.path, "home"))).toHaveLength(TEXTS.length)
})
