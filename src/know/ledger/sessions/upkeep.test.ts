import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { LEAST_LIKENESS_SHARE } from "../limits.ts"
import { renderSessions } from "./indices.ts"
import { createSessions } from "./sessions.ts"
import { archivable, sharedLessons } from "./upkeep.ts"

const SESSIONS = ".qm/memory/sessions"
const NOW = Date.UTC(2026, 10, 16, 12)
const DAY_MS = 24 * 60 * 60_000
const ENTRY = {
  date: "2026-11-16",
  slug: "now",
  request: "Do it.",
  done: [],
  decisions: [],
  finalState: "",
}

function setUp(path: string) {
  const stateDirectory = join(path, ".git/qm")
  return createSessions({ root: () => path, stateDirectory, redact: (it) => it })
}

async function sessionsOn(
  root: string,
  days: readonly string[],
  decision = "none at all",
): Promise<void> {
  await mkdir(join(root, SESSIONS), { recursive: true })
  const text = `# x\n\n## Request\n\nr\n\n## Decisions\n\n- ${decision}\n`
  for (const [index, day] of days.entries())
    await writeFile(join(root, SESSIONS, `${day}-${String(index + 1).padStart(2, "0")}-s.md`), text)
}

function times<Item>(count: number, item: Item): readonly Item[] {
  return Array.from({ length: count }, () => item)
}

describe("the archive", () => {
  test("[LEDGER-24] sessions older than seven days are archived once there are more than thirty", async () => {
    await using temp = await tempDirectory()
    await sessionsOn(temp.path, [
      ...times(5, "2026-10-30"),
      ...times(4, "2026-11-08"),
      ...times(20, "2026-11-09"),
    ])
    const quiet = await setUp(temp.path).register(ENTRY, { level: 5, now: NOW })
    expect(quiet.archived).toEqual([])
    const { archived, file } = await setUp(temp.path).register(ENTRY, { level: 5, now: NOW })
    expect(archived.length).toBe(9)
    expect(archived[0]).toBe(`${SESSIONS}/archive/2026-10-30-01-s.md`)
    const left = await readdir(join(temp.path, SESSIONS))
    expect(left.filter((it) => it < "2026-11-09")).toEqual([])
    expect(left.length).toBe(23)
    const index = await readFile(join(temp.path, ".qm/memory/SESSIONS.md"), "utf8")
    expect(index).toContain(`(sessions/${file.split("/").at(-1)})`)
    expect(
      index.endsWith(
        "## Archive\n\n- 2026-11: 4 in sessions/archive\n- 2026-10: 5 in sessions/archive\n",
      ),
    ).toBe(true)
    expect(index).not.toContain("2026-10-30")
  })

  test("[LEDGER-24] nothing is archived below level 5, or twice in a day", async () => {
    await using temp = await tempDirectory()
    await sessionsOn(temp.path, times(31, "2026-10-30"))
    for (const upkeep of [undefined, { level: 4, now: NOW }])
      expect((await setUp(temp.path).register(ENTRY, upkeep)).archived).toEqual([])
    const upkeep = { level: 5, now: NOW }
    expect((await setUp(temp.path).register(ENTRY, upkeep)).archived.length).toBe(31)
    await sessionsOn(temp.path, times(31, "2026-10-29"))
    expect((await setUp(temp.path).register(ENTRY, upkeep)).archived).toEqual([])
    const tomorrow = { level: 5, now: NOW + DAY_MS }
    expect((await setUp(temp.path).register(ENTRY, tomorrow)).archived.length).toBe(31)
  })

  test("[LEDGER-24] an archived file is not replaced, and its number is not reused", async () => {
    await using temp = await tempDirectory()
    await sessionsOn(temp.path, times(31, "2026-10-30"))
    await mkdir(join(temp.path, SESSIONS, "archive"))
    const there = join(temp.path, SESSIONS, "archive/2026-10-30-01-s.md")
    await writeFile(there, "mine")
    const room = setUp(temp.path)
    expect((await room.register(ENTRY, { level: 7, now: NOW })).archived.length).toBe(30)
    expect(await readFile(there, "utf8")).toBe("mine")
    const { file } = await room.register({ ...ENTRY, date: "2026-10-30" })
    expect(file).toContain("/2026-10-30-32-")
  })

  test("[LEDGER-24] a symlink in its place is not followed, and the session is still registered", async () => {
    await using temp = await tempDirectory()
    const root = join(temp.path, "repo")
    await sessionsOn(root, times(31, "2026-10-30"))
    await mkdir(join(temp.path, "elsewhere"))
    await symlink(join(temp.path, "elsewhere"), join(root, SESSIONS, "archive"))
    const { archived, file } = await setUp(root).register(ENTRY, { level: 5, now: NOW })
    expect(archived).toEqual([])
    expect(await readFile(join(root, file), "utf8")).toContain("Do it.")
    expect(await readdir(join(temp.path, "elsewhere"))).toEqual([])
  })

  test("[LEDGER-24] a session is old after seven full days", () => {
    const days = ["2026-11-08", "2026-11-09", "2026-11-10", "no session"]
    const names = times(8, days).flatMap((it, index) =>
      it.map((day) => `${day}-${index + 10}-x.md`),
    )
    expect([...new Set(archivable(names, NOW).map((it) => it.slice(0, 10)))]).toEqual([
      "2026-11-08",
    ])
    expect(archivable(names.slice(0, 30), NOW)).toEqual([])
    expect(renderSessions([], ["2026-10-01-01-a.md"])).toContain("- 2026-10: 1 in sessions/archive")
  })
})

