import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createLog } from "#ground/base"
import type { Message, Run } from "#ground/contract"
import { testClock } from "#test/clock"
import { madeRun } from "#test/run"
import { tempDirectory } from "#test/temp"
import { createSessionWriter, idInSlug, slugOf } from "./session-writer.ts"

const AT = 1
const RUN = madeRun({ createdAt: AT, updatedAt: AT })

function makeFixture(directory: string) {
  const clock = testClock()
  const runs = new Map<string, Run>()
  const messages = new Map<string, Message[]>()
  const lines: string[] = []
  let reads = 0
  const deps = {
    clock,
    directory,
    log: createLog({ clock, level: "debug", write: (line: string) => void lines.push(line) }),
    async read(runId: string, after: number) {
      reads += 1
      return (messages.get(runId) ?? []).filter((it) => it.seq > after).slice(0, 100)
    },
    run: async (runId: string) => runs.get(runId),
  }
  return {
    clock,
    lines,
    deps,
    reads: () => reads,
    runs,
    messages,
    writer: createSessionWriter(deps),
    begin(id: string, title: string): void {
      runs.set(id, { ...RUN, id, title, status: "running" })
    },
    say(id: string, count: number, content = "a word"): void {
      const said = messages.get(id) ?? []
      for (let at = 0; at < count; at++) said.push(aMessage(said.length + 1, content))
      messages.set(id, said)
      this.change(id, { lastSeq: said.length })
    },
    change(id: string, change: Partial<Run>): void {
      runs.set(id, { ...(runs.get(id) ?? RUN), ...change })
    },
  }
}

function aMessage(seq: number, content: string): Message {
  const shape = { type: "assistant", role: "assistant", metadata: {} } as const
  return { ...shape, id: `msg_${seq}`, seq, content, timestamp: seq }
}

async function linesIn(directory: string): Promise<readonly Record<string, unknown>[]> {
  const [folder = ""] = await readdir(directory)
  const text = await readFile(join(directory, folder, "session.jsonl"), "utf8")
  expect(text.endsWith("\n")).toBe(true)
  return text
    .trimEnd()
    .split("\n")
    .map((it) => JSON.parse(it) as Record<string, unknown>)
}

/** The real disk writes the files; the test clock does not control it. */
async function settled(check: () => Promise<void>): Promise<void> {
  await expect
    .poll(async () =>
      check()
        .then(() => true)
        .catch(() => false),
    )
    .toBe(true)
}

test("a message is in the file after half a second, not earlier", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "state/sessions")
  const it = makeFixture(directory)
  it.begin("run_1", "Count the files")
  it.say("run_1", 3)
  it.writer.advanced("run_1")
  it.say("run_1", 2)
  it.writer.advanced("run_1")
  await it.clock.advance(499)
  await expect(readdir(directory)).rejects.toMatchObject({ code: "ENOENT" })
  await it.clock.advance(1)
  await settled(async () => expect(await linesIn(directory)).toHaveLength(6))
  expect(await readdir(directory)).toEqual(["count-the-files--run_1"])
  expect((await linesIn(directory))[0]).toMatchObject({ messageCount: 5, status: "running" })
  await it.writer.close()
})

test("many changes of one run in a batch give one write", async () => {
  await using temp = await tempDirectory()
  const it = makeFixture(join(temp.path, "sessions"))
  it.begin("run_1", "x")
  it.say("run_1", 10)
  for (let times = 0; times < 1_000; times++) it.writer.advanced("run_1")
  await it.writer.close()
  expect(it.reads()).toBe(2)
})

test("the first line is updated when the run changes, and the folder name stays", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "sessions")
  const it = makeFixture(directory)
  it.begin("run_1", "Old name")
  it.say("run_1", 1)
  it.writer.advanced("run_1")
  await it.writer.close()
  const next = createSessionWriter(it.deps)
  it.change("run_1", { title: "New name", status: "completed", labels: ["kept"] })
  next.advanced("run_1")
  await next.close()
  expect(await readdir(directory)).toEqual(["old-name--run_1"])
  expect((await linesIn(directory))[0]).toMatchObject({
    status: "completed",
    labels: ["kept"],
    run: { title: "New name" },
  })
})

test("a long session file is appended to until its run changes; then it is rewritten", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "sessions")
  const it = makeFixture(directory)
  it.begin("run_1", "long")
  it.say("run_1", 12, "y".repeat(100_000))
  const step = async (count: number) => {
    it.writer.advanced("run_1")
    // The previous batch may still be writing when the clock moves.
    await settled(async () => {
      await it.clock.advance(500)
      expect(await linesIn(directory)).toHaveLength(count)
    })
  }
  await step(13)
  it.say("run_1", 1)
  await step(14)
  expect((await linesIn(directory))[0]).toMatchObject({ messageCount: 12 })
  it.change("run_1", { status: "completed" })
  it.writer.advanced("run_1")
  await it.writer.close()
  const lines = await linesIn(directory)
  expect(lines[0]).toMatchObject({ messageCount: 13, status: "completed" })
  expect(lines.slice(1).map((line) => line["seq"])).toEqual(
    Array.from({ length: 13 }, (_, n) => n + 1),
  )
})

