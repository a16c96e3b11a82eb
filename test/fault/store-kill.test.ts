import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { bundleChild } from "#test/bundled-child"
import { child } from "#test/child"
import { isNight, longestTestMs, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { openTestStore, readTexts } from "./store-journal.ts"

const WRITER = new URL("store-writer.child.ts", import.meta.url)
const KILLS = isNight() ? 2_000 : 200
const LANES = 4

test(`[D1] acknowledged writes survive ${KILLS} kills`, {
  timeout: longestTestMs(),
}, async () => {
  await using directory = await tempDirectory()
  using writer = await bundleChild(WRITER)
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    killAndLook({
      writer: writer.url,
      file: `${directory.path}/${lane}/store.db`,
      kills: KILLS / LANES,
      chance: mulberry(seed() + lane),
    }),
  )
  const acknowledged = (await Promise.all(lanes)).reduce((sum, it) => sum + it, 0)
  // Fewer would mean that the children were killed before their first report.
  expect(acknowledged, `SEED=${seed()}`).toBeGreaterThan(KILLS)
})

async function killAndLook(lane: {
  writer: URL
  file: string
  kills: number
  chance: () => number
}): Promise<number> {
  const acknowledged = new Set<string>()
  for (let run = 0; run < lane.kills; run++) {
    const ms = 60 + lane.chance() * 120
    for (const text of await writeUntilKilled({ ...lane, run, ms })) acknowledged.add(text)
    using raw = new DatabaseSync(lane.file)
    expect(raw.prepare("PRAGMA quick_check").all()).toEqual([{ quick_check: "ok" }])
  }
  await using store = await openTestStore({ kind: "sqlite", file: lane.file })
  const stored = await readTexts(store)
  expect(new Set(stored).size, `SEED=${seed()}: no duplicates`).toBe(stored.length)
  const lost = acknowledged.difference(new Set(stored))
  expect([...lost], `SEED=${seed()}: acknowledged and lost`).toEqual([])
  return acknowledged.size
}

/** The time starts at the first write, so that the kill happens between writes. */
async function writeUntilKilled(plan: {
  writer: URL
  file: string
  run: number
  ms: number
}): Promise<readonly string[]> {
  await using writer = child(plan.writer, [plan.file, String(plan.run)])
  expect(await writer.nextLine()).toBe("ready")
  const rest = writer.restOfLines()
  await sleep(plan.ms)
  writer.kill("SIGKILL")
  return await rest
}

/** Repeatable random numbers: the same seed kills at the same times. */
function mulberry(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
