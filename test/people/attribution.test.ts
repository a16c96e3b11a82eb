import { afterAll, beforeAll, expect, test } from "vitest"
import type { Approval, BoardEvent, Message, Run } from "#ground/contract"
import { commit, git } from "#test/git"
import { newServer, type ServerFixture } from "#test/server"
import { GIT_ENVIRONMENT } from "#test/worktree-room"
import { mcpClient } from "../mcp/client.ts"
import { addPerson, bearer, codeOf, type TeamMember } from "./team.ts"

let server: ServerFixture
let ada: TeamMember
let ben: TeamMember

beforeAll(async () => {
  server = await newServer({
    environment: {
      QM_TEAM_RUNS_AT_ONCE: "1",
      QM_PIPELINE_AGENT: "synthetic",
      QM_SWARM_AGENT: "synthetic",
      QM_BOARD_CHECKS: "git --version",
      QM_WORKTREES_PORTS: "0",
      ...GIT_ENVIRONMENT,
    },
    toolSets: ["core", "board"],
  })
  git(server.directory, "init", "-q", "-b", "main")
  commit(server.directory, "first", { "src/a.ts": "a\n", ".gitignore": "/home/\n" })
  // Whether a folder is a repository is read at the start.
  await server.restart()
  ada = await addPerson(server, "ada")
  ben = await addPerson(server, "ben")
})
afterAll(() => server?.[Symbol.asyncDispose]())

async function post(path: string, input: object, token: string) {
  const body = JSON.stringify(input)
  const answer = await server.ask({
    method: "POST",
    path,
    token: "none",
    headers: bearer(token),
    body,
  })
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
    const { approvals } = await read<{ approvals: Approval[] }>(
      `/api/agents/approvals?run=${run.id}`,
    )
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

test("[HTTP-37] a rule for always needs an owner, and a run of the machine's own user has no author", async () => {
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

async function runStartedBy(name: string, isOne: (run: Run) => boolean): Promise<Run> {
  return until(async () => {
    const { runs } = await read<{ runs: Run[] }>("/api/agents/list?limit=100")
    return runs.find((it) => it.startedBy === name && isOne(it))
  })
}

test("[HTTP-37] runs that a pipeline or a swarm of a person starts are the person's", async () => {
  const asked = { agent: "dev-loop", query: "Round the quotes", auto: true }
  expect((await post("/api/pipeline/run", asked, ben.token)).status).toBe(200)
  const ofPipeline = await runStartedBy("ben", (it) => it.title?.includes("Round the") === true)
  expect(ofPipeline.type).toBe("synthetic")

  const cyd = await addPerson(server, "cyd")
  const ticket = { title: "Change a", paths: ["src/a.ts"] }
  expect((await post("/api/ticket/new", ticket, cyd.token)).status).toBe(200)
  const swarm = await post("/api/swarm/run", {}, cyd.token)
  expect([swarm.status, swarm.code]).toEqual([200, undefined])
  expect((await runStartedBy("cyd", (it) => it.title === "Change a")).type).toBe("synthetic")
})
