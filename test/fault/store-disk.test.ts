import { describe, expect, test } from "vitest"
import { child } from "#test/child"
import { smallDisk } from "#test/disk"
import { needs } from "#test/needs"

const SCRIPT = new URL("store-disk.child.ts", import.meta.url)
const READ_ONLY = new URL("store-read-only.child.ts", import.meta.url)

describe.runIf(needs("D5", "unshare"))("a small disk", () => {
  test.each([
    ["0 bytes", 0],
    ["12 kB", 12_288],
    ["100 kB", 102_400],
  ])(
    "[D5][STORE-12] with %s free every write fails with STORAGE_FULL and nothing is lost",
    async (_, free) => {
      const disk = smallDisk(4_000_000)
      if (disk.kind === "unavailable") throw new Error(disk.why)
      await using run = disk.start(SCRIPT, [String(free)])
      const [line] = await run.restOfLines()
      expect(await run.exited).toMatchObject({ code: 0 })
      expect(JSON.parse(line ?? "null")).toEqual({
        whenFull: { event: "STORAGE_FULL", row: "STORAGE_FULL", backup: "STORAGE_FULL" },
        whenFreed: { event: "done", row: "done", backup: "done" },
        findings: [],
        stopped: null,
        isKept: true,
        notesWhenFull: ["kept text"],
        textsAfterReopen: true,
      })
    },
  )

  test("[STORE-17] the error for a folder without write permission names the folder", async () => {
    const under = ["unshare", "--user", "--map-root-user", "--mount"]
    const mount = 'mount -t tmpfs tmpfs "$0" && mount -o remount,ro "$0" && exec "$@"'
    await using run = child(READ_ONLY, ["/mnt"], { under: [...under, "sh", "-c", mount, "/mnt"] })
    expect(await run.restOfLines()).toEqual(["STORE_NOT_WRITABLE /mnt/qm/store.db"])
  })
})
