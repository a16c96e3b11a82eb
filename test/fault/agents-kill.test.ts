import { mkdir } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { createApp } from "#show/app"
import { child } from "#test/child"
import { isNight, longestTestMs, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { createChance } from "./cutting-proxy.ts"

const WRITER = new URL("agents-writer.child.ts", import.meta.url)
const KILLS = isNight() ? 400 : 20
const LANES = 2

test(`[D1] reported agent messages survive ${KILLS} kills`, {
  timeout: longestTestMs(),
}, async () => {
  await using directory = await tempDirectory()
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    killAndLook(`${directory.path}/${lane}`, createChance(seed() + lane)),
  )
  const told = (await Promise.all(lanes)).reduce((sum, it) => sum + it, 0)
  // Fewer would mean that the children were killed before their first report.
  expect(told, `SEED=${seed()}`).toBeGreaterThan(KILLS * 20)
})

async function killAndLook(folder: string, chance: (below: number) => number): Promise<number> {
  const told = new Map<string, number>()
  await mkdir(folder)
  for (let kill = 0; kill < KILLS / LANES; kill++) {
    for (const [runId, seq] of await talkUntilKilled(folder, chance(150))) {
      told.set(runId, Math.max(seq, told.get(runId) ?? 0))
    }
  }
  const app = await createApp({
    directory: folder,
    environment: { QM_HOME: `${folder}/home` },
    settings: [],
    writeLog: () => {},
  })
  await using _ = app
  const agents = await app.agents()
  await agents.recover()
  using raw = new DatabaseSync(app.places.database)
  expect(raw.prepare("PRAGMA quick_check").all()).toEqual([{ quick_check: "ok" }])
  for (const [runId, seq] of told) {
    const run = await agents.get(runId)
    const stored = raw.prepare("SELECT seq FROM run_messages WHERE run_id = ? ORDER BY seq")
    const numbers = stored.all(runId).map((it) => Number(it["seq"]))
    const whole = Array.from({ length: run.lastSeq }, (__, index) => index + 1)
    expect([runId, numbers]).toEqual([runId, whole])
    expect(["interrupted", "completed"]).toContain(run.status)
    // The last message of an interrupted run was added by recovery after the kill.
    const kept = run.status === "interrupted" ? run.lastSeq - 1 : run.lastSeq
    expect(kept, `SEED=${seed()}: told and lost`).toBeGreaterThanOrEqual(seq)
  }
  return [...told.values()].reduce((sum, it) => sum + it, 0)
}

async function talkUntilKilled(folder: string, ms: number) {
  await using writer = child(WRITER, [folder])
  expect(await writer.nextLine()).toMatch(/^settled \d+$/)
  const first: string[] = []
  // The prompt, the session and its context come first.
  while (!(Number(first.at(-1)?.split(" ")[1]) >= 4)) {
    first.push((await writer.nextLine()) ?? (await writer.exited).stderr)
  }
  const rest = writer.restOfLines()
  await sleep(ms)
  writer.kill("SIGKILL")
  const lines = [...first, ...(await rest)]
  // The kill may have truncated the last line.
  const whole = lines.map((it) => /^(run_\S+) (\d+)$/.exec(it)).filter((it) => it !== null)
  return whole.map(([, runId = "", seq]) => [runId, Number(seq)] as const)
}
