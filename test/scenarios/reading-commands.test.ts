import { access, mkdir, readdir } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { createApp } from "#show/app"
import { smallDisk } from "#test/disk"
import { shortInput } from "#test/long-input"
import { needs } from "#test/needs"
import { newUser } from "#test/qm"
import { tempDirectory } from "#test/temp"

const FULL_DISK = new URL("reading-commands.child.ts", import.meta.url)

describe("a folder without git", () => {
  test("[H2][APP-19] no operation that reads creates a file in it", async () => {
    await using temp = await tempDirectory()
    const home = path.join(temp.path, "home")
    const directory = path.join(temp.path, "project")
    await mkdir(home)
    await mkdir(directory)
    await using app = await createApp({
      directory,
      environment: { HOME: home, PATH: "" },
      settings: [],
      writeLog: () => {},
    })
    const reads = (await app.operations()).filter((it) => it.effect === "read")
    expect(reads.length).toBeGreaterThan(40)
    const creators: string[] = []
    for (const operation of reads) {
      const signal = AbortSignal.timeout(300_000)
      await app.call(operation.name, shortInput(operation), { signal }).catch((error: unknown) => {
        if (!isAppError(error)) throw error
      })
      if ((await readdir(directory)).length > 0) creators.push(operation.name)
    }
    expect(creators).toEqual([])
  })

  test("[APP-19] qm now, qm runs and qm search print their answer and create nothing", async () => {
    await using user = await newUser()
    for (const args of [["now"], ["runs"], ["search", "apple"], ["events"], ["store", "status"]]) {
      const { code, stderr } = await user.qm(args)
      expect([args[0], code, stderr]).toEqual([args[0], 0, expect.any(String)])
    }
    expect(await readdir(user.project)).toEqual([])
  })

  test("[H2][APP-19] a relative HOME is refused and creates no folder", async () => {
    await using user = await newUser()
    for (const args of [["now"], ["runs"], ["config", "set", "log.level", "debug"]]) {
      const { code, stderr } = await user.qm(args, { env: { HOME: "somewhere" } })
      expect([args[0], code, stderr]).toEqual([
        args[0],
        1,
        expect.stringContaining("APP_HOME_UNKNOWN"),
      ])
    }
    expect(await readdir(user.project)).toEqual([])
    await expect(access(path.join(user.project, "somewhere"))).rejects.toThrow("ENOENT")
  })
})

describe.runIf(needs("D5", "unshare"))("a full disk", () => {
  test("[H4][D5] commands that read answer from what is stored", async () => {
    const disk = smallDisk(6_000_000)
    if (disk.kind === "unavailable") throw new Error(disk.why)
    await using run = disk.start(FULL_DISK)
    const lines = await run.restOfLines()
    expect(JSON.parse(lines.at(-1) ?? "null")).toEqual({
      closed: EXPECTED,
      withServer: EXPECTED,
      write: "STORAGE_FULL",
    })
  })
})

const EXPECTED = {
  "now.show": "answered",
  "memory.search": "answered",
  "search.find": "answered",
  "events.list": "answered with the stored event",
  "capture.list": "answered",
  "store.status": "answered",
  "agents.list": "answered",
}
