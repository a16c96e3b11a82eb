import { setTimeout as sleep } from "node:timers/promises"

const STEP_MS = 25
const MOST_STEPS = 4_000

export async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (let step = 0; step < MOST_STEPS; step++) {
    const value = await look()
    if (value !== undefined) return value
    await sleep(STEP_MS)
  }
  throw new Error(`not found after ${MOST_STEPS} looks: ${String(look)}`)
}
