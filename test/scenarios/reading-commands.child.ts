/**
 * Fills the disk whose path is the first argument and calls operations that read: first with the
 * store closed, then while another process has it open. Prints the outcomes as one JSON line.
 */
import { spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { isAppError } from "#ground/base"
import { createApp } from "#show/app"

const [disk = ""] = process.argv.slice(2)
const [home, directory] = [`${disk}/home`, `${disk}/project`]
mkdirSync(home)
mkdirSync(directory)
spawnSync("git", ["init", "-q", directory])
writeFileSync(`${directory}/first.ts`, "export const first = 1\n")

const signal = AbortSignal.timeout(600_000)
const openApp = () =>
  createApp({
    directory,
    environment: { HOME: home, PATH: process.env["PATH"] ?? "" },
    settings: [],
    writeLog: () => {},
  })
const codeOf = (error: unknown) => (isAppError(error) ? error.code : String(error))

async function call(name: string, input: object): Promise<string> {
  await using app = await openApp()
  try {
    const output = JSON.stringify(await app.call(name, input, { signal }))
    const isStored = name === "events.list" && output.includes("config.changed")
    return isStored ? "answered with the stored event" : "answered"
  } catch (error) {
    return codeOf(error)
  }
}

async function readAll() {
  const outcomes: Record<string, string> = {}
  for (const name of ["now.show", "events.list", "capture.list", "store.status", "agents.list"]) {
    outcomes[name] = await call(name, {})
  }
  outcomes["search.find"] = await call("search.find", { words: "second" })
  outcomes["memory.search"] = await call("memory.search", { words: "anything" })
  return outcomes
}

function fill(): void {
  const file = openSync(`${disk}/fill`, "a")
  for (const size of [65_536, 4_096, 512, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch {
      // Full for this size; a smaller one may still fit.
    }
  }
  closeSync(file)
}

await call("config.set", { key: "log.level", value: "warn", layer: "user" })
await call("search.find", { words: "first" })
writeFileSync(`${directory}/second.ts`, "export const second = 2\n")
fill()
const closed = await readAll()
rmSync(`${disk}/fill`)
await using other = await openApp()
await other.store()
writeFileSync(`${directory}/third.ts`, "export const third = 3\n")
fill()
const withServer = await readAll()
const write = await call("config.set", { key: "log.level", value: "info", layer: "user" })
process.stdout.write(`${JSON.stringify({ closed, withServer, write })}\n`)
