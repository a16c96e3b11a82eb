import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { digest } from "#know/ledger"
import { blobId } from "#see/repo"
import { hookFixture } from "#test/hook-fixture"
import { track } from "./track.ts"

const MINUTE_MS = 60_000
const edited = (...paths: readonly string[]) => ({ tool: "Edit", paths, tokens: 10 })

describe("edited files", () => {
  test("[GUARD-19] are recorded in the ledger with the hash of the new content", async () => {
    await using it = await hookFixture()
    await it.write("src/a.ts", "one\n")
    expect(await track.judge(it.event("after-edit", edited("src/a.ts", "gone.ts")), it)).toEqual({
      kind: "silent",
    })
    expect((await it.ledger.summarise("mine")).paths).toMatchObject([
      { path: "src/a.ts", edits: 1, sha: blobId(Buffer.from("one\n"), "sha1") },
      { path: "gone.ts", edits: 1, sha: undefined },
    ])
  })

  test("[GUARD-19] are hashed in the repository's object format", async () => {
    await using it = await hookFixture()
    await it.write(".git/config", "[extensions]\n\tobjectFormat = sha256\n")
    await it.write("a.ts", "one\n")
    await track.judge(it.event("after-edit", edited("a.ts")), it)
    const sha = await it.ledger.ownSha("mine", "a.ts")
    expect(sha).toBe(blobId(Buffer.from("one\n"), "sha256"))
  })

  test("[GUARD-19] are skipped when untracked; a registration file registers the session", async () => {
    await using it = await hookFixture()
    const paths = ["node_modules/a.js", "src/a.ts", "CHANGELOG.md"]
    await track.judge(it.event("after-edit", edited(...paths)), it)
    const { paths: kept, registered } = await it.ledger.summarise("mine")
    expect(kept.map((one) => one.path)).toEqual(["src/a.ts", "CHANGELOG.md"])
    expect(registered.map((one) => one.file)).toEqual(["CHANGELOG.md"])
  })

  test("[GUARD-19] do not include files that a tool only read", async () => {
    await using it = await hookFixture()
    await track.judge(it.event("after-tool", { ...edited("src/a.ts"), tool: "Read" }), it)
    expect((await it.ledger.summarise("mine")).edits).toBe(0)
  })
})

describe("claims", () => {
  test("[GUARD-20] any tool call renews all claims of its session", async () => {
    await using it = await hookFixture()
    await it.claim("mine", "src", "docs")
    await it.claim("theirs", "lib")
    for (let minutes = 0; minutes < 40; minutes += 5) {
      await track.judge(it.event("after-edit", edited("src/a.ts")), it)
      await it.clock.advance(5 * MINUTE_MS)
    }
    expect(it.claims.list().map((one) => one.path)).toEqual(["docs", "src"])
  })

  test("[GUARD-20] an edit of a path that another session claimed is reported once per claim", async () => {
    await using it = await hookFixture()
    await it.claim("theirs", "src")
    await it.clock.advance(3 * MINUTE_MS)
    const after = () => track.judge(it.event("after-edit", edited("src/a.ts")), it)
    const [first, second] = [await after(), await after()]
    expect(first).toMatchObject({
      kind: "warn",
      text: "You changed src/a.ts, which session theirs claimed 3 minutes ago. Tell the user, and make no further changes to it. Claim status: `qm claim list src/a.ts`.",
    })
    expect(second).toEqual({ kind: "silent" })
    await it.clock.advance(20 * MINUTE_MS)
    await it.claim("others", "src/a.ts")
    expect(await after()).toMatchObject({ kind: "warn", text: expect.stringContaining("others") })
    const own = it.event("after-edit", edited("src/a.ts"), "others")
    expect(await track.judge(own, it)).toEqual({ kind: "silent" })
  })
})

