import { execFileSync } from "node:child_process"
import { appendFile, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { FileNotRegular } from "../errors.ts"
import { createJsonl, JSONL_MOST_WAITING_RECORDS } from "./jsonl.ts"
import { readJsonl } from "./jsonl-read.ts"

const umaskBefore = process.umask()
afterEach(() => void process.umask(umaskBefore))

describe("appending to a journal", () => {
  test("[BASE-11] records are one line each, in the order of the calls, awaited or not", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    const jsonl = createJsonl(path)
    await Promise.all(Array.from({ length: 100 }, (_, n) => jsonl.append({ n, text: "a\nb" })))
    const lines = (await readFile(path, "utf8")).split("\n")
    expect(lines).toEqual([
      ...Array.from({ length: 100 }, (_, n) => JSON.stringify({ n, text: "a\nb" })),
      "",
    ])
  })

  test("[BASE-11] any appended record is read back unchanged", async () => {
    await using directory = await tempDirectory()
    let file = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), async (records) => {
        const path = join(directory.path, `${file++}.jsonl`)
        const jsonl = createJsonl(path)
        for (const record of records) await jsonl.append(record)
        const plain = JSON.parse(JSON.stringify(records))
        expect(await readJsonl(path)).toEqual({ records: plain, warnings: [] })
      }),
      fcParameters({ numRuns: 60 }),
    )
  })

  test("[S9] a new journal has exactly the mode; an existing one keeps its mode", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    process.umask(0)
    await createJsonl(at("new")).append({})
    process.umask(0o077)
    await createJsonl(at("open"), { mode: 0o644 }).append({})
    await createJsonl(at("open")).append({})
    const modes = await Promise.all(["new", "open"].map(async (it) => (await stat(at(it))).mode))
    expect(modes.map((it) => it & 0o7777)).toEqual([0o600, 0o644])
  })

  test("[BASE-11] after a partial line the next record starts on its own line", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    const jsonl = createJsonl(path)
    await jsonl.append({ n: 1 })
    await appendFile(path, '{"n":2,"te')
    await jsonl.append({ n: 3 })
    await jsonl.append({ n: 4 })
    expect(await readFile(path, "utf8")).toBe('{"n":1}\n{"n":2,"te\n{"n":3}\n{"n":4}\n')
  })

  test("[BASE-11] appending to a file without a final newline loses nothing", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    await writeFile(path, '{"n":1}')
    await createJsonl(path).append({ n: 2 })
    expect(await readJsonl(path)).toEqual({ records: [{ n: 1 }, { n: 2 }], warnings: [] })
  })

  test("[BASE-11] a journal without fsync has the same lines, also after a partial line", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "log.jsonl")
    const jsonl = createJsonl(path, { isDurable: false })
    await jsonl.append({ n: 1 })
    await appendFile(path, '{"n":')
    await jsonl.append({ n: 2 })
    expect(await readFile(path, "utf8")).toBe('{"n":1}\n{"n":\n{"n":2}\n')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test("[BASE-11] a record over the limit is refused before anything is written", async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "ledger.jsonl")
    const jsonl = createJsonl(path, { maxLineBytes: 20 })
    await jsonl.append({ text: "x".repeat(9) })
    await expect(jsonl.append({ text: "x".repeat(10) })).rejects.toMatchObject({
      code: "JSONL_RECORD_TOO_LONG",
      data: { sizeBytes: 21, maxLineBytes: 20 },
    })
    expect((await stat(path)).size).toBe(21)
  })

  test("[BASE-11] the queue is bounded, and a failed append does not block the next", async () => {
    await using directory = await tempDirectory()
    const jsonl = createJsonl(join(directory.path, "no", "ledger.jsonl"))
    const calls = Array.from({ length: JSONL_MOST_WAITING_RECORDS + 1 }, () => jsonl.append({}))
    const codes = (await Promise.allSettled(calls)).map((it) =>
      it.status === "rejected" ? it.reason.code : "written",
    )
    expect(codes.at(-1)).toBe("JSONL_TOO_MANY_WAITING")
    expect(new Set(codes.slice(0, -1))).toEqual(new Set(["FILE_DIRECTORY_MISSING"]))
    await mkdir(join(directory.path, "no"))
    await jsonl.append({ n: 1 })
  })

  test("[BASE-7] links, FIFOs, devices and directories are refused without blocking", async () => {
    await using directory = await tempDirectory()
    const at = (name: string) => join(directory.path, name)
    await writeFile(at("theirs"), "")
    await symlink(at("theirs"), at("link"))
    await symlink(at("nowhere"), at("dangling"))
    execFileSync("mkfifo", [at("fifo")])
    for (const path of [at("link"), at("dangling"), at("fifo"), "/dev/null", directory.path]) {
      await expect(createJsonl(path).append({})).rejects.toSatisfy(FileNotRegular.is)
    }
    expect(await readFile(at("theirs"), "utf8")).toBe("")
  })
})
