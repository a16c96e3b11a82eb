import fc from "fast-check"
import { expect, test } from "vitest"
import type { PlannedTicket } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { MOST_WORKSTREAMS, partitionTickets, tierOf } from "./plan-swarm.ts"

const file = fc.constantFrom("src", "src/a.ts", "src/b.ts", "lib/c.ts", "lib", "docs/d.md", "e.ts")
const tickets: fc.Arbitrary<readonly PlannedTicket[]> = fc
  .array(fc.uniqueArray(file, { minLength: 1, maxLength: 3 }), { maxLength: 12 })
  .map((all) =>
    all.map((touch, at) => ({
      id: `T-${at}`,
      title: "t",
      touch,
      tests: [],
      from: "card" as const,
    })),
  )

test("[SWARM-2] workstreams are at most five and disjoint, and every ticket is placed or left", () => {
  fc.assert(
    fc.property(tickets, fc.integer({ min: 1, max: 9 }), (all, most) => {
      const { workstreams, left } = partitionTickets(all, { most })
      expect(workstreams.length).toBeLessThanOrEqual(Math.min(most, MOST_WORKSTREAMS))
      const placed = workstreams.flatMap((it) => it.tickets.map((ticket) => ticket.id))
      expect([...placed, ...left.map((it) => it.id)].toSorted()).toEqual(
        all.map((it) => it.id).toSorted(),
      )
      const touched = workstreams.flatMap(({ name, tickets: own }) =>
        own.flatMap((it) => it.touch.map((touch) => ({ name, touch }))),
      )
      const shared = touched.filter((one) =>
        touched.some((other) => other.name !== one.name && isWithin(other.touch, one.touch)),
      )
      expect(shared).toEqual([])
    }),
    fcParameters({ numRuns: 200 }),
  )
})

test("[SWARM-2] the model of a definition sets the cost tier", () => {
  const models = ["haiku", "gpt-5-mini", "sonnet", null, "opus", "claude-opus-4"]
  expect(models.map(tierOf)).toEqual(["small", "small", "medium", "medium", "large", "large"])
})

const isWithin = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)
