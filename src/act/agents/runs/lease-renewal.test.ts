import { expect, test } from "vitest"
import { createLeaseRenewal } from "./lease-renewal.ts"

test("[AGENTS-29] a run whose lease another process has claimed is stopped; the others continue", async () => {
  const claims = ["run_a", "run_b"].map((runId) => ({ runId, fence: 1 }))
  const stopped: string[] = []
  const renewLeases = createLeaseRenewal({
    activeRuns: {
      claims: () => claims,
      find: (runId) => ({ pump: { stop: async (how) => void stopped.push(`${runId} ${how}`) } }),
    },
    runs: { renewLeases: async (renewed) => renewed.filter((it) => it.runId === "run_b") },
  })
  await renewLeases()
  expect(stopped).toEqual(["run_b interrupted"])
})
