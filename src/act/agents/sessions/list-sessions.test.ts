import { mkdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { claudeProjectSlug } from "#see/hosts"
import { tempDirectory } from "#test/temp"
import { findTranscript } from "./find-sessions.ts"
import { createSessionHeads, type ListOptions, listHostSessions } from "./list-sessions.ts"

const redact = (text: string) => text
const uuid = (digit: number) => `${digit}`.repeat(8).concat("-0000-4000-8000-000000000000")

function makeFixture(home: string) {
  let second = 1_700_000_000
  const put = async (file: string, lines: readonly object[]) => {
    const path = join(home, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, lines.map((it) => `${JSON.stringify(it)}\n`).join(""))
    second += 60
    await utimes(path, second, second)
    return path
  }
  const list = (options: Partial<ListOptions> = {}) =>
    listHostSessions({
      home,
      environment: {},
      root: "/w",
      everywhere: false,
      limit: 50,
      redact,
      heads: createSessionHeads(),
      ...options,
    })
  return {
    list,
    titles: async (options: Partial<ListOptions> = {}) =>
      (await list(options)).map((it) => it.title),
    claude: (cwd: string, digit: number, lines: readonly object[] = claude(cwd, `in ${cwd}`)) =>
      put(`.claude/projects/${claudeProjectSlug(cwd)}/${uuid(digit)}.jsonl`, lines),
    codex: (cwd: string, digit: number, folder = ".codex") =>
      put(
        `${folder}/sessions/2026/01/0${digit}/rollout-2026-01-0${digit}T00-00-00-${uuid(digit)}.jsonl`,
        [
          { type: "session_meta", payload: { id: uuid(digit), cwd } },
          {
            type: "event_msg",
            payload: {
              type: "item_completed",
              item: {
                type: "UserMessage",
                id: "u",
                content: [{ type: "text", text: `codex in ${cwd}` }],
              },
            },
          },
        ],
      ),
  }
}

function claude(cwd: string, text: string): readonly object[] {
  return [
    { type: "user", isMeta: true, cwd, message: { content: "caveat" } },
    { type: "user", cwd, message: { content: `${text}\nand more` } },
  ]
}

test("sessions of this repository, or of all, are listed newest first", async () => {
  await using temp = await tempDirectory()
  const it = makeFixture(temp.path)
  await it.claude("/w", 1)
  await it.codex("/w/deep", 2)
  await it.claude("/w/sub", 3)
  await it.claude("/w-other", 4)
  await it.codex("/elsewhere", 5)
  expect(await it.titles()).toEqual(["in /w/sub and more", "codex in /w/deep", "in /w and more"])
  expect(await it.titles({ everywhere: true })).toEqual([
    "codex in /elsewhere",
    "in /w-other and more",
    "in /w/sub and more",
    "codex in /w/deep",
    "in /w and more",
  ])
  expect(await it.titles({ everywhere: true, limit: 2 })).toHaveLength(2)
})

test("each row describes the session and whether it can be resumed", async () => {
  await using temp = await tempDirectory()
  const it = makeFixture(temp.path)
  const answer = { type: "assistant", message: { content: "x".repeat(600) } }
  const file = await it.claude("/w", 1, [...claude("/w", "hello"), answer])
  const sessions = await it.list({ redact: (text) => text.replace("hello", "[redacted]") })
  expect(sessions).toEqual([
    {
      host: "claude-code",
      sessionId: uuid(1),
      title: "[redacted] and more",
      cwd: "/w",
      file,
      sizeBytes: expect.any(Number) as number,
      changedAt: 1_700_000_060_000,
      isResumable: true,
    },
  ])
})

test("the user's title has priority over the host's, and the host's over the first prompt", async () => {
  await using temp = await tempDirectory()
  const it = makeFixture(temp.path)
  const custom = { type: "custom-title", customTitle: "by a person" }
  const own = { type: "ai-title", aiTitle: "by the host" }
  await it.claude("/w", 1, [custom, own, ...claude("/w", "words")])
  await it.claude("/w", 2, [...claude("/w", "words"), own])
  await it.claude("/w", 3, [{ type: "summary", summary: "summed up" }, ...claude("/w", "words")])
  await it.claude("/w", 4, [{ type: "queue-operation", operation: "enqueue" }])
  expect(await it.titles()).toEqual([uuid(4), "summed up", "by the host", "by a person"])
})

test("an unchanged transcript is read once, a changed one again", async () => {
  await using temp = await tempDirectory()
  const it = makeFixture(temp.path)
  const heads = createSessionHeads()
  const file = await it.claude("/w", 1, claude("/w", "first"))
  const { mtime } = await stat(file)
  expect(await it.titles({ heads })).toEqual(["first and more"])
  await writeFile(file, (await readFile(file, "utf8")).replace("first", "other"))
  await utimes(file, mtime, mtime)
  expect(await it.titles({ heads })).toEqual(["first and more"])
  await utimes(file, mtime, new Date(mtime.getTime() + 1_000))
  expect(await it.titles({ heads })).toEqual(["other and more"])
})

test("sessions in a relocated host directory are found, also through a link", async () => {
  await using temp = await tempDirectory()
  await using other = await tempDirectory()
  const it = makeFixture(temp.path)
  await it.claude("/w", 1)
  await it.codex("/w", 2, "x")
  await symlink(join(temp.path, ".claude"), join(other.path, "linked"))
  const environment = {
    CLAUDE_CONFIG_DIR: join(other.path, "linked"),
    CODEX_HOME: join(temp.path, "x"),
  }
  expect(await it.titles({ home: "/nowhere", environment })).toHaveLength(2)
  expect(await it.titles({ home: "/nowhere" })).toEqual([])
})

test("links inside are not followed, and other files are not listed as sessions", async () => {
  await using temp = await tempDirectory()
  await using other = await tempDirectory()
  const it = makeFixture(temp.path)
  const file = await it.claude("/w", 1)
  await symlink(file, join(dirname(file), `${uuid(2)}.jsonl`))
  await symlink(dirname(file), join(temp.path, ".claude/projects/-w-linked"))
  await writeFile(join(dirname(file), "notes.txt"), "{}")
  await writeFile(join(dirname(file), "..jsonl"), "{}")
  await mkdir(join(dirname(file), `${uuid(3)}.jsonl`))
  await mkdir(join(temp.path, ".codex/sessions"), { recursive: true })
  await symlink(other.path, join(temp.path, ".codex/sessions/2026"))
  expect(await it.list({ everywhere: true })).toHaveLength(1)
})

test("the folder name of a long path ends in the host's hash of it", () => {
  expect(claudeProjectSlug("/w/é日本_x")).toBe("-w-----x")
  const long = `/${"a".repeat(300)}`
  expect(claudeProjectSlug(long)).toMatch(/^-a{199}-[0-9a-z]+$/)
  expect(claudeProjectSlug(`${long}b`)).not.toBe(claudeProjectSlug(long))
})

test("a session is found by its id alone, and an id is never used as a path", async () => {
  await using temp = await tempDirectory()
  const it = makeFixture(temp.path)
  const places = { home: temp.path, environment: {} }
  const first = await it.claude("/elsewhere", 1)
  const second = await it.codex("/w", 2)
  expect(await findTranscript("claude-code", uuid(1), places)).toBe(first)
  expect(await findTranscript("codex", uuid(2), places)).toBe(second)
  for (const id of [uuid(3), `../-elsewhere/${uuid(1)}`, "", ".", "a/b"]) {
    expect(await findTranscript("claude-code", id, places)).toBeUndefined()
    expect(await findTranscript("codex", id, places)).toBeUndefined()
  }
})

test("a title leaves out context that Quartermaster put in front of the prompt", async () => {
  await using temp = await tempDirectory()
  const it = makeFixture(temp.path)
  const injected =
    '<context label="memory">\nlong\n</context>\n\n<context label="date">\nToday\n</context>\n\n'
  await it.claude("/w", 1, claude("/w", `${injected}Fix the pier`))
  expect(await it.titles()).toEqual(["Fix the pier and more"])
})
