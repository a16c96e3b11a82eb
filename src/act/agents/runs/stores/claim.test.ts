import { expect, test } from "vitest"
import { createIds, silentLog, systemClock, systemRandom } from "#ground/base"
import { sql } from "#ground/store"
import { configured, ENDED, lines, newRoom, OWNER, until } from "#test/agents-room"
import { createRunStore } from "./run-store.ts"
import { createStores } from "./stores.ts"

const ASKING = lines(
  { event: "session.started", sessionId: "s-1", cwd: "/repo" },
  { event: "approval.requested", approvalId: "a1", tool: "Bash", title: "Run", input: "x" },
  { ...ENDED, after: 20 },
)
const OTHER = { ...OWNER, machine: "there", instance: "two" }

test("[AGENTS-94] a driver that has lost its run uses no answer, takes no command and forgets no session", async () => {
  await using room = await newRoom()
  const clock = systemClock
  const stores = createStores({
    db: room.store.forRoom("agents"),
    clock,
    ids: createIds({ clock, random: systemRandom }),
    log: silentLog,
    owner: OTHER,
    notify: () => {},
  })
  const { id } = await room.start({
    type: "synthetic",
    prompt: "first",
    configuration: configured({ script: ASKING }),
  })
  await until(room, id, (it) => it.status === "waiting")
  const [approval] = await room.approvals()
  const before = await stores.runs.find(id)
  const lost = { runId: id, fence: before.hidden.fence }
  const claim = await stores.runs.claim(before, { isElsewhere: false })
  if (claim === undefined) throw new Error("the run is claimed")
  await stores.queue.command(id, { kind: "steer", text: "and this" })

  expect(await stores.messages.append(lost, [systemNote("too late")])).toBe(false)
  expect(await stores.queue.takeCommands([lost])).toEqual([])
  expect(await stores.approvals.markUsed(approval?.id ?? "", lost)).toBe(false)
  await stores.runs.forgetSession(lost)
  expect((await stores.runs.find(id)).run.sessionId).toBe("s-1")
  expect(await stores.runs.renewLeases([lost])).toEqual([lost])

  // The text stays in the queue until its message is stored or it becomes a turn.
  const [taken] = await stores.queue.takeCommands([claim])
  expect(taken).toMatchObject({ command: { kind: "steer", text: "and this" } })
  expect(await stores.queue.takeCommands([claim])).toHaveLength(1)
  for (let n = 0; n < 2; n++) await stores.queue.turnInto(taken?.id ?? "", id, { text: "and this" })
  expect(await stores.queue.turns(id)).toMatchObject([{ text: "and this" }])
  expect(await stores.approvals.markUsed(approval?.id ?? "", claim)).toBe(true)
})

test("[AGENTS-95] an agent that outlived its server is ended by the next server on its machine", async () => {
  await using room = await newRoom()
  const { id } = await room.start({
    type: "synthetic",
    prompt: "first",
    configuration: configured({ script: lines({ ...ENDED, after: 100_000 }) }),
  })
  await until(room, id, (it) => it.status === "running" || it.lastSeq > 0)
  await room.store.db.run(
    sql`UPDATE runs SET child = '{"pid":7,"startedAt":"then"}', lease_until = 0 WHERE id = ${id}`,
  )
  const ended: string[] = []
  const endProcess = async ({ pid }: { readonly pid: number }) => void ended.push(String(pid))
  const there = room.another({ owner: OTHER, endProcess, maxRunning: () => 0 })
  expect(await there.recover()).toBe(1)
  expect(await there.get(id)).toMatchObject({ status: "interrupted" })
  // A process of another machine cannot be ended, and its number may belong to anybody here.
  expect(ended).toEqual([])
  const back = room.another({ owner: { ...OWNER, instance: "three" }, endProcess })
  await back.recover()
  expect(ended).toEqual(["7"])
  await back.recover()
  expect(ended).toEqual(["7"])
  for (const it of [there, back]) await it.close()
})

test("[AGENTS-92] a run that got no prompt yet is queued again, up to five starts", async () => {
  await using room = await newRoom({ maxRunning: () => 0 })
  room.watch()
  const { id } = await room.start({
    type: "synthetic",
    prompt: "first",
    configuration: configured({ script: lines(ENDED) }),
  })
  const there = room.another({ owner: OTHER, maxRunning: () => 0 })
  const statusAfter = async (fence: number) => {
    await room.store.db.run(sql`UPDATE runs SET status = 'starting', fence = ${fence},
      owner = ${JSON.stringify(OWNER)}, lease_until = 0 WHERE id = ${id}`)
    await there.recover()
    return (await there.get(id)).status
  }
  expect(await statusAfter(1)).toBe("queued")
  expect(await there.queued(id)).toMatchObject({ turns: [{ text: "first" }] })
  expect(await statusAfter(5)).toBe("queued")
  expect(await statusAfter(6)).toBe("interrupted")
  await there.close()
})

test("[AGENTS-90] a claim of an expired lease fails if its owner has renewed since", async () => {
  await using room = await newRoom()
  const there = createRunStore({
    db: room.store.forRoom("agents"),
    clock: systemClock,
    owner: OTHER,
  })
  const { id } = await room.start({
    type: "synthetic",
    prompt: "first",
    configuration: configured({ script: ASKING }),
  })
  await until(room, id, (it) => it.status === "waiting")
  const expire = () => room.store.db.run(sql`UPDATE runs SET lease_until = 0 WHERE id = ${id}`)
  await expire()
  const seen = await there.find(id)
  // The renewal leaves the fence as it is, so the fence alone would let the claim pass.
  await there.renewLeases([{ runId: id, fence: seen.hidden.fence }])
  expect(await there.claim(seen, { isElsewhere: true })).toBeUndefined()
  await expire()
  expect(await there.claim(seen, { isElsewhere: true })).toMatchObject({
    fence: seen.hidden.fence + 1,
  })
})

const systemNote = (content: string) => ({
  type: "system" as const,
  role: "system" as const,
  content,
  metadata: {},
})