test("[GUARD-21] measures tool output while a branch is open, and only then", async () => {
  await using it = await hookFixture()
  const read = it.event("after-tool", { tool: "Read", paths: ["a.ts"], tokens: 100 })
  const spool = `charges/${digest("mine")}.jsonl`
  await track.judge(read, it)
  expect(await it.lines(spool)).toEqual([])
  await mkdir(join(it.stateDirectory, "charges"))
  await writeFile(join(it.stateDirectory, "charges", `open-${digest("mine")}`), "")
  await track.judge(read, it)
  await track.judge(it.event("after-edit", edited("a.ts")), it)
  await track.judge(it.event("after-edit", edited("a.ts"), "theirs"), it)
  const base = { session: "mine", host: "claude-code", paths: ["a.ts"], at: it.clock.now() }
  expect(await it.lines(spool)).toEqual([
    { ...base, tool: "Read", tokens: 100 },
    { ...base, tool: "Edit", tokens: 10 },
  ])
})

const SpoolLine = z.object({ tokens: z.int(), told: z.string().optional() })

describe("budget of an open branch", () => {
  const openBranch = async (it: Awaited<ReturnType<typeof hookFixture>>, marker: object) => {
    const folder = join(it.stateDirectory, "charges")
    await mkdir(folder, { recursive: true })
    const branch = {
      id: "br_1",
      budgetUsed: 0,
      budgetTotal: 1_000,
      told: null,
      scale: 1,
      ...marker,
    }
    await writeFile(join(folder, `open-${digest("mine")}`), JSON.stringify(branch))
  }
  const read = (it: Awaited<ReturnType<typeof hookFixture>>, tokens: number, tool = "Read") =>
    track.judge(it.event("after-tool", { tool, paths: [], tokens }), it)
  const spoolOf = (it: Awaited<ReturnType<typeof hookFixture>>) =>
    it
      .lines(`charges/${digest("mine")}.jsonl`)
      .then((lines) => lines.map((line) => SpoolLine.parse(line)))

  test("[T7][GUARD-21] the agent is warned once at 80 % and told once that the budget is used up", async () => {
    await using it = await hookFixture()
    await openBranch(it, {})
    expect(await read(it, 799)).toEqual({ kind: "silent" })
    expect(await read(it, 1)).toMatchObject({
      kind: "warn",
      text: "Branch br_1 has used 80 % of its budget (800 of 1,000 tokens). Call return soon with the results so far.",
    })
    expect(await read(it, 200)).toEqual({ kind: "silent" })
    expect(await read(it, 1)).toMatchObject({
      text: "The budget is used up: branch br_1 has used 1,001 of 1,000 tokens. Do no further work in it. Call return now with what you have; the result is accepted.",
    })
    expect(await read(it, 900)).toEqual({ kind: "silent" })
    const told = (await spoolOf(it)).map((line) => line.told)
    expect(told).toEqual([undefined, "warned", undefined, "exhausted", undefined])
  })

  test("[T9][GUARD-21] charges of others count, with the scale of the model, and what they told is not repeated", async () => {
    await using it = await hookFixture()
    await openBranch(it, { budgetUsed: 700, scale: 1.3 })
    expect(await read(it, 100)).toMatchObject({
      text: expect.stringContaining("83 % of its budget"),
    })
    await openBranch(it, { id: "br_2", budgetUsed: 850, told: "warned" })
    expect(await read(it, 1)).toEqual({ kind: "silent" })
    await openBranch(it, { id: "br_3", budgetUsed: 2_000, told: "exhausted" })
    expect(await read(it, 1)).toEqual({ kind: "silent" })
  })

  test("[GUARD-21] our own tools are not charged again, and a damaged marker only meters", async () => {
    await using it = await hookFixture()
    await openBranch(it, { budgetUsed: 100 })
    expect(await read(it, 5_000, "mcp__qm__search")).toEqual({ kind: "silent" })
    for (const marker of [{ budgetUsed: "x" }, { id: 7 }, { scale: null }, { budgetTotal: null }]) {
      await openBranch(it, marker)
      expect(await read(it, 5_000)).toEqual({ kind: "silent" })
    }
    expect((await spoolOf(it)).map((line) => line.tokens)).toEqual([0, 5_000, 5_000, 5_000, 5_000])
  })
})
