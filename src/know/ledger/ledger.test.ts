import { execFileSync } from "node:child_process"
import { appendFile, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isAppError, systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { createClassifier } from "./classify.ts"
import { driftOf, quickDrift } from "./drift.ts"
import { LedgerUnreadable } from "./errors.ts"
import { createLedger } from "./ledger.ts"
import { linesWith } from "./records.ts"

const classifier = createClassifier()

function setUp(stateDirectory: string) {
  const clock = testClock({ now: 1_000 })
  return { clock, ledger: createLedger({ stateDirectory, clock, random: systemRandom }) }
}

describe("ledger files", () => {
  test("[LEDGER-1] the summary of a session lists its paths", async () => {
    await using temp = await tempDirectory()
    const { ledger, clock } = setUp(temp.path)
    await ledger.modified("s", { path: "a.ts", tool: "Edit" })
    await clock.advance(5)
    await ledger.modified("s", { path: "b.ts", tool: "Write", sha: "b1" })
    await ledger.modified("s", { path: "a.ts", tool: "Edit", sha: "a2" })
    await ledger.changedOutside("s", "a.ts")
    await ledger.simulated("s", { id: "sim_1", files: [{ path: "a.ts", sha: "a2" }], risk: 0.5 })
    await ledger.registered("s", "x.md")
    await ledger.nudge("s", "f")
    expect(await ledger.summarise("s")).toEqual({
      sessionId: "s",
      startedAt: 1_000,
      lastAt: 1_005,
      edits: 3,
      paths: [
        { path: "a.ts", edits: 2, firstAt: 1_000, lastAt: 1_005, sha: "a2" },
        { path: "b.ts", edits: 1, firstAt: 1_005, lastAt: 1_005, sha: "b1" },
      ],
      outside: [{ path: "a.ts", at: 1_005 }],
      registered: [{ file: "x.md", at: 1_005 }],
      nudges: [{ fingerprint: "f", at: 1_005 }],
      simulations: [{ id: "sim_1", files: [{ path: "a.ts", sha: "a2" }], risk: 0.5, at: 1_005 }],
    })
    expect(await ledger.ownSha("s", "a.ts")).toBe("a2")
    expect((await ledger.summarise("other")).edits).toBe(0)
  })

  test("[LEDGER-2] a session id may be any text: the file name is plain, the id is in the file", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    const strange = [
      "",
      "../../etc",
      "a/b",
      "\0",
      "x".repeat(10_000),
      "\uD800",
      "\uDFFF",
      "ä",
      "{}",
    ]
    for (const id of strange)
      await ledger.modified(id, { path: `of ${strange.indexOf(id)}`, tool: "Edit" })
    for (const [index, id] of strange.entries())
      expect((await ledger.summarise(id)).paths.map((it) => it.path)).toEqual([`of ${index}`])
    const names = await readdir(join(temp.path, "ledger"))
    expect(names.every((it) => /^[\da-f]{40}\.jsonl$/.test(it))).toBe(true)
    expect(names.length).toBe(strange.length)
    const sessions = await ledger.sessions({ sinceMs: 0 })
    expect(sessions.map((it) => it.sessionId).toSorted()).toEqual(strange.toSorted())
    expect(await readdir(temp.path)).toEqual(["ledger"])
  })

  test("[LEDGER-2] [F1] any ids and paths read back as they were written", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    const word = fc.string({ unit: "binary", maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(word, word, word, async (id, path, tool) => {
        await ledger.modified(id, { path, tool, sha: tool })
        const { paths } = await ledger.summarise(id)
        expect(paths.find((it) => it.path === path)?.sha).toBe(tool)
        expect(await ledger.ownSha(id, path)).toBe(tool)
      }),
      fcParameters({ numRuns: 60 }),
    )
  })

  test("[LEDGER-3] a truncated last line and invalid lines are skipped, the others count", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    await ledger.modified("s", { path: "a.ts", tool: "Edit" })
    const file = await onlyFile(temp.path)
    const before = await readFile(file, "utf8")
    await appendFile(file, 'nonsense\n[1]\n{"kind":"later"}\n{"kind":"modified","path":7,"at":1}\n')
    await appendFile(file, '\0\0{"kind":"modified","path":"torn')
    await ledger.modified("s", { path: "b.ts", tool: "Edit" })
    await appendFile(file, Buffer.from([0xff, 0xfe, 0x0a]))
    const { paths } = await ledger.summarise("s")
    expect(paths.map((it) => it.path)).toEqual(["a.ts", "b.ts"])
    expect((await readFile(file, "utf8")).startsWith(before)).toBe(true)
  })

  test("[LEDGER-3] simultaneous writers of one session lose no line", async () => {
    await using temp = await tempDirectory()
    const ledgers = Array.from({ length: 5 }, () => setUp(temp.path).ledger)
    await Promise.all(
      ledgers.flatMap((ledger, writer) =>
        Array.from({ length: 20 }, (_, index) =>
          ledger.modified("s", { path: `${writer}-${index}`, tool: "Edit" }),
        ),
      ),
    )
    const summary = await ledgers[0]?.summarise("s")
    expect(summary?.paths.length).toBe(100)
  })

  test("[LEDGER-3] a symlink in place of a ledger is not followed", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    await ledger.modified("s", { path: "a", tool: "Edit" })
    const file = await onlyFile(temp.path)
    await writeFile(join(temp.path, "mine"), "")
    const { ledger: second } = setUp(join(temp.path, "second"))
    await second.modified("other", { path: "a", tool: "Edit" })
    const name = file.split("/").at(-1) ?? ""
    await symlink(join(temp.path, "mine"), join(temp.path, "second", "ledger", name))
    const read = await second.summarise("s").catch((error: unknown) => error)
    expect(LedgerUnreadable.is(read)).toBe(true)
    const written = await second
      .modified("s", { path: "b", tool: "Edit" })
      .catch((error: unknown) => error)
    expect(isAppError(written)).toBe(true)
    expect(await readFile(join(temp.path, "mine"), "utf8")).toBe("")
  })

  test("[LEDGER-4] finds other sessions that touched a path, newest first", async () => {
    await using temp = await tempDirectory()
    const { ledger, clock } = setUp(temp.path)
    for (const id of ["one", "two", "three"]) {
      await clock.advance(10)
      await ledger.modified(id, { path: 'a "quoted".ts', tool: "Edit" })
      await ledger.modified(id, { path: "a", tool: "Edit" })
    }
    const options = { exceptSessionId: "three", sinceMs: 0 }
    expect(await ledger.touchesOfOthers('a "quoted".ts', options)).toEqual([
      { sessionId: "two", path: 'a "quoted".ts', tool: "Edit", at: 1_020 },
      { sessionId: "one", path: 'a "quoted".ts', tool: "Edit", at: 1_010 },
    ])
    expect(await ledger.touchesOfOthers("b", options)).toEqual([])
    const since = { exceptSessionId: "three", sinceMs: 1_015 }
    expect((await ledger.touchesOfOthers("a", since)).map((it) => it.sessionId)).toEqual(["two"])
  })
})

