import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { FolderUnusable, IndexNotOurs, SessionInvalid, TooManySessions } from "../errors.ts"
import { LONGEST_PART_UNITS } from "../limits.ts"
import { renderSessions, renderWorkspace } from "./indices.ts"
import { createSessions } from "./sessions.ts"

const ENTRY = {
  date: "2026-11-15",
  slug: "Fix the Über-parser!",
  request: "Make it parse.\n# not a heading",
  done: ["parser", "tests\nin two lines"],
  decisions: [],
  finalState: "all green",
}

function setUp(path: string, redact: (text: string) => string = (it) => it) {
  const stateDirectory = join(path, ".git", "qm")
  return createSessions({ root: () => path, stateDirectory, redact })
}

describe("registering a session", () => {
  test("[LEDGER-18] writes a file named by day, number and words", async () => {
    await using temp = await tempDirectory()
    const { file, indices } = await setUp(temp.path).register(ENTRY)
    expect(file).toBe(".qm/memory/sessions/2026-11-15-01-fix-the-uber-parser.md")
    expect(indices.written).toEqual([".qm/memory/SESSIONS.md", ".qm/memory/WORKSPACE.md"])
    expect(await readFile(join(temp.path, file), "utf8")).toMatchInlineSnapshot(`
      "# 2026-11-15-01 fix the uber parser

      ## Request

      Make it parse.
      \\# not a heading

      ## Done

      - parser
      - tests
        in two lines

      ## Decisions

      None.

      ## Final state

      all green
      "
    `)
  })

  test("[LEDGER-18] many simultaneous registrations get different numbers, and none is overwritten", async () => {
    await using temp = await tempDirectory()
    const rooms = Array.from({ length: 12 }, () => setUp(temp.path))
    const made = await Promise.all(
      rooms.map((room, index) =>
        room.register({
          ...ENTRY,
          slug: index % 2 === 0 ? "same" : `s${index}`,
          request: `r${index}`,
        }),
      ),
    )
    const names = await readdir(join(temp.path, ".qm/memory/sessions"))
    expect(names.length).toBe(12)
    const numbers = names.map((it) => it.slice(11, 13))
    expect(new Set(numbers).size).toBe(12)
    const sessions = await readFile(join(temp.path, ".qm/memory/SESSIONS.md"), "utf8")
    expect(names.filter((it) => !sessions.includes(`(sessions/${it})`))).toEqual([])
    for (const [index, { file }] of made.entries())
      expect(await readFile(join(temp.path, file), "utf8")).toContain(`r${index}\n`)
  })

  test("[LEDGER-18] the next number follows those that came with git", async () => {
    await using temp = await tempDirectory()
    await mkdir(join(temp.path, ".qm/memory/sessions"), { recursive: true })
    await writeFile(join(temp.path, ".qm/memory/sessions/2026-11-15-41-theirs.md"), "theirs")
    const { file } = await setUp(temp.path).register(ENTRY)
    expect(file).toContain("/2026-11-15-42-")
  })

  test("[LEDGER-19] redacts secrets and removes invisible characters; if that fails, writes nothing", async () => {
    await using temp = await tempDirectory()
    const hidden = { ...ENTRY, request: "the pass\u200Bword" }
    const room = setUp(temp.path, (it) => it.replaceAll("password", "***"))
    const { file } = await room.register(hidden)
    expect(await readFile(join(temp.path, file), "utf8")).toContain("the ***")
    const broken = setUp(join(temp.path, "other"), () => {
      throw new Error("no scrubber")
    })
    await expect(broken.register(ENTRY)).rejects.toThrow("no scrubber")
    expect(await readdir(temp.path)).not.toContain("other")
  })

  test.for([
    { date: "15.11.2026" },
    { date: "2026-02-31" },
    { date: "../../etc/x" },
    { request: " \n" },
    { request: "x".repeat(LONGEST_PART_UNITS + 1) },
    { done: Array.from({ length: 201 }, () => "x") },
  ])("[LEDGER-19] rejects invalid input %#", async (wrong) => {
    await using temp = await tempDirectory()
    const outcome = await setUp(temp.path)
      .register({ ...ENTRY, ...wrong })
      .catch((error: unknown) => error)
    expect(SessionInvalid.is(outcome)).toBe(true)
    expect(await readdir(temp.path)).toEqual([])
  })

  test("[LEDGER-19] does not follow a symlink on the way to the folder", async () => {
    await using temp = await tempDirectory()
    await mkdir(join(temp.path, "elsewhere"))
    await mkdir(join(temp.path, "repo"))
    await symlink(join(temp.path, "elsewhere"), join(temp.path, "repo/.qm"))
    const outcome = await setUp(join(temp.path, "repo"))
      .register(ENTRY)
      .catch((error: unknown) => error)
    expect(FolderUnusable.is(outcome)).toBe(true)
    expect(await readdir(join(temp.path, "elsewhere"))).toEqual([])
  })
})

