import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { claudeProjectSlug } from "#see/hosts"
import { configured, ENDED, isOver, lines, newRoom, type Room, until } from "#test/agents-room"

const TALK = lines(
  { event: "session.started", sessionId: "s-1", cwd: "/repo" },
  { event: "message", type: "assistant", text: "the answer, hunter2" },
  ENDED,
)

async function talked(room: Room) {
  const configuration = configured({ script: TALK })
  const run = await room.start({ type: "synthetic", prompt: "ask", configuration })
  return until(room, run.id, isOver)
}

const said = async (room: Room, id: string) =>
  (await room.messages(id, { after: 0, limit: 500 })).map(({ type, content, timestamp }) => ({
    type,
    content,
    timestamp,
  }))

describe("export and import of runs", () => {
  test("an exported run is imported completely, under a new id", async () => {
    await using room = await newRoom()
    const run = await talked(room)
    const made = await room.saveRun({ id: run.id, format: "jsonl", file: "out.jsonl" })
    expect(made).toMatchObject({ messages: run.lastSeq })
    await expect(
      room.saveRun({ id: run.id, format: "jsonl", file: "out.jsonl" }),
    ).rejects.toMatchObject({ code: "FILE_EXISTS" })
    const copy = await room.importRun("out.jsonl")
    expect(copy).toMatchObject({ origin: "imported", status: "completed", lastSeq: run.lastSeq })
    expect(copy.id).not.toBe(run.id)
    expect(await said(room, copy.id)).toEqual(await said(room, run.id))
  })

  test("an invalid file changes nothing", async () => {
    await using room = await newRoom()
    await writeFile(path.join(room.directory, "bad.jsonl"), '{"hello":1}\n')
    await expect(room.importRun("bad.jsonl")).rejects.toMatchObject({
      code: expect.stringMatching(/^AGENTS_SESSION_FILE/),
    })
    expect(await room.list({ limit: 5, archived: false })).toEqual([])
  })

  test("the HTML page contains the text and no script", async () => {
    await using room = await newRoom()
    const run = await talked(room)
    const { text } = await room.exportRun({ id: run.id, format: "html" })
    expect(text).toContain("the answer, [redacted]")
    expect(text).not.toMatch(/<script|hunter2/i)
  })

  test("each session is a file beside the store and is deleted with its run", async () => {
    await using room = await newRoom()
    const run = await talked(room)
    await room.close()
    const [slug = ""] = await import("node:fs/promises").then((fs) =>
      fs.readdir(path.join(room.directory, "sessions")),
    )
    const file = path.join(room.directory, "sessions", slug, "session.jsonl")
    const written = (await readFile(file, "utf8")).trim().split("\n")
    expect(JSON.parse(written[0] ?? "")).toMatchObject({
      status: "completed",
      messageCount: run.lastSeq,
    })
    expect(written).toHaveLength(run.lastSeq + 1)
  })
})

