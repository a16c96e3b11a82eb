import { expect, test } from "vitest"
import { defineError } from "#ground/base"
import type { PipelineEventBody } from "#ground/contract"
import { newPipelines, type PipelineRoom, SIX_STAGES } from "#test/pipeline-room"
import { agentStage } from "./stages/agent.ts"
import type { AgentEnd } from "./stages/ports.ts"

const AUTO = { ...SIX_STAGES, autoAdvance: true }

async function bodiesOf(room: PipelineRoom): Promise<PipelineEventBody[]> {
  return (await room.show("p-1")).events.map((it) => it.body)
}

const WORKING = {
  stages: [
    {
      name: "work",
      title: "Work",
      kind: "agent",
      prompt: "ask.md",
      budgetUsd: 5,
      scope: { agents: ["default"] },
    },
  ],
  budgetUsd: 6,
}

async function working(end: Partial<AgentEnd>) {
  const given: (number | undefined)[] = []
  const agent = agentStage({
    async startAgent({ budgetUsd }) {
      given.push(budgetUsd)
      return { runId: "rn_1", outcome: "completed", text: "x", usd: 4, tokens: 10, ...end }
    },
  })
  const room = await newPipelines({ config: WORKING, stages: { agent } })
  return { room, given }
}

test("[PIPE-9] the cost of a failed agent counts, and the next one gets the remaining budget", async () => {
  const { room, given } = await working({ outcome: "failed" })
  await using _ = room
  expect(await room.goes()).toMatchObject({
    status: "paused",
    cost: { spentUsd: 4, unknownCalls: 0 },
  })
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({ status: "paused", cost: { spentUsd: 8 } })
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({
    status: "over-budget",
    cost: { spentUsd: 8, budgetUsd: 6 },
  })
  expect(given).toEqual([5, 1])
})

test("[PIPE-9] the remaining budget is the smaller of the stage's and the run's remainder", async () => {
  const { room, given } = await working({ outcome: "failed", usd: 0.5 })
  await using _ = room
  await room.goes("x", { budget: 3 })
  await room.resume("p-1", "you")
  await room.finished("p-1")
  expect(given).toEqual([3, 2.5])
})

test("[PIPE-9] an agent that failed without a price and a failed call count as unknown cost", async () => {
  const { room } = await working({ outcome: "failed", usd: null })
  await using _ = room
  expect(await room.goes()).toMatchObject({ cost: { spentUsd: 0, unknownCalls: 1 } })
  await using failing = await newPipelines({ brain: () => Promise.reject(new Error("boom")) })
  expect(await failing.goes()).toMatchObject({ cost: { spentUsd: 0, unknownCalls: 1 } })
})

test("[PIPE-9] a call that was rejected before it was sent costs nothing", async () => {
  const NoKey = defineError<object>()("TEST_NO_KEY", {
    family: "invalid",
    message: () => "There is no key.",
    hint: () => "Set one.",
  })
  await using room = await newPipelines({ brain: () => Promise.reject(NoKey({})) })
  expect(await room.goes()).toMatchObject({
    error: { code: "TEST_NO_KEY" },
    cost: { spentUsd: 0, unknownCalls: 0 },
  })
})

test("[PIPE-9] the first call without a known price is reported once, and the run continues", async () => {
  const usage = { input: 1_000_000, output: 100_000, cacheRead: 0, cacheWrite: 0 }
  const ask = async () => ({
    text: "x",
    value: undefined,
    problem: undefined,
    isCut: false,
    usage,
    usd: null,
    model: "house-model",
    retries: 0,
    durationMs: 1,
  })
  await using room = await newPipelines({
    config: AUTO,
    deps: { model: async () => ({ provider: "custom", ask }) as never },
  })
  expect(await room.goes("x", { budget: 0.01 })).toMatchObject({
    status: "completed",
    cost: { spentUsd: 0, unknownCalls: 2 },
    usage: { input: 2_000_000 },
  })
  const bodies = await bodiesOf(room)
  const notes = bodies.filter((it) => it.type === "substep" && it.tool === "Budget")
  expect(notes).toMatchObject([
    {
      outcome: "noted",
      title:
        "The price of house-model is unknown: the budget of $0.01 cannot be enforced; tokens are counted",
    },
  ])
  const ids = bodies.flatMap((it) =>
    it.type === "substep" && it.phase === "ended" ? [it.activityId] : [],
  )
  expect(new Set(ids).size).toBe(ids.length)
})
