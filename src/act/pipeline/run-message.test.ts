import { readFile, writeFile } from "node:fs/promises"
import { expect, test } from "vitest"
import type { ScriptedBrain } from "#ground/model"
import { newPipelines, SIX_STAGES } from "#test/pipeline-room"

const { signal } = new AbortController()
const you = (text: string) => ({ text, by: "you", signal })

function brain(asked: string[], verdict = '{"breakout":false,"confidence":0.9}'): ScriptedBrain {
  return async ({ name, prompt }) => {
    asked.push(`${name}: ${prompt}`)
    if (name.endsWith("/breakout")) return { text: verdict }
    return { text: name.endsWith("/say") ? "an answer" : "a text" }
  }
}

test("[PIPE-19] an exit phrase asks for confirmation, and no continues the run", async () => {
  await using room = await newPipelines()
  await room.goes()
  const asked = await room.say("p-1", you("never mind, hunter2"))
  expect(asked).toMatchObject({
    case: "D",
    answered: null,
    reply: "Leave this run? Its results so far are stored. 1 yes / 2 no",
    run: { status: "paused", pause: { isConfirmingExit: true } },
  })
  expect(await room.say("p-1", you("no, go on"))).toMatchObject({ case: "A", answered: null })
  expect(await room.finished("p-1")).toMatchObject({ status: "completed" })
})

test("[PIPE-19] yes ends the run, and the message that asked for the exit is answered", async () => {
  const asked: string[] = []
  await using room = await newPipelines({ brain: brain(asked) })
  await room.goes("berths in spring")
  await room.say("p-1", you("new question: what is the toll?"))
  const left = await room.say("p-1", you("yes"))
  expect(left).toMatchObject({
    case: "B",
    answered: "new question: what is the toll?",
    run: { status: "breakout", isPartial: true, reason: "Left by the user" },
  })
  expect(left.reply).toContain("Its results are stored")
  expect(left.reply).toContain("an answer")
  const prompt = asked.at(-1) ?? ""
  expect(prompt).toContain("tester/say: <orchestrator_prior_research")
  expect(prompt).toContain("berths in spring")
  expect(prompt.endsWith("new question: what is the toll?")).toBe(true)
  const bodies = (await room.show("p-1")).events.map((it) => it.body)
  expect(bodies.at(-1)).toMatchObject({ type: "said", answer: "an answer" })
})

test("[PIPE-19] a reply that neither confirms nor denies ends the run and is answered", async () => {
  await using room = await newPipelines({ brain: brain([]) })
  await room.goes()
  await room.say("p-1", you("3"))
  expect(await room.say("p-1", you("how deep is the harbour?"))).toMatchObject({
    case: "C",
    answered: "how deep is the harbour?",
    run: { status: "breakout" },
  })
})

test("[PIPE-19] any other message amends the run and reaches the prompts of all later stages", async () => {
  const asked: string[] = []
  await using room = await newPipelines({ brain: brain(asked) })
  await room.goes()
  expect(await room.say("p-1", you("2"))).toMatchObject({
    case: "E",
    reply: "Describe the change in your next message.",
    run: { status: "paused" },
  })
  const before = asked.length
  const said = await room.say("p-1", you("please also cover exemptions"))
  expect(said).toMatchObject({ case: "E", answered: null })
  expect(said.reply).toMatch(/ runs again with your change\.$/)
  expect(await room.finished("p-1")).toMatchObject({ status: "paused", pause: { stage: 0 } })
  expect(asked.slice(before).join("\n")).toContain("please also cover exemptions")
  const continued = asked.length
  expect(await room.say("p-1", you("ok, looks good, go on"))).toMatchObject({
    case: "E",
    reply: "The run continues.",
  })
  expect(await room.finished("p-1")).toMatchObject({ status: "completed" })
  expect(asked.slice(continued).join("\n")).toContain("please also cover exemptions")
  const bodies = (await room.show("p-1")).events.map((it) => it.body)
  expect(bodies.filter((it) => it.type === "amended")).toMatchObject([
    { by: "you", text: "please also cover exemptions" },
  ])
})

test("[PIPE-19] 1 continues at once without a model call", async () => {
  for (const text of ["1", "1."]) {
    const asked: string[] = []
    await using room = await newPipelines({
      brain: brain(asked, '{"breakout":true,"confidence":1}'),
      deps: { hasClassifier: () => true },
    })
    await room.goes()
    expect(await room.say("p-1", you(text))).toMatchObject({
      case: "E",
      reply: "The run continues.",
    })
    expect(await room.finished("p-1")).toMatchObject({ status: "completed" })
    expect(asked.filter((it) => it.includes("/breakout"))).toEqual([])
  }
})

test("[PIPE-19] after 3, yes ends the run without a model call", async () => {
  const asked: string[] = []
  await using room = await newPipelines({ brain: brain(asked) })
  await room.goes()
  expect(await room.say("p-1", you("3"))).toMatchObject({ case: "D" })
  const again = await room.say("p-1", you("3."))
  expect(again).toMatchObject({ case: "D", run: { status: "paused" } })
  expect(again.run.pause?.choices.map((it) => it.key)).toEqual(["1", "2"])
  const left = await room.say("p-1", you("1"))
  expect(left).toMatchObject({ case: "B", answered: null, run: { status: "breakout" } })
  expect(left.reply).toContain("Its results are stored")
  expect(asked.filter((it) => it.includes("/say"))).toEqual([])
})

