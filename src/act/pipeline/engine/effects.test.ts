import { expect, test } from "vitest"
import type { PipelineEventBody } from "#ground/contract"
import { newPipelines, type PipelineRoom } from "#test/pipeline-room"
import type { StageWork } from "../stage.ts"

const ONE = {
  stages: [
    { name: "only", title: "Only", kind: "retrieve", prompt: "ask.md", scope: { knowledge: true } },
  ],
}
const SCHEMA = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
const ask = (prompt = "how many", schema: object | undefined = SCHEMA) =>
  ({ title: "count", instructions: "", prompt, schema }) as never
const NEVER = new Promise<never>(() => {})
const search = (title = "find") =>
  ({ tool: "Knowledge Base Search", kind: "search", title }) as const

const one = (work: StageWork, more: Parameters<typeof newPipelines>[0] = {}) =>
  newPipelines({ config: ONE, stages: { retrieve: work }, ...more })

async function bodiesOf(room: PipelineRoom): Promise<PipelineEventBody[]> {
  return (await room.show("p-1")).events.map((it) => it.body)
}

test("a response that does not match its schema is requested again, and each call is paid and recorded", async () => {
  const answers = ["prose", '{"n":"three"}', 'Sure: ```json\n{"n": 3}\n```']
  const prompts: string[] = []
  await using room = await one(
    async ({ effects }) => ({ output: (await effects.ask("n", ask())).value, summary: "" }),
    {
      brain: async ({ prompt }) => {
        prompts.push(prompt)
        return { text: answers[prompts.length - 1] ?? "" }
      },
    },
  )
  expect(await room.goes()).toMatchObject({ status: "completed", cost: { spentUsd: 0.03 } })
  const called = (await bodiesOf(room)).filter((it) => it.type === "llm_called")
  expect(called.map((it) => [it.key, it.problem === undefined, it.value])).toEqual([
    ["n", false, undefined],
    ["n~2", false, undefined],
    ["n~3", true, { n: 3 }],
  ])
  expect(prompts[1]).toContain("Your last answer could not be used:")
})

test.each([
  ["prose", "I would rather not say."],
  ["nothing", ""],
  ["a megabyte", "x".repeat(1_000_000)],
  ["another shape", '{"m": 3}'],
])(
  "a model that returns %s three times fails the stage with PIPELINE_ANSWER_INVALID",
  async (_, text) => {
    await using room = await one(
      async ({ effects }) => ({ output: (await effects.ask("n", ask())).value, summary: "" }),
      { brain: async () => ({ text }) },
    )
    const run = await room.goes()
    expect(run).toMatchObject({
      status: "paused",
      error: { code: "PIPELINE_ANSWER_INVALID" },
      cost: { spentUsd: 0.03 },
    })
    const size = JSON.stringify(await bodiesOf(room)).length
    expect(size).toBeLessThan(30_000)
    // A retry calls the model again instead of using the recorded response.
    await room.resume("p-1", "you")
    expect(await room.finished("p-1")).toMatchObject({ cost: { spentUsd: 0.06 } })
  },
)

test("[PIPE-8] a stage cannot use anything outside its scope", async () => {
  const wanted = [
    [{ kind: "source", slug: "web" }, "the source web"],
    [{ kind: "agent", type: "codex" }, "the agent codex"],
  ] as const
  for (const [needs, words] of wanted) {
    let hasRun = false
    await using room = await one(async ({ effects }) => {
      await effects.step("x", { ...search(), needs }, async () => {
        hasRun = true
        return { result: 1 }
      })
      return { output: null, summary: "" }
    })
    const run = await room.goes()
    expect(run.error?.message).toContain(words)
    expect([run.error?.code, hasRun]).toEqual(["PIPELINE_OUT_OF_SCOPE", false])
    const denied = (await bodiesOf(room)).filter((it) => it.type === "substep")
    expect(denied).toMatchObject([{ phase: "ended", outcome: "denied" }])
  }
})

test("[PIPE-8] a stage can use everything inside its scope", async () => {
  await using room = await one(async ({ effects }) => {
    const label = { ...search(), needs: { kind: "knowledge" } } as const
    return { output: await effects.step("x", label, async () => ({ result: 7 })), summary: "" }
  })
  expect(await room.goes()).toMatchObject({ status: "completed" })
})

