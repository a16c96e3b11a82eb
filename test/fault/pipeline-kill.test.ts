import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { z } from "zod"
import { child } from "#test/child"
import { isNight, longestTestMs } from "#test/seed"
import { tempDirectory } from "#test/temp"

const WORKER = new URL("pipeline-worker.child.ts", import.meta.url)
const KILLS = isNight() ? 60 : 20

const Outcome = z.object({
  document: z.string(),
  cost: z.object({ spentUsd: z.number(), unknownCalls: z.int() }),
  events: z.int(),
  recorded: z.int(),
})

test(`[PIPE-32] ${KILLS} real processes, each killed at another event, finish the run on a real store`, {
  timeout: longestTestMs(),
}, async () => {
  await using folder = await tempDirectory()
  const whole = outcomeOf(await work(`${folder.path}/whole`, 0))
  expect(whole).toMatchObject({ recorded: 2, cost: { spentUsd: 0.02, unknownCalls: 0 } })
  const boundaries = Array.from({ length: KILLS }, (_, nth) => 2 + (nth % (whole.events - 2)))
  const lanes = [0, 1].map(async (lane) => {
    for (const [nth, at] of boundaries.entries()) {
      if (nth % 2 === lane) await killedAt(at, `${folder.path}/${nth}`, whole)
    }
  })
  await Promise.all(lanes)
})

async function killedAt(at: number, place: string, whole: z.infer<typeof Outcome>) {
  expect((await work(place, at)).signal, `at ${at}`).toBe("SIGKILL")
  const { document, cost, recorded } = outcomeOf(await work(place, 0))
  expect({ at, document, recorded, usd: cost.spentUsd }).toEqual({
    at,
    document: whole.document,
    recorded: whole.recorded,
    usd: whole.cost.spentUsd,
  })
  // Calls made but not recorded were interrupted, and the run knows of them; no other call was made
  // twice.
  const calls = (await readFile(`${place}/calls`, "utf8")).trim().split("\n").length
  expect({ at, twice: Math.max(0, calls - recorded - cost.unknownCalls) }).toEqual({ at, twice: 0 })
}

async function work(folder: string, killAt: number) {
  await using worker = child(WORKER, [folder, String(killAt)])
  const lines = await worker.restOfLines()
  const { signal, stderr, code } = await worker.exited
  if (signal === null && code !== 0) throw new Error(stderr)
  return { signal, lines }
}

function outcomeOf({ lines }: { readonly lines: readonly string[] }) {
  return Outcome.parse(JSON.parse(lines.at(-1) ?? "null"))
}
