import { expect, test } from "vitest"
import { CANARY_ENTRIES, lookAround } from "./canary-entries.ts"
import { newCanaryFixture } from "./canary-fixture.ts"
import { type Canary, findLeaks, newCanaries, type Output } from "./canary-search.ts"

test("[F5] secrets of all kinds in every input appear in no output", async () => {
  await using fixture = await newCanaryFixture()
  const planted = new Map<string, readonly Canary[]>([["the environment", fixture.known]])
  const atOnce = new Map<string, readonly Canary[]>()
  for (const { name, isQueued, choose, put } of CANARY_ENTRIES) {
    const canaries = choose?.(newCanaries()) ?? newCanaries()
    planted.set(name, canaries)
    if (isQueued !== true) atOnce.set(name, canaries)
    await put(fixture, canaries)
  }
  await lookAround(fixture)
  expect([...planted.values()].flat().length).toBeGreaterThan(200)
  const filesWhileItRuns = findLeaks(atOnce, await fixture.files())
  await fixture.stop()
  const filesAfterwards = findLeaks(planted, await fixture.files())
  const said = findLeaks(planted, fixture.said())
  expect({ said, filesWhileItRuns, filesAfterwards }).toEqual(NOTHING)
  expect(kindsIn(fixture.said())).toBeGreaterThan(100)
})

const NOTHING = { said: [], filesWhileItRuns: [], filesAfterwards: [] }

/** The number of redacted kinds: a secret that was never read could not appear anyway. */
function kindsIn(outputs: readonly Output[]): number {
  const markers = outputs.flatMap((it) => it.text.match(/\[redacted: [a-z0-9-]+/g) ?? [])
  return new Set(markers).size
}
