import { spawnSync } from "node:child_process"
import { linkSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { closeHostileSockets, makeHostileTree } from "../../../test/corpus/hostile.ts"

const CHILD = fileURLToPath(new URL("../../../test/fault/repo-walk.child.ts", import.meta.url))
const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url))
afterAll(closeHostileSockets)

type WalkReport = { files: number; isWhole: boolean; walkMs: number; readMs: number; rssMb: number }

function walkInChild(root: string, under: readonly string[] = []): WalkReport {
  const [file, ...args] = [...under, process.execPath, CHILD, root]
  const done = spawnSync(file, args, { encoding: "utf8", timeout: 600_000 })
  if (done.status !== 0) throw new Error(done.stderr)
  return JSON.parse(done.stdout) as WalkReport
}

describe.runIf(needs("F3", "strace"))("system calls during a walk", () => {
  test("[F3] in the hostile corpus nothing outside is opened and nothing is executed", async () => {
    await using temp = await tempDirectory()
    const place = { root: path.join(temp.path, "root"), outside: path.join(temp.path, "outside") }
    makeHostileTree(place)
    const trace = path.join(temp.path, "trace")
    const calls = "--trace=open,openat,openat2,execve,execveat"
    const said = walkInChild(place.root, ["strace", "-f", "-y", "-s", "5000", "-o", trace, calls])
    expect(said.files).toBeGreaterThan(30)
    expect(said.rssMb).toBeLessThan(512)

    const lines = readFileSync(trace, "latin1").split("\n")
    const executed = lines.filter((it) => /\bexecve(?:at)?\(/.test(it))
    expect(executed.length).toBe(1)
    // strace prints the opened path in angle brackets after the handle's number.
    const opened = lines.flatMap((it) => / = \d+<([^>]*)>/.exec(it)?.[1] ?? [])
    const inside = opened.filter((it) => it.startsWith(`${place.root}/`) || it === place.root)
    expect(inside.length).toBeGreaterThan(said.files)
    const first = lines.findIndex((it) => it.includes(`<${place.root}>`))
    const after = lines.slice(first).flatMap((it) => / = \d+<([^>]*)>/.exec(it)?.[1] ?? [])
    const strange = after.filter(
      (it) => !it.startsWith(place.root) && !it.startsWith(REPOSITORY) && !isOfNode(it),
    )
    expect(strange).toEqual([])
  })
})

/** Node reads its own limits and the system load now and then, and malloc the overcommit setting. */
function isOfNode(file: string): boolean {
  return /^\/(?:proc\/(?:self|\d+)\/(?:maps|stat|status|cgroup)|proc\/meminfo|proc\/sys\/vm\/overcommit_memory$|sys\/|dev\/null$)/.test(
    file,
  )
}

test("[F3] 100,000 files are walked in seconds with little memory", async () => {
  await using temp = await tempDirectory()
  const root = path.join(temp.path, "root")
  for (let folder = 0; folder < 1_000; folder++) {
    const at = path.join(root, `${folder % 10}`, `${folder}`)
    mkdirSync(at, { recursive: true })
    // Hard links to a few files are faster to create; a file system allows about 65,000 for each.
    const file = path.join(temp.path, `file-${folder % 10}`)
    if (folder < 10) writeFileSync(file, "text\n")
    for (let name = 0; name < 100; name++) linkSync(file, path.join(at, `${name}.ts`))
  }
  writeFileSync(path.join(root, ".gitignore"), "*.log\nbuild/\n**/tmp/*\nnode_modules\n*.tmp\n")
  const said = walkInChild(root)
  expect(said).toMatchObject({ files: 100_001, isWhole: true })
  expect(said.rssMb).toBeLessThan(512)
  // Half a second on an idle machine; only a change of complexity exceeds this.
  expect(said.walkMs).toBeLessThan(20_000)
  console.log(
    `walked 100,001 files in ${Math.round(said.walkMs)} ms, read in ${Math.round(said.readMs)} ms, ${Math.round(said.rssMb)} MB`,
  )
})
