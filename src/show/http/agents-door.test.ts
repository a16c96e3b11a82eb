import { writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { AGENT_TYPES, AgentsApprovals, Message, Run } from "#ground/contract"
import { followRun, restOf } from "#test/run-client"
import { newServer, type ServerFixture } from "#test/server"
import { DOOR_ROUTES } from "./agents-door.ts"

/** Calls of operations, in order. */
const called: { name: string; input: unknown }[] = []

let server: ServerFixture
let rest: ReturnType<typeof restOf>

beforeAll(async () => {
  server = await newServer({
    environment: { HOME: "/nonexistent" },
    changeApp: (app) => ({
      ...app,
      call(name, input, context) {
        called.push({ name, input })
        return app.call(name, input, context)
      },
    }),
  })
  rest = restOf(server)
})
afterAll(() => server[Symbol.asyncDispose]())

/** One message, then an hour of waiting. */
const WAITING = [
  { event: "message", type: "assistant", text: "I begin." },
  { after: 3_600_000, event: "turn.ended", outcome: "completed" },
]
const lines = (steps: readonly object[]) => steps.map((it) => JSON.stringify(it)).join("\n")
const waiting = { script: lines(WAITING) }

const begin = (body: object) => rest.ask("POST", "/api/agents", body)
const wireOf = (said: unknown) => z.object({ code: z.string(), message: z.string() }).parse(said)
const runsNow = async () => z.array(Run).parse((await rest.ask("GET", "/api/agents")).said)

describe("/api/agents", () => {
  test("[HTTP-12] POST answers 201 with the id; the session start and the context estimate are stored before the agent responds", async () => {
    await writeFile(path.join(server.directory, "CLAUDE.md"), "Be brief.")
    const script = lines([{ after: 3_600_000, event: "turn.ended", outcome: "completed" }])
    const body = { type: "synthetic", prompt: "test", configuration: { script } }
    const { status, said } = await begin(body)
    const { agentId } = z.strictObject({ agentId: z.string() }).parse(said)
    expect(status).toBe(201)
    using client = followRun(server.serving().url, { token: await server.token(), agentId })
    await client.until(() => client.messages.some((it) => it.type === "context"))

    const stored = await rest.messages(agentId)
    const context = stored.find((it) => it.type === "context")
    expect(JSON.parse(context?.raw ?? "")).toMatchObject({ type: "context_estimation" })
    expect(stored.some((it) => it.type === "assistant")).toBe(false)
    const events = client.messages.map((it) => (it.metadata["event"] as { event?: string })?.event)
    expect(events).toContain("session.started")
    expect(client.messages).toEqual(stored.slice(0, client.messages.length))
    await rest.ask("DELETE", `/api/agents/${agentId}`)
  })

  test("[HTTP-12] a run with an empty configuration plays its whole script", async () => {
    const { status, said } = await begin({ type: "synthetic", prompt: "test", configuration: {} })
    const { agentId } = z.object({ agentId: z.string() }).parse(said)
    const run = await rest.until(agentId, (it) => it.status === "completed")
    expect([status, run.type, run.prompt]).toEqual([201, "synthetic", "test"])
    const listed = await runsNow()
    expect(listed.map((it) => it.id)).toContain(agentId)
  })

  test("[HTTP-12] the nested configuration becomes the operation's flat input", async () => {
    const configuration = { mode: "plan", budgetUsd: 2, env: { A_1: "x=y", B: "" }, sources: ["a"] }
    await begin({ type: "codex", prompt: "p", configuration })
    expect(called.findLast((it) => it.name === "agents.start")?.input).toEqual({
      type: "codex",
      prompt: "p",
      mode: "plan",
      budgetUsd: 2,
      sources: ["a"],
      env: ["A_1=x=y", "B="],
    })
  })

  test("[HTTP-12] messages are a plain array, filtered by `after` and `limit`", async () => {
    const id = await rest.start("test")
    await rest.until(id, (it) => it.status === "completed")
    const all = await rest.messages(id)
    const page = await rest.ask("GET", `/api/agents/${id}/messages?after=2&limit=3`)
    expect(z.array(Message).parse(page.said)).toEqual(all.slice(2, 5))
    const none = await rest.ask("GET", `/api/agents/${id}/messages?after=${all.length}`)
    expect([none.status, none.said]).toEqual([200, []])
    expect(called.findLast((it) => it.name === "agents.messages")?.input).toMatchObject({
      limit: 1_000,
    })
    const other = await rest.ask("GET", `/api/agents/${id}/messages?id=run_other`)
    expect(z.array(Message).parse(other.said)).toEqual(all)
  })

  test("[HTTP-12] a message to an ended run resumes it", async () => {
    const id = await rest.start("test")
    const { lastSeq, turns } = await rest.until(id, (it) => it.status === "completed")
    const sent = await rest.ask("POST", `/api/agents/${id}/messages`, { text: "and more" })
    expect([sent.status, Run.parse(sent.said).id]).toEqual([202, id])
    await rest.until(id, (it) => it.status === "completed" && it.turns > turns)
    const said = (await rest.messages(id)).slice(lastSeq)
    expect(said.find((it) => it.type === "user")?.content).toContain("and more")
    expect(said.some((it) => it.type === "assistant")).toBe(true)
  })

  test("[HTTP-12] stop keeps the messages; deleting a running run stops it first", async () => {
    const [stopped, deleted] = [await rest.start("a", waiting), await rest.start("b", waiting)]
    for (const id of [stopped, deleted]) await rest.until(id, (it) => it.status === "running")
    const stop = await rest.ask("POST", `/api/agents/${stopped}/stop`)
    expect([stop.status, Run.parse(stop.said).status]).toEqual([200, "stopped"])
    const gone = await rest.ask("DELETE", `/api/agents/${deleted}`)
    expect([gone.status, gone.said]).toEqual([204, undefined])
    expect((await rest.ask("GET", `/api/agents/${deleted}`)).status).toBe(404)
    expect((await rest.messages(stopped)).length).toBeGreaterThan(1)
    const { said } = await rest.ask("GET", "/api/health")
    expect(said).toMatchObject({ running: 0 })
  })

  test("[HTTP-12] a second response to an approval gets a conflict that names the first", async () => {
    const id = await rest.start("x", { script: "approvals" })
    await rest.until(id, (it) => it.openApprovals > 0)
    const { said } = await rest.ask("GET", "/api/agents/approvals")
    const [approval] = AgentsApprovals.parse(said).approvals.filter((it) => it.runId === id)
    const answer = (decision: string) =>
      rest.ask("POST", "/api/agents/answer", { id: approval?.id, decision })
    expect((await answer("allow")).status).toBe(200)
    const second = await answer("deny")
    expect([second.status, wireOf(second.said).code]).toEqual([409, "AGENTS_APPROVAL_ANSWERED"])
    expect(wireOf(second.said).message).toMatch(/allowed by .*user/)
    await rest.ask("DELETE", `/api/agents/${id}`)
  })
})

describe("unusual and invalid requests", () => {
  const good = { type: "synthetic", prompt: "x", configuration: {} }
  const long = "x".repeat(300)
  test.each([
    ["an unknown type", { ...good, type: "cursor" }, "HTTP_AGENT_TYPE_UNKNOWN"],
    ["a type of 300 characters", { ...good, type: long }, "HTTP_AGENT_TYPE_UNKNOWN"],
    ["no type", { prompt: "x", configuration: {} }, "HTTP_AGENT_TYPE_UNKNOWN"],
    ["a prompt of spaces", { ...good, prompt: "  \n " }, "APP_INPUT_INVALID"],
    ["no prompt", { type: "synthetic", configuration: {} }, "HTTP_BODY_INVALID"],
    ["an unknown key", { ...good, prompts: "x" }, "HTTP_BODY_INVALID"],
    ["an unknown setting", { ...good, configuration: { budget: 1 } }, "HTTP_BODY_INVALID"],
    ["a negative budget", { ...good, configuration: { budgetUsd: -1 } }, "HTTP_BODY_INVALID"],
    ["no budget at all", { ...good, configuration: { budgetTokens: 0 } }, "HTTP_BODY_INVALID"],
    ["a bad variable", { ...good, configuration: { env: { "A-B": "" } } }, "HTTP_BODY_INVALID"],
    ["a list", [], "HTTP_BODY_INVALID"],
    ["a missing cwd", { ...good, configuration: { cwd: "nowhere" } }, "AGENTS_DIRECTORY_UNUSABLE"],
    [
      "a cwd that is a file",
      { ...good, configuration: { cwd: "notes.txt" } },
      "AGENTS_DIRECTORY_UNUSABLE",
    ],
    ["a cwd outside", { ...good, configuration: { cwd: "/" } }, "AGENTS_DIRECTORY_UNUSABLE"],
  ])("[HTTP-12] %s is refused with a code and starts nothing", async (_, body, code) => {
    await writeFile(path.join(server.directory, "notes.txt"), "")
    const before = await runsNow()
    const { status, said } = await begin(body)
    expect([status, wireOf(said).code]).toEqual([400, code])
    expect((await runsNow()).length).toBe(before.length)
  })

  test("[HTTP-12] an unknown agent type gets an error that lists the known types", async () => {
    const { said } = await begin({ ...good, type: "cursor" })
    for (const type of AGENT_TYPES) expect(wireOf(said).message).toContain(type)
  })

  test("[HTTP-12] a negative budget gets an error with its path", async () => {
    const { said } = await begin({ ...good, configuration: { budgetUsd: -1 } })
    expect(wireOf(said).message).toContain("configuration.budgetUsd")
  })

  test("[HTTP-12] a prompt may begin with dashes", async () => {
    const prompt = "--dangerously-skip-permissions"
    const id = await rest.start(prompt)
    const run = await rest.until(id, (it) => it.status === "completed")
    const [first] = await rest.messages(id)
    expect([run.prompt, first?.type]).toEqual([prompt, "user"])
    expect(first?.content).toContain(prompt)
  })

  test.each([
    ["GET", "/api/agents/run_none", undefined],
    ["GET", "/api/agents/run_none/messages", undefined],
    ["POST", "/api/agents/run_none/messages", { text: "x" }],
    ["POST", "/api/agents/run_none/stop", undefined],
    ["DELETE", "/api/agents/run_none", undefined],
  ])("[HTTP-12] %s %s gets 404, because the run is unknown", async (method, address, body) => {
    const { status, said } = await rest.ask(method, address, body)
    expect([status, wireOf(said).code]).toEqual([404, "AGENTS_RUN_UNKNOWN"])
  })

  test.each([
    [{}, "HTTP_BODY_INVALID"],
    [{ text: " " }, "APP_INPUT_INVALID"],
    [{ text: "x", id: "run_other" }, "HTTP_BODY_INVALID"],
  ])("[HTTP-12] %j is an invalid message", async (body, code) => {
    const { status, said } = await rest.ask("POST", "/api/agents/run_none/messages", body)
    expect([status, wireOf(said).code]).toEqual([400, code])
  })
})

describe("other routes", () => {
  test("[HTTP-12] an operation's route takes precedence over a run's", async () => {
    const { status, said } = await rest.ask("GET", "/api/agents/list")
    expect([status, Object.keys(said as object)]).toEqual([200, ["runs"]])
  })

  test("[HTTP-12] /api/health returns the number of runs at work and the version", async () => {
    const id = await rest.start("x", waiting)
    await rest.until(id, (it) => it.status === "running")
    const { status, said } = await rest.ask("GET", "/api/health")
    expect([status, said]).toEqual([
      200,
      { status: "ok", version: expect.any(String), readOnly: false, running: 1 },
    ])
    await rest.ask("DELETE", `/api/agents/${id}`)
  })

  test("[HTTP-12] /api/providers is a plain array of all agents", async () => {
    const { status, said } = await rest.ask("GET", "/api/providers")
    const found = z.array(z.object({ type: z.string() })).parse(said)
    expect([status, found.map((it) => it.type).toSorted()]).toEqual([200, AGENT_TYPES.toSorted()])
  })

  test("[HTTP-12] every route is in the OpenAPI document and on the docs page", async () => {
    const described = JSON.parse((await server.ask({ path: "/api/openapi.json" })).text)
    const page = (await server.ask({ path: "/docs" })).text
    for (const { method, path: address, status } of DOOR_ROUTES) {
      const known = described.paths[address.replace(":id", "{id}")]?.[method.toLowerCase()]
      expect([address, Object.keys(known.responses)]).toEqual([
        address,
        [String(status), "default"],
      ])
      expect(page).toContain(`<code>${address}</code>`)
    }
  })
})
