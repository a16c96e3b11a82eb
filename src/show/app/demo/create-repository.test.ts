import { execFileSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { runQm } from "#test/qm"
import { tempDirectory } from "#test/temp"

const environment = (home: string) => ({ PATH: process.env.PATH ?? "", HOME: home })

test("[APP-46] qm demo creates a repository with a history, on which capture and pack work", async () => {
  await using temp = await tempDirectory()
  const env = environment(temp.path)
  const created = await runQm(["demo", "--json"], { cwd: temp.path, env })
  const folder = path.join(temp.path, "qm-demo")
  expect(JSON.parse(created.stdout)).toEqual({ folder, files: 16, commits: 3 })
  const subjects = execFileSync("git", ["-C", folder, "log", "--format=%s"], { encoding: "utf8" })
  expect(subjects.trim().split("\n").toReversed()).toEqual([
    "Add quotes with rounding per line",
    "Add invoices",
    "Split a stay over two berths",
  ])
  expect(execFileSync("git", ["-C", folder, "status", "--short"], { encoding: "utf8" })).toBe("")

  const captured = await runQm(["capture"], { cwd: folder, env })
  expect(captured).toMatchObject({ code: 0, stdout: expect.stringContaining("CLAUDE.md") })
  const packed = await runQm(["pack", "fix roundLine"], { cwd: folder, env })
  expect(packed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("src/tariff/rounding.ts"),
  })
})

test("[APP-46] qm demo refuses a folder that is not empty, and leaves it as it is", async () => {
  await using temp = await tempDirectory()
  writeFileSync(path.join(temp.path, "mine.txt"), "mine")
  const refused = await runQm(["demo", "."], { cwd: temp.path, env: environment(temp.path) })
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("APP_DEMO_FOLDER_USED"),
  })
  expect(readdirSync(temp.path)).toEqual(["mine.txt"])
})

test("[APP-46] without git the files are written, and the result has no commits", async () => {
  await using temp = await tempDirectory()
  const env = { PATH: path.dirname(process.execPath), HOME: temp.path }
  const created = await runQm(["demo", "--json"], { cwd: temp.path, env })
  expect(JSON.parse(created.stdout)).toMatchObject({ files: 16, commits: 0 })
})