describe("sessions of a worktree", () => {
  test("[LEDGER-26] lists other sessions that were opened in a worktree last or edited its files, with those files", async () => {
    await using temp = await tempDirectory()
    const { ledger, clock } = setUp(temp.path)
    const edit = (id: string, file: string, tree: string) =>
      ledger.modified(id, { path: file, tool: "Edit", tree })
    await ledger.opened("idle", "codex", "east")
    await ledger.opened("moved", "codex", "east")
    await ledger.opened("moved", "codex", "west")
    await ledger.opened("visitor", "claude-code", "west")
    await edit("visitor", "old.ts", "east")
    await clock.advance(10)
    await edit("visitor", "a.ts", "east")
    await edit("visitor", "a.ts", "east")
    await edit("visitor", "b.ts", "west")
    await ledger.opened("asks", "claude-code", "east")
    const options = { exceptSessionId: "asks", sinceMs: 1_005 }
    const others = await ledger.othersInTree("east", { ...options, sinceMs: 0 })
    expect(others.map((it) => [it.sessionId, it.paths])).toEqual([
      ["visitor", ["old.ts", "a.ts"]],
      ["idle", []],
    ])
    const recent = await ledger.othersInTree("east", options)
    expect(recent.find((it) => it.sessionId === "visitor")?.paths).toEqual(["a.ts"])
  })
})

