import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { REPOSITORY } from "./plant-files.ts"

const LOCK = JSON.stringify(join(REPOSITORY, "scripts/test/build-lock.ts"))

/** Prints the machine time of taking the lock, and of its death while it has the lock. */
const HOLDER = `
import { lockBuild } from ${LOCK}
const lock = lockBuild()
console.log(Number(process.hrtime.bigint()))
setTimeout(() => {
  console.log(Number(process.hrtime.bigint()))
  process.kill(process.pid, "SIGKILL")
}, 50, lock)
`

test("[TEST-5] of two runs in one clone only one builds at a time, also when one is killed", async () => {
  const hold = () =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", HOLDER]).catch(
      (error: { readonly stdout: string }) => error,
    )
  const held = await Promise.all([hold(), hold(), hold()])
  const times = held.map((it) => it.stdout.trim().split("\n").map(Number))
  const inOrder = times.toSorted(([a = 0], [b = 0]) => a - b).flat()
  expect(inOrder).toHaveLength(6)
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b))
})
