import { readdirSync, utimesSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { FETCH_EVERY_MS, tryTakeTurn } from "./background.ts"

async function take(folder: string, now: number): Promise<boolean> {
  const isTaken = await tryTakeTurn(folder, now)
  const file = path.join(folder, `fetch-${Math.floor(now / FETCH_EVERY_MS)}`)
  if (isTaken) utimesSync(file, now / 1_000, now / 1_000)
  return isTaken
}

test("[HOOKS-14] one of many simultaneous starts may fetch", async () => {
  await using temp = await tempDirectory()
  const taken = await Promise.all(Array.from({ length: 20 }, () => tryTakeTurn(temp.path, 5)))
  expect(taken.filter(Boolean)).toHaveLength(1)
})

test("[HOOKS-14] the next fetch is possible after ten minutes, not at the next clock interval", async () => {
  await using temp = await tempDirectory()
  const late = 100 * FETCH_EVERY_MS - 1_000
  expect(await take(temp.path, late)).toBe(true)
  expect(await take(temp.path, late + 500)).toBe(false)
  expect(await take(temp.path, late + 2_000)).toBe(false)
  expect(await take(temp.path, late + FETCH_EVERY_MS - 1)).toBe(false)
  expect(await take(temp.path, late + FETCH_EVERY_MS)).toBe(true)
  expect(await take(temp.path, late + 5 * FETCH_EVERY_MS)).toBe(true)
  expect(readdirSync(temp.path)).toEqual(["fetch-104"])
})
