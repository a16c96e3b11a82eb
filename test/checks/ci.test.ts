import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { REPOSITORY } from "./plant-files.ts"

/** Output and exit of each npm command, as the body of a shell `case`. */
type Npm = { readonly check: string; readonly test: string; readonly full: string; ci?: string }

/** Runs .ci/run with a fake npm that prints the given output, without stdin and home. */
async function runCi(npm: Npm) {
  await using directory = await tempDirectory()
  mkdirSync(join(directory.path, ".ci"))
  mkdirSync(join(directory.path, "programs"))
  copyFileSync(join(REPOSITORY, ".ci/run"), join(directory.path, ".ci/run"))
  const script = [
    "#!/bin/sh",
    'case "$*" in',
    `  "ci --ignore-scripts") ${npm.ci ?? "exit 0"} ;;`,
    `  *test:full) ${npm.full} ;;`,
    `  *check) ${npm.check} ;;`,
    `  test*) ${npm.test} ;;`,
    "  *) exit 9 ;;",
    "esac",
  ].join("\n")
  writeFileSync(join(directory.path, "programs/npm"), script, { mode: 0o755 })
  const ended = spawnSync("bash", [join(directory.path, ".ci/run")], {
    encoding: "utf8",
    env: { PATH: `${directory.path}/programs:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
  })
  return { exitCode: ended.status, lines: ended.stdout.trimEnd().split("\n") }
}

const says = (line: string, code = 0) => `echo "${line}"; exit ${code}`
const GOOD: Npm = {
  check: "exit 0",
  test: says("10 passed, 0 failed, 2 skipped"),
  full: says("3 passed, 0 failed, 0 skipped"),
}

test("[TEST-2] CI adds up both test runs and prints the time of each step", async () => {
  const { exitCode, lines } = await runCi(GOOD)
  expect(lines.slice(-5).map((line) => line.replace(/ +\d+ s/, " N s"))).toEqual([
    "install N s  ok",
    "check N s  ok",
    "test N s  ok",
    "full N s  ok",
    "13 passed, 0 failed",
  ])
  expect(exitCode).toBe(0)
})

test("[TEST-2] CI fails with a failing test and still runs the remaining steps", async () => {
  const { exitCode, lines } = await runCi({
    ...GOOD,
    test: says("9 passed, 1 failed, 2 skipped", 1),
  })
  expect(lines.at(-1)).toBe("12 passed, 1 failed")
  expect(exitCode).toBe(1)
})

test("[TEST-2] CI counts a failed check as one failure, and stops without packages", async () => {
  const unchecked = await runCi({ ...GOOD, check: "exit 1" })
  expect([unchecked.lines.at(-1), unchecked.exitCode]).toEqual(["13 passed, 1 failed", 1])
  const uninstalled = await runCi({ ...GOOD, ci: "exit 7" })
  expect([uninstalled.lines.at(-1), uninstalled.exitCode]).toEqual(["0 passed, 1 failed", 1])
})