test("a long file that was deleted or truncated is rewritten, not appended to", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "sessions")
  const it = makeFixture(directory)
  const file = join(directory, "long--run_1/session.jsonl")
  it.begin("run_1", "long")
  it.say("run_1", 12, "ü".repeat(100_000))
  const step = async (count: number) => {
    it.writer.advanced("run_1")
    // The previous batch may still be writing when the clock moves.
    await settled(async () => {
      await it.clock.advance(500)
      expect(await linesIn(directory)).toHaveLength(count)
    })
  }
  await step(13)
  it.say("run_1", 1)
  await step(14)
  it.say("run_1", 1)
  await rm(file)
  await step(15)
  expect((await linesIn(directory))[0]).toMatchObject({ messageCount: 14 })
  it.say("run_1", 1)
  await truncate(file, 1_500_000)
  await step(16)
  await it.writer.close()
})

test("the file of a deleted run is removed, also when a write was pending", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "sessions")
  const it = makeFixture(directory)
  it.begin("run_1", "gone")
  it.say("run_1", 1)
  it.writer.advanced("run_1")
  await it.clock.advance(500)
  await settled(async () => expect(await linesIn(directory)).toHaveLength(2))
  it.writer.advanced("run_1")
  it.runs.delete("run_1")
  await it.writer.deleted("run_1")
  await it.writer.close()
  expect(await filesIn(directory)).toEqual([])
})

test("a run deleted elsewhere during a write leaves no file", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "sessions")
  const it = makeFixture(directory)
  it.begin("run_1", "gone")
  it.say("run_1", 1)
  const read = async (runId: string, after: number) => {
    it.runs.delete(runId)
    return it.deps.read(runId, after)
  }
  const writer = createSessionWriter({ ...it.deps, read })
  writer.advanced("run_1")
  await writer.close()
  expect(await filesIn(directory)).toEqual([])
})

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((it) => it.isFile()).map((it) => it.name)
}

test("a start rebuilds stale, torn and missing files, and leaves files of unknown runs", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "sessions")
  const it = makeFixture(directory)
  const ids = ["run_1", "run_2", "run_3", "run_4"]
  for (const id of ids) {
    it.begin(id, `of ${id}`)
    it.say(id, 2)
    it.writer.advanced(id)
  }
  await it.writer.close()
  const fileOf = (id: string) => join(directory, `of-${id.replace("_", "-")}--${id}/session.jsonl`)
  const whole = await readFile(fileOf("run_1"), "utf8")
  it.say("run_2", 1)
  const torn = await readFile(fileOf("run_3"), "utf8")
  const unknown = await readFile(fileOf("run_4"), "utf8")
  await writeFile(fileOf("run_3"), torn.slice(0, 100))
  it.runs.delete("run_4")
  it.begin("run_5", "of run_5")
  const before = it.reads()
  await createSessionWriter(it.deps).rebuild(["run_1", "run_2", "run_3", "run_5"])
  expect(await readFile(fileOf("run_1"), "utf8")).toBe(whole)
  expect((await readFile(fileOf("run_2"), "utf8")).trimEnd().split("\n")).toHaveLength(4)
  expect(await readFile(fileOf("run_3"), "utf8")).toBe(torn)
  expect((await readFile(fileOf("run_5"), "utf8")).trimEnd().split("\n")).toHaveLength(1)
  // As with a new store, or another one.
  expect(await readFile(fileOf("run_4"), "utf8")).toBe(unknown)
  // Only stale files were read from the store.
  expect(it.reads() - before).toBe(5)
})

test("a failed write is logged and retried", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "sessions")
  const it = makeFixture(directory)
  it.begin("run_1", "x")
  it.say("run_1", 1)
  await writeFile(directory, "in the way")
  it.writer.advanced("run_1")
  await it.clock.advance(500)
  await settled(async () => expect(it.lines.join("")).toContain("could not write a session file"))
  await using other = await tempDirectory()
  const next = createSessionWriter({ ...it.deps, directory: join(other.path, "sessions") })
  next.advanced("run_1")
  await next.close()
  expect(await linesIn(join(other.path, "sessions"))).toHaveLength(2)
})

test("a link in the target path is not written through", async () => {
  await using temp = await tempDirectory()
  const directory = join(temp.path, "sessions")
  const it = makeFixture(directory)
  it.begin("run_1", "x")
  await mkdir(join(directory, "x--run_1"), { recursive: true })
  await writeFile(join(temp.path, "victim"), "mine")
  await symlink(join(temp.path, "victim"), join(directory, "x--run_1/session.jsonl"))
  it.writer.advanced("run_1")
  await it.writer.close()
  expect(await readFile(join(temp.path, "victim"), "utf8")).toBe("mine")
  expect(it.lines.join("")).toContain("could not write a session file")
})

test.each([
  ["Fix the parser, please!", "fix-the-parser-please--run_0a"],
  ["../../etc/passwd", "etc-passwd--run_0a"],
  ["Größe überprüfen", "große-uberprufen--run_0a".replace("ß", "-")],
  ["日本語", "session--run_0a"],
  ["CON", "con--run_0a"],
  ["x".repeat(300), `${"x".repeat(40)}--run_0a`],
  ["a--b -- c", "a-b-c--run_0a"],
])("the title %j becomes a folder name that every file system accepts", (title, slug) => {
  expect(slugOf({ id: "run_0a", title })).toBe(slug)
  expect(idInSlug(slug)).toBe("run_0a")
})

test("a foreign id is not used as a path, and a foreign folder has no id", () => {
  expect(slugOf({ id: "../x", title: "t" })).toBe("t--___x")
  expect(["notes", "--x", "a--b.c", ""].map(idInSlug)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