test("[LEDGER-18] the numbers of a day are limited", async () => {
  await using temp = await tempDirectory()
  await mkdir(join(temp.path, ".qm/memory/sessions"), { recursive: true })
  await writeFile(join(temp.path, ".qm/memory/sessions/2026-11-15-999-last.md"), "last")
  const outcome = await setUp(temp.path)
    .register(ENTRY)
    .catch((error: unknown) => error)
  expect(TooManySessions.is(outcome)).toBe(true)
})

describe("indices", () => {
  test("[LEDGER-20] the same files give the same bytes, which are not written again", async () => {
    await using temp = await tempDirectory()
    const room = setUp(temp.path)
    await room.register(ENTRY)
    const file = join(temp.path, ".qm/memory/SESSIONS.md")
    const [before, text] = [await stat(file), await readFile(file, "utf8")]
    expect(await room.writeIndices()).toEqual({ written: [] })
    expect((await stat(file)).ino).toBe(before.ino)
    await writeFile(file, `${text}scribble`)
    expect(await room.writeIndices()).toEqual({ written: [".qm/memory/SESSIONS.md"] })
    expect(await readFile(file, "utf8")).toBe(text)
  })

  test("[LEDGER-20] SESSIONS.md lists sessions newest first, with their requests", () => {
    const names = ["2026-11-14-02-b", "2026-11-15-100-d", "2026-11-15-99-c", "2026-11-14-01-a"]
    const files = names.map((it) => ({ name: `${it}.md`, title: `${it}: [x](y) <b>` }))
    const text = renderSessions(files)
    expect(renderSessions(files.toReversed())).toBe(text)
    expect(text).toMatchInlineSnapshot(`
      "<!-- Generated by qm from the files in this folder. Edit those; this one is replaced. -->
      # Sessions

      ## 2026-11-15

      - [2026-11-15-100-d: \\[x\\](y) \\<b\\>](sessions/2026-11-15-100-d.md)
      - [2026-11-15-99-c: \\[x\\](y) \\<b\\>](sessions/2026-11-15-99-c.md)

      ## 2026-11-14

      - [2026-11-14-02-b: \\[x\\](y) \\<b\\>](sessions/2026-11-14-02-b.md)
      - [2026-11-14-01-a: \\[x\\](y) \\<b\\>](sessions/2026-11-14-01-a.md)
      "
    `)
    expect(renderWorkspace({})).toContain("## Decisions (0)\n\nNone.")
  })

  test("[LEDGER-20] WORKSPACE.md lists decisions, rules, terms and lessons by title", async () => {
    await using temp = await tempDirectory()
    for (const folder of ["decisions", "rules", "glossary"])
      await mkdir(join(temp.path, ".qm/memory", folder), { recursive: true })
    const put = (name: string, text: string) => writeFile(join(temp.path, ".qm/memory", name), text)
    await put("decisions/a.md", '---\nid: x\ntitle: "One \\"database\\""\n---\n\ntext\n')
    await put("decisions/b.md", "---\ntitle: Old\nstate: confirmed\ncreated: 2026-01-01\n---\n")
    await put("decisions/c.md", "---\ntitle: New\nsuperseded_by: mem_x\ncreated: 2026-02-01\n---\n")
    await put("rules/b.md", "# By hand\n")
    await put("glossary/c.md", "no title")
    await put("glossary/empty.md", "")
    await setUp(temp.path).writeIndices()
    const text = await readFile(join(temp.path, ".qm/memory/WORKSPACE.md"), "utf8")
    const decisions = [
      "- [New](decisions/c.md) (superseded)",
      "- [Old](decisions/b.md)",
      '- [One "database"](decisions/a.md) (proposed)',
    ]
    expect(text).toContain(`## Decisions (3)\n\n${decisions.join("\n")}\n\n`)
    expect(text).toContain("## Rules (1)\n\n- [By hand](rules/b.md)")
    expect(text).toContain("## Glossary (1)\n\n- [c](glossary/c.md)")
  })

  test("[LEDGER-20] a file of that name that qm did not write is left alone", async () => {
    await using temp = await tempDirectory()
    await mkdir(join(temp.path, ".qm/memory"), { recursive: true })
    await writeFile(join(temp.path, ".qm/memory/SESSIONS.md"), "mine")
    const outcome = await setUp(temp.path)
      .writeIndices()
      .catch((error: unknown) => error)
    expect(IndexNotOurs.is(outcome)).toBe(true)
    expect(await readFile(join(temp.path, ".qm/memory/SESSIONS.md"), "utf8")).toBe("mine")
  })
})
