import { expect, test } from "vitest"
import { releaseMemory } from "./memory.ts"
import { run } from "./spawn.ts"

test("[BASE-49] every array over released memory is empty, also when it is released again", () => {
  const { buffer } = new Uint8Array(16)
  const [bytes, numbers, other] = [
    new Uint8Array(buffer, 8),
    new Uint32Array(buffer),
    Uint8Array.of(7),
  ]
  releaseMemory([bytes, numbers])
  releaseMemory([bytes])
  expect([bytes.length, numbers.length, other]).toEqual([0, 0, Uint8Array.of(7)])
})

/**
 * Keeps half of what it creates for a moment, so that V8 lets the young heap grow. The smallest size
 * of the last rounds, because V8 postpones collections while it marks old objects.
 */
const GROWTH = `
  import { getHeapSpaceStatistics } from "node:v8"
  import { limitYoungHeap } from ${JSON.stringify(new URL("memory.ts", import.meta.url).href)}
  const youngMegabytes = () =>
    getHeapSpaceStatistics().find((it) => it.space_name === "new_space").space_size / 1e6
  function grow(check) {
    let smallest = Infinity
    for (let round = 0; round < 40; round++) {
      const kept = []
      for (let at = 0; at < 100_000; at++) {
        const made = { at, list: [at] }
        if (at % 2 === 0) kept.push(made)
        if (at % 1_000 > 0) continue
        check()
        if (round >= 30) smallest = Math.min(smallest, youngMegabytes())
      }
    }
    gc()
    return smallest
  }
  const sizes = [grow(() => {})]
  {
    using one = await limitYoungHeap()
    using another = await limitYoungHeap()
    sizes.push(youngMegabytes(), grow(one.check))
    another.check()
  }
  sizes.push(grow(() => {}))
  console.log(JSON.stringify(sizes))
`

test("[BASE-50] the young heap shrinks, stays small under a limit, and grows after it", async () => {
  const args = ["--expose-gc", "--input-type=module", "-e", GROWTH]
  const outcome = await run(process.execPath, args, {
    cwd: import.meta.dirname,
    env: {},
    timeoutMs: 120_000,
    maxOutputBytes: 10_000,
  })
  expect(outcome).toMatchObject({ kind: "exited", code: 0 })
  if (outcome.kind !== "exited") return
  expect(outcome.stderr.toString()).toBe("")
  const [before, shrunk, limited, after] = JSON.parse(outcome.stdout.toString())
  expect(before).toBeGreaterThan(20)
  expect(shrunk).toBeLessThan(5)
  expect(limited).toBeLessThan(18)
  expect(after).toBeGreaterThan(20)
})
