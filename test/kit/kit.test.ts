import { chmod, mkdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { isSameProcessAlive, processIdentity } from "#ground/base"
import { child } from "#test/child"
import { testClock } from "#test/clock"
import { smallDisk } from "#test/disk"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"

describe("test clock", () => {
  test("the test clock advances only on command and wakes sleepers in order, also those that sleep again", async () => {
    const clock = testClock({ now: 1_000 })
    const woken: string[] = []
    const sleepTwice = async (name: string, ms: number) => {
      await clock.sleep(ms)
      woken.push(`${name} ${clock.now()}`)
      await clock.sleep(ms)
      woken.push(`${name} ${clock.now()}`)
    }
    const all = [sleepTwice("slow", 30), sleepTwice("fast", 20)]
    await clock.advance(19)
    expect(woken).toEqual([])
    await clock.advance(41)
    await Promise.all(all)
    expect(woken).toEqual(["fast 1020", "slow 1030", "fast 1040", "slow 1060"])
    expect([clock.now(), clock.monotonicMs()]).toEqual([1_060, 60])
  })

  test("setting the wall clock wakes no sleeper", async () => {
    const clock = testClock({ now: 1_000 })
    let isAwake = false
    void clock.sleep(10).then(() => {
      isAwake = true
    })
    clock.setWall(5_000_000)
    await clock.advance(9)
    expect([isAwake, clock.now()]).toEqual([false, 5_000_009])
    await clock.advance(1)
    expect(isAwake).toBe(true)
  })

  test("a sleep can be aborted before it starts and while it waits", async () => {
    const clock = testClock()
    const controller = new AbortController()
    const during = clock.sleep(10, controller.signal)
    controller.abort()
    await expect(during).rejects.toMatchObject({ name: "AbortError" })
    await expect(clock.sleep(10, controller.signal)).rejects.toMatchObject({ name: "AbortError" })
    await clock.advance(20)
  })
})

test("a temporary directory is removed afterwards, including folders without permissions", async () => {
  let path = ""
  {
    await using directory = await tempDirectory()
    path = directory.path
    await mkdir(join(path, "closed", "below"), { recursive: true })
    await writeFile(join(path, "closed", "below", "file"), "")
    await chmod(join(path, "closed", "below"), 0)
    await chmod(join(path, "closed"), 0)
  }
  await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" })
})

describe("child processes", () => {
  const script = (source: string) => new URL(`data:text/javascript,${source}`)

  test("a child needs a file URL, exchanges lines with the test, and is killed at the end", async () => {
    expect(() => child(script("0"))).toThrow("must be of scheme file")
    await using directory = await tempDirectory()
    const path = join(directory.path, "echo.ts")
    await writeFile(path, 'process.stdin.on("data", (it: Buffer) => console.log(`heard ${it}`))')
    let identity = processIdentity()
    {
      await using echo = child(new URL(`file://${path}`))
      identity = processIdentity(echo.pid)
      echo.send("one")
      expect(await echo.nextLine()).toBe("heard one")
      expect(isSameProcessAlive(identity)).toBe(true)
    }
    expect(isSameProcessAlive(identity)).toBe(false)
  })
})

test.runIf(needs("D5", "unshare"))(
  "a small disk is small and visible only to the child",
  async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, "size.ts")
    const source = `import { statfsSync } from "node:fs"
    const { blocks, bsize } = statfsSync(process.argv[2] ?? "")
    console.log(blocks * bsize, process.argv[3])`
    await writeFile(path, source)
    const disk = smallDisk(1_048_576)
    if (disk.kind === "unavailable") throw new Error(disk.why)
    await using size = disk.start(new URL(`file://${path}`), ["given"])
    expect(await size.restOfLines()).toEqual(["1048576 given"])
  },
)
