import { afterAll, beforeAll, expect, test } from "vitest"
import type { Approval, BoardEvent, Message, Run } from "#ground/contract"
import { newServer, type ServerFixture } from "#test/server"
import { mcpClient } from "../mcp/client.ts"
import { addPerson, bearer, codeOf, type TeamMember } from "./team.ts"

let server: ServerFixture
let ada: TeamMember
let ben: TeamMember

beforeAll(async () => {
  server = await newServer({
    environment: { QM_TEAM_RUNS_AT_ONCE: "1" },
    toolSets: ["core", "board"],
  })
  ada = await addPerson(server, "ada")
  ben = await addPerson(server, "ben")
})
afterAll(() => server?.[Symbol.asyncDispose]())

async function post(path: string, input: object, token: string) {
  const body = JSON.stringify(input)
  const answer = await server.ask({ method: "POST", path, token: "none", headers: bearer(token), body })
  return { status: answer.status, value: JSON.parse(answer.text), code: codeOf(answer.text) }
}

async function read<Value>(path: string): Promise<Value> {
  return JSON.parse((await server.ask({ path })).text) as Value
}

async function until<Value>(ask: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < 1_000; tries++) {
    const value = await ask()
    if (value !== undefined) return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("the state did not come")
}

const ASKS = { type: "synthetic", prompt: "edit a file", script: "approvals" }

test("[HTTP-37] a run, its messages and its approval name the person; the quota counts their runs", async () => {
  const started = await post("/api/agents/start", ASKS, ada.token)
  expect([started.status, started.value.startedBy]).toEqual([200, "ada"])
  const run: Run = started.value
  const second = await post("/api/agents/start", ASKS, ada.token)
  expect([second.status, second.code]).toEqual([429, "PEOPLE_RUN_QUOTA_REACHED"])

  const open = await until(async () => {
    const { approvals } = await read<{ approvals: Approval[] }>(`/api/agents/approvals?run=${run.id}`)
    return approvals[0]
  })
  const answered = await post("/api/agents/answer", { id: open.id, decision: "deny" }, ben.token)
  expect([answered.status, answered.value.answeredBy]).toEqual([200, "ben"])
  await until(async () => {
    const others = await read<{ approvals: Approval[] }>(`/api/agents/approvals?run=${run.id}`)
    for (const { id } of others.approvals) {
      await post("/api/agents/answer", { id, decision: "deny" }, ben.token)
    }
    const { status } = await read<Run>(`/api/agents/show?id=${run.id}`)
    return ["completed", "failed", "stopped"].includes(status) ? status : undefined
  })
  const { messages } = await read<{ messages: Message[] }>(`/api/agents/messages?id=${run.id}`)
  const prompt = messages.find((it) => it.type === "user")
  expect(prompt?.metadata["by"]).toBe("ada")

  const sent = await post("/api/agents/send", { id: run.id, text: "go on" }, ben.token)
  expect(sent.status).toBe(200)
  const byBen = await until(async () => {
    const page = await read<{ messages: Message[] }>(`/api/agents/messages?id=${run.id}`)
    return page.messages.find((it) => it.metadata["by"] === "ben")
  })
  expect(byBen.content).toBe("go on")
  expect((await read<Run>(`/api/agents/show?id=${run.id}`)).startedBy).toBe("ada")
})

test("[HTTP-37] a rule for always needs an owner, and a run of the machine's own user names nobody", async () => {
  const answer = { id: "ap_none", decision: "allow", always: true }
  const refused = await post("/api/agents/answer", answer, ada.token)
  expect([refused.status, refused.code]).toEqual([403, "PEOPLE_ROLE_TOO_LOW"])
  const own = await post("/api/agents/start", { ...ASKS, script: "happy" }, await server.token())
  expect(own.value.startedBy).toBeNull()
})

test("[HTTP-37] moves of a ticket name the person, also behind an agent", async () => {
  const { value } = await post("/api/ticket/new", { title: "Round quotes" }, ada.token)
  const id: string = value.id
  const moved = await post("/api/ticket/move", { id, lane: "working" }, ada.token)
  expect(moved.status).toBe(200)
  const { events } = await read<{ events: BoardEvent[] }>("/api/board/log")
  expect(events.map((it) => [it.actor, it.by])).toContainEqual(["human", { person: "ada" }])
  using client = mcpClient({ port: server.port, token: ben.token, name: "some-agent" })
  await client.call("ticket_update", { id, lane: "working" })
  const log = await (await server.app().people()).log({ operation: "ticket.", limit: 50 })
  expect(log.entries.map((it) => [it.person, it.operation, it.via])).toContainEqual([
    "ben",
    "ticket.edit",
    "mcp",
  ])
})