test("[PIPE-19] 3 after a question leaves the question to be answered", async () => {
  await using room = await newPipelines({ brain: brain([]) })
  await room.goes()
  await room.say("p-1", you("new question: what is the toll?"))
  await room.say("p-1", you("3"))
  expect(await room.say("p-1", you("yes"))).toMatchObject({
    answered: "new question: what is the toll?",
  })
})

test("[PIPE-19] a confident classifier can ask for confirmation, and its call is paid and recorded", async () => {
  const asked: string[] = []
  const sure = brain(asked, '{"breakout":true,"confidence":0.8}')
  await using room = await newPipelines({ brain: sure, deps: { hasClassifier: () => true } })
  await room.goes()
  const before = (await room.show("p-1")).run.cost.spentUsd
  const said = await room.say("p-1", you("please tell me about the weather"))
  expect(said).toMatchObject({
    case: "D'",
    run: { status: "paused", pause: { isConfirmingExit: true } },
  })
  expect(said.run.cost.spentUsd).toBeCloseTo(before + 0.01)
  expect(asked.at(-1)).toContain("please tell me about the weather")
  const steps = (await room.show("p-1")).events.flatMap(({ body }) =>
    body.type === "substep" ? [[body.activityId, body.phase, body.outcome]] : [],
  )
  expect(steps.slice(-2)).toEqual([
    ["orch-llm-2", "started", undefined],
    ["orch-llm-2", "ended", "done"],
  ])
  await room.say("p-1", you("no"))
  const { events } = await room.show((await room.finished("p-1")).id)
  const ids = events.flatMap(({ body }) => (body.type === "llm_called" ? [body.activityId] : []))
  expect(new Set(ids).size).toBe(ids.length)
})

test("[PIPE-19] a classifier call that failed or came too late counts as unknown cost", async () => {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let isFailing = true
  const flaky: ScriptedBrain = async ({ name }) => {
    if (!name.endsWith("/breakout")) return { text: "a text" }
    if (isFailing) throw new Error("boom")
    asked.resolve()
    await gate.promise
    return { text: '{"breakout":true,"confidence":0.9}' }
  }
  await using room = await newPipelines({ brain: flaky, deps: { hasClassifier: () => true } })
  await room.goes()
  expect(await room.say("p-1", you("the weather"))).toMatchObject({ case: "E" })
  expect(await room.finished("p-1")).toMatchObject({ cost: { unknownCalls: 1 } })
  isFailing = false
  await room.goes()
  const saying = room.say("p-2", you("the weather"))
  await asked.promise
  await room.resume("p-2", "another")
  expect(await room.finished("p-2")).toMatchObject({ cost: { unknownCalls: 1 } })
  gate.resolve()
  await expect(saying).rejects.toMatchObject({ code: "PIPELINE_NOT_PAUSED" })
})

test("[PIPE-19] an unsure or failing classifier changes nothing", async () => {
  for (const verdict of ['{"breakout":true,"confidence":0.6}', "no idea", '{"breakout":"yes"}']) {
    await using room = await newPipelines({
      brain: brain([], verdict),
      deps: { hasClassifier: () => true },
    })
    await room.goes()
    expect(await room.say("p-1", you("the weather"))).toMatchObject({ case: "E" })
    await room.finished("p-1")
  }
})

test("[PIPE-19] a message to a working run is rejected", async () => {
  const gate = Promise.withResolvers<void>()
  await using room = await newPipelines({
    stages: { ask: async () => (await gate.promise, { output: 1, summary: "" }) },
  })
  const { id } = await room.run({ agent: "tester", query: "x", depth: "quick", auto: true })
  await expect(room.say(id, you("stop"))).rejects.toMatchObject({ code: "PIPELINE_NOT_PAUSED" })
  await expect(room.resume(id, "you")).rejects.toMatchObject({ code: "PIPELINE_NOT_PAUSED" })
  gate.resolve()
  await room.finished(id)
})

test("[PIPE-20] after the end the summary precedes each message and is read again each time", async () => {
  const asked: string[] = []
  await using room = await newPipelines({ brain: brain(asked) })
  await room.goes("berths in spring", { auto: true })
  for (const text of ["and in autumn?", "and in winter?"]) {
    expect(await room.say("p-1", you(text))).toMatchObject({
      case: "after",
      answered: text,
      reply: "an answer",
    })
    expect(asked.at(-1)).toMatch(/^tester\/say: <orchestrator_prior_research[^]*berths in spring/)
  }
  const { run } = await room.show("p-1")
  expect(run).toMatchObject({ status: "completed", cost: { spentUsd: 0.04 } })
})

