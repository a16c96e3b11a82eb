import { expect, test } from "vitest"
import { isSameProcessAlive, type ProcessIdentity, systemClock } from "#ground/base"
import { startHostChild } from "./host-child.ts"
import { createTelling } from "./telling.ts"

const { signal } = new AbortController()

/** A host that says what it hears, and what was done before it heard anything. */
function startCat(onStarted: (process: ProcessIdentity) => Promise<void>, heard: string[]) {
  return startHostChild({
    start: { program: "/bin/cat", cwd: "/", environment: {}, signal, onStarted },
    args: [],
    telling: createTelling("Host"),
    clock: systemClock,
    hear: (line) => void heard.push(line),
  })
}

test("[AGENTS-36] a process is noted before it gets its first word", async () => {
  const heard: string[] = []
  const child = await startCat(async ({ pid }) => {
    await systemClock.sleep(1)
    heard.push(`noted ${pid > 0}`)
  }, heard)
  child?.write({ say: 1 })
  child?.endInput("")
  await child?.gone
  expect(heard).toEqual(["noted true", '{"say":1}'])
})

test("[AGENTS-36] one that cannot be noted does not stay", async () => {
  const started = Promise.withResolvers<ProcessIdentity>()
  const failing = startCat((process) => {
    started.resolve(process)
    return Promise.reject(new Error("the store is gone"))
  }, [])
  await expect(failing).rejects.toThrow("the store is gone")
  expect(isSameProcessAlive(await started.promise)).toBe(false)
})