test("[PIPE-5] a stage gets the stored result: plain JSON, as its own copy", async () => {
  const seen: unknown[] = []
  await using room = await one(async ({ effects }) => {
    const result = { at: new Date(0), gone: undefined, secret: "hunter2", list: [1] }
    const got = await effects.step("x", search(), async () => ({ result }))
    seen.push(structuredClone(got))
    got.list.push(2)
    const nothing = await effects.step("y", search(), async () => ({ result: undefined }))
    seen.push(nothing)
    return { output: got.list, summary: "" }
  })
  await room.goes()
  expect(seen).toEqual([{ at: "1970-01-01T00:00:00.000Z", secret: "[redacted]", list: [1] }, null])
  const kept = (await bodiesOf(room)).find((it) => it.type === "substep" && it.phase === "ended")
  expect(kept).toMatchObject({ result: { list: [1] } })
})

test("two effects with the same key are rejected", async () => {
  await using room = await one(async ({ effects }) => {
    await effects.note("x", search())
    await effects.note("x", search())
    return { output: null, summary: "" }
  })
  expect(await room.goes()).toMatchObject({ error: { code: "PIPELINE_EFFECT_REPEATED" } })
})

test("effects that a stage left running are cancelled before its output is recorded, and write nothing more", async () => {
  let late: Promise<unknown> = Promise.resolve()
  const over = Promise.withResolvers<void>()
  await using room = await one(async ({ effects }) => {
    void effects.step("slow", search("slow"), () => NEVER).catch(() => {})
    late = over.promise.then(() => effects.note("late", search("late")))
    late.catch(() => {})
    return { output: 1, summary: "" }
  })
  const run = await room.goes()
  expect(run.status).toBe("completed")
  over.resolve()
  await expect(late).rejects.toThrow("stage-over")
  const steps = (await bodiesOf(room)).filter((it) => it.type === "substep")
  expect(steps.map((it) => [it.title, it.outcome])).toEqual([
    ["slow", undefined],
    ["slow", "stopped"],
  ])
})

test("when one of several steps fails, the others end before the failure is recorded", async () => {
  await using room = await one(async ({ effects }) => {
    await Promise.all([
      effects.step("a", search("a"), () => NEVER),
      effects.step("b", search("b"), () => Promise.reject(new Error("broken"))),
    ])
    return { output: 1, summary: "" }
  })
  expect(await room.goes()).toMatchObject({ status: "paused", pause: { reason: "error" } })
  const ended = (await bodiesOf(room)).filter((it) => it.type === "substep" && it.phase === "ended")
  expect(ended).toMatchObject([{ outcome: "failed" }, { outcome: "stopped" }])
})

test("a result, prompt or output over its size limit is rejected with an error", async () => {
  const big = "x".repeat(4_100_000)
  const cases: [StageWork, string][] = [
    [
      async ({ effects }) => {
        await effects.step("x", search(), async () => ({ result: big }))
        return { output: 1, summary: "" }
      },
      "PIPELINE_RESULT_TOO_LARGE",
    ],
    [async () => ({ output: big, summary: "" }), "PIPELINE_RESULT_TOO_LARGE"],
    [
      async ({ effects }) => {
        await effects.ask("x", ask(big, undefined))
        return { output: 1, summary: "" }
      },
      "PIPELINE_PROMPT_TOO_LONG",
    ],
    [async ({ prompt }) => ({ output: prompt("none.md"), summary: "" }), "PIPELINE_PROMPT_MISSING"],
  ]
  for (const [work, code] of cases) {
    await using room = await one(work)
    expect(await room.goes()).toMatchObject({ status: "paused", error: { code } })
  }
})

test("[PIPE-9] no agent is started when the budget is spent", async () => {
  let hasRun = false
  await using room = await one(
    async ({ effects }) => {
      const label = { tool: "Agent", kind: "agent", title: "do it" } as const
      const done = async () => ({ result: 1, usd: 6 })
      await effects.step("first", label, done)
      await effects.step("second", label, async () => {
        hasRun = true
        return { result: 2 }
      })
      return { output: 1, summary: "" }
    },
    { config: { ...ONE, budgetUsd: 5 } },
  )
  expect(await room.goes()).toMatchObject({ status: "over-budget", cost: { spentUsd: 6 } })
  expect(hasRun).toBe(false)
})
