import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { digest } from "#know/ledger"
import { hookFixture } from "#test/hook-fixture"
import { loaded, readLoaded } from "./loaded-file.ts"

test("[GUARD-27] stores the files a host loaded, by session, and adds no message", async () => {
  await using it = await hookFixture()
  const session = "../../etc/passwd\0"
  const first = {
    file: "/repo/CLAUDE.md",
    memoryKind: "Project",
    reason: "start",
    parent: undefined,
  }
  const second = {
    file: "/repo/b.md",
    memoryKind: "Project",
    reason: "include",
    parent: "/repo/CLAUDE.md",
  }
  for (const own of [first, second]) {
    expect(await loaded.judge(it.event("loaded", own, session), it)).toEqual({ kind: "silent" })
  }
  await appendFile(
    join(it.stateDirectory, "loaded", `${digest(session)}.jsonl`),
    '{"path":1}\n{"pa',
  )
  const at = it.clock.now()
  expect(await readLoaded(it.stateDirectory, session)).toEqual([
    { path: "/repo/CLAUDE.md", kind: "Project", reason: "start", parent: null, at },
    { path: "/repo/b.md", kind: "Project", reason: "include", parent: "/repo/CLAUDE.md", at },
  ])
  expect(await readLoaded(it.stateDirectory, "another")).toEqual([])
})

test("[GUARD-27] limits what one session stores", async () => {
  await using it = await hookFixture()
  const own = { file: "f".repeat(100_000), memoryKind: "m", reason: "r", parent: undefined }
  for (let n = 0; n < 400; n++) await loaded.judge(it.event("loaded", own), it)
  const entries = await readLoaded(it.stateDirectory, "mine")
  expect(entries.length).toBeLessThan(300)
  expect(entries[0]?.path).toHaveLength(4_096)
})
