import { OPERATIONS, type Operation } from "#ground/contract"
import { LONG_TEXTS, longInputs } from "#test/long-input"
import { send } from "#test/server"
import { startUp } from "../test/mcp/up.ts"
import { atMost, type Bench, createSamples, makeRow } from "./frame.ts"

const BAR_MS = 200
const IDLE_REQUESTS = 500
const PAUSE_MS = 5

export const bench: Bench = {
  name: "stall",
  about: "latency of a second client while 1 MB of long input goes to every operation",
  async run({ clock }) {
    await using up = await startUp()
    const headers = { authorization: `Bearer ${up.token}` }
    const ask = async (): Promise<number> => {
      const startedMs = clock.monotonicMs()
      await send(up.port, { path: "/api/session", headers })
      await clock.sleep(PAUSE_MS)
      return clock.monotonicMs() - startedMs - PAUSE_MS
    }
    const sendAll = async (kinds: readonly string[]) => {
      for (const operation of Object.values<Operation>(OPERATIONS)) {
        if (operation.effect !== "write" || !operation.surfaces.includes("http")) continue
        const path = `/api/${operation.name.replace(".", "/")}`
        for (const { input } of longInputs(operation, () => kinds)) {
          await send(up.port, { method: "POST", path, headers, body: JSON.stringify(input) })
        }
      }
    }
    // The first call of an operation loads its code.
    await sendAll([])
    const idleMs: number[] = []
    for (let n = 0; n < IDLE_REQUESTS; n++) idleMs.push(await ask())
    const busyMs: number[] = []
    let isOver = false
    const sending = sendAll(Object.keys(LONG_TEXTS)).finally(() => {
      isOver = true
    })
    while (!isOver) busyMs.push(await ask())
    await sending
    const [idle, busy] = [createSamples(idleMs), createSamples(busyMs)]
    return [
      makeRow({
        what: `second client, p99 of ${busy.count}`,
        measured: busy.p99,
        unit: "ms",
        against: "idle server",
        floor: idle.p99,
        bar: atMost(BAR_MS, "ms"),
      }),
      makeRow({
        what: "second client, slowest",
        measured: Math.max(...busyMs),
        unit: "ms",
        against: "idle server",
        floor: Math.max(...idleMs),
      }),
    ]
  },
}
