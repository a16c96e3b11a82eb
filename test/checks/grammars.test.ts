import { execFile } from "node:child_process"
import { appendFile, cp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { createMap, LANGUAGE_NAMES } from "#know/map"
import { tempDirectory } from "#test/temp"

const ROOT = join(import.meta.dirname, "../..")
const GRAMMARS = join(ROOT, "grammars")

async function check(folder: string): Promise<string> {
  const args = [join(ROOT, "scripts/grammars.ts"), "--folder", folder]
  const ran = promisify(execFile)(process.execPath, args)
  return await ran.then(
    (it) => it.stdout,
    (error: { stdout: string }) => error.stdout,
  )
}

test("[GRAMMARS-1] the grammar files match the table", async () => {
  expect(await check(GRAMMARS)).toBe("grammars: 17 files, 0 wrong\n")
})

test("[GRAMMARS-1] a changed, a missing and an unknown grammar file are reported", async () => {
  await using temp = await tempDirectory()
  await cp(GRAMMARS, temp.path, { recursive: true })
  await appendFile(join(temp.path, "go.wasm"), "\0")
  await rm(join(temp.path, "php.wasm"))
  await writeFile(join(temp.path, "latin.wasm"), "")
  const said = await check(temp.path)
  expect(said.split("\n").map((it) => it.split(" is ")[0]?.split(" has ")[0])).toEqual([
    "FAIL  latin.wasm",
    "FAIL  go.wasm",
    "FAIL  php.wasm",
    "grammars: 17 files, 3 wrong",
    "",
  ])
})

test("[GRAMMARS-2] every language has a grammar that loads", async () => {
  await using map = createMap()
  const files = LANGUAGE_NAMES.map((language) => ({ path: language, language, text: "\n" }))
  const parsed = await map.parseMany(files)
  expect(parsed.flatMap((it) => it.facts.problems)).toEqual([])
})
