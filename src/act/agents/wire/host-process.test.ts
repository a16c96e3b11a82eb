import { expect, test } from "vitest"
import { isSameProcessAlive, type ProcessIdentity, systemClock } from "#ground/base"
import { createEventEmitter } from "./event-emitter.ts"
import { startHostProcess } from "./host-process.ts"

const { signal } = new AbortController()

function startCat(onStarted: (process: ProcessIdentity) => Promise<void>, received: string[]) {
  return startHostProcess({
    start: { program: "/bin/cat", cwd: "/", environment: {}, signal, onStarted },
    args: [],
    emitter: createEventEmitter("Host"),
    clock: systemClock,
    onLine: (line) => void received.push(line),
  })
}

test("[AGENTS-36] a process is recorded before it gets its first input", async () => {
  const received: string[] = []
  const child = await startCat(async ({ pid }) => {
    await systemClock.sleep(1)
    received.push(`noted ${pid > 0}`)
  }, received)
  child?.write({ say: 1 })
  child?.endInput("")
  await child?.ended
  expect(received).toEqual(["noted true", '{"say":1}'])
})

test("[AGENTS-36] a process that cannot be recorded is ended", async () => {
  const started = Promise.withResolvers<ProcessIdentity>()
  const failing = startCat((process) => {
    started.resolve(process)
    return Promise.reject(new Error("the store is gone"))
  }, [])
  await expect(failing).rejects.toThrow("the store is gone")
  expect(isSameProcessAlive(await started.promise)).toBe(false)
})
