import { rm } from "node:fs/promises"
import { expect, test } from "vitest"
import { newServer } from "#test/server"

test("[H4][HTTP-18][STORE-22] a server whose database was deleted refuses writes, and health says so", async () => {
  await using server = await newServer()
  expect(await server.ask({ path: "/healthz", token: "none" })).toMatchObject({
    status: 200,
    text: '{"ok":true}',
  })
  await rm(server.app().places.database)
  const health = await server.ask({ path: "/healthz", token: "none" })
  expect([health.status, JSON.parse(health.text)]).toEqual([
    503,
    { ok: false, problem: expect.stringContaining("deleted") },
  ])
  const body = JSON.stringify({ type: "synthetic", prompt: "hello" })
  const started = await server.ask({ method: "POST", path: "/api/agents", body })
  expect([started.status, JSON.parse(started.text)]).toEqual([
    503,
    expect.objectContaining({
      code: "STORE_GONE",
      hint: expect.stringContaining("qm store restore"),
    }),
  ])
  const session = await server.ask({ path: "/api/session" })
  expect(JSON.parse(session.text)).toMatchObject({ readOnly: true })
  const log = server.logged.find((it) => it.includes("store stopped"))
  expect(log).toContain("qm store restore")
})
