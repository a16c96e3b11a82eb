import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import path from "node:path"
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
  await qm("store", "status")
  execFileSync("mount", ["-o", "remount,ro", disk])
  return {
    help: await qm("--help"),
    config: await qm("config", "show"),
    status: await qm("store", "backup"),
    doctor: await qm("doctor"),
  }
}

function fill(): void {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(filler, Buffer.alloc(bavail * bsize))
}

async function qm(...args: string[]): Promise<{ code: number | null; error: string }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home }
  const { code, stderr } = await runQm(args, { cwd: project, env })
  return { code, error: /\[([A-Z_]+)\]/.exec(stderr)?.[1] ?? stderr }
}
