import { createHash } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { CALL, sessionsFixture } from "#test/sessions-room"

const AT = Date.UTC(2025, 11, 31, 10)

/** The tables of opencode 1.18.33, without columns and rows that no reader uses. */
const SCHEMA = `
  CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL,
    title text NOT NULL, version text NOT NULL, agent text, time_updated integer NOT NULL);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
  CREATE INDEX part_session_idx ON part (session_id);`

function opencodeDatabase(home: string) {
  const file = path.join(home, ".local/share/opencode/opencode.db")
  mkdirSync(path.dirname(file), { recursive: true })
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; ${SCHEMA}`)
  let count = 0
  const number = () => String(count++).padStart(6, "0")
  return {
    file,
    db,
    session(id: string, { parent, title = "Light" }: { parent?: string; title?: string } = {}) {
      db.prepare("INSERT INTO session VALUES (?, ?, ?, ?, '1.18.33', ?, ?)").run(
        id,
        parent ?? null,
        "/w/shop",
        title,
        parent === undefined ? "build" : "general",
        AT,
      )
    },
    message(session: string, data: object, parts: readonly object[]) {
      const id = `msg_${number()}`
      const at = AT + count * 1_000
      const insert = db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
      db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(
        id,
        session,
        at,
        at,
        JSON.stringify(data),
      )
      for (const part of parts) {
        insert.run(`prt_${number()}`, id, session, at, at, JSON.stringify(part))
      }
      db.prepare("UPDATE session SET time_updated = ? WHERE id = ?").run(at, session)
      return id
    },
    [Symbol.dispose]: () => db.close(),
  }
}

const text = (words: string) => ({ type: "text", text: words })
const prompt = { role: "user", time: { created: AT } }
const answer = (tokens: object, more: object = {}) => ({
  role: "assistant",
  modelID: "claude-opus-4-5",
  providerID: "anthropic",
  time: { created: AT, completed: AT + 5_000 },
  tokens,
  ...more,
})
const used = (input: number, output = 20) => ({
  total: input + output,
  input,
  output,
  reasoning: 5,
  cache: { read: 1_000, write: 300 },
})
const tool = (name: string, state: object) => ({ type: "tool", tool: name, callID: "c", state })

const MAIN = "ses_e14fba64affeF4RjciJDc5yA0Z"
const CHILD = "ses_e14fb7d27ffeNmvxGA4WFMZtbk"

test("[SESSIONS-1] a session of opencode has its title, tools, files, sub-agents and tokens", async () => {
  await using it = await sessionsFixture()
  using opencode = opencodeDatabase(it.home)
  opencode.session(MAIN, { title: "Lighthouse paint" })
  opencode.session(CHILD, { parent: MAIN })
  opencode.message(MAIN, prompt, [text("Paint the lighthouse")])
  opencode.message(MAIN, answer(used(100)), [
    text("Reading the lamp"),
    tool("read", {
      status: "completed",
      input: { filePath: "/w/shop/light.ts" },
      output: "export const lamp = 1",
      time: { start: AT + 2_100, end: AT + 2_200 },
    }),
    tool("edit", {
      status: "error",
      input: { filePath: "/w/shop/light.ts", oldString: "1", newString: "2" },
      error: "Could not find oldString",
    }),
  ])
  opencode.message(CHILD, prompt, [text("List the buoys")])
  opencode.message(CHILD, answer(used(40)), [text("Seven buoys")])
  opencode.message(MAIN, prompt, [{ type: "compaction", auto: true }])
  opencode.message(MAIN, answer(used(100), { summary: true }), [text("The lamp is known")])
  opencode.message(MAIN, prompt, [{ ...text("Continue if you have next steps"), synthetic: true }])
  opencode.message(MAIN, answer(used(50)), [text("Painted")])
  const digest = () => createHash("sha256").update(readFileSync(opencode.file)).digest("hex")
  const before = digest()
  expect(await it.index.import({ scope: "machine" }, CALL)).toMatchObject({
    files: 2,
    sessions: 1,
    skipped: [],
  })
  expect(digest()).toBe(before)
  const { session, paths, tools, compactions, agents } = await it.index.show(
    { session: MAIN },
    CALL,
  )
  expect(session).toMatchObject({
    host: "opencode",
    title: "Lighthouse paint",
    repository: "/w/shop",
    version: "1.18.33",
    models: ["claude-opus-4-5"],
    turns: 1,
    subAgents: 1,
    spend: { calls: 4, tokens: { input: 290, cacheRead: 4_000, cacheWrite: 1_200, output: 100 } },
  })
  expect(paths).toEqual([{ path: "light.ts", reads: 1, edits: 1 }])
  expect(tools).toMatchObject([
    { tool: "edit", results: 1, bytes: 24 },
    { tool: "read", results: 1, bytes: 21 },
  ])
  expect(compactions).toMatchObject([{ cause: "auto" }])
  expect(agents.map((one) => one.agent).toSorted()).toEqual(["opencode general", "opencode main"])
  const { lines } = await it.index.lines({ session: MAIN, after: 0, limit: 100 })
  expect(lines.map((one) => `${one.agent} ${one.role} ${one.text}`)).not.toContainEqual(
    expect.stringMatching(/Continue if|List the buoys/),
  )
  expect(lines).toContainEqual(
    expect.objectContaining({ role: "summary", text: "The lamp is known" }),
  )
  expect(await it.index.import({ scope: "repository" }, CALL)).toMatchObject({ files: 0 })
})

test("[SESSIONS-4] of opencode only finished messages are read, each once", async () => {
  await using it = await sessionsFixture()
  using opencode = opencodeDatabase(it.home)
  opencode.session(MAIN)
  for (let turn = 0; turn < 50; turn++) {
    opencode.message(MAIN, prompt, [text(`Prompt ${turn}`)])
    opencode.message(MAIN, answer(used(10)), [text(`Answer ${turn}`)])
  }
  opencode.message(MAIN, prompt, [text("Last prompt")])
  const open = opencode.message(MAIN, { role: "assistant", time: { created: AT } }, [text("Half")])
  await it.index.import({ scope: "machine" }, CALL)
  const texts = async () =>
    (await it.index.lines({ session: MAIN, after: 0, limit: 1_000 })).lines.map((one) => one.text)
  expect(await texts()).toHaveLength(101)
  opencode.db
    .prepare("UPDATE message SET data = ? WHERE id = ?")
    .run(JSON.stringify(answer(used(10))), open)
  opencode.db.prepare("UPDATE session SET time_updated = ?").run(AT + 9_000_000)
  await Promise.all([
    it.index.import({ scope: "machine" }, CALL),
    it.open().import({ scope: "machine" }, CALL),
  ])
  expect((await texts()).slice(-2)).toEqual(["Last prompt", "Half"])
  expect(await texts()).toHaveLength(102)
})

test("[SESSIONS-5] messages that opencode reverted are deleted from the index", async () => {
  await using it = await sessionsFixture()
  using opencode = opencodeDatabase(it.home)
  opencode.session(MAIN)
  opencode.message(MAIN, prompt, [text("Paint it red")])
  opencode.message(MAIN, answer(used(10)), [text("Red")])
  await it.index.import({ scope: "machine" }, CALL)
  opencode.db.exec("DELETE FROM part; DELETE FROM message")
  opencode.message(MAIN, prompt, [text("Paint it white")])
  opencode.message(MAIN, answer(used(10)), [text("White")])
  await it.index.import({ scope: "machine" }, CALL)
  const { lines } = await it.index.lines({ session: MAIN, after: 0, limit: 9 })
  expect(lines.map((one) => one.text)).toEqual(["Paint it white", "White"])
})

test("[SESSIONS-14] a database of another schema has no sessions and does not fail the import", async () => {
  await using it = await sessionsFixture()
  using opencode = opencodeDatabase(it.home)
  opencode.db.exec("DROP TABLE part")
  expect(await it.index.import({ scope: "machine" }, CALL)).toMatchObject({ files: 0 })
})
