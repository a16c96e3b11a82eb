import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { formatExact } from "#ground/base"
import { digest } from "#know/ledger"
import { hookFixture } from "#test/hook-fixture"
import { largeResult } from "./large-result.ts"

const LOG = Array.from({ length: 2_000 }, (_, line) => `line ${line} of the log`).join("\n")
const replaced = (text: string): unknown => ({ stdout: text })

async function fixture() {
  const it = await hookFixture()
  const folder = join(it.stateDirectory, "results")
  const reader = join(folder, `reader-${digest("mine")}`)
  const openReader = async (): Promise<void> => {
    await mkdir(folder, { recursive: true })
    await writeFile(reader, "")
  }
  const after = (text: string, more: object = { replaced }) =>
    it.event("after-tool", { tool: "Bash", paths: [], tokens: 900, output: { text, ...more } })
  return { ...it, openReader, closeReader: () => rm(reader), after }
}

test("[GUARD-85] a large output becomes a digest with a handle, and its text goes to the spool", async () => {
  await using it = await fixture()
  await it.openReader()
  const verdict = await largeResult.judge(it.after(LOG), it)
  const output = JSON.stringify("output" in verdict ? verdict.output : "")
  const handle = /rh_[0-9a-f]{32}/.exec(output)?.[0] ?? ""
  const bytes = formatExact(Buffer.byteLength(LOG))
  expect(output).toContain(`Bash: 2,000 lines, ${bytes} bytes, kept as ${handle}.`)
  expect(output).toContain("line 0 of the log")
  expect(output).toContain("line 1999 of the log")
  expect(output).toContain("more lines]")
  expect(output).not.toContain("line 700 of the log")
  expect(output.length).toBeLessThan(2_000)
  const stored = await readFile(join(it.stateDirectory, "results", `${handle}.json`), "utf8")
  expect(JSON.parse(stored)).toMatchObject({ session: "mine", tool: "Bash", text: LOG })
})

test("[GUARD-85] small outputs, the setting 0 and proxied sessions stay as they are", async () => {
  await using it = await fixture()
  await it.openReader()
  const silent = { kind: "silent" }
  expect(await largeResult.judge(it.after("short"), it)).toEqual(silent)
  expect(await largeResult.judge(it.after(LOG), it.with({ largeResultBytes: 0 }))).toEqual(silent)
  expect(await largeResult.judge(it.after(LOG), { ...it, isProxied: true })).toEqual(silent)
})

test("[GUARD-86] without a way to replace or to read, the agent is advised once per session", async () => {
  await using it = await fixture()
  const advised = {
    kind: "context",
    text: expect.stringMatching(/ bytes and stays .*head, tail, grep/),
  }
  expect(await largeResult.judge(it.after(LOG), it)).toMatchObject(advised)
  expect(await largeResult.judge(it.after(LOG), it)).toEqual({ kind: "silent" })
  await it.openReader()
  await it.closeReader()
  const other = { ...it.after(LOG, {}), session: "other" }
  expect(await largeResult.judge(other, it)).toMatchObject(advised)
})
