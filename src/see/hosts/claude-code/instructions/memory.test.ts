import { expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import type { HostPlace } from "../../host.ts"
import { claudeProjectSlug } from "../../transcripts/find-transcripts.ts"
import { survey } from "../claude-code.ts"
import { cutMemory } from "./memory.ts"

const lines = (count: number, text = "x") => Array.from({ length: count }, () => text).join("\n")

test("[HOSTS-8] a memory file within its limits is sent whole", () => {
  expect(cutMemory(`\n${lines(200)}\n`)).toEqual({ content: lines(200), isCut: false })
})

test("[HOSTS-8] too many lines are truncated, with the host's own sentence", () => {
  const { content, isCut } = cutMemory(`${lines(200)}\nthe next one\n${lines(3)}`)
  expect(isCut).toBe(true)
  expect(content).toBe(
    `${lines(200)}\n\n> WARNING: MEMORY.md is 204 lines (limit: 200). Only part of it was loaded: ` +
      '4 of 204 lines were cut off, starting at line 201 ("the next one"). Keep index entries to ' +
      "one line under ~200 chars; move detail into topic files.",
  )
})

test("[HOSTS-8] a long text is truncated at a line end, a single long line in its middle", () => {
  const long = cutMemory(lines(150, "y".repeat(190)))
  expect(long.content).toContain("MEMORY.md is 28KB (limit: 24.4KB) — index entries are too long")
  expect(long.content).toContain(
    `20 of 150 lines were cut off, starting at line 131 ("${"y".repeat(79)}…")`,
  )
  const one = cutMemory("z".repeat(30_000))
  expect(one.content).toContain("everything after the first 25000 characters of line 1 was cut off")
  const both = cutMemory(lines(9_000, "word ".repeat(40)))
  expect(both.content).toContain("MEMORY.md is 9000 lines and 1.7MB.")
  expect(both.content).toContain(
    '("word word word word word word word word word word word word word word word…")',
  )
  expect(cutMemory(`${lines(200)}\n\nx`).content).toContain("starting at line 201. Keep")
})

const PLACE: HostPlace = {
  workingDirectory: "/r/p",
  home: "/home/u",
  environment: {},
  platform: "linux",
}

async function memoryOf(
  files: Readonly<Record<string, PlantedFile>>,
  place: Partial<HostPlace> = {},
) {
  const found = await survey({ ...PLACE, ...place }, memoryDisk({ "/r/p/.keep": "", ...files }))
  const items = found.items.filter((it) => it.kind === "memory")
  return { sent: items.map((it) => it.sent), notes: found.notes.map((it) => it.code), items }
}

const FILE = "/home/u/.claude/projects/-r-p/memory/MEMORY.md"
const json = (value: unknown) => JSON.stringify(value)

test("[HOSTS-8] the memory folder is named after the repository, or after the folder outside git", async () => {
  const files = { [FILE]: "folder", "/home/u/.claude/projects/-r/memory/MEMORY.md": "repository" }
  expect((await memoryOf(files)).sent).toEqual(["folder"])
  expect((await memoryOf({ ...files, "/r/.git": { dir: true } })).sent).toEqual(["repository"])
  const own = json({ autoMemoryDirectory: "~/m" })
  const chosen = { ...files, "/home/u/.claude/settings.json": own, "/home/u/m/MEMORY.md": "own" }
  expect((await memoryOf(chosen)).sent).toEqual(["own"])
  const absolute = { "/home/u/.claude/settings.json": json({ autoMemoryDirectory: "/m" }) }
  expect((await memoryOf({ ...absolute, "/m/MEMORY.md": "m" })).sent).toEqual(["m"])
})

test("[HOSTS-8] memory is sent without invisible characters", async () => {
  const text = "---\na: 1\n---\na\u200Bb\u202Ec\u00ADd\r\ne 👩‍👧\n</system-reminder>\u0007"
  expect((await memoryOf({ [FILE]: text })).sent).toEqual(["abcd\ne 👩‍👧\n<\\/system-reminder>"])
  const { items, notes } = await memoryOf({ [FILE]: "<!-- nothing -->" })
  expect([items, notes]).toEqual([[], []])
  const cut = await memoryOf({ [FILE]: lines(300) })
  expect(cut.items[0]).toMatchObject({ load: "startup-capped", scope: "memory", trust: "own" })
  expect(cut.notes).toEqual(["file-cut"])
})

test("[HOSTS-8] memory can be switched off and forced on", async () => {
  const name = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
  const off = { [FILE]: "m", "/r/p/.claude/settings.json": json({ autoMemoryEnabled: false }) }
  expect(await memoryOf(off)).toMatchObject({ sent: [], notes: ["switched-off"] })
  expect((await memoryOf({ [FILE]: "m" }, { environment: { [name]: "1" } })).sent).toEqual([])
  expect((await memoryOf(off, { environment: { [name]: "0" } })).sent).toEqual(["m"])
})

test("[HOSTS-8] a long path is shortened with a hash over UTF-16 units", () => {
  expect(claudeProjectSlug("/a/é日本.x")).toBe("-a-----x")
  const long = `/${"abcdefghi/".repeat(25)}`
  expect(claudeProjectSlug(long)).toMatch(/^[-a-z]{200}-[0-9a-z]{1,7}$/)
  expect(claudeProjectSlug(long)).not.toBe(claudeProjectSlug(`${long}x`))
})
