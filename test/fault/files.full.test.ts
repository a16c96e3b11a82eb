import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createJsonl, listDirectory, readJsonl, sweepLeftovers } from "#ground/base"
import { type Child, child } from "#test/child"
import { needs } from "#test/needs"
import { longestTestMs } from "#test/seed"
import { tempDirectory } from "#test/temp"

const WRITE_ONCE = new URL("files-write-once.ts", import.meta.url)

/**
 * One write under strace. With a single file thread, the calls of one write are consecutive and can
 * be counted. Without `--seccomp-bpf`: strace 6.1 then ignores every `when` above 1.
 */
function traced(
  args: readonly string[],
  options: { readonly strace: readonly string[]; readonly log: string },
): Child {
  return child(WRITE_ONCE, args, {
    under: ["strace", "-f", "-y", "-o", options.log, ...options.strace],
    env: { UV_THREADPOOL_SIZE: "1" },
  })
}

async function killAtEach(
  call: string,
  attempt: (strace: readonly string[]) => Promise<{ wasKilled: boolean }>,
): Promise<number> {
  for (let at = 1; at < 100; at++) {
    const inject = `inject=${call}:signal=SIGKILL:when=${at}`
    const { wasKilled } = await attempt(["-e", `trace=${call}`, "-e", inject])
    if (!wasKilled) return at - 1
  }
  throw new Error(`one write made more than 100 calls of ${call}`)
}

async function namesIn(directory: string): Promise<readonly string[]> {
  const listed = await listDirectory(directory)
  return listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
}

describe.runIf(needs("D2", "strace"))("a process killed at each write call", () => {
  const CALLS = ["fchmod", "write", "fsync", "rename"]

  test.each(CALLS)(
    "[D2] an atomic write killed at any %s leaves the old bytes or the new",
    async (call) => {
      await using directory = await tempDirectory()
      const log = join(directory.path, "strace.log")
      const folder = join(directory.path, "state")
      const path = join(folder, "state.json")
      const [before, after] = ["old ".repeat(5_000), "new ".repeat(5_000)]
      const seen = new Set<string>()

      const points = await killAtEach(call, async (strace) => {
        await rm(folder, { recursive: true, force: true })
        await mkdir(folder)
        await writeFile(path, before)
        await using writer = traced(["atomic", path, after], { strace, log })
        const isAcknowledged = (await writer.restOfLines()).includes("acknowledged")
        const { signal } = await writer.exited
        const found = await readFile(path, "utf8")
        expect([before, after]).toContain(found)
        if (isAcknowledged) expect(found).toBe(after)
        await sweepLeftovers(folder)
        expect(await namesIn(folder)).toEqual(["state.json"])
        seen.add(found === before ? "old" : "new")
        return { wasKilled: signal === "SIGKILL" }
      })
      expect(points).toBeGreaterThanOrEqual(call === "fsync" ? 2 : 1)
      expect([...seen].toSorted()).toEqual(["new", "old"])
    },
    longestTestMs(),
  )

  test.each(["write", "fsync"])(
    "[D2] an append killed at any %s loses no acknowledged record",
    async (call) => {
      await using directory = await tempDirectory()
      const log = join(directory.path, "strace.log")
      const path = join(directory.path, "ledger.jsonl")
      const points = await killAtEach(call, async (strace) => {
        await rm(path, { force: true })
        await createJsonl(path).append({ n: 1 })
        await using writer = traced(["jsonl", path, "x".repeat(10_000)], { strace, log })
        const isAcknowledged = (await writer.restOfLines()).includes("acknowledged")
        const { signal } = await writer.exited
        const { records } = await readJsonl(path)
        expect(records[0]).toEqual({ n: 1 })
        if (isAcknowledged) expect(records[1]).toEqual({ content: "x".repeat(10_000) })
        await createJsonl(path).append({ n: 3 })
        expect((await readJsonl(path)).records.at(-1)).toEqual({ n: 3 })
        return { wasKilled: signal === "SIGKILL" }
      })
      expect(points).toBeGreaterThanOrEqual(1)
    },
    longestTestMs(),
  )
})