test("[PIPE-20] a message after a run that exceeded its budget is answered, and its cost is shown", async () => {
  await using room = await newPipelines({ brain: brain([]) })
  expect(await room.goes("berths", { budget: 0.005, auto: true })).toMatchObject({
    status: "over-budget",
    cost: { spentUsd: 0.01 },
  })
  expect(await room.say("p-1", you("more?"))).toMatchObject({
    case: "after",
    run: { status: "over-budget", cost: { spentUsd: 0.02, budgetUsd: 0.005 } },
  })
})

test("[PIPE-20] a message after a run of a session goes to the session", async () => {
  const sent: string[] = []
  await using room = await newPipelines({
    deps: { sendToSession: async (session, text) => void sent.push(`${session}: ${text}`) },
  })
  await room.goes("berths", { session: "run_7" })
  await room.say("p-1", you("something else: the toll"))
  expect(await room.say("p-1", you("yes"))).toMatchObject({ case: "B" })
  await room.say("p-1", you("and now?"))
  expect(sent).toEqual(["run_7: something else: the toll", "run_7: and now?"])
})

test("[PIPE-21] the session's next turns get the summary of a run however it ended, until a new run ends", async () => {
  await using room = await newPipelines()
  expect(await room.promptBlockFor("run_7")).toBeUndefined()
  await room.goes("berths in spring", { session: "run_7" })
  expect(await room.promptBlockFor("run_7")).toBeUndefined()
  await room.stop("p-1")
  expect(await room.promptBlockFor("run_7")).toMatch(
    /run="p-1"[^]*status="stopped"[^]*berths in spring/,
  )
  await room.goes("tolls", { session: "run_7", auto: true })
  expect(await room.promptBlockFor("run_7")).toMatch(/run="p-2"[^]*status="completed"[^]*tolls/)
  expect(await room.promptBlockFor("run_8")).toBeUndefined()
  const failed = await room.goes("moorings", { session: "run_9", budget: 0.000_001, auto: true })
  expect(failed.status).toBe("over-budget")
  expect(await room.promptBlockFor("run_9")).toContain('status="over-budget"')
})

test("[PIPE-21] of two runs of a session the one that ended last is used", async () => {
  await using room = await newPipelines()
  await room.goes("berths", { session: "run_7" })
  await room.goes("tolls", { session: "run_7", auto: true })
  await room.stop("p-1")
  expect(await room.promptBlockFor("run_7")).toContain('run="p-1"')
})

test("[PIPE-21] a truncated or edited summary is rebuilt from the events", async () => {
  await using room = await newPipelines()
  await room.goes("berths in spring", { session: "run_7", auto: true })
  const file = `${room.directory}/results/p-1/pipeline-summary.json`
  const whole = await readFile(file, "utf8")
  const block = await room.promptBlockFor("run_7")
  for (const damaged of ["", whole.slice(0, 40), whole.replaceAll("berths", "ships")]) {
    await writeFile(file, damaged)
    expect(await room.promptBlockFor("run_7")).toBe(block)
  }
  expect(await room.summary("p-1")).toMatchObject({ run: "p-1", query: "berths in spring" })
})

test("[PIPE-21] an unfinished run has a summary", async () => {
  await using room = await newPipelines({ config: SIX_STAGES })
  await room.goes("berths")
  expect(await room.summary("p-1")).toMatchObject({ completedStages: [], isPartial: true })
})

test("[PIPE-21] a later run of the session gets the answer of an earlier one", async () => {
  const priors: unknown[] = []
  await using room = await newPipelines({
    stages: {
      retrieve: async ({ prior }) => {
        priors.push(prior?.run)
        return { output: [], summary: "" }
      },
    },
  })
  await room.goes("berths in spring", { session: "run_7", auto: true })
  await room.goes("and berths in autumn", { session: "run_7", auto: true })
  expect(priors).toEqual([undefined, "p-1"])
  expect((await room.show("p-2")).run.prior).toBe("p-1")
})

test("[PIPE-20] two messages at once after the end are both answered and recorded", async () => {
  await using room = await newPipelines({ brain: brain([]) })
  await room.goes("berths", { auto: true })
  const both = await Promise.all([room.say("p-1", you("one")), room.say("p-1", you("two"))])
  expect(both.map((it) => it.reply)).toEqual(["an answer", "an answer"])
  const said = (await room.show("p-1")).events.flatMap(({ body }) =>
    body.type === "said" ? [body.key] : [],
  )
  expect(said).toEqual(["say/1", "say/2"])
})

test("[PIPE-19] a message whose classification finishes after the run continued is rejected", async () => {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const slow: ScriptedBrain = async ({ name }) => {
    if (!name.endsWith("/breakout")) return { text: "a text" }
    asked.resolve()
    await gate.promise
    return { text: '{"breakout":true,"confidence":0.9}' }
  }
  await using room = await newPipelines({ brain: slow, deps: { hasClassifier: () => true } })
  await room.goes()
  const saying = room.say("p-1", you("the weather"))
  await asked.promise
  await room.resume("p-1", "another")
  await room.finished("p-1")
  gate.resolve()
  await expect(saying).rejects.toMatchObject({ code: "PIPELINE_NOT_PAUSED" })
  expect((await room.show("p-1")).run.status).toBe("completed")
})
