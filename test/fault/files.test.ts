import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createJsonl, listDirectory, readJsonl, sweepLeftovers } from "#ground/base"
import { child } from "#test/child"
import { smallDisk } from "#test/disk"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"

const WRITER = new URL("files-writer.ts", import.meta.url)
const READER = new URL("files-reader.ts", import.meta.url)
const APPENDER = new URL("files-appender.ts", import.meta.url)
const FULL_DISK = new URL("files-full-disk.ts", import.meta.url)

async function namesIn(directory: string): Promise<readonly string[]> {
  const listed = await listDirectory(directory)
  return listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
}

describe("files shared by several processes", () => {
  test("[D4] four readers never see a partial file while two writers replace it 5,000 times", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "state.json")
    await writeFile(path, JSON.stringify({ fill: "", length: 0 }))
    const readers = Array.from({ length: 4 }, () => child(READER, [path]))
    for (const reader of readers) expect(await reader.nextLine()).toBe("ready")

    const writers = ["first", "second"].map((name) => child(WRITER, [path, name, "2500"]))
    const said = await Promise.all(writers.map((it) => it.restOfLines()))
    expect(said).toEqual([
      ["ready", "done"],
      ["ready", "done"],
    ])
    for (const reader of readers) reader.send("enough")
    const seen = await Promise.all(
      readers.map(async (it) => JSON.parse((await it.nextLine()) ?? "{}")),
    )
    for (const it of seen) expect(it).toEqual({ reads: it.reads, failures: 0, empty: 0, torn: 0 })
    expect(Math.min(...seen.map((it) => it.reads))).toBeGreaterThan(100)
    expect(await namesIn(directory.path)).toEqual(["state.json"])
  })

  test("[D4] writers killed during a write leave a complete file, and no leftovers after the sweep", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "state.json")
    await writeFile(path, JSON.stringify({ fill: "", length: 0 }))
    let leftovers = 0
    for (let round = 0; round < 15; round++) {
      await using writer = child(WRITER, [path, "killed", "1000000"])
      await writer.nextLine()
      await new Promise((resolve) => setTimeout(resolve, 20 + round * 3))
      // Sweeps during the write: the file being written must not be removed.
      await sweepLeftovers(directory.path)
      writer.kill("SIGKILL")
      expect((await writer.exited).signal).toBe("SIGKILL")
      const { fill, length } = JSON.parse(await readFile(path, "utf8"))
      expect(fill.length).toBe(length)
      leftovers += (await namesIn(directory.path)).length - 1
      await sweepLeftovers(directory.path)
      expect(await namesIn(directory.path)).toEqual(["state.json"])
    }
    expect(leftovers).toBeGreaterThan(0)
  })

  test("[D1] four processes append to one journal, and each acknowledged record is present", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    const appenders = ["a", "b", "c", "d"].map((name) => child(APPENDER, [path, name, "1000000"]))
    const acknowledged: string[] = []
    const listening = appenders.map(async (it) => {
      for (let line = await it.nextLine(); line; line = await it.nextLine()) acknowledged.push(line)
    })
    await expect.poll(() => acknowledged.length).toBeGreaterThan(1_000)
    for (const it of appenders) it.kill("SIGKILL")
    await Promise.all(listening)
    const { records } = await readJsonl(path)
    const stored = records.map((it) => String(it.id))
    expect(new Set(stored).size).toBe(stored.length)
    expect(acknowledged.filter((it) => !stored.includes(it))).toEqual([])
    await createJsonl(path).append({ id: "last" })
    expect((await readJsonl(path)).records.at(-1)).toEqual({ id: "last" })
  })
})

describe.runIf(needs("D5", "unshare"))("a full disk", () => {
  const EXPECTED = [
    ["atomic write", "STORAGE_FULL"],
    ["old bytes kept", true],
    ["names after", ["filler", "ledger.jsonl", "state.json"]],
    ["append", "STORAGE_FULL"],
    ["append again", "STORAGE_FULL"],
    ["records kept", 10],
    ["at most a torn tail", true],
    ["atomic write with room", "written"],
    ["new bytes there", true],
    ["append with room", "written"],
    ["records after", 11],
  ]

  test.each([
    ["with no byte free", 0],
    ["with one page free", 4_096],
    ["with room for a part", 60_000],
    ["with room for most", 150_000],
  ])(
    "[D5] %s, old bytes stay, the error is reported, and later writes succeed",
    async (_, free) => {
      const disk = smallDisk(2_000_000)
      if (disk.kind === "unavailable") throw new Error(disk.why)
      await using script = disk.start(FULL_DISK, [String(free)])
      const reported = (await script.restOfLines()).map((it) => JSON.parse(it))
      expect((await script.exited).stderr).toBe("")
      expect(reported).toEqual(EXPECTED)
    },
  )
})
