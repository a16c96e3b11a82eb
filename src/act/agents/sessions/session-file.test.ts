import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import type { Message, Run } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { testClock } from "#test/clock"
import { madeRun } from "#test/run"
import { tempDirectory } from "#test/temp"
import { headerOf, openSessionFile, pagesOf, toLines } from "./session-file.ts"

const AT = 1_700_000_000_000
const clock = testClock({ now: AT + 60_000 })
const PLAIN = {
  clock,
  ids: createIds({ clock, random: systemRandom }),
  cwd: "/ours",
  redact: (text: string) => text,
  redactJson: (value: unknown) => value,
}

const RUN = madeRun({ createdAt: AT, updatedAt: AT })

function aRun(change: Partial<Run> = {}): Run {
  return { ...RUN, ...change }
}

function aMessage(seq: number, change: Partial<Message> = {}): Message {
  const metadata = { event: { event: "message", type: "assistant", text: "" } }
  const content = `word ${seq}, with a line\nand "quotes"`
  const message = { id: `msg_${seq}`, seq, content, timestamp: AT + seq, metadata }
  return { ...message, type: "assistant", role: "assistant", raw: `{"n":${seq}}`, ...change }
}

const messages = (count: number) => Array.from({ length: count }, (_, at) => aMessage(at + 1))

async function fileOf(run: Run, said: readonly Message[]): Promise<string> {
  const read = async (after: number) => said.filter((it) => it.seq > after).slice(0, 3)
  return (await all(toLines(run, pagesOf(read)))).join("")
}

async function imported(file: string, deps: Partial<typeof PLAIN> = {}) {
  const session = await openSessionFile(file, { ...PLAIN, ...deps })
  const pages = await all(session.pages())
  return { ...session, messages: pages.flat() }
}

test("the first line describes the session, and each message is one line", async () => {
  const text = await fileOf(aRun({ lastSeq: 7, labels: ["later"] }), messages(7))
  const [first = "", ...rest] = text.trimEnd().split("\n")
  expect(JSON.parse(first)).toMatchObject({
    format: "quartermaster-session",
    version: 1,
    messageCount: 7,
    usage: { input: 0, output: 0 },
    mode: "auto",
    status: "completed",
    labels: ["later"],
    run: { id: "run_1", prompt: "count the files" },
  })
  expect(rest.map((it) => JSON.parse(it) as Message)).toEqual(messages(7))
})

test("messages that arrive after the run was read are written the next time", async () => {
  const text = await fileOf(aRun({ lastSeq: 4 }), messages(7))
  expect(text.trimEnd().split("\n")).toHaveLength(5)
})

test("a written session is read back unchanged", async () => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "session.jsonl")
  const said = messages(1_203)
  await writeFile(file, await fileOf(aRun({ lastSeq: said.length }), said))
  const again = await imported(file)
  const withoutId = ({ id, ...rest }: Message) => ({ ...rest, isNamed: id !== "" })
  expect(again.messages.map(withoutId)).toEqual(said.map(withoutId))
  expect(again.isTailTorn).toBe(false)
  expect(again.run.lastSeq).toBe(1_203)
})

test("unknown fields are ignored, in the first line and in messages", async () => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "session.jsonl")
  const header = { ...headerOf(aRun({ lastSeq: 1 })), colour: "blue" }
  await writeFile(
    file,
    `${JSON.stringify(header)}\n${JSON.stringify({ ...aMessage(1), mood: 1 })}\n`,
  )
  expect((await imported(file)).messages).toHaveLength(1)
})

test("D7: a file truncated at any byte of its last three lines loses only the torn line", async () => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "session.jsonl")
  const said = messages(8)
  const bytes = Buffer.from(await fileOf(aRun({ lastSeq: 8 }), said))
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a)
  const from = (ends.at(-4) ?? 0) + 1
  for (let length = from; length < bytes.length; length++) {
    await writeFile(file, bytes.subarray(0, length))
    const again = await imported(file)
    // A line is complete with its last brace, even without the newline.
    const whole = ends.filter((end) => end <= length).length - 1
    expect(again.messages).toHaveLength(whole)
    const isAtLineEnd = ends.some((end) => length === end || length === end + 1)
    expect(again.isTailTorn).toBe(!isAtLineEnd)
  }
})

