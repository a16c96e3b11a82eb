import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { followRun, restOf } from "#test/run-client"
import { newServer, type ServerFixture } from "#test/server"

describe.runIf(needs("N1", "postgres"))("runs of two servers on one Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  const followed = async (server: ServerFixture, agentId: string) =>
    followRun(server.serving().url, { token: await server.token(), agentId })

  test("[N1] a client of one server receives the other server's transcript up to its last message", async () => {
    const environment = { QM_DATABASE_URL: await cluster.createDatabase() }
    await using first = await newServer({ environment })
    await using second = await newServer({ environment })
    const words = Array.from({ length: 200 }, (_, n) => ({ after: 2, text: `word ${n}` }))
    const silence = { after: 3_600_000, event: "turn.ended", outcome: "completed" }
    const script = [
      ...words.map((it) => ({ ...it, event: "message", type: "assistant" })),
      silence,
    ].map((it) => JSON.stringify(it))
    const rest = restOf(first)
    const id = await rest.start("x", { script: script.join("\n") })
    using near = await followed(first, id)
    using far = await followed(second, id)
    for (const it of [near, far]) {
      await it.until(() => it.messages.some((message) => message.content === "word 199"))
    }
    // A request to one server is executed by the other, which owns the run.
    await restOf(second).ask("POST", `/api/agents/${id}/stop`)
    for (const it of [near, far]) await it.until(() => it.named("complete").length > 0)
    const stored = await rest.messages(id)
    expect(near.messages).toEqual(stored)
    expect(far.messages).toEqual(stored)
    expect(await restOf(second).messages(id)).toEqual(stored)
    expect((await rest.show(id)).status).toBe("stopped")
  })
})
