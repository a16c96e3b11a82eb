import { rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import { treeName } from "#know/ledger"
import { blobId } from "#see/repo"
import { hookFixture } from "#test/hook-fixture"
import { createOverrides } from "../overrides.ts"
import { concurrency } from "./concurrency.ts"

const MINUTE_MS = 60_000

async function scene() {
  const it = await hookFixture()
  return Object.assign(it, {
    ask: (...paths: readonly string[]) =>
      concurrency.judge(it.event("before-edit", { tool: "Edit", paths }), it),
    overrides: createOverrides({ ...it, ids: createIds({ ...it, random: systemRandom }) }),
  })
}

describe("a claim of another session", () => {
  test("[GUARD-23] blocks the edit and reports the holder, the start time and the next steps", async () => {
    await using it = await scene()
    await it.claim("theirs", "src")
    await it.clock.advance(4 * MINUTE_MS)
    expect(await it.ask("docs/a.md", "src/it's.ts")).toMatchInlineSnapshot(`
      {
        "kind": "deny",
        "paths": [
          "src/it's.ts",
        ],
        "text": "Edit blocked: session theirs is working on src/it's.ts. It claimed its folder src 4 minutes ago and was last active 4 minutes ago.
      Work on something else, then check the claim again: \`qm claim list 'src/it'\\''s.ts'\`.
      Only with the user's approval: \`qm override 'src/it'\\''s.ts' --reason "WHY"\`, with the user's reason for WHY. The override is logged.",
      }
    `)
  })

  test("[GUARD-23] [C4] blocks while the lease is renewed, and not after it expires", async () => {
    await using it = await scene()
    await it.claim("theirs", "src")
    await it.clock.advance(10 * MINUTE_MS)
    await it.claims.keepAlive("theirs", "src/a.ts")
    it.clock.setWall(it.clock.now() + 24 * 60 * MINUTE_MS)
    await it.clock.advance(10 * MINUTE_MS)
    expect(await it.ask("src/a.ts")).toMatchObject({ kind: "deny" })
    await it.clock.advance(10 * MINUTE_MS)
    expect(await it.ask("src/a.ts")).toEqual({ kind: "silent" })
  })

  test("[GUARD-23] blocks a patch of very many files when the last one is claimed", async () => {
    await using it = await scene()
    await it.claim("theirs", "last.ts")
    const many = Array.from({ length: 300 }, (_, n) => `src/${n}.ts`)
    expect(await it.ask(...many, "last.ts")).toMatchObject({ kind: "deny", paths: ["last.ts"] })
  })

  test("[GUARD-23] the session's own claim blocks nothing", async () => {
    await using it = await scene()
    await it.claim("mine", "src")
    expect(await it.ask("src/a.ts")).toEqual({ kind: "silent" })
  })

  test("[GUARD-23] an override permits its paths until it expires, and is reported", async () => {
    await using it = await scene()
    await it.claim("theirs", "src", "lib")
    await it.overrides.allow({ paths: ["src/"], reason: "they are on leave", minutes: 10 })
    expect(await it.ask("src/a.ts")).toEqual({
      kind: "override",
      text: "src/a.ts is claimed by session theirs; an override permits the edit: they are on leave",
      paths: ["src/a.ts"],
    })
    expect(await it.ask("src/a.ts", "lib/a.ts")).toMatchObject({
      kind: "deny",
      paths: ["lib/a.ts"],
    })
    await it.clock.advance(10 * MINUTE_MS)
    expect(await it.ask("src/a.ts")).toMatchObject({ kind: "deny" })
  })
})

describe("edits by other sessions", () => {
  const touch = async (it: Awaited<ReturnType<typeof scene>>, session: string, sha?: string) =>
    it.ledger.modified(session, { path: "a.ts", tool: "Edit", sha })

  test("[GUARD-24] warns once per edit that another session made in the last 30 minutes", async () => {
    await using it = await scene()
    await touch(it, "theirs")
    await it.clock.advance(2 * MINUTE_MS)
    expect(await it.ask("a.ts")).toEqual({
      kind: "warn",
      text: "Session theirs edited a.ts 2 minutes ago. Read the file again before you change it, and keep that session's changes.",
    })
    expect(await it.ask("a.ts")).toEqual({ kind: "silent" })
    expect(await it.ask("b.ts")).toEqual({ kind: "silent" })
    await touch(it, "theirs")
    expect(await it.ask("a.ts")).toMatchObject({ kind: "warn" })
    await touch(it, "theirs")
    await it.clock.advance(31 * MINUTE_MS)
    expect(await it.ask("a.ts")).toEqual({ kind: "silent" })
  })

  test("[GUARD-24] reports that a session in another worktree edits another file", async () => {
    await using it = await scene()
    const tree = treeName("/elsewhere")
    await it.ledger.modified("theirs", { path: "a.ts", tool: "Edit", tree })
    expect(await it.ask("a.ts")).toEqual({
      kind: "warn",
      text: "Session theirs edited a.ts in another worktree just now. Your copy is unchanged; the two versions must be merged later.",
    })
    await it.write("b.ts", "here\n")
    await it.ledger.modified("mine", { path: "b.ts", tool: "Edit", sha: "0".repeat(40), tree })
    expect(await it.ask("b.ts")).toEqual({ kind: "silent" })
  })

  test("[GUARD-24] reports a change from outside all sessions once, and records it in the ledger", async () => {
    await using it = await scene()
    await it.write("a.ts", "mine\n")
    await touch(it, "mine", blobId(Buffer.from("mine\n"), "sha1"))
    expect(await it.ask("a.ts")).toEqual({ kind: "silent" })
    await it.write("a.ts", "an editor's\n")
    expect(await it.ask("a.ts")).toEqual({
      kind: "warn",
      text: "a.ts was changed since your last edit, but not by a known session. Read it again before you change it.",
    })
    expect(await it.ask("a.ts")).toEqual({ kind: "silent" })
    await rm(join(it.root, "a.ts"))
    expect(await it.ask("a.ts")).toMatchObject({ text: expect.stringContaining("deleted") })
    expect((await it.ledger.summarise("mine")).outside).toHaveLength(2)
  })

  test("[GUARD-24] a change that another session made an hour ago is not a change from outside", async () => {
    await using it = await scene()
    await touch(it, "mine", "0".repeat(40))
    await touch(it, "theirs")
    await it.write("a.ts", "theirs\n")
    await it.clock.advance(60 * MINUTE_MS)
    expect(await it.ask("a.ts")).toEqual({ kind: "silent" })
    expect((await it.ledger.summarise("mine")).outside).toEqual([])
  })
})
