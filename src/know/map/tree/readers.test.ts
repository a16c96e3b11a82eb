import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { createReaders, type ReadItem } from "./readers.ts"

const BUSY = new URL("../../../../test/kit/busy-reading-thread.ts", import.meta.url)

test("a text that a busy machine reads too slowly is read again, without a parser", async () => {
  await using temp = await tempDirectory()
  const key = path.join(temp.path, "text")
  await using readers = createReaders({ entry: BUSY, threads: 1, longestSilenceMs: 2_000 })
  const batches: (readonly ReadItem[])[] = [[{ key, text: "", language: undefined }]]
  const kept: ReadItem[] = []
  await readers.readAll({
    next: async () => batches.shift(),
    keep: async (batch) => void kept.push(...batch),
    signal: new AbortController().signal,
  })
  expect(kept.map((it) => [it.key, it.problem?.reason])).toEqual([[key, "too-slow"]])
  expect(existsSync(`${key}.3`)).toBe(true)
})

test("[MAP-56] the parsing threads load no schema", () => {
  const packages = packagesBelow([
    "src/know/map/thread/main.ts",
    "src/know/map/tree/thread/main.ts",
  ])
  expect(packages).toContain("web-tree-sitter")
  expect(packages).not.toContain("zod")
})

/** The packages that these modules import, also through others; types are not loaded. */
function packagesBelow(entries: readonly string[]): readonly string[] {
  const root = path.join(import.meta.dirname, "../../../..")
  const waiting = [...entries]
  const seen = new Set<string>()
  const packages = new Set<string>()
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const source = readFileSync(path.join(root, file), "utf8")
    for (const [, name = ""] of source.matchAll(IMPORT)) {
      if (name.startsWith(".")) waiting.push(path.join(path.dirname(file), name))
      else if (name.startsWith("#")) waiting.push(`src/${name.slice(1)}/index.ts`)
      else packages.add(name)
    }
  }
  expect(seen.size).toBeGreaterThan(50)
  return [...packages]
}

const IMPORT = /^(?:import|export)(?! type\b)[^"']*?from "([^"]+)"/gm
