import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import { hookFixture } from "#test/hook-fixture"
import { fcParameters, isNight } from "#test/seed"
import type { HookEvent } from "./event.ts"
import { judgeEvent } from "./judge-hook-event.ts"
import { createOverrides } from "./overrides.ts"

type HookFixture = Awaited<ReturnType<typeof hookFixture>>

const session = fc.constantFrom("one", "two", "../three\n", "")
const paths = fc.subarray(["a.ts", "b.ts", "src/c.ts", "CHANGELOG.md", "node_modules/x.js"])
const tool = fc.constantFrom("Edit", "Write", "apply_patch")

/**
 * An event, or an action of others in the meantime. Claims wait for the disk, so they are rarer.
 */
const often = <One>(arbitrary: fc.Arbitrary<One>) => ({ arbitrary, weight: 4 })
const seldom = <One>(arbitrary: fc.Arbitrary<One>) => ({ arbitrary, weight: 1 })
const step = fc.oneof(
  often(fc.record({ do: fc.constant("before-edit" as const), session, paths, tool })),
  often(fc.record({ do: fc.constant("after-edit" as const), session, paths, tool })),
  often(
    fc.record({
      do: fc.constant("stop" as const),
      session,
      isBusy: fc.boolean(),
      // Not every host reports that a hook has already blocked the stop.
      isTold: fc.boolean(),
    }),
  ),
  seldom(fc.record({ do: fc.constant("after-tool" as const), session, paths, tool })),
  seldom(fc.record({ do: fc.constant("session-start" as const), session })),
  seldom(fc.record({ do: fc.constant("agents" as const), session })),
  seldom(fc.record({ do: fc.constant("loaded" as const), session })),
  seldom(fc.record({ do: fc.constant("claim" as const), session, paths })),
  seldom(fc.record({ do: fc.constant("override" as const), paths })),
  seldom(fc.record({ do: fc.constant("write" as const), text: fc.constantFrom("1", "2", "3") })),
  seldom(fc.record({ do: fc.constant("wait" as const), minutes: fc.constantFrom(0, 1, 20, 300) })),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Sessions whose last stop was blocked; a host reports that at the next stop. */
type BlockedSessions = { readonly sessions: Set<string>; readonly seen: Set<string> }

async function take(it: HookFixture, next: Step, blocked: BlockedSessions): Promise<void> {
  switch (next.do) {
    case "claim":
      if (next.paths.length > 0) await it.claim(next.session, ...next.paths)
      return
    case "override": {
      const ids = createIds({ ...it, random: systemRandom })
      const overrides = createOverrides({ ...it, ids })
      await overrides.allow({ paths: next.paths, reason: "a test", minutes: 5 })
      return
    }
    case "write":
      return it.write("a.ts", next.text)
    case "wait":
      return it.clock.advance(next.minutes * 60_000)
    case "stop":
      return stop(it, next, blocked)
    default:
      for (const event of eventsOf(it, next)) await judgeEvent(event, it)
  }
}

async function stop(
  it: HookFixture,
  next: Extract<Step, { do: "stop" }>,
  { sessions, seen }: BlockedSessions,
): Promise<void> {
  const isAgain = next.isTold && sessions.has(next.session)
  const own = { isAgain, isBusy: next.isBusy }
  const { verdict } = await judgeEvent(it.event("stop", own, next.session), it)
  const isBlocked = verdict.kind === "block"
  expect(isBlocked && (isAgain || next.isBusy)).toBe(false)
  if (!isBlocked) {
    sessions.delete(next.session)
    return
  }
  sessions.add(next.session)
  const { fingerprint } = await it.ledger.drift(next.session, it.classifier)
  const key = JSON.stringify([next.session, fingerprint])
  expect(seen.has(key)).toBe(false)
  seen.add(key)
}

function eventsOf(
  it: HookFixture,
  next: Exclude<Step, { do: "claim" | "override" | "write" | "wait" | "stop" }>,
): readonly HookEvent[] {
  const { session: whose } = next
  switch (next.do) {
    case "before-edit":
      return [it.event("before-edit", { tool: next.tool, paths: next.paths }, whose)]
    case "after-edit":
    case "after-tool":
      return [it.event(next.do, { tool: next.tool, paths: next.paths, tokens: 10 }, whose)]
    case "session-start":
      return [it.event("session-start", { source: "resume" }, whose)]
    case "loaded": {
      const own = { file: "/x", memoryKind: "m", reason: "r", parent: undefined }
      return [it.event("loaded", own, whose)]
    }
    case "agents":
      return [
        it.event("before-agent", { agentType: "t", prompt: "p" }, whose),
        it.event("agent-start", { agentType: "t", agentId: "1" }, whose),
      ]
    default:
      return next satisfies never
  }
}

/**
 * Orders of 100 steps each, most of them events: 10,000 events in the nightly run. Fewer otherwise,
 * because each step waits for the disk.
 */
const ORDERS = isNight() ? 130 : 8

test("[GUARD-32] any events in any order: nothing throws, and no session is blocked from stopping forever", {
  timeout: 600_000,
}, async () => {
  const order = fc.array(step, { minLength: 100, maxLength: 100 })
  await fc.assert(
    fc.asyncProperty(order, fc.constantFrom(2, 3, 5, 7), async (steps, level) => {
      await using it = await hookFixture({ level, highRiskPaths: ["src/**"] })
      const items = [{ id: "m", title: "t", line: "l", paths: ["a.ts"] }]
      const file = join(it.stateDirectory, "pitfalls.json")
      await writeFile(file, JSON.stringify({ version: 1, items }))
      const blocked: BlockedSessions = { sessions: new Set(), seen: new Set() }
      for (const next of steps) await take(it, next, blocked)
    }),
    fcParameters({ numRuns: ORDERS, nightRuns: ORDERS }),
  )
})
