import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { type Line, readLines, readTail } from "./read-lines.ts"

test("lines are the same however the bytes are split into chunks", async () => {
  const text = fc.array(fc.string({ unit: "grapheme" }).map((it) => it.replace(/[\r\n]/g, "")))
  const property = fc.asyncProperty(text, fc.infiniteStream(fc.nat(7)), async (lines, cuts) => {
    const bytes = Buffer.from(lines.map((it) => `${it}\n`).join(""))
    const read = await all(readLines(pieces(bytes, cuts)))
    expect(read).toEqual(lines.filter((it) => it !== "").map((it) => ({ kind: "line", text: it })))
  })
  await fc.assert(property, fcParameters({ numRuns: 200 }))
})

test("one line of 50 MB is truncated, and the next line is complete", async () => {
  const megabyte = Buffer.alloc(1024 * 1024, "x")
  async function* chunks() {
    for (let count = 0; count < 50; count++) yield megabyte
    yield Buffer.from("\nnext\n")
  }
  const [long, next] = await all(readLines(chunks()))
  expect(long).toMatchObject({ kind: "cut", sizeBytes: 50 * 1024 * 1024 })
  expect(long?.text.length).toBe(1024 * 1024)
  expect(next).toEqual({ kind: "line", text: "next" })
})

test("bytes that are not UTF-8 become replacement characters", async () => {
  const bytes = Buffer.from([0x61, 0xff, 0x62, 0x0d, 0x0a])
  expect(await all(readLines(pieces(bytes, [])))).toEqual([{ kind: "line", text: "a\ufffdb" }])
})

test("a last line without a newline is read, and a broken pipe is an end", async () => {
  async function* broken() {
    yield Buffer.from("one\ntw")
    throw new Error("EPIPE")
  }
  expect(await all(readLines(broken()))).toEqual([
    { kind: "line", text: "one" },
    { kind: "line", text: "tw" },
  ])
})

test("only the end of stderr is stored", async () => {
  const tail = { text: "" }
  async function* chunks() {
    for (let count = 0; count < 1_000; count++) yield Buffer.from(`line ${count}\n`)
  }
  await readTail(chunks(), tail, 18)
  expect(tail.text).toBe("line 998\nline 999\n")
})

test("[AGENTS-30] no partial word remains where stderr was truncated", async () => {
  const tail = { text: "" }
  async function* chunks() {
    yield Buffer.from(`${"x".repeat(30)}hunter2hunter2 and the rest`)
  }
  await readTail(chunks(), tail, 20)
  expect(tail.text).toBe("and the rest")
})

async function all(lines: AsyncIterable<Line>): Promise<readonly Line[]> {
  const read: Line[] = []
  for await (const line of lines) read.push(line)
  return read
}

async function* pieces(bytes: Buffer, cuts: Iterable<number>): AsyncGenerator<Buffer> {
  let from = 0
  for (const cut of cuts) {
    if (from >= bytes.length) return
    yield bytes.subarray(from, from + cut)
    from += cut
  }
  yield bytes.subarray(from)
}
