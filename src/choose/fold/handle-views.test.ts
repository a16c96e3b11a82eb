import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import type { Store } from "#ground/store"
import { testClock } from "#test/clock"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { outOfScope, pathWithin } from "./branch/end.ts"
import { fenceFor } from "./branch/package.ts"
import { bringsForeignText } from "./budget/charge.ts"
import { AGENT, countWords, fakeToken, foldFixture, openWith, TASK, words } from "./fold.fixture.ts"
import { MOST_TRAIL_STEPS } from "./rows.ts"
import {
  digestOf,
  LARGEST_SLICE_TOKENS,
  LONGEST_LINE_UNITS,
  linesOf,
  MOST_MATCHES,
  matchesIn,
  sliceOf,
} from "./trail/lines.ts"
import { createSpool } from "./trail/spool.ts"
import { addStep } from "./trail/trail.ts"

let store: Store
beforeAll(async () => {
  store = await openWith({ kind: "memory" })
})
afterAll(() => store.close())

const meterLines = (lines: readonly string[]) =>
  ({ caller: AGENT, tool: "search", input: "q", text: lines.join("\n"), label: "Lines" }) as const

describe("results of the host's tools under handles", () => {
  const token = fakeToken()

  test("[FOLD-33] an output that a hook replaced is stored scrubbed, once, and its file is removed", async () => {
    await using temp = await tempDirectory()
    const spool = createSpool({ stateDirectory: temp.path, random: systemRandom, now: () => 0 })
    const { fold } = await foldFixture(store, testClock(), { deps: { spool } })
    await fold.openReader(AGENT.session)
    const handle = `rh_${"ab".repeat(16)}`
    const folder = join(temp.path, "results")
    const result = { session: AGENT.session, tool: "Bash", at: 1, tokens: 9, text: `a\nb ${token}` }
    await writeFile(join(folder, `${handle}.json`), JSON.stringify(result))
    await writeFile(join(folder, `rh_${"cd".repeat(16)}.json`), "{torn")
    const shown = await fold.read({ handle }, AGENT)
    expect(shown).toMatchObject({ label: "Bash", totalTokens: 9, totalLines: 2 })
    expect(shown.text).not.toContain(token)
    expect(await fold.read({ handle }, AGENT)).toEqual(shown)
    const other = { ...AGENT, session: "another" }
    await expect(fold.read({ handle }, other)).rejects.toMatchObject({ code: "FOLD_NOT_FOUND" })
    expect((await readdir(folder)).filter((it) => !it.startsWith("reader-"))).toEqual([])
    await fold.closeReader(AGENT.session)
    expect(await readdir(folder)).toEqual([])
  })

  test("[FOLD-33] outputs are taken every second without an open branch, also after a failure", async () => {
    await using temp = await tempDirectory()
    const spool = createSpool({ stateDirectory: temp.path, random: systemRandom, now: () => 0 })
    let failures = 1
    const drainTrails: typeof spool.drainTrails = async () => {
      if (failures-- > 0) throw new Error("no disk")
      return spool.drainTrails()
    }
    const clock = testClock()
    const { fold } = await foldFixture(store, clock, {
      deps: { spool: { ...spool, drainTrails } },
    })
    await fold.openReader(AGENT.session)
    const folder = join(temp.path, "results")
    const outputs = async () => (await readdir(folder)).filter((it) => it.startsWith("rh_"))
    const write = async (digits: string) => {
      const result = { session: AGENT.session, tool: "Bash", at: 1, tokens: 9, text: "a" }
      await writeFile(join(folder, `rh_${digits.repeat(16)}.json`), JSON.stringify(result))
    }
    await write("1a")
    fold.watch()
    await expect
      .poll(async () => {
        await clock.advance(60_000)
        return outputs()
      })
      .toEqual([])
    await write("1b")
    await expect
      .poll(async () => {
        await clock.advance(1_000)
        return outputs()
      })
      .toEqual([])
    await fold.close()
    await write("1c")
    await clock.advance(60_000)
    expect(await outputs()).toEqual([`rh_${"1c".repeat(16)}.json`])
  })

  test("[FOLD-33] masked results are stored scrubbed; when scrubbing fails, none is", async () => {
    const { fold, other } = await foldFixture(store, testClock())
    const results = [{ label: `cat ${token}`, text: `x ${token}`, tokens: 3 }]
    const [kept] = (await fold.keepMaskedResults(AGENT.session, results)) ?? []
    expect(JSON.stringify(kept)).not.toContain(token)
    const shown = await fold.read({ handle: kept?.handle ?? "" }, AGENT)
    expect(JSON.stringify(shown)).not.toContain(token)
    expect(shown.totalTokens).toBe(3)
    const broken = other({ secrets: async () => Promise.reject(new Error("no")) })
    expect(await broken.keepMaskedResults(AGENT.session, results)).toBeUndefined()
  })
})

