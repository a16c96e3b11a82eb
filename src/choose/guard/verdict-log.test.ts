import { appendFile, mkdir, readdir, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { VerdictLine } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { appendVerdict, dayOf, readVerdicts, tryPatterns } from "./verdict-log.ts"

const NOW = Date.UTC(2020, 5, 15, 12)
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

const line = (own: Partial<VerdictLine> = {}): VerdictLine => ({
  at: NOW,
  host: "codex",
  event: "before-edit",
  session: "mine",
  tool: "Edit",
  paths: ["a.ts"],
  rule: null,
  verdict: "silent",
  text: "",
  ms: 1,
  ...own,
})

async function logOf(...lines: readonly VerdictLine[]) {
  const directory = await tempDirectory()
  const stateDirectory = directory.path
  for (const it of lines) await appendVerdict(stateDirectory, it)
  return {
    stateDirectory,
    read: (own: Partial<Parameters<typeof readVerdicts>[0]> = {}) =>
      readVerdicts({ stateDirectory, now: NOW, sinceMs: NOW - DAY_MS, limit: 100, ...own }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

describe("reading the verdict log", () => {
  test("[GUARD-29] returns the newest first, across days, back to the given time", async () => {
    const hours = [0, 1, 11, 13, 23, 24, 25]
    await using log = await logOf(...hours.map((it) => line({ at: NOW - it * HOUR_MS })))
    const { verdicts, isCut } = await log.read()
    expect(verdicts.map((it) => (NOW - it.at) / HOUR_MS)).toEqual([0, 1, 11, 13, 23, 24])
    expect(isCut).toBe(false)
  })

  test("[GUARD-29] filters by session, rule or verdict, and counts what it leaves out", async () => {
    await using log = await logOf(
      line({ verdict: "deny", rule: "risk" }),
      line({ verdict: "deny", rule: "risk", session: "theirs" }),
      line({ verdict: "warn", rule: "concurrency" }),
      line({ at: NOW - 1, verdict: "deny", rule: "concurrency" }),
    )
    expect((await log.read({ session: "theirs" })).verdicts).toHaveLength(1)
    expect((await log.read({ rule: "concurrency" })).counts).toMatchObject({ deny: 1, warn: 1 })
    const cut = await log.read({ verdict: "deny", limit: 2 })
    expect([cut.verdicts.length, cut.counts.deny, cut.counts.warn, cut.isCut]).toEqual([
      2,
      3,
      0,
      true,
    ])
  })

  test("[GUARD-29] skips damaged lines only", async () => {
    await using log = await logOf(line({ text: "before" }))
    const file = join(log.stateDirectory, "verdicts", `${dayOf(NOW)}.jsonl`)
    const odd = ["{", "[]", "null", '{"at":1}', JSON.stringify({ ...line(), verdict: "toString" })]
    await appendFile(file, `${odd.join("\n")}\n{"at":15`)
    await appendVerdict(log.stateDirectory, line({ at: NOW + 1, text: "after" }))
    await writeFile(join(log.stateDirectory, "verdicts", "2020-06-14.jsonl"), "\0\0\0")
    await mkdir(join(log.stateDirectory, "verdicts", "2020-06-16.jsonl"))
    const { verdicts } = await log.read()
    expect(verdicts.map((it) => it.text)).toEqual(["after", "before"])
  })

  test("[GUARD-29] reading deletes entries older than 30 days, and nothing else", async () => {
    const days = [0, 29, 30, 31, 400]
    await using log = await logOf(...days.map((it) => line({ at: NOW - it * DAY_MS })))
    const at = (...names: readonly string[]) => join(log.stateDirectory, ...names)
    await writeFile(at("verdicts", "notes.txt"), "")
    for (const folder of ["said", "loaded"]) {
      await mkdir(at(folder))
      for (const [name, age] of [
        ["old.jsonl", 31],
        ["new.jsonl", 29],
        ["old.txt", 31],
      ] as const) {
        await writeFile(at(folder, name), "")
        const moment = (NOW - age * DAY_MS) / 1_000
        await utimes(at(folder, name), moment, moment)
      }
    }
    await log.read()
    const left = [dayOf(NOW - 30 * DAY_MS), dayOf(NOW - 29 * DAY_MS), dayOf(NOW)]
    const files = await readdir(at("verdicts"))
    expect(files.toSorted()).toEqual([...left.map((it) => `${it}.jsonl`), "notes.txt"])
    for (const folder of ["said", "loaded"]) {
      expect((await readdir(at(folder))).toSorted()).toEqual(["new.jsonl", "old.txt"])
    }
  })

  test("[GUARD-29] returns nothing without a log", async () => {
    await using log = await logOf()
    expect(await log.read()).toMatchObject({ verdicts: [], isCut: false })
  })

  test("[GUARD-29] any entry reads back as it was stored", async () => {
    const text = fc.string({ unit: "binary", maxLength: 700 })
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        fc.array(text, { maxLength: 3 }),
        async (said, session, paths) => {
          await using log = await logOf(line({ text: said, session, paths }))
          const [read] = (await log.read()).verdicts
          expect(read?.paths).toEqual(JSON.parse(JSON.stringify(paths)))
          const isWhole = said.length <= 500
          expect(isWhole ? read?.text === said : said.startsWith(read?.text ?? "-")).toBe(true)
        },
      ),
      fcParameters({ numRuns: 30 }),
    )
  })

  test("[GUARD-28] an invalid timestamp still has a day", () => {
    const days = [Number.NaN, -1, Number.POSITIVE_INFINITY, 1e300, NOW].map(dayOf)
    expect(days).toEqual(["1970-01-01", "1970-01-01", "1970-01-01", "9999-12-31", "2020-06-15"])
  })
})

describe("trying patterns on the log", () => {
  test("lists the logged edits that a list of risk patterns matches, each once", () => {
    const edit = (at: number, path: string, own: Partial<VerdictLine> = {}) =>
      line({ at, paths: [path], ...own })
    const tried = tryPatterns(
      [
        edit(1, "src/auth/a.ts", { verdict: "warn" }),
        edit(2, "src/auth/a.ts", { event: "after-edit" }),
        edit(3, "src/auth/a.ts", { event: "after-edit" }),
        edit(4, "src/auth/a.ts", { session: "theirs", event: "after-edit" }),
        edit(5, "docs/auth/b.md"),
        edit(6, "src/b.ts"),
        line({ at: 7, event: "after-tool", paths: ["src/auth/a.ts"] }),
        line({ at: 8, event: "stop", paths: [] }),
      ],
      ["**/auth/**", "!docs/**", "x/*", "../y"],
    )
    expect(tried.patterns).toEqual([
      { pattern: "**/auth/**", edits: 3, problem: null },
      { pattern: "!docs/**", edits: 1, problem: null },
      { pattern: "x/*", edits: 0, problem: null },
      { pattern: "../y", edits: 0, problem: "it contains . or .. as a path component" },
    ])
    expect(tried.looked).toBe(5)
    expect(tried.hits.map((it) => [it.at, it.session, it.was])).toEqual([
      [4, "theirs", "silent"],
      [3, "mine", "silent"],
      [1, "mine", "warn"],
    ])
  })
})
