import { spawnSync } from "node:child_process"
import path from "node:path"
import { expect, test } from "vitest"
import { z } from "zod"
import { tempDirectory } from "#test/temp"

const MAIN = path.join(import.meta.dirname, "../main.ts")

/** Prints at exit, on stderr, the rooms that the process loaded. */
const WATCHER = `
  import { registerHooks } from "node:module"
  const rooms = new Set()
  registerHooks({
    load(url, context, next) {
      const [, room] = /\\/src\\/(\\w+\\/\\w+)\\//.exec(url) ?? []
      if (room !== undefined) rooms.add(room)
      return next(url, context)
    },
  })
  process.on("exit", () => process.stderr.write(JSON.stringify([...rooms])))`

/** Without the rooms that every command loads. */
async function roomsOf(...command: readonly string[]): Promise<readonly string[]> {
  await using temp = await tempDirectory()
  const watcher = `data:text/javascript,${encodeURIComponent(WATCHER)}`
  const { stderr } = spawnSync(
    process.execPath,
    ["--import", watcher, MAIN, ...command, "--json"],
    {
      cwd: temp.path,
      encoding: "utf8",
      env: { ...process.env, HOME: temp.path },
    },
  )
  const rooms = z.array(z.string()).parse(JSON.parse(stderr))
  return rooms.filter((it) => !/^(?:ground|show)\//.test(it)).toSorted()
}

test.each([
  [["config", "check"], ["see/repo"]],
  [["events"], ["see/repo"]],
  [["fold"], ["choose/fold", "know/ledger", "see/hosts", "see/repo"]],
  [["memory"], ["know/memory", "know/search", "see/repo"]],
  [
    ["pack", "harbour"],
    ["choose/pack", "know/knowledge", "know/map", "know/search", "see/hosts", "see/repo"],
  ],
  [["runs"], ["act/agents", "see/capture", "see/hosts", "see/repo"]],
])("[APP-40] a command loads only the rooms it uses: %s", async (command, rooms) => {
  expect(await roomsOf(...command)).toEqual(rooms)
})