describe("sessions of hosts", () => {
  const line = (it: object) => `${JSON.stringify({ sessionId: ID, cwd: "/repo", ...it })}\n`
  const ID = "0191aaaa-0000-4000-8000-000000000001"
  const user = (text: string) =>
    line({
      type: "user",
      message: { role: "user", content: text },
      timestamp: "2026-11-01T10:00:00Z",
    })
  const assistant = (text: string) =>
    line({
      type: "assistant",
      message: { id: "m", role: "assistant", model: "m-1", content: [{ type: "text", text }] },
      timestamp: "2026-11-01T10:00:05Z",
    })

  async function withTranscript(room: Room, text: string): Promise<string> {
    const folder = path.join(room.directory, ".claude", "projects", claudeProjectSlug("/repo"))
    await mkdir(folder, { recursive: true })
    const file = path.join(folder, `${ID}.jsonl`)
    await writeFile(file, text)
    return file
  }

  test("a host session is listed, imported as a run, and updated from where the import stopped", async () => {
    await using room = await newRoom()
    const file = await withTranscript(room, user("what is it, hunter2") + assistant("this"))
    const filter = { limit: 10, everywhere: true }
    expect(await room.sessions(filter)).toMatchObject([{ sessionId: ID, runId: null }])
    const run = await room.readSession(ID)
    expect(run).toMatchObject({ origin: "read", sessionId: ID, status: "completed" })
    const first = await said(room, run.id)
    expect(JSON.stringify(first)).toContain("this")
    expect(JSON.stringify([first, run])).not.toContain("hunter2")
    expect(first[0]?.timestamp).toBe(Date.parse("2026-11-01T10:00:00Z"))
    await appendFile(file, user("and then") + assistant("that"))
    const again = await room.readSession(ID)
    expect(again.id).toBe(run.id)
    const second = await said(room, run.id)
    expect(second.slice(0, first.length)).toEqual(first)
    expect(JSON.stringify(second.slice(first.length))).toContain("that")
    expect(await room.sessions(filter)).toMatchObject([{ runId: run.id }])
  })

  test("a session that was resumed here belongs to our run and is not imported again", async () => {
    await using room = await newRoom()
    const file = await withTranscript(room, user("what is it") + assistant("this"))
    const run = await room.readSession(ID)
    await room.send(run.id, "more")
    await until(room, run.id, (it) => isOver(it) && it.lastSeq > run.lastSeq)
    await appendFile(file, user("more") + assistant("that, as the host wrote it"))
    const before = await said(room, run.id)
    expect(await room.readSession(ID)).toMatchObject({ id: run.id, origin: "started" })
    expect(await said(room, run.id)).toEqual(before)
  })

  test("a session whose file was replaced is read again from the start under the same run id", async () => {
    await using room = await newRoom()
    await withTranscript(room, user("first") + assistant("old words"))
    const run = await room.readSession(ID)
    await withTranscript(room, user("quite another beginning") + assistant("new words"))
    const again = await room.readSession(ID)
    expect(again.id).toBe(run.id)
    const text = JSON.stringify(await said(room, run.id))
    expect(text).toContain("new words")
    expect(text).not.toContain("old words")
  })

  test("an unknown session fails with an error code; a session of another repository is not resumed here", async () => {
    await using room = await newRoom()
    await expect(room.readSession("nothing")).rejects.toMatchObject({
      code: "AGENTS_SESSION_UNKNOWN",
    })
    const elsewhere = (user("x") + assistant("y")).replaceAll("/repo", "/other")
    await withTranscript(room, elsewhere)
    const run = await room.readSession(ID)
    await expect(room.send(run.id, "go on")).rejects.toMatchObject({
      code: "AGENTS_DIRECTORY_UNUSABLE",
    })
  })
})

test("a hand-off contains the task and the last messages, and starts a new run on request", async () => {
  await using room = await newRoom()
  const run = await talked(room)
  const made = await room.handoff(run.id, false)
  expect(made.run).toBeNull()
  expect(made.text).toContain("ask")
  const { run: fresh } = await room.handoff(run.id, true)
  expect(fresh).toMatchObject({ title: "ask, continued", type: "synthetic" })
  await until(room, fresh?.id ?? "", isOver)
})

test("a new run from a hand-off has the limits of the previous run", async () => {
  await using room = await newRoom()
  const configuration = configured({ script: TALK, sources: ["only-this"], budgetUsd: 1 })
  const run = await room.start({ type: "synthetic", prompt: "ask", configuration })
  await until(room, run.id, isOver)
  const { run: fresh } = await room.handoff(run.id, true)
  expect(fresh).toMatchObject({ budgetUsd: 1, mode: run.mode, cwd: run.cwd })
  await until(room, fresh?.id ?? "", isOver)
})

test("a nearly full context window is reported once per threshold", async () => {
  await using room = await newRoom()
  const usage = (used: number) => ({ event: "context.usage", used, window: 100, kinds: [] })
  const script = lines(usage(79), usage(81), usage(90), usage(96), usage(97), ENDED)
  const run = await room.start({
    type: "synthetic",
    prompt: "x",
    configuration: configured({ script }),
  })
  await until(room, run.id, isOver)
  const warnings = (await said(room, run.id)).filter((it) => it.content.includes("% full"))
  expect(warnings.map((it) => it.content.slice(0, 21))).toEqual([
    "The window is 81 % fu",
    "The window is 96 % fu",
  ])
})
