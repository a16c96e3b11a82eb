import { execFileSync } from "node:child_process"
import { readFile, stat, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { FileNotReadable, FileNotRegular } from "../errors.ts"
import { readStart } from "./bounded-read.ts"
import { createJsonl } from "./jsonl.ts"
import { readJsonl, streamJsonl, streamLines } from "./jsonl-read.ts"

const RECORDS = Array.from({ length: 1_000 }, (_, seq) => ({
  seq,
  text: seq < 997 ? "short" : "aß世😀".repeat(36),
}))
const WHOLE = Buffer.from(RECORDS.map((it) => `${JSON.stringify(it)}\n`).join(""))
const LAST_THREE_BEGIN = WHOLE.indexOf('{"seq":997')

const ENDS: readonly number[] = RECORDS.map((it) => {
  const line = Buffer.from(JSON.stringify(it))
  return WHOLE.indexOf(line) + line.length
})

function recordsWithin(length: number): readonly (typeof RECORDS)[number][] {
  return RECORDS.slice(0, ENDS.filter((it) => it <= length).length)
}

const CUTS = Array.from(
  { length: WHOLE.length - LAST_THREE_BEGIN + 1 },
  (_, it) => WHOLE.length - it,
)
const LANES = 4

async function inLanes(
  directory: string,
  check: (path: string, length: number) => Promise<void>,
): Promise<void> {
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const path = join(directory, `ledger-${lane}.jsonl`)
    await writeFile(path, WHOLE)
    for (const length of CUTS.filter((_, at) => at % LANES === lane)) await check(path, length)
  })
  await Promise.all(lanes)
}

describe("a journal with a truncated last record", () => {
  test("[D7] truncated at any byte of the last three records, only the truncated record is lost", async () => {
    await using directory = await tempDirectory()
    let cuts = 0
    await inLanes(directory.path, async (path, length) => {
      await truncate(path, length)
      const { records, warnings } = await readJsonl(path)
      const kept = recordsWithin(length)
      // Compared as text: comparing a thousand records field by field would dominate the runtime.
      expect(JSON.stringify(records)).toBe(JSON.stringify(kept))
      const isWhole = WHOLE[length] === 0x0a || WHOLE[length - 1] === 0x0a
      expect(warnings.map((it) => it.kind)).toEqual(isWhole ? [] : ["truncated_tail"])
      expect((await stat(path)).size).toBe(length)
      cuts++
    })
    expect(cuts).toBeGreaterThan(1_100)
  })

  test("[D7] after any truncation the next append starts a new line and rewrites nothing", async () => {
    await using directory = await tempDirectory()
    const next = { seq: 1_000, text: "next" }
    await inLanes(directory.path, async (path, length) => {
      // The first 997 records do not affect this case; without them it takes seconds, not a minute.
      const start = WHOLE.subarray(LAST_THREE_BEGIN, length)
      await writeFile(path, start)
      await createJsonl(path).append(next)
      const after = await readFile(path)
      expect(after.subarray(0, start.length).equals(start)).toBe(true)
      const { records, warnings } = await readJsonl(path)
      expect(records).toEqual([...recordsWithin(length).slice(997), next])
      expect(warnings.length).toBeLessThanOrEqual(1)
      expect(warnings.every((it) => it.kind === "bad_line")).toBe(true)
    })
  })

  test("[D7] NUL bytes and truncation at 4,096 bytes lose only the records they cover", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    const lengths = []
    for (let at = 4_096; at < WHOLE.length; at += 4_096) lengths.push(at)
    for (let at = WHOLE.length - 1; at > LAST_THREE_BEGIN; at -= 17) lengths.push(at)
    for (const length of lengths) {
      const nuls = Buffer.alloc(4_096 - (length % 4_096))
      await writeFile(path, Buffer.concat([WHOLE.subarray(0, length), nuls]))
      const torn = await readJsonl(path)
      expect(torn.records).toEqual(recordsWithin(length))
      expect(torn.warnings).toHaveLength(1)
      await createJsonl(path).append({ seq: -1 })
      const after = await readJsonl(path)
      expect(after.records).toEqual([...recordsWithin(length), { seq: -1 }])
    }
  })
})