test.each([
  ["{ no JSON", "not json"],
  ['["a list"]', "not an object"],
  ['{"seq":2,"type":"song"}', "field id is missing or invalid"],
])("the corrupt line %j is reported by its number, and nothing is returned", async (line, why) => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "session.jsonl")
  const lines = (await fileOf(aRun({ lastSeq: 5 }), messages(5))).trimEnd().split("\n")
  await writeFile(file, `${lines.with(3, line).join("\n")}\n`)
  const failure = await openSessionFile(file, PLAIN).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: "AGENTS_SESSION_FILE_CORRUPT",
    data: { line: 4, reason: expect.stringContaining(why) as string },
  })
  // The same as the last line is what a dying writer leaves.
  await writeFile(file, `${[...lines, line].join("\n")}\n`)
  expect(await imported(file)).toMatchObject({ isTailTorn: true, run: { lastSeq: 5 } })
})

test.each([
  ["", "AGENTS_SESSION_FILE_FOREIGN"],
  ["no JSON\n", "AGENTS_SESSION_FILE_FOREIGN"],
  ['{"type":"user"}\n', "AGENTS_SESSION_FILE_FOREIGN"],
  ['{"format":"quartermaster-session","version":2}\n', "AGENTS_SESSION_FILE_NEWER"],
  ['{"format":"quartermaster-session","version":1}\n', "AGENTS_SESSION_FILE_CORRUPT"],
])("a file that begins with %j is refused with %s", async (text, code) => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "session.jsonl")
  await writeFile(file, text)
  await expect(openSessionFile(file, PLAIN)).rejects.toMatchObject({ code })
})

test("a missing file or a link is refused", async () => {
  await using temp = await tempDirectory()
  const [file, link] = [join(temp.path, "a.jsonl"), join(temp.path, "link.jsonl")]
  await expect(openSessionFile(file, PLAIN)).rejects.toMatchObject({
    code: "AGENTS_SESSION_FILE_MISSING",
  })
  await writeFile(file, await fileOf(aRun(), []))
  await symlink(file, link)
  await expect(openSessionFile(link, PLAIN)).rejects.toMatchObject({
    code: "AGENTS_SESSION_FILE_FOREIGN",
  })
})

test("a file over the size limit is refused before it is returned", async () => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "session.jsonl")
  const header = await fileOf(aRun({ lastSeq: 200_001 }), [])
  const line = `${JSON.stringify({ ...aMessage(1), content: "", metadata: {}, raw: "" })}\n`
  await writeFile(file, header + line.repeat(200_001))
  await expect(openSessionFile(file, PLAIN)).rejects.toMatchObject({
    code: "AGENTS_SESSION_FILE_TOO_LARGE",
  })
})

test.each(["queued", "starting", "running", "waiting", "paused"] as const)(
  "a run exported with status %s is imported as `interrupted`",
  async (status) => {
    await using temp = await tempDirectory()
    const file = join(temp.path, "session.jsonl")
    await writeFile(file, await fileOf(aRun({ status }), []))
    expect((await imported(file)).run).toMatchObject({ status: "interrupted", endedAt: AT })
  },
)

test("a file determines neither the id of a run nor its directory and mode", async () => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "session.jsonl")
  const open = { openApprovals: 3, queuedTurns: 2, mode: "auto" } as const
  await writeFile(file, await fileOf(aRun({ ...open, lastSeq: 2 }), messages(2)))
  const { run, messages: said } = await imported(file)
  expect(run).toMatchObject({
    origin: "imported",
    cwd: "/ours",
    sessionId: null,
    mode: "ask",
    openApprovals: 0,
    queuedTurns: 0,
  })
  expect(run.id).not.toBe("run_1")
  expect(said.map((it) => it.id)).not.toContain("msg_1")
  expect(new Set([run.id, ...said.map((it) => it.id)]).size).toBe(3)
})

test("F5: secrets of a file are not in the imported run", async () => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "session.jsonl")
  const canary = `ghp_${createSecretTail()}`
  const secrets = createSecrets({ random: systemRandom })
  const words = `use ${canary} for it`
  const event = { event: "activity.started", input: words, diff: `+${words}`, path: words }
  const message = aMessage(1, {
    content: `${"x".repeat(199_980)} ${canary}`,
    raw: JSON.stringify({ words }),
    metadata: { event, parts: [{ label: words }], [canary]: 1 },
  })
  const told = { title: words, prompt: words, error: words, labels: [words], workflow: words }
  await writeFile(file, await fileOf(aRun({ ...told, lastSeq: 1 }), [message]))
  const found = await imported(file, {
    redact: (text: string) => secrets.redact(text).text,
    redactJson: (value: unknown) => secrets.redactJson(value).value,
  })
  const kept = JSON.stringify({ run: found.run, messages: found.messages })
  expect(kept).not.toContain(canary.slice(4, 14))
  expect(kept).toContain("[redacted: ")
})

function createSecretTail(): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  return Array.from(systemRandom.bytes(36), (it) => letters[it % letters.length]).join("")
}

/**
 * `Array.fromAsync`, which our oldest supported Node does not have.
 */
async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}
