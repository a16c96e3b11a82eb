import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import {
  AgentsList,
  AgentsMessages,
  PipelineList,
  PipelineRun,
  Run,
  SourceList,
} from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"
import { SHIPPED_RECIPES } from "./pipeline.ts"

const { signal } = new AbortController()
const ENDED = ["completed", "failed", "stopped", "interrupted"]
const BLOCK = "<orchestrator_prior_research"

async function newApp(
  directory: string,
  settings: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<App> {
  const project = path.join(directory, "project")
  await mkdir(path.join(project, "docs"), { recursive: true })
  const handbook = "# Handbook\n\n## 1 Berths\n\n1.1 A berth costs ten crowns a day.\n"
  await writeFile(path.join(project, "docs", "handbook.md"), handbook)
  const home = path.join(directory, "home")
  const environment = { PATH: process.env["PATH"], HOME: home, QM_HOME: home, ...variables }
  const app = await createApp({ directory: project, environment, settings, writeLog: () => {} })
  await app.call("kb.add", { path: path.join(project, "docs") }, { signal })
  return app
}

/** A session of the synthetic agent, which repeats its prompt. */
async function newSession(app: App): Promise<string> {
  const input = { prompt: "hello", type: "synthetic" }
  const run = Run.parse(await app.call("agents.start", input, { signal }))
  await untilTurns(app, run.id, 1)
  return run.id
}

async function untilTurns(app: App, id: string, turns: number): Promise<void> {
  for (;;) {
    const run = Run.parse(await app.call("agents.show", { id }, { signal }))
    if (ENDED.includes(run.status) && run.turns === turns) return
    await systemClock.sleep(5)
  }
}

const say = (app: App, id: string, text: string) =>
  app.call("agents.send", { id, text }, { signal })

async function lastAnswer(app: App, id: string): Promise<string> {
  const { messages } = AgentsMessages.parse(await app.call("agents.messages", { id }, { signal }))
  return messages.findLast((it) => it.type === "assistant")?.content ?? ""
}

/** The newest pipeline of a session, once no process works on it. */
async function settled(app: App, session: string): Promise<PipelineRun> {
  const { runs } = PipelineList.parse(await app.call("pipeline.list", { session }, { signal }))
  const id = runs[0]?.id ?? "none"
  const pipelines = await app.pipelines()
  await pipelines.settled(id)
  return PipelineRun.parse((await pipelines.show(id)).run)
}

test("[APP-35] naming a recipe starts a pipeline in the session, and its pause is answered there", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const id = await newSession(app)
  await say(app, id, "@deep-research What does a berth cost?")
  const asked = await settled(app, id)
  expect(asked).toMatchObject({ status: "paused", session: id, query: "What does a berth cost?" })
  await say(app, id, "Yes, that plan looks good")
  const gone = await settled(app, id)
  expect(gone.lastSeq, "anything that is no exit goes on").toBeGreaterThan(asked.lastSeq)
  const { messages } = AgentsMessages.parse(await app.call("agents.messages", { id }, { signal }))
  const agentsWords = messages.filter((it) => it.metadata["pipeline"] === undefined)
  expect(JSON.stringify(agentsWords), "the agent heard none of it").not.toContain("plan looks good")
})

test("[PIPE-84] naming a recipe switches its approved sources on for that session only", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const folder = path.join(temp.path, "project/.qm/sources/web-search")
  await mkdir(folder, { recursive: true })
  const transport = { type: "stdio", command: "sh", args: ["-c", "exit 1"] }
  await writeFile(path.join(folder, "config.json"), JSON.stringify({ title: "Web", transport }))
  const isOn = async (session: string) => {
    const { sources } = SourceList.parse(await app.call("source.list", { session }, { signal }))
    return sources.find((it) => it.slug === "web-search")?.isOn
  }
  const [unapproved, one, other] = [
    await newSession(app),
    await newSession(app),
    await newSession(app),
  ]
  await say(app, unapproved, "@deep-research What does a berth cost?")
  await settled(app, unapproved)
  const { sources } = SourceList.parse(await app.call("source.list", {}, { signal }))
  const digest = sources.find((it) => it.slug === "web-search")?.digest
  await app.call("source.approve", { slug: "web-search", digest }, { signal })
  await say(app, one, "@deep-research What does a berth cost?")
  await settled(app, one)
  expect(await Promise.all([unapproved, one, other].map(isOn))).toEqual([false, true, false])
})