describe.runIf(needs("D3", "strace"))("order of system calls", () => {
  const strace = ["-e", "trace=write,fsync,rename"]

  /** The position of each call in the log; each must occur exactly once. */
  function placesOf(log: string, calls: Readonly<Record<string, RegExp>>) {
    const lines = log.split("\n")
    return Object.entries(calls).map(([name, pattern]) => {
      const places = lines.flatMap((line, place) => (pattern.test(line) ? [place] : []))
      expect(places, `${name} in\n${log}`).toHaveLength(1)
      return places[0]
    })
  }

  test("[D3] an atomic write syncs the data before the rename, and the rename before it reports success", async () => {
    await using directory = await tempDirectory()
    await using logs = await tempDirectory()
    const log = join(logs.path, "strace.log")
    await using writer = traced(["atomic", join(directory.path, "f"), "new"], { strace, log })
    expect(await writer.restOfLines()).toEqual(["ready", "acknowledged"])
    await writer.exited
    const places = placesOf(await readFile(log, "utf8"), {
      "the bytes": /write\(\d+<.*\.atomic-.*>, "new"/,
      "their fsync": /fsync\(\d+<.*\.atomic-.*>/,
      "the name": /rename\(".*\.atomic-.*", ".*\/f"\)/,
      "its fsync": new RegExp(`fsync\\(\\d+<${directory.path}>`),
      "the word": /write\(1<.*"acknowledged/,
    })
    expect(places).toEqual(places.toSorted((a, b) => Number(a) - Number(b)))
  })

  test("[D3] an append syncs the record, and the name of a new journal, before it reports success", async () => {
    await using directory = await tempDirectory()
    await using logs = await tempDirectory()
    const log = join(logs.path, "strace.log")
    await using writer = traced(["jsonl", join(directory.path, "l"), "new"], { strace, log })
    expect(await writer.restOfLines()).toEqual(["ready", "acknowledged"])
    await writer.exited
    const places = placesOf(await readFile(log, "utf8"), {
      "the record": /write\(\d+<.*\/l>, "\{/,
      "its fsync": /fsync\(\d+<.*\/l>/,
      "the name's fsync": new RegExp(`fsync\\(\\d+<${directory.path}>`),
      "the word": /write\(1<.*"acknowledged/,
    })
    expect(places).toEqual(places.toSorted((a, b) => Number(a) - Number(b)))
  })
})

describe.runIf(needs("D7", "strace"))("two writers of one journal", () => {
  test("[D7] a line truncated by another process between our check and our write does not damage our line", async () => {
    await using directory = await tempDirectory()
    const log = join(directory.path, "strace.log")
    const path = join(directory.path, "ledger.jsonl")
    await createJsonl(path).append({ n: 1 })
    // strace delays our write long enough for another process to write half a line.
    const strace = ["-P", path, "-e", "trace=write", "-e", "inject=write:delay_enter=3s:when=1"]
    await using writer = traced(["jsonl", path, "ours"], { strace, log })
    await expect.poll(() => readFile(log, "utf8").catch(() => "")).toMatch(/write\(/)
    await appendFile(path, '{"torn":')
    expect(await writer.restOfLines()).toEqual(["ready", "acknowledged"])
    expect(await readFile(path, "utf8")).toBe(
      '{"n":1}\n{"torn":{"content":"ours"}\n\n{"content":"ours"}\n',
    )
    expect((await readJsonl(path)).records).toEqual([{ n: 1 }, { content: "ours" }])
  })

  test("[D7] a complete line of another process right after ours does no harm", async () => {
    await using directory = await tempDirectory()
    const log = join(directory.path, "strace.log")
    const path = join(directory.path, "ledger.jsonl")
    const strace = ["-P", path, "-e", "trace=write", "-e", "inject=write:delay_exit=3s:when=1"]
    await using writer = traced(["jsonl", path, "ours"], { strace, log })
    const text = () => readFile(path, "utf8").catch(() => "")
    await expect.poll(text).toContain("ours")
    await createJsonl(path).append({ n: 1 })
    expect(await writer.restOfLines()).toEqual(["ready", "acknowledged"])
    expect(await text()).toBe('{"content":"ours"}\n{"n":1}\n')
  })
})
