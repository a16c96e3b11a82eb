import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { AgentsMessages, Run } from "#ground/contract"
import { newServer, type ServerFixture } from "#test/server"

const post = async (server: ServerFixture, verb: string, body: object) => {
  const asked = { method: "POST", path: `/api/agents/${verb}`, body: JSON.stringify(body) }
  return server.ask(asked)
}

async function messagesOf(server: ServerFixture, id: string) {
  const { text } = await server.ask({ path: `/api/agents/messages?id=${id}` })
  return AgentsMessages.parse(JSON.parse(text)).messages
}

async function until(server: ServerFixture, id: string, status: string): Promise<Run> {
  for (;;) {
    const { text } = await server.ask({ path: `/api/agents/show?id=${id}` })
    const run = Run.parse(JSON.parse(text))
    if (run.status === status) return run
  }
}

test("[AGENTS-30] over HTTP a run starts, its context follows its first message, and it ends", async () => {
  await using server = await newServer({ environment: { HOME: "/nonexistent" } })
  await writeFile(path.join(server.directory, "CLAUDE.md"), "Be brief.")
  const { status, text } = await post(server, "start", { type: "synthetic", prompt: "test" })
  expect(status).toBe(200)
  const run = Run.parse(JSON.parse(text))
  await until(server, run.id, "completed")
  const context = (await messagesOf(server, run.id)).find((it) => it.type === "context")
  expect(context?.metadata).toMatchObject({ contextFileCount: 1 })
  expect(context?.content).toContain("Be brief.")
  expect(JSON.parse(context?.raw ?? "")).toMatchObject({
    type: "context_estimation",
    totalFiles: 1,
    files: [{ source: "project-root", sizeBytes: 9 }],
  })
})

test("[AGENTS-35] invalid input over HTTP returns an error code and changes nothing", async () => {
  await using server = await newServer()
  for (const [body, status] of [
    [{ type: "cursor", prompt: "x" }, 400],
    [{ type: "synthetic", prompt: "   " }, 400],
    [{ type: "synthetic", prompt: "x", budgetUsd: -1 }, 400],
    [{ type: "synthetic", prompt: "x", cwd: "none" }, 400],
    [{ type: "synthetic", prompt: "x", cwd: "/" }, 400],
  ] as const) {
    expect((await post(server, "start", body)).status).toBe(status)
  }
  expect((await post(server, "stop", { id: "run_none" })).status).toBe(404)
  expect((await server.ask({ path: "/api/agents/list" })).text).toBe('{"runs":[]}')
})

test("[AGENTS-36] a restarted server reports earlier runs as interrupted", async () => {
  await using server = await newServer()
  const script = JSON.stringify({ after: 600_000, event: "turn.ended", outcome: "completed" })
  const { text } = await post(server, "start", { type: "synthetic", prompt: "x", script })
  const { id } = Run.parse(JSON.parse(text))
  await until(server, id, "running")
  await server.restart()
  const { text: after } = await server.ask({ path: `/api/agents/show?id=${id}` })
  expect(Run.parse(JSON.parse(after)).status).toBe("interrupted")
})
