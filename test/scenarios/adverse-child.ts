import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { runQm } from "../kit/qm.ts"

/** Runs inside its own mount namespace, with a small disk at the first argument. */
const [disk = "", situation] = process.argv.slice(2)
const project = path.join(disk, "project")
const home = path.join(disk, "home")
mkdirSync(project)
mkdirSync(home)
const filler = path.join(disk, "filler")

const results = situation === "full" ? await onFullDisk() : await onReadOnlyDisk()
console.log(JSON.stringify(results))

async function onFullDisk() {
  fill()
  const fresh = await qm("store", "status")
  rmSync(filler)
  await qm("store", "status")
  await qm("store", "backup")
  fill()
  const reading = await qm("events")
  const writing = await qm("store", "backup")
  rmSync(filler)
  const again = await qm("store", "backup")
  const sound = (await qm("store", "check")).code === 0
  return { fresh, reading, writing, again, sound }
}

async function onReadOnlyDisk() {
  await qm("store", "backup")
  mkdirSync(path.join(disk, "fresh"))
  const [store, log] = leaveLog(path.join(project, ".qm/local/store.db"))
  execFileSync("mount", ["-o", "remount,ro", disk])
  const fresh = path.join(disk, "fresh")
  return {
    help: await qm("--help"),
    config: await qm("config", "show"),
    reading: await qm("events"),
    writing: await qm("store", "backup"),
    doctor: await qm("doctor"),
    logged: [store, log].every((it) => statSync(it).size > 0),
    freshReading: await runIn(fresh, "events"),
    freshWriting: await runIn(fresh, "store", "backup"),
    freshDoctor: await runIn(fresh, "doctor"),
    report: (await runQm(["doctor"], { cwd: fresh, env: environment() })).stdout
      .split("\n")
      .filter((line) => line.includes("cannot be written")),
  }
}

/** As after a crash: a commit is only in the log, and there is no shared memory. */
function leaveLog(store: string): readonly [string, string] {
  const log = `${store}-wal`
  const database = new DatabaseSync(store)
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE left_in_log (x)")
  for (const it of [store, log]) copyFileSync(it, `${it}.copy`)
  database.close()
  for (const it of [store, log]) copyFileSync(`${it}.copy`, it)
  return [store, log]
}

function fill(): void {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(filler, Buffer.alloc(bavail * bsize))
}

type Outcome = { readonly code: number | null; readonly error: string }

function environment() {
  return { PATH: process.env["PATH"] ?? "", HOME: home }
}

function qm(...args: string[]): Promise<Outcome> {
  return runIn(project, ...args)
}

async function runIn(cwd: string, ...args: string[]): Promise<Outcome> {
  const { code, stderr } = await runQm(args, { cwd, env: environment() })
  return { code, error: /\[([A-Z_]+)\]/.exec(stderr)?.[1] ?? stderr }
}
