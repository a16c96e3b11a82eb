import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { LARGEST_INDEXED_FILE_BYTES } from "../limits.ts"
import { parseSession, renderSession } from "./session-file.ts"
import { latestLogged, listLogged, readLogged } from "./session-log.ts"

const SESSIONS = ".qm/memory/sessions"
const TEXT = "# 2026-11-15-01 x\n\n## Request\n\nAsk.\nMore.\n\n## Done\n\n- one\n"

async function sessionsIn(root: string, files: Readonly<Record<string, string | Buffer>>) {
  await mkdir(join(root, SESSIONS, "archive"), { recursive: true })
  for (const [name, text] of Object.entries(files))
    await writeFile(join(root, SESSIONS, name), text)
}

describe("registered sessions", () => {
  test("[LEDGER-22] are listed latest first, including archived ones", async () => {
    await using temp = await tempDirectory()
    await sessionsIn(temp.path, {
      "2026-11-15-99-old.md": TEXT,
      "2026-11-15-100-new-one.md": "## Request\n\nby\u200B hand\n",
      "archive/2026-10-01-01-older.md": TEXT,
      "2026-11-16-01-reserved.md": "",
      "notes.md": "no session",
    })
    expect(listLogged(temp.path, 3)).toEqual({
      count: 4,
      logged: [
        {
          file: `${SESSIONS}/2026-11-15-100-new-one.md`,
          date: "2026-11-15",
          title: "new one",
          request: "by hand",
        },
        {
          file: `${SESSIONS}/2026-11-15-99-old.md`,
          date: "2026-11-15",
          title: "x",
          request: "Ask.",
        },
        {
          file: `${SESSIONS}/archive/2026-10-01-01-older.md`,
          date: "2026-10-01",
          title: "x",
          request: "Ask.",
        },
      ],
    })
    expect(listLogged(temp.path, 1).logged.map((it) => it.title)).toEqual(["new one"])
    expect(latestLogged(temp.path)?.file).toBe(`${SESSIONS}/2026-11-15-100-new-one.md`)
    expect(listLogged(join(temp.path, "none"), 5)).toEqual({ count: 0, logged: [] })
    expect(latestLogged(join(temp.path, "none"))).toBeUndefined()
  })

  test("[LEDGER-22] are read by path or name, also from the archive", async () => {
    await using temp = await tempDirectory()
    const name = "2026-10-01-01-older.md"
    await sessionsIn(temp.path, { [`archive/${name}`]: TEXT })
    const expected = { file: `${SESSIONS}/archive/${name}`, text: TEXT }
    for (const input of [name, `${SESSIONS}/${name}`, `${SESSIONS}/archive/${name}`])
      expect(readLogged(temp.path, input)).toEqual(expected)
  })

  test("[LEDGER-22] are read only from their folders: no other folder, no symlink, no oversized file", async () => {
    await using temp = await tempDirectory()
    const root = join(temp.path, "repo")
    const name = "2026-10-01-01-a.md"
    await sessionsIn(root, {
      "2026-10-02-01-large.md": Buffer.alloc(LARGEST_INDEXED_FILE_BYTES + 1, "x"),
      "2026-10-03-01-bytes.md": Buffer.from([0xff, 0xfe]),
      "notes.md": TEXT,
    })
    await writeFile(join(temp.path, name), TEXT)
    await writeFile(join(root, name), TEXT)
    await symlink(join(temp.path, name), join(root, SESSIONS, "2026-10-04-01-link.md"))
    const refused = [
      `../${name}`,
      `${SESSIONS}/../../../${name}`,
      `/${name}`,
      `${SESSIONS}\\..\\${name}`,
      "",
      "notes.md",
      "2026-10-02-01-large.md",
      "2026-10-03-01-bytes.md",
      "2026-10-04-01-link.md",
      name,
    ]
    for (const input of refused)
      expect([input, readLogged(root, input)]).toEqual([input, undefined])
    expect(listLogged(root, 9).logged).toEqual([])
  })

  test("[LEDGER-22] are not read through a symlinked folder", async () => {
    await using temp = await tempDirectory()
    const name = "2026-10-01-01-a.md"
    await sessionsIn(join(temp.path, "other"), { [name]: TEXT })
    await mkdir(join(temp.path, "repo"))
    await symlink(join(temp.path, "other/.qm"), join(temp.path, "repo/.qm"))
    expect(readLogged(join(temp.path, "repo"), name)).toBeUndefined()
    expect(listLogged(join(temp.path, "repo"), 9)).toEqual({ count: 0, logged: [] })
  })
})

test("[LEDGER-22] [F1] read back with all their parts", () => {
  const line = fc.string({ minLength: 1, maxLength: 12 }).map((it) => it.trim())
  const text = fc
    .array(line, { maxLength: 3 })
    .map((it) => it.join("\n").trim())
    .filter((it) => !/^ *\\#/m.test(it) && !/^None\.|^None given\./.test(it))
  const items = fc.array(
    text.filter((it) => it !== "" && !/\n *[-*] /.test(it)),
    { maxLength: 4 },
  )
  const parts = fc.record({ request: text, done: items, decisions: items, finalState: text })
  fc.assert(
    fc.property(parts, (given) => {
      const name = "2026-11-15-01-a-b.md"
      const entry = { date: "2026-11-15", slug: "a-b", ...given }
      expect(parseSession(name, renderSession(name, entry))).toEqual({ title: "a b", ...given })
    }),
    fcParameters({ numRuns: 300 }),
  )
})
