import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { digest } from "#know/ledger"
import { blobId } from "#see/repo"
import { hookWorld } from "#test/hook-world"
import { track } from "./track.ts"

const MINUTE_MS = 60_000
const edited = (...paths: readonly string[]) => ({ tool: "Edit", paths, textUnits: 40 })

describe("edited files", () => {
  test("[GUARD-19] are recorded in the ledger with the hash of the new content", async () => {
    await using it = await hookWorld()
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
    await using it = await hookWorld()
    await it.write(".git/config", "[extensions]\n\tobjectFormat = sha256\n")
    await it.write("a.ts", "one\n")
    await track.judge(it.event("after-edit", edited("a.ts")), it)
    const sha = await it.ledger.ownSha("mine", "a.ts")
    expect(sha).toBe(blobId(Buffer.from("one\n"), "sha256"))
  })

  test("[GUARD-19] are skipped when untracked; a registration file registers the session", async () => {
    await using it = await hookWorld()
    const paths = ["node_modules/a.js", "src/a.ts", "CHANGELOG.md"]
    await track.judge(it.event("after-edit", edited(...paths)), it)
    const { paths: kept, registered } = await it.ledger.summarise("mine")
    expect(kept.map((one) => one.path)).toEqual(["src/a.ts", "CHANGELOG.md"])
    expect(registered.map((one) => one.file)).toEqual(["CHANGELOG.md"])
  })

  test("[GUARD-19] do not include files that a tool only read", async () => {
    await using it = await hookWorld()
    await track.judge(it.event("after-tool", { ...edited("src/a.ts"), tool: "Read" }), it)
    expect((await it.ledger.summarise("mine")).edits).toBe(0)
  })
})

describe("claims", () => {
  test("[GUARD-20] any tool call renews all claims of its session", async () => {
    await using it = await hookWorld()
    await it.claim("mine", "src", "docs")
    await it.claim("theirs", "lib")
    for (let minutes = 0; minutes < 40; minutes += 5) {
      await track.judge(it.event("after-edit", edited("src/a.ts")), it)
      await it.clock.advance(5 * MINUTE_MS)
    }
    expect(it.claims.list().map((one) => one.path)).toEqual(["docs", "src"])
  })

  test("[GUARD-20] an edit of a path that another session claimed is reported once per claim", async () => {
    await using it = await hookWorld()
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
  await using it = await hookWorld()
  const read = it.event("after-tool", { tool: "Read", paths: ["a.ts"], textUnits: 400 })
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
    { ...base, tool: "Read", textUnits: 400 },
    { ...base, tool: "Edit", textUnits: 40 },
  ])
})
