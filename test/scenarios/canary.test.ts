import { expect, test } from "vitest"
import { CANARY_ENTRIES, lookAround } from "./canary-entries.ts"
import { type Canary, findLeaks, newCanaries, type Output } from "./canary-search.ts"
import { newCanaryWorld } from "./canary-world.ts"

test("[F5] secrets of all kinds in every input appear in no output", async () => {
  await using world = await newCanaryWorld()
  const planted = new Map<string, readonly Canary[]>([["the environment", world.known]])
  const atOnce = new Map<string, readonly Canary[]>()
  for (const { name, isQueued, put } of CANARY_ENTRIES) {
    const canaries = newCanaries()
    planted.set(name, canaries)
    if (isQueued !== true) atOnce.set(name, canaries)
    await put(world, canaries)
  }
  await lookAround(world)
  expect([...planted.values()].flat().length).toBeGreaterThan(200)
  const filesWhileItRuns = findLeaks(atOnce, await world.files())
  await world.stop()
  const filesAfterwards = findLeaks(planted, await world.files())
  const said = findLeaks(planted, world.said())
  expect({ said, filesWhileItRuns, filesAfterwards }).toEqual(NOTHING)
  expect(kindsIn(world.said())).toBeGreaterThan(100)
}, 300_000)

const NOTHING = { said: [], filesWhileItRuns: [], filesAfterwards: [] }

/** The number of redacted kinds: a secret that was never read could not appear anyway. */
function kindsIn(outputs: readonly Output[]): number {
  const markers = outputs.flatMap((it) => it.text.match(/\[redacted: [a-z0-9-]+/g) ?? [])
  return new Set(markers).size
}