async function transcriptOf(app: App, id: string) {
  const { messages } = AgentsMessages.parse(await app.call("agents.messages", { id }, { signal }))
  return messages.filter((it) => it.metadata["pipeline"] !== undefined)
}

test("[APP-35] [PIPE-27] stages, pauses, answers and the document are messages of the session", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const id = await newSession(app)
  await say(app, id, "@deep-research What does a berth cost?")
  await settled(app, id)
  const before = await transcriptOf(app, id)
  expect(before.at(0)).toMatchObject({
    type: "user",
    content: "@deep-research What does a berth cost?",
  })
  expect(before.at(-1)?.content).toContain("1 Proceed")
  await say(app, id, "2")
  const hint = await transcriptOf(app, id)
  expect(hint.slice(before.length).map((it) => it.content)).toEqual([
    "2",
    "Describe the change in your next message.",
  ])
  await say(app, id, "Name the fee per day")
  for (let i = 0; i < 5 && (await settled(app, id)).status === "paused"; i++)
    await say(app, id, "1")
  const run = await settled(app, id)
  expect(run.status).toBe("completed")
  const all = await transcriptOf(app, id)
  expect(all.some((it) => it.type === "user" && it.content === "Name the fee per day")).toBe(true)
  const parts = all.map((it) => (it.metadata["pipeline"] as { part?: string }).part)
  expect(parts.filter((it) => it === "document")).toHaveLength(1)
  expect(parts.at(-1)).toBe("end")
  expect(all.map((it) => it.seq)).toEqual(
    all.map((it) => it.seq).toSorted((one, other) => one - other),
  )
  // A second process, or a restart, copies nothing twice.
  const pipelines = await app.pipelines()
  pipelines.watch()
  await pipelines.settled(run.id)
  expect(await transcriptOf(app, id)).toHaveLength(all.length)
})

test("[APP-35] a run that begins with a recipe's name is a session without an agent's turn", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const input = { prompt: "@deep-research What does a berth cost?", type: "synthetic" }
  const run = Run.parse(await app.call("agents.start", input, { signal }))
  expect(await settled(app, run.id)).toMatchObject({ status: "paused", session: run.id })
  expect(Run.parse(await app.call("agents.show", { id: run.id }, { signal }))).toMatchObject({
    status: "completed",
    turns: 0,
    title: "What does a berth cost?",
  })
  expect((await transcriptOf(app, run.id)).length).toBeGreaterThan(3)
})

test("[APP-35] [APP-36] after a confirmed exit the agent answers the question with the results as context", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const id = await newSession(app)
  await say(app, id, "@deep-research What does a berth cost?")
  await settled(app, id)
  await say(app, id, "never mind, what is the capital of the harbour?")
  expect((await settled(app, id)).pause?.isConfirmingExit).toBe(true)
  await say(app, id, "1")
  expect((await settled(app, id)).status).toBe("breakout")
  await untilTurns(app, id, 2)
  const answer = await lastAnswer(app, id)
  expect(answer).toContain("what is the capital of the harbour?")
  expect(answer).toContain(BLOCK)
})

test("[APP-36] every later turn has the result of the newest pipeline run", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const id = await newSession(app)
  const ask = async (query: string) => {
    const input = { agent: "deep-research", query, session: id, depth: "quick", auto: true }
    await app.call("pipeline.run", input, { signal })
    return settled(app, id)
  }
  const first = await ask("What does a berth cost?")
  expect(first.status).toBe("completed")
  for (const [at, text] of ["and then?", "and after that?"].entries()) {
    await say(app, id, text)
    await untilTurns(app, id, at + 2)
    const answer = await lastAnswer(app, id)
    expect(answer).toContain(`${BLOCK} run="${first.id}"`)
    expect(answer).toContain("ten crowns")
  }
  const second = await ask("Who pays for a berth?")
  await say(app, id, "and now?")
  await untilTurns(app, id, 4)
  const answer = await lastAnswer(app, id)
  expect(answer).toContain(`${BLOCK} run="${second.id}"`)
  expect(answer).not.toContain(`run="${first.id}"`)
})