describe("a damaged journal line", () => {
  test("[BASE-12] the warning has line number and reason; the other lines are read", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    const lines = [
      '\ufeff{"n":1}\r',
      '{"n":',
      "",
      "  ",
      "7",
      "[1]",
      "null",
      Buffer.from([0x7b, 0xff, 0x7d]),
      "\0\0\0",
      '\0\0{"n":2}\0',
      '{"n":"\0"}',
      '{"__proto__":{"n":3}}',
      '{"n":4}',
    ]
    const bytes = lines.flatMap((it) => [Buffer.from(it as string), Buffer.from("\n")])
    await writeFile(path, Buffer.concat(bytes))
    const { records, warnings } = await readJsonl(path)
    expect(records).toEqual([{ n: 1 }, { n: 2 }, JSON.parse('{"__proto__":{"n":3}}'), { n: 4 }])
    expect(warnings).toEqual([
      { kind: "bad_line", line: 2, reason: "not_json" },
      { kind: "bad_line", line: 5, reason: "not_an_object" },
      { kind: "bad_line", line: 6, reason: "not_an_object" },
      { kind: "bad_line", line: 7, reason: "not_an_object" },
      { kind: "bad_line", line: 8, reason: "not_utf8" },
      { kind: "bad_line", line: 9, reason: "nul_bytes" },
      { kind: "bad_line", line: 10, reason: "nul_bytes" },
      { kind: "bad_line", line: 11, reason: "not_json" },
    ])
  })

  test("[BASE-12] the warning for a truncated tail has offset and length, also for blanks or NULs only", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    for (const tail of ["{", '{"n":2', "1", "\0\0", "[]"]) {
      await writeFile(path, `{"n":1}\n${tail}`)
      expect(await readJsonl(path)).toEqual({
        records: [{ n: 1 }],
        warnings: [{ kind: "truncated_tail", line: 2, sizeBytes: tail.length }],
      })
    }
  })

  test("[BASE-12] a line over the limit is skipped, in the middle and at the end", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    const long = JSON.stringify({ text: "x".repeat(300_000) })
    const fits = JSON.stringify({ text: "x".repeat(89) })
    await writeFile(path, `{"n":1}\n${long}\n${fits}\n${long}`)
    expect(await readJsonl(path, { maxLineBytes: 100 })).toEqual({
      records: [{ n: 1 }, JSON.parse(fits)],
      warnings: [
        { kind: "too_long", line: 2, sizeBytes: long.length },
        { kind: "too_long", line: 4, sizeBytes: long.length },
      ],
    })
    expect((await readJsonl(path)).records).toHaveLength(4)
  })
})

describe("a large journal", () => {
  test("[BASE-12] reading stops at the limit and reports the rest", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    await writeFile(path, '{"n":1}\n{"n":2}\n{"n":3}\n')
    expect(await readJsonl(path, { maxBytes: 20 })).toEqual({
      records: [{ n: 1 }, { n: 2 }],
      warnings: [{ kind: "cut_short", line: 3, maxBytes: 20 }],
    })
    expect((await readJsonl(path, { maxBytes: 24 })).warnings).toEqual([])
  })

  test("[BASE-12] a 100 MB journal and an endless line are streamed with little memory", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    await writeFile(path, '{"first":true}\n')
    await truncate(path, 100_000_000)
    const before = process.memoryUsage().rss
    const kinds = []
    for await (const item of streamJsonl(path, { maxLineBytes: 1_000_000 })) kinds.push(item.kind)
    expect(kinds).toEqual(["record", "warning"])
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  })

  test("[BASE-12] a reader that stops early closes the file", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    await writeFile(path, WHOLE)
    for (let i = 0; i < 2_000; i++) {
      for await (const item of streamJsonl(path)) {
        expect(item).toEqual({ kind: "record", line: 1, record: RECORDS[0] })
        break
      }
    }
  })
})

describe("a journal that is missing or not a file", () => {
  test("[BASE-12] a missing journal is empty; an unreadable one is an error", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    expect(await readJsonl(at("no"))).toEqual({ records: [], warnings: [] })
    execFileSync("mkfifo", [at("fifo")])
    await symlink(at("no"), at("link"))
    for (const path of [at("fifo"), at("link"), directory.path]) {
      await expect(readJsonl(path)).rejects.toSatisfy(FileNotRegular.is)
    }
    await expect(readJsonl("/a\0b")).rejects.toSatisfy(FileNotReadable.is)
  })

  test.runIf(needs("BASE-12", "proc"))(
    "[BASE-12] a disk error during the read is an error",
    async () => {
      await expect(readJsonl("/proc/self/mem")).rejects.toMatchObject({
        code: "FILE_NOT_READABLE",
        data: { reason: "EIO" },
      })
    },
  )
})

test("[BASE-40] lines are read from a position, without a last one that has no newline", async () => {
  await using directory = await tempDirectory()
  const path = join(directory.path, "growing.jsonl")
  const read = async (from: number) => {
    const lines: (readonly [string | undefined, number])[] = []
    for await (const { bytes, end } of streamLines(path, { from, maxLineBytes: 100_000 })) {
      lines.push([bytes?.toString().slice(0, 6), end])
    }
    return lines
  }
  expect(await read(0)).toEqual([])
  await writeFile(path, `first\n${"x".repeat(200_000)}\n\nhalf`)
  expect(await read(0)).toEqual([
    ["first", 6],
    [undefined, 200_007],
    ["", 200_008],
  ])
  await writeFile(path, " line\n", { flag: "a" })
  expect(await read(200_008)).toEqual([["half l", 200_018]])
  expect(await read(200_018)).toEqual([])
  expect(await read(900_000)).toEqual([])
  expect((await readStart(path, 8))?.toString()).toBe("first\nxx")
  expect(await readStart(join(directory.path, "missing"), 8)).toBeUndefined()
})
