import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { checkResumable } from "./find-sessions.ts"

const ID = "11111111-1111-4111-8111-111111111111"
const FILES = {
  "claude-code": `.claude/projects/-w/${ID}.jsonl`,
  codex: `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${ID}.jsonl`,
  copilot: `.copilot/session-state/${ID}/events.jsonl`,
} as const
const ANSWERS = {
  "claude-code": { type: "assistant", message: { role: "assistant", content: [] } },
  codex: { type: "response_item", payload: { type: "message", role: "assistant" } },
  copilot: { type: "assistant.message", data: { content: "yes" } },
} as const
const HOSTS = ["claude-code", "codex", "copilot"] as const

const line = (it: object) => `${JSON.stringify(it)}\n`
const filler = (bytes: number) => line({ type: "api-request-blob", text: "x".repeat(bytes) })

async function resumable(type: (typeof HOSTS)[number], text: string | undefined): Promise<boolean> {
  await using temp = await tempDirectory()
  const file = join(temp.path, FILES[type])
  await mkdir(dirname(file), { recursive: true })
  if (text !== undefined) await writeFile(file, text)
  return await checkResumable({ type, sessionId: ID }, { home: temp.path, environment: {} })
}

test.each(HOSTS)("%s can resume a session that contains a response", async (type) => {
  const answer = line(ANSWERS[type])
  expect(await resumable(type, filler(500) + answer)).toBe(true)
  // Hosts write request snapshots first.
  expect(await resumable(type, filler(100_000).repeat(60) + answer)).toBe(true)
  // A torn last line does not affect the lines before it.
  expect(await resumable(type, `${filler(500)}${answer}{"type":"ass`)).toBe(true)
})

test.each(HOSTS)("%s cannot resume a session without a response", async (type) => {
  const answer = line(ANSWERS[type])
  const queue = line({ type: "queue-operation", operation: "enqueue", content: "y".repeat(600) })
  expect(await resumable(type, undefined)).toBe(false)
  expect(await resumable(type, "")).toBe(false)
  expect(await resumable(type, answer)).toBe(false)
  expect(await resumable(type, queue.repeat(3))).toBe(false)
  expect(await resumable(type, filler(500) + answer.trimEnd().slice(0, -1))).toBe(false)
  expect(await resumable(type, filler(1024 * 1024).repeat(8) + answer)).toBe(false)
  expect(await resumable(type, `${"\u0000".repeat(600)}\n`)).toBe(false)
  expect(await resumable(type, line({ text: JSON.stringify(answer).repeat(20) }))).toBe(false)
})

test("any error means that the session cannot be resumed", async () => {
  await using temp = await tempDirectory()
  const places = { home: temp.path, environment: {} }
  const session = { type: "claude-code", sessionId: ID } as const
  const file = join(temp.path, FILES["claude-code"])
  await mkdir(dirname(file), { recursive: true })
  await writeFile(join(temp.path, "real.jsonl"), filler(500) + line(ANSWERS["claude-code"]))
  await symlink(join(temp.path, "real.jsonl"), file)
  expect(await checkResumable(session, places)).toBe(false)
  expect(await checkResumable({ ...session, sessionId: "../../real" }, places)).toBe(false)
  await chmod(dirname(file), 0)
  expect(await checkResumable(session, places)).toBe(false)
  expect(
    await checkResumable(session, { home: join(temp.path, "real.jsonl"), environment: {} }),
  ).toBe(false)
})

test("the synthetic agent stores nothing and resumes under any id", async () => {
  const places = { home: "/nowhere", environment: {} }
  expect(await checkResumable({ type: "synthetic", sessionId: "synthetic-1" }, places)).toBe(true)
  expect(await checkResumable({ type: "synthetic", sessionId: "" }, places)).toBe(false)
})
