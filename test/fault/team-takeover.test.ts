import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { z } from "zod"
import { Message } from "#ground/contract"
import { needs } from "#test/needs"
import { ask, startPostgres } from "#test/postgres"
import { followRun } from "#test/run-client"
import { followNodes, startNode, type TeamNode } from "#test/team"
import { tempDirectory } from "#test/temp"

const Started = z.object({ agentId: z.string() })
const Row = z.object({ owner: z.string().nullable(), status: z.string() })

const steps = (count: number) => [
  ...Array.from({ length: count }, (_, index) => ({
    after: 30,
    event: "message",
    type: "assistant",
    text: `word ${index}`,
  })),
  { after: 0, event: "turn.ended", outcome: "completed", text: "done" },
]

async function start(node: TeamNode, count: number): Promise<string> {
  const script = steps(count)
    .map((it) => JSON.stringify(it))
    .join("\n")
  const body = { type: "synthetic", prompt: "work", configuration: { script } }
  const { status, json } = await node.ask("POST", "/api/agents", body)
  expect(status).toBe(201)
  return Started.parse(json).agentId
}

async function rowOf(url: string, id: string) {
  const [row] = await ask(url, `SELECT owner, status FROM qm.runs WHERE id = '${id}'`)
  return Row.parse(row)
}

/** Between the end of its turn and of its session a run is paused for a moment. */
async function untilEnded(url: string, id: string): Promise<void> {
  while (["running", "paused"].includes((await rowOf(url, id)).status)) await sleep(100)
}

async function messagesOf(node: TeamNode, id: string): Promise<readonly Message[]> {
  const { json } = await node.ask("GET", `/api/agents/${id}/messages?limit=500`)
  return z.array(Message).parse(json)
}

test.runIf(needs("C6", "postgres"))(
  "[C6][AGENTS-92][HTTP-50] the runs of a killed node end within 30 s, and its clients continue at the other node",
  async () => {
    await using cluster = await startPostgres()
    await using folder = await tempDirectory()
    const url = await cluster.createDatabase()
    const options = { folder: folder.path, databaseUrl: url }
    await using one = await startNode({ ...options, name: "one", clockShiftMs: 3_600_000 })
    await using two = await startNode({ ...options, name: "two", clockShiftMs: -3_600_000 })
    const [head] = await ask(url, "SELECT epoch, seq::int FROM qm.journal_head")
    const from = z.object({ epoch: z.string(), seq: z.int() }).parse(head)
    const id = await start(one, 500)
    let owner: string | null = null
    while (owner === null) owner = (await rowOf(url, id)).owner
    const [driver, other] = owner.includes(' one"') ? [one, two] : [two, one]
    // Both clients are at the node that will be killed; the other is next in their list.
    using client = followNodes(() => [driver, other], from)
    using before = followRun(driver.url, { token: driver.token, agentId: id })
    await before.until(() => before.messages.length >= 20)

    await driver.kill()
    const killedMs = performance.now()
    await untilEnded(url, id)
    expect(performance.now() - killedMs).toBeLessThan(30_000)
    expect(await rowOf(url, id)).toMatchObject({ status: "interrupted" })

    const stored = await messagesOf(other, id)
    using after = followRun(other.url, {
      token: other.token,
      agentId: id,
      after: before.messages.at(-1)?.seq ?? 0,
    })
    await after.until(() => after.named("complete").length > 0)
    expect([...before.messages, ...after.messages]).toEqual(stored)
    const contents = stored.map((it) => it.content).filter((it) => it.startsWith("word "))
    expect(contents).toEqual(contents.map((_, index) => `word ${index}`))

    // The session is resumed at the node that is left.
    const sent = await other.ask("POST", `/api/agents/${id}/messages`, { text: "go on" })
    expect(sent).toMatchObject({ status: 202 })
    const [last] = await ask(url, "SELECT seq::int FROM qm.journal_head")
    const { seq } = z.object({ seq: z.int() }).parse(last)
    await client.until(() => client.cursor().seq >= seq)
    const received = client.entries.map((it) => it.seq)
    expect(received).toEqual(received.map((_, index) => from.seq + index + 1))
    expect(client.resyncs).toEqual([])
    expect(client.connections()).toBeGreaterThan(1)
  },
)

test.runIf(needs("N4", "postgres"))(
  "[N4][AGENTS-93] over a restart of Postgres a run continues with every message once, and the node works within 10 s",
  async () => {
    await using cluster = await startPostgres()
    await using folder = await tempDirectory()
    const url = await cluster.createDatabase()
    await using node = await startNode({ name: "one", folder: folder.path, databaseUrl: url })
    const id = await start(node, 300)
    await sleep(1_500)
    const startAgain = await cluster.crash()
    const { status: whileAway } = await node.ask("GET", `/api/agents/${id}`)
    expect(whileAway).toBe(503)
    await sleep(1_000)
    await startAgain()
    const backMs = performance.now()
    for (;;) {
      const { status } = await node.ask("POST", "/api/agents", {
        type: "synthetic",
        prompt: "after",
        configuration: { script: JSON.stringify(steps(0)[0]) },
      })
      if (status === 201) break
      await sleep(50)
    }
    expect(performance.now() - backMs).toBeLessThan(10_000)
    await untilEnded(url, id)
    expect(await rowOf(url, id)).toMatchObject({ status: "completed" })
    const contents = (await messagesOf(node, id)).map((it) => it.content)
    expect(contents.filter((it) => it.startsWith("word "))).toEqual(
      Array.from({ length: 300 }, (_, index) => `word ${index}`),
    )
  },
)
