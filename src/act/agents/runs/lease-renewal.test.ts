import { expect, test } from "vitest"
import { createLeaseRenewal, MAX_UNRENEWED_MS } from "./lease-renewal.ts"

const CLAIMS = ["run_a", "run_b"].map((runId) => ({ runId, fence: 1 }))

function fixture(renewLeases: (claims: typeof CLAIMS) => Promise<typeof CLAIMS>) {
  const stopped: string[] = []
  const leased = new Map(CLAIMS.map(({ runId }) => [runId, 0]))
  const time = { ms: 0 }
  const renewal = createLeaseRenewal({
    clock: { monotonicMs: () => time.ms },
    activeRuns: {
      claims: () => CLAIMS,
      leasedAtMs: (runId) => leased.get(runId),
      noteRenewal: (claims, atMs) => {
        for (const { runId } of claims) leased.set(runId, atMs)
      },
      find: (runId) => ({ pump: { stop: async (how) => void stopped.push(`${runId} ${how}`) } }),
    },
    runs: { renewLeases: async (claims) => renewLeases([...claims]) },
  })
  return { renewal, stopped, time }
}

test("[AGENTS-29] a run whose lease another process has claimed is stopped; the others continue", async () => {
  const { renewal, stopped } = fixture(async (all) => all.filter((it) => it.runId === "run_b"))
  await renewal.renew()
  expect(stopped).toEqual(["run_b interrupted"])
})

test("[AGENTS-91] a run that could not be renewed is stopped before its lease ends, one that was is not", async () => {
  let isReachable = true
  const { renewal, stopped, time } = fixture(async () => {
    if (!isReachable) throw new Error("planted: the server is away")
    return []
  })
  time.ms = 8_000
  await renewal.renew()
  time.ms += MAX_UNRENEWED_MS
  await renewal.stopUnrenewed()
  expect(stopped).toEqual([])
  isReachable = false
  await expect(renewal.renew()).rejects.toThrow("away")
  time.ms += 1
  await renewal.stopUnrenewed()
  expect(stopped).toEqual(["run_a interrupted", "run_b interrupted"])
})

test("[AGENTS-91] a renewal that takes long counts from its request", async () => {
  const { renewal, stopped, time } = fixture(async () => {
    time.ms += MAX_UNRENEWED_MS + 1
    return []
  })
  await renewal.renew()
  await renewal.stopUnrenewed()
  expect(stopped).toHaveLength(2)
})