test("[APP-36] a failed run's partial result is included; other sessions do not get it", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path, ["model.provider=anthropic", "model.retries=0"])
  const id = await newSession(app)
  const other = await newSession(app)
  const input = { agent: "deep-research", query: "What?", session: id, auto: true }
  await app.call("pipeline.run", input, { signal })
  const failed = await settled(app, id)
  expect(failed).toMatchObject({ status: "failed", error: { code: "MODEL_NO_KEY" } })
  expect(failed.error?.hint).toContain("ANTHROPIC_API_KEY")
  for (const session of [id, other]) {
    await say(app, session, "and now?")
    await untilTurns(app, session, 2)
  }
  expect(await lastAnswer(app, id)).toContain(`${BLOCK} run="${failed.id}"`)
  expect(await lastAnswer(app, other)).not.toContain(BLOCK)
})

test("[APP-37] the demo's web pages are used for the demo's handbook, never for the user's documents", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const ask = { query: "berth" }
  expect(await app.call("kb.web", ask, { signal })).toMatchObject({
    source: null,
    note: expect.stringContaining("qm config set knowledge.webSource demo-web"),
    results: [],
  })
  await app.call("kb.remove", { path: path.join(temp.path, "project", "docs") }, { signal })
  await app.call("kb.add", { path: path.join(SHIPPED_RECIPES, "deep-research/corpus") }, { signal })
  expect(await app.call("kb.web", ask, { signal })).toMatchObject({ source: "demo-web" })
})

test("[APP-15] a credential stored later is redacted from then on, also by rooms opened before", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const value = `plain words of ${Math.trunc(performance.now())} harbour masters`
  const query = `What does a berth cost? ${value}`
  const ask = { agent: "deep-research", query, auto: true, depth: "quick" }
  const first = PipelineRun.parse(await app.call("pipeline.run", ask, { signal }))
  expect(first.query).toContain(value)
  await app.call("credential.set", { name: "harbour", value }, { signal })
  const second = PipelineRun.parse(await app.call("pipeline.run", ask, { signal }))
  expect(second.query).not.toContain(value)
  expect(second.query).toContain("[redacted:")
})

test("[APP-39] a stage starts an agent of the user, whose run is listed like any other", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path, ["pipeline.agent=synthetic"])
  const input = { agent: "dev-loop", query: "Round quotes to the cent", auto: true }
  const { id } = PipelineRun.parse(await app.call("pipeline.run", input, { signal }))
  const pipelines = await app.pipelines()
  const done = await pipelines.finished(id)
  expect(done).toMatchObject({ status: "completed", cost: { spentUsd: 0, unknownCalls: 0 } })
  const { runs } = AgentsList.parse(await app.call("agents.list", {}, { signal }))
  expect(runs.map((it) => it.title)).toContain("Implement: Round quotes to the cent")
  expect(runs.every((it) => it.status === "completed" && it.type === "synthetic")).toBe(true)
})

test("[APP-39] [PIPE-85] without an installed agent a run does not start instead of playing a script", async () => {
  await using temp = await tempDirectory()
  const empty = path.join(temp.path, "bin")
  await mkdir(empty, { recursive: true })
  await using app = await newApp(temp.path, [], { PATH: empty })
  const input = { agent: "dev-loop", query: "Round quotes", auto: true }
  await expect(app.call("pipeline.run", input, { signal })).rejects.toMatchObject({
    code: "PIPELINE_NO_AGENT_INSTALLED",
  })
  expect(await (await app.pipelines()).list({ limit: 5 })).toEqual({ runs: [] })
  const { runs } = AgentsList.parse(await app.call("agents.list", {}, { signal }))
  expect(runs).toEqual([])
})

test("[APP-39] stopping a pipeline stops its agent", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path, ["pipeline.agent=synthetic"])
  const agents = await app.agents()
  const pipelines = await app.pipelines()
  const begun = Promise.withResolvers<void>()
  const unhear = agents.onMessages(() => begun.resolve())
  const input = { agent: "dev-loop", query: "Round quotes", auto: true, depth: "quick" } as const
  const { id } = await pipelines.run(input)
  await begun.promise
  unhear()
  await pipelines.stop(id)
  expect((await pipelines.show(id)).run.status).toBe("stopped")
  // `stop` signals the agent; its host may end later.
  for (;;) {
    const runs = await agents.list({ limit: 10, archived: false })
    expect(runs.length).toBeGreaterThan(0)
    if (runs.every((it) => it.endedAt !== null)) break
    await systemClock.sleep(5)
  }
})