describe("active sessions", () => {
  test("[LEDGER-21] a session records its host once, before any other line", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    await ledger.opened("s", "codex")
    await ledger.opened("s", "codex")
    await ledger.modified("s", { path: "a.ts", tool: "Edit" })
    await ledger.modified("t", { path: "a.ts", tool: "Edit" })
    const lines = (await readFile(await fileOf(temp.path, "codex"), "utf8")).split("\n")
    expect(lines.filter((it) => it.includes("opened")).length).toBe(1)
    const sessions = await ledger.sessions({ sinceMs: 0 })
    const hosts = Object.fromEntries(sessions.map((it) => [it.sessionId, it.host]))
    expect(hosts).toEqual({ s: "codex", t: undefined })
    await ledger.opened("s", "claude-code")
    const again = await ledger.sessions({ sinceMs: 0 })
    expect(again.find((it) => it.sessionId === "s")?.host).toBe("claude-code")
  })

  test("[LEDGER-21] lists each session with its activity, the latest first", async () => {
    await using temp = await tempDirectory()
    const { ledger, clock } = setUp(temp.path)
    await ledger.opened("quiet", "codex")
    await clock.advance(5)
    for (const path of ["src/a.ts", "src/a.ts", "src/b.ts", "notes.txt"])
      await ledger.modified("busy", { path, tool: "Edit" })
    await clock.advance(5)
    for (const path of ["src/a.ts", "CHANGELOG.md"])
      await ledger.modified("done", { path, tool: "Edit" })
    await clock.advance(5)
    await ledger.modified("done", { path: "src/c.ts", tool: "Edit" })
    expect(await ledger.listLive({ sinceMs: 0, classifier })).toEqual([
      {
        session: "done",
        host: null,
        startedAt: 1_010,
        lastAt: 1_015,
        edits: 3,
        files: 3,
        drifted: 1,
        isRegistered: true,
      },
      {
        session: "busy",
        host: null,
        startedAt: 1_005,
        lastAt: 1_005,
        edits: 4,
        files: 3,
        drifted: 2,
        isRegistered: false,
      },
      {
        session: "quiet",
        host: "codex",
        startedAt: 1_000,
        lastAt: 1_000,
        edits: 0,
        files: 0,
        drifted: 0,
        isRegistered: false,
      },
    ])
    expect(await ledger.listLive({ sinceMs: Number.MAX_VALUE, classifier })).toEqual([])
  })
})

