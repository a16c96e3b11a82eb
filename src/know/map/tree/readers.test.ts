import { existsSync } from "node:fs"
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