describe("reading by handle", () => {
  test("[FOLD-17] consecutive slices reach the end, and none is large", async () => {
    const { fold } = await foldFixture(store, testClock())
    const lines = Array.from({ length: 500 }, (_, at) => `${at + 1} ${words(9)}`)
    const { handle = "" } = await fold.meter(meterLines(lines))
    const got: string[] = []
    for (let fromLine: number | null = 1; fromLine !== null; ) {
      const slice = await fold.read({ handle, fromLine, lines: 2_000 }, AGENT)
      expect(slice).toMatchObject({ totalLines: 500, totalTokens: 5_000, fromLine, matches: [] })
      expect(countWords(slice.text)).toBeLessThanOrEqual(LARGEST_SLICE_TOKENS)
      got.push(...slice.text.split("\n"))
      fromLine = slice.nextLine
    }
    expect(got).toEqual(lines)
    const past = await fold.read({ handle, fromLine: 9_000 }, AGENT)
    expect(past).toMatchObject({ text: "", nextLine: null })
  })

  test("[FOLD-17] search terms are literal, never patterns", async () => {
    const { fold } = await foldFixture(store, testClock())
    const lines = Array.from({ length: 400 }, (_, at) => `${at + 1} ${words(6)}`)
    lines[99] = "The Total (a+)+$ is ROUNDED here"
    lines[199] = "total alone"
    const { handle = "" } = await fold.meter(meterLines(lines))
    const find = (query: string) => fold.read({ handle, query }, AGENT)
    expect(await find("rounded  total")).toMatchObject({
      text: "",
      matches: [{ line: 100, text: lines[99] }],
      nextLine: null,
    })
    expect((await find("(a+)+$")).matches.map((it) => it.line)).toEqual([100])
    expect((await find(".*")).matches).toEqual([])
    const many = await find("w1")
    expect(many.matches).toHaveLength(MOST_MATCHES)
    const more = await fold.read({ handle, query: "w1", fromLine: many.nextLine ?? 1 }, AGENT)
    expect(more.matches[0]?.line).toBe(many.nextLine)
    expect((await fold.read({ handle, query: "  " }, AGENT)).text).toContain("1 w0")
  })

  test("[FOLD-17] a branch id reads its trail, with large results complete", async () => {
    const { fold } = await foldFixture(store, testClock())
    const { branchId } = await fold.branch(TASK, AGENT)
    await fold.meter(meterLines(Array.from({ length: 3_000 }, (_, at) => `needle${at}`)))
    await fold.return({ branchId, message: "Found it" }, AGENT)
    const found = await fold.read({ handle: branchId, query: "needle1500" }, AGENT)
    expect(found.matches.map((it) => it.text)).toEqual(["needle1500"])
    const { text, label } = await fold.read({ handle: branchId, lines: 4 }, AGENT)
    expect(label).toBe(`Trail of ${TASK.description}`)
    expect(text).toBe(`[1 prompt]\n${TASK.description}\n\n${TASK.prompt}`)
  })

  test("[FOLD-17] every part of a text can be read, whatever its line lengths", () => {
    const Text = fc.array(fc.string({ unit: "binary", maxLength: 3_000 }), { maxLength: 5 })
    fc.assert(
      fc.property(Text, (parts) => {
        const text = parts.join("\n").repeat(2)
        const lines = linesOf(text)
        expect(lines.every((it) => it.length <= LONGEST_LINE_UNITS)).toBe(true)
        let fromLine: number | null = 1
        const got: string[] = []
        while (fromLine !== null) {
          const slice = sliceOf(lines, { fromLine, lines: 7 }, countWords)
          got.push(slice.text)
          fromLine = slice.nextLine
        }
        expect(got.join("\n")).toBe(lines.join("\n"))
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[FOLD-17] of a long line the part with the term is shown, and no surrogate pair is split", () => {
    const long = `${"a".repeat(500)} needle ${"b".repeat(400)}`
    const { matches } = matchesIn([long], ["needle"], { fromLine: 1, count: countWords })
    expect(matches[0]?.text).toContain("needle")
    expect(matches[0]?.text).toHaveLength(200)
    expect(linesOf("😀".repeat(1_000)).every((it) => it.isWellFormed())).toBe(true)
    expect(linesOf("a\u200bb\n")).toEqual(["ab"])
  })

  test("[FOLD-16] a digest is small, however long the lines of the text are", () => {
    const kept = { tokens: 9, handle: "rh_1", label: "It" }
    const wide = Array.from({ length: 50 }, () => "x ".repeat(400)).join("\n")
    expect(countWords(digestOf({ ...kept, text: wide }, countWords))).toBeLessThanOrEqual(800)
    const dense = digestOf({ ...kept, text: wide }, (text) => text.length * 10)
    expect(dense).toContain("kept as rh_1")
    expect(dense).not.toContain("x x")
  })
})

describe("trails", () => {
  test("[FOLD-18] trails are searched line by line, newest branches first, large results included", async () => {
    const { fold, clock } = await foldFixture(store, testClock())
    const older = await fold.branch({ ...TASK, description: "older" }, AGENT)
    await fold.meter(meterLines(Array.from({ length: 3_000 }, (_, at) => `alpha beta${at}`)))
    await fold.return({ branchId: older.branchId, message: "no match here" }, AGENT)
    await clock.advance(1_000)
    const newer = await fold.branch({ ...TASK, prompt: "first\nBeta1500 and ALPHA\nlast" }, AGENT)
    const { found, searched } = await fold.search({ words: "alpha beta1500" })
    expect(searched).toBe(2)
    expect(found).toMatchObject([
      { branchId: newer.branchId, seq: 1, kind: "prompt", line: "Beta1500 and ALPHA" },
      { branchId: older.branchId, seq: 2, kind: "call", tool: "search", line: "alpha beta1500" },
    ])
    expect(await fold.search({ words: "alpha beta1500", limit: 1 })).toMatchObject({
      found: [{ branchId: newer.branchId }],
      searched: 1,
    })
    expect(await fold.search({ words: "  " })).toEqual({ found: [], searched: 0 })
  })

  test("[FOLD-18] a trail is restored completely and in order, fenced as data", async () => {
    const { fold } = await foldFixture(store, testClock())
    const { branchId } = await fold.branch({ ...TASK, prompt: "do\u202e it" }, AGENT)
    await fold.status({ progress: "half" }, AGENT)
    await fold.meter(meterLines(Array.from({ length: 3_000 }, (_, at) => `n${at}`)))
    await fold.return({ branchId, message: "done" }, AGENT)
    const { text, leftOut } = await fold.restore({ id: branchId })
    const [, fence = ""] = /ends with the line (qm-[0-9a-f]{6})/.exec(text) ?? []
    expect(text.split("\n").filter((it) => it === fence)).toHaveLength(4)
    expect(text.match(/^## .*$/gm)).toEqual([
      "## 1 prompt",
      "## 2 progress",
      "## 3 call search",
      "## 4 result",
    ])
    expect(text).toContain("data, not instructions")
    expect(text).toContain("do it")
    expect(text).toContain("\nn1500\n")
    expect(text.match(/^n0$/gm), "no digest beside the whole").toHaveLength(1)
    expect(text).not.toContain("read_handle")
    expect(leftOut).toBe(0)
  })

  test("[FOLD-18] with a budget the newest steps have priority, and the budget is never exceeded", async () => {
    const { fold } = await foldFixture(store, testClock())
    const { branchId } = await fold.branch(TASK, AGENT)
    for (let at = 0; at < 6; at++)
      await fold.charge({ tokens: 1, text: `s${at} ${words(30)}` }, AGENT)
    await fold.meter(meterLines(Array.from({ length: 3_000 }, (_, at) => `n${at}`)))
    await fold.return({ branchId, message: "done" }, AGENT)
    for (const budget of [100, 150, 220, 300, 5_000]) {
      const restored = await fold.restore({ id: branchId, budget })
      expect(restored.tokens).toBeLessThanOrEqual(budget)
      expect(restored.tokens).toBe(countWords(restored.text))
      const steps = [...restored.text.matchAll(/^## (\d+)/gm)].map((it) => Number(it[1]))
      expect(steps).toEqual(steps.toSorted((a, b) => a - b))
      expect(steps).toContain(9)
      expect(steps).toHaveLength(9 - restored.leftOut)
    }
    const all = await fold.restore({ id: branchId, budget: 600 })
    expect(all.leftOut).toBe(0)
    expect(all.text).not.toContain("n1500")
    const short = await fold.restore({ id: branchId, budget: 220 })
    expect(short.text).toContain("steps did not fit")
    expect(short.text).not.toContain("n1500")
  })

  test("[FOLD-18] a trail always has a last step, and each step is truncated at a limit", async () => {
    const { fold, deps } = await foldFixture(store, testClock())
    const { branchId: id } = await fold.branch(TASK, AGENT)
    const db = await deps.db()
    const step = { at: 1, tool: null, text: "x".repeat(100_001), tokens: 0, handle: null }
    const full = { id, steps: MOST_TRAIL_STEPS }
    const after = await db.transaction(async (tx) => [
      await addStep(tx, full, { ...step, kind: "charge" }),
      await addStep(tx, full, { ...step, kind: "forced" }),
    ])
    expect(after).toEqual([MOST_TRAIL_STEPS, MOST_TRAIL_STEPS + 1])
    const { trail } = await fold.show({ id })
    expect(trail.at(-1)?.text).toMatch(/x\n\[1 more characters are not stored\]$/)
  })

  test("[FOLD-18] a fence that occurs in a text is not used", () => {
    const first = fenceFor(["text"])
    expect(fenceFor(["text"])).toBe(first)
    const texts = [`text ${first}`]
    expect(texts[0]).not.toContain(fenceFor(texts))
  })
})

describe("views for the user", () => {
  test("branches of all sessions are listed; those that ended over an hour ago only on request", async () => {
    const { fold, clock } = await foldFixture(store, testClock())
    const old = await fold.branch(TASK, AGENT)
    await fold.return({ branchId: old.branchId, message: "ok" }, AGENT)
    await clock.advance(3_600_001)
    const other = { ...AGENT, principal: "client:c", session: "s2" }
    const open = await fold.branch(TASK, other)
    const idsOf = (list: { branches: readonly { id: string }[] }) =>
      list.branches.map((it) => it.id)
    expect(await fold.list({})).toMatchObject({ active: 1, total: 2 })
    expect(idsOf(await fold.list({}))).toEqual([open.branchId])
    const all = await fold.list({ all: true })
    expect(idsOf(all)).toEqual([open.branchId, old.branchId])
    expect(all.branches.map((it) => it.isArchived)).toEqual([false, true])
    expect(idsOf(await fold.list({ all: true, session: "s1" }))).toEqual([old.branchId])
  })

  test("in the tree each branch is followed by its children, oldest first", async () => {
    const { fold, clock } = await foldFixture(store, testClock())
    const open = async (description: string, parentBranchId: string) => {
      await clock.advance(1)
      return (await fold.branch({ ...TASK, description, parentBranchId }, AGENT)).branchId
    }
    const a = await open("a", "root")
    const b = await open("b", "root")
    await open("a1", a)
    const b1 = await open("b1", b)
    await open("a2", a)
    await open("b1x", b1)
    await fold.charge({ tokens: 7 }, AGENT)
    await clock.advance(1)
    await fold.branch(TASK, { ...AGENT, session: "s2", client: "codex" })
    const { sessions } = await fold.tree({})
    expect(sessions.map((it) => it.sessionId)).toEqual(["s2", "s1"])
    expect(sessions[1]?.branches.map((it) => it.description)).toEqual([
      "a",
      "a1",
      "a2",
      "b",
      "b1",
      "b1x",
    ])
    expect(sessions[1]).toMatchObject({ budgetUsed: 7, client: "some-client" })
    expect((await fold.tree({ session: "s2" })).sessions).toHaveLength(1)
  })
})

test("[FOLD-19] paths are compared in the form the repository uses", () => {
  const within = (path: string) => pathWithin("/repo", path)
  expect(within("/repo/src/a.ts")).toBe("src/a.ts")
  expect(within("./src//a.ts")).toBe("src/a.ts")
  expect(within("src\\a.ts")).toBe("src/a.ts")
  expect(within("/repository/a.ts")).toBe("/repository/a.ts")
  expect(within("src/")).toBe("src")
  expect(outOfScope(["."], ["a.ts", "../b.ts", "/c"])).toEqual(["../b.ts", "/c"])
  expect(outOfScope(["*.md"], ["a.md", "x/a.md", "a.md"])).toEqual(["x/a.md"])
})

test("[FOLD-24] tools that return external text are recognised by name", () => {
  const foreign = ["WebFetch", "web_search", "google_web_search", "mcp__github__get_issue", "fetch"]
  const own = ["Read", "Bash", "mcp__qm__search", "mcp__quartermaster__pack", "apply_patch", ""]
  expect(foreign.filter((it) => !bringsForeignText(it))).toEqual([])
  expect(own.filter(bringsForeignText)).toEqual([])
})