describe("drift", () => {
  test("[LEDGER-5] two important files without a registration give one nudge, and one for each new drift", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    const edit = (path: string) => ledger.modified("s", { path, tool: "Edit" })
    expect(await ledger.nudgeDue("s", classifier)).toEqual({ kind: "not-due", why: "registered" })
    await edit("src/a.ts")
    await edit("notes.txt")
    expect(await ledger.nudgeDue("s", classifier)).toEqual({ kind: "not-due", why: "little" })
    await edit("src/b.ts")
    const due = await ledger.nudgeDue("s", classifier)
    const drift = await ledger.drift("s", classifier)
    expect(due).toEqual({ kind: "due", drift })
    expect(drift.paths).toEqual(["src/a.ts", "src/b.ts"])
    expect(await ledger.nudge("s", drift.fingerprint)).toBe(true)
    await edit("src/a.ts")
    expect(await ledger.nudgeDue("s", classifier)).toEqual({ kind: "not-due", why: "nudged" })
    await edit("src/c.ts")
    expect((await ledger.nudgeDue("s", classifier)).kind).toBe("due")
    await ledger.registered("s", ".qm/memory/sessions/x.md")
    expect(await ledger.nudgeDue("s", classifier)).toEqual({ kind: "not-due", why: "registered" })
  })

  test("[LEDGER-5] an edit of a registration file registers the session", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    for (const path of ["src/a.ts", "src/b.ts", ".qm/memory/decisions/x.md"])
      await ledger.modified("s", { path, tool: "Edit" })
    expect((await ledger.nudgeDue("s", classifier)).kind).toBe("not-due")
  })

  test("[LEDGER-5] exactly one of many simultaneous nudges is due", async () => {
    await using temp = await tempDirectory()
    const ledgers = Array.from({ length: 12 }, () => setUp(temp.path).ledger)
    const outcomes = await Promise.all(ledgers.map((it) => it.nudge("s", "f")))
    expect(outcomes.filter(Boolean).length).toBe(1)
    expect(await ledgers[0]?.nudge("s", "f")).toBe(false)
    expect(await ledgers[0]?.nudge("s", "g")).toBe(true)
    expect(await ledgers[0]?.nudge("t", "f")).toBe(true)
  })

  test("a drift is identified by its first 100 files", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    await ledger.modified("s", { path: "src/0.ts", tool: "Edit" })
    const lines = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ kind: "modified", path: `src/${index}.ts`, tool: "Edit", at: 1 }),
    )
    await appendFile(await onlyFile(temp.path), `${lines.join("\n")}\n`)
    const drift = await ledger.drift("s", classifier)
    expect([drift.paths.length, drift.isCut]).toEqual([100, true])
    expect(drift.paths).toEqual(Array.from({ length: 100 }, (_, it) => `src/${it}.ts`).toSorted())
    expect(await ledger.nudge("s", drift.fingerprint)).toBe(true)
    await ledger.modified("s", { path: "src/new.ts", tool: "Edit" })
    expect(await ledger.nudgeDue("s", classifier)).toEqual({ kind: "not-due", why: "nudged" })
  })

  test("a damaged line makes the drift reader fall back to the whole ledger", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    await ledger.modified("s", { path: "src/a.ts", tool: "Edit" })
    const saved = JSON.stringify({ kind: "modified", path: "src/b.ts", tool: "Edit", at: 1 })
    await appendFile(await onlyFile(temp.path), `\0\0${saved}\n`)
    expect((await ledger.drift("s", classifier)).paths).toEqual(["src/a.ts", "src/b.ts"])
  })

  test("[F1] the fast drift reader and the full one agree on any ledger", () => {
    const path = fc.constantFrom(
      "a.ts",
      "src/b.ts",
      "CHANGELOG.md",
      "x.txt",
      'd/ü "q".ts',
      "old.md",
    )
    const line = fc.oneof(
      {
        weight: 8,
        arbitrary: path.map((it) => ({ kind: "modified", path: it, tool: "t", at: 1 })),
      },
      fc.constant({ kind: "registered", file: "x.md", at: 2 }),
      fc.constant({ kind: "outside", path: "CHANGELOG.md", at: 2 }),
      fc.constant({ kind: "registered", at: 2 }),
      fc.constantFrom("", "torn {", '{"kind":"registered"'),
    )
    const globs = fc.constantFrom(
      undefined,
      ["*.md"],
      ["{CHANGELOG,x}.md"],
      ["[a-z].txt"],
      ["d/**"],
      [],
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), globs, (lines, registration) => {
        const text = lines
          .map((it) => (typeof it === "string" ? it : JSON.stringify(it)))
          .join("\n")
        const own = createClassifier(registration === undefined ? {} : { registration })
        const records = lines.flatMap((it) =>
          typeof it === "string" ? [] : (linesWith(Buffer.from(JSON.stringify(it)), "{")[0] ?? []),
        )
        const quick = quickDrift(Buffer.from(text), own)
        const careful = driftOf(records, own)
        expect(quick ?? careful).toEqual(careful)
        const isWhole = lines.every((it) => it === "" || typeof it !== "string")
        if (isWhole && own.registrationMarks !== undefined) expect(quick).toBeDefined()
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("[LEDGER-6] simulations of a session come back in order, each with its hashes", async () => {
    await using temp = await tempDirectory()
    const { ledger } = setUp(temp.path)
    const first = { id: "one", files: [{ path: "a", sha: "1" }], risk: 1 }
    const second = { id: "two", files: [{ path: "b", sha: "2" }], risk: 0 }
    await ledger.simulated("s", first)
    await ledger.simulated("s", second)
    expect(await ledger.simulations("s")).toMatchObject([first, second])
    expect(await ledger.simulations("t")).toEqual([])
  })
})

describe("imports of the room", () => {
  test("[LEDGER-7] importing the room loads no package", () => {
    const program = `
      const { registerHooks } = await import("node:module")
      const seen = []
      registerHooks({
        resolve(name, context, next) {
          const found = next(name, context)
          seen.push(found.url)
          return found
        },
      })
      await import("#know/ledger")
      const rooms = seen.filter((it) => it.includes("/src/")).map((it) => /src\\/(\\w+\\/\\w+)/.exec(it)[1])
      const packages = seen.filter((it) => it.includes("node_modules"))
      console.log(JSON.stringify({ packages, rooms: [...new Set(rooms)].sort() }))`
    const root = join(import.meta.dirname, "../../..")
    const args = ["--input-type=module", "--eval", program]
    const output = execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    expect(JSON.parse(output)).toEqual({ packages: [], rooms: ["ground/base", "know/ledger"] })
  })
})

async function fileOf(stateDirectory: string, text: string): Promise<string> {
  const folder = join(stateDirectory, "ledger")
  const files = (await readdir(folder)).map((it) => join(folder, it))
  const texts = await Promise.all(files.map((it) => readFile(it, "utf8")))
  return files[texts.findIndex((it) => it.includes(text))] ?? ""
}

async function onlyFile(stateDirectory: string): Promise<string> {
  const [name = ""] = await readdir(join(stateDirectory, "ledger"))
  return join(stateDirectory, "ledger", name)
}
