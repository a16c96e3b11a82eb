import { execFile } from "node:child_process"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { systemClock } from "../clock.ts"
import { FileBusy } from "../errors.ts"
import { systemRandom } from "../id.ts"
import { processIdentity } from "../process/process.ts"
import { withFileLock } from "./lock.ts"

const LOCK = {
  clock: systemClock,
  random: systemRandom,
  tries: 3,
  tryMs: 1,
  busy: ({ pid }: { readonly pid: number }) => FileBusy({ path: "x", pid }),
}

describe("file lock", () => {
  test("[BASE-29] the lock names its holder during the work and is removed after success or failure", async () => {
    await using folder = await tempDirectory()
    const file = join(folder.path, "x.lock")
    const said = await withFileLock(file, LOCK, async () => {
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      return JSON.parse(await readFile(file, "utf8"))
    })
    expect(said).toEqual(processIdentity())
    const failing = withFileLock(file, LOCK, async () => {
      throw new TypeError("of the work")
    })
    await expect(failing).rejects.toThrow(TypeError)
    expect(await readdir(folder.path)).toEqual([])
  })

  test.each([
    '{"pid":999999999,"startedAt":"x"}',
    `{"pid":${process.pid},"startedAt":"of another process"}`,
    `{"pid":${process.pid},"startedAt":7}`,
    '{"pid":"1"}',
    '{"pid":-1}',
    "",
    "[]",
    "null",
    "x".repeat(2_000),
  ])("[BASE-29] a lock without a living holder is taken over: %.40s", async (left) => {
    await using folder = await tempDirectory()
    const file = join(folder.path, "x.lock")
    await writeFile(file, left)
    expect(await withFileLock(file, LOCK, async () => "done")).toBe("done")
    expect(await readdir(folder.path)).toEqual([])
  })

  test("[BASE-29] after the given number of waits the error names the living holder, who keeps the lock", async () => {
    await using folder = await tempDirectory()
    const file = join(folder.path, "x.lock")
    const held = JSON.stringify(processIdentity())
    await writeFile(file, held)
    const waits: number[] = []
    const sleep = async (ms: number) => void waits.push(ms)
    const work = async () => expect.unreachable("the lock is held")
    const waiting = withFileLock(file, { ...LOCK, tries: 4, tryMs: 9, clock: { sleep } }, work)
    await expect(waiting).rejects.toMatchObject({
      code: "FILE_BUSY",
      data: { path: "x", pid: process.pid },
    })
    expect(waits).toEqual([9, 9, 9])
    expect(await readFile(file, "utf8")).toBe(held)
    expect(await readdir(folder.path)).toEqual(["x.lock"])
  })

  test("[BASE-29] one holder at a time works, across processes and beside a dead holder", async () => {
    await using folder = await tempDirectory()
    const file = join(folder.path, "x.lock")
    const counted = join(folder.path, "count")
    await writeFile(counted, "0")
    await writeFile(file, '{"pid":999999999}')
    await writeFile(`${file}.clear`, '{"pid":999999998}')
    const program = `
      import { readFile, writeFile } from "node:fs/promises"
      import { systemClock } from ${JSON.stringify(new URL("../clock.ts", import.meta.url).href)}
      import { systemRandom } from ${JSON.stringify(new URL("../id.ts", import.meta.url).href)}
      import { withFileLock } from ${JSON.stringify(new URL("./lock.ts", import.meta.url).href)}
      const lock = { clock: systemClock, random: systemRandom, tries: 2000, tryMs: 5, busy: () => new Error("busy") }
      const add = () => withFileLock(${JSON.stringify(file)}, lock, async () => {
        const before = Number(await readFile(${JSON.stringify(counted)}, "utf8"))
        await systemClock.sleep(1)
        await writeFile(${JSON.stringify(counted)}, String(before + 1))
      })
      await Promise.all(Array.from({ length: 5 }, add))
    `
    const child = () =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", program])
    await Promise.all([child(), child(), child()])
    expect(await readFile(counted, "utf8")).toBe("15")
    expect(await readdir(folder.path)).toEqual(["count"])
  })
})