describe("lessons", () => {
  const LINE = "Run the migrations before the tests of the store."

  test("[LEDGER-25] a line of ten sessions is proposed once, and at most one a day", async () => {
    await using temp = await tempDirectory()
    await sessionsOn(temp.path, times(9, "2026-11-12"), LINE)
    const proposalAt = async (now: number, level = 5) =>
      (await setUp(temp.path).register(ENTRY, { level, now })).proposal
    expect(await proposalAt(NOW)).toBeUndefined()
    await sessionsOn(
      temp.path,
      times(11, "2026-11-13"),
      "Run migrations before the tests of the store",
    )
    await sessionsOn(temp.path, times(10, "2026-11-14"), "Ask the owner before a schema is changed")
    expect(await proposalAt(NOW, 4)).toBeUndefined()
    const proposal = await proposalAt(NOW)
    expect(proposal?.text).toBe(
      '20 sessions recorded nearly the same: "Run migrations before the tests of the store". If it is true, record it once: qm memory add "<title>" "<what and why>" --kind strategy --cites <path>',
    )
    expect(proposal?.files.length).toBe(20)
    expect(proposal?.files).toContain(`${SESSIONS}/2026-11-12-01-s.md`)
    expect(await proposalAt(NOW)).toBeUndefined()
    expect((await proposalAt(NOW + DAY_MS))?.text).toContain("10 sessions")
    expect(await proposalAt(NOW + 2 * DAY_MS)).toBeUndefined()
  })

  test("[LEDGER-25] short lines, and lines of one session, are not proposed", () => {
    const session = (index: number, decisions: readonly string[]) => ({
      file: `f${index}`,
      date: "",
      title: "",
      request: "",
      done: [],
      finalState: "",
      decisions,
    })
    const many = Array.from({ length: 12 }, (_, index) => session(index, ["tests added here"]))
    expect(sharedLessons(many)).toEqual([])
    expect(sharedLessons([session(1, times(12, "One line that is said many times"))])).toEqual([])
    const real = Array.from({ length: 10 }, (_, it) => session(it, ["A line worth keeping once"]))
    expect(sharedLessons(real).map((it) => it.line)).toEqual(["A line worth keeping once"])
  })

  test("[LEDGER-25] [F1] two lines that share most of their words are one lesson", () => {
    const word = fc.stringMatching(/^[a-z]{3}$/)
    const words = fc.uniqueArray(word, { minLength: 4, maxLength: 12 })
    fc.assert(
      fc.property(words, fc.nat(3), (all, less) => {
        const [first, second] = [all.join(" "), all.slice(0, all.length - less).join(" ")]
        const own = (index: number) => ({
          file: `f${index}`,
          date: "",
          title: "",
          request: "",
          decisions: [index % 2 === 0 ? first : second],
          done: [],
          finalState: "",
        })
        const isNear = (all.length - less) / all.length >= LEAST_LIKENESS_SHARE
        const isLong = all.length - less >= 4
        const lessons = sharedLessons(Array.from({ length: 10 }, (_, index) => own(index)))
        expect(lessons.length).toBe(isNear && isLong ? 1 : 0)
      }),
      fcParameters({ numRuns: 200 }),
    )
  })
})
