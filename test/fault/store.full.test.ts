import { describe, expect, test } from "vitest"
import { child } from "#test/child"
import { needs } from "#test/needs"
import { isNight } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { openTestStore, readTexts } from "./store-journal.ts"

const SCRIPT = new URL("store-eio.child.ts", import.meta.url)

/** The failing sync: at opening, during the commits, and during the checkpoint. */
const FAILING = isNight() ? Array.from({ length: 60 }, (_, index) => index + 1) : [1, 8, 30, 75]

describe.runIf(needs("D6", "strace"))("a disk that fails to sync", () => {
  test.each(FAILING)(
    "[D6][STORE-11] sync number %i fails: no write is acknowledged after it",
    async (number) => {
      await using directory = await tempDirectory()
      const file = `${directory.path}/store.db`
      const inject = `inject=fdatasync,fsync:error=EIO:when=${number}`
      const under = ["strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync,fsync", "-e", inject]
      await using run = child(SCRIPT, [file], { under })
      const lines = await run.restOfLines()

      const firstFailure = lines.findIndex((it) => !it.startsWith("stored"))
      const after = lines.slice(firstFailure)
      expect(after.filter((it) => it.startsWith("stored"))).toEqual([])
      if (after[0]?.startsWith("not opened")) {
        expect(after[0]).toMatch(/^not opened (?:STORE_STOPPED|FILE_SYSTEM_FAILED)$/)
      } else if (after[0]?.startsWith("failed")) {
        expect(after[0]).toBe("failed STORE_STOPPED")
        expect(new Set(after.slice(1, -2))).toEqual(new Set(["then STORE_STOPPED"]))
        expect(after.at(-1)).toMatch(/^stopped the disk failed/)
        expect(after.at(-2)).toBe("readable done")
      }

      const stored = lines.filter((it) => it.startsWith("stored")).map((it) => it.slice(7))
      await using again = await openTestStore({ kind: "sqlite", file })
      const found = new Set((await readTexts(again)).map((it) => it.split(" ")[0]))
      expect(stored.filter((it) => !found.has(it))).toEqual([])
    },
  )
})
