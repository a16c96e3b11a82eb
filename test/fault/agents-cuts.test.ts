import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { type App, createApp } from "#show/app"
import { followRun, type RunClient, restOf } from "#test/run-client"
import { seed } from "#test/seed"
import { newServer, type ServerFixture } from "#test/server"
import { budgetOf, createChance, cuttingProxy, findFault } from "./cutting-proxy.ts"

const CUTS = 300
const RESTARTS = 5

/** Messages for ten seconds, a few milliseconds apart. */
const SCRIPT = Array.from({ length: 2_000 }, (_, n) =>
  JSON.stringify({ after: 5, event: "message", type: "assistant", text: `word ${n}` }),
).join("\n")

test(`[N1] over ${CUTS} cuts and ${RESTARTS} restarts, two transcripts are received as stored, once and in order`, async () => {
  await using server = await newServer()
  const chance = createChance(seed())
  using proxy = await cuttingProxy(server.port, () => budgetOf(chance, 12_000))
  // One run belongs to the server and is interrupted by each restart, one to another process.
  await using elsewhere = await otherApp(server)
  const rest = restOf(server)
  const ours = await rest.start("x", { script: SCRIPT })
  const agents = await elsewhere.agents()
  const configuration = { mode: "ask", script: SCRIPT } as const
  const input = { type: "synthetic", prompt: "x", configuration } as const
  const { id: theirs } = await agents.start(input, { isHere: true })
  const line = { token: await server.token(), host: server.host, reconnectMs: 1 }
  using ofOurs = followRun(proxy.url, { ...line, agentId: ours })
  using ofTheirs = followRun(proxy.url, { ...line, agentId: theirs })

  let restarts = 0
  while (proxy.cuts() < CUTS || restarts < RESTARTS) {
    const isDue = restarts < RESTARTS && proxy.cuts() >= (restarts + 1) * (CUTS / (RESTARTS + 1))
    if (isDue) {
      await server.restart()
      restarts++
    }
    // Start the next turn when the run has ended: a cut without traffic proves nothing.
    if ((await rest.show(ours)).endedAt !== null) {
      await rest.ask("POST", `/api/agents/${ours}/messages`, { text: `go on ${proxy.cuts()}` })
    }
    if ((await agents.get(theirs)).endedAt !== null) await agents.send(theirs, "go on")
    await systemClock.sleep(20)
  }
  proxy.calm()
  await rest.ask("POST", `/api/agents/${ours}/stop`)
  await agents.stop(theirs)
  await expectAll(ofOurs, await rest.messages(ours))
  await expectAll(ofTheirs, await rest.messages(theirs))
  // Most connections lived long enough to be useful, and none was refused.
  const replies = [...ofOurs.replies, ...ofTheirs.replies]
  expect(replies.length).toBeGreaterThan(CUTS / 4)
  expect(replies.filter((it) => it.kind !== "subscribed")).toEqual([])
})

type StoredMessages = Awaited<ReturnType<ReturnType<typeof restOf>["messages"]>>

async function expectAll(reader: RunClient, all: StoredMessages): Promise<void> {
  expect(all.length).toBeGreaterThan(100)
  // Compare sequence numbers, not counts, so that a lost message is named and the test does not
  // wait for it.
  await reader.until(() => reader.messages.at(-1)?.seq === all.at(-1)?.seq)
  const fault = findFault(reader.messages, all)
  expect(`SEED=${seed()} ${fault}`).toBe(`SEED=${seed()} none`)
  expect(reader.messages).toEqual(all)
  expect(all.map((it) => it.seq)).toEqual(all.map((_, index) => index + 1))
}

function otherApp(server: ServerFixture): Promise<App> {
  return createApp({
    directory: server.directory,
    environment: { QM_HOME: server.home },
    settings: [],
    writeLog: () => {},
  })
}
