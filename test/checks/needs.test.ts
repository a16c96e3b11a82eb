import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { REPOSITORY, runScript } from "./planted.ts"

const SCRIPT = join(REPOSITORY, "scripts/test.ts")
const NEEDS = JSON.stringify(join(REPOSITORY, "test/kit/needs.ts"))

/** Runs one test file, in a folder of its own, the way `npm test` runs the repository's. */
async function runTests(
  body: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
) {
  await using directory = await tempDirectory()
  symlinkSync(join(REPOSITORY, "node_modules"), join(directory.path, "node_modules"))
  mkdirSync(join(directory.path, "test"))
  const imports = `import { expect, test } from "vitest"\nimport { needs } from ${NEEDS}\n`
  writeFileSync(join(directory.path, "test/one.full.test.ts"), `${imports}${body}\n`)
  const config = `--config=${join(REPOSITORY, "vitest.config.ts")}`
  const all = [SCRIPT, ...args, config, `--root=${directory.path}`]
  const ended = runScript(all, { QM_TEST_INSTALL: "none", ...environment })
  return { ...ended, lastLines: ended.stdout.trimEnd().split("\n") }
}

/** Passes when it is told this of full and night. */
const inMode = (told: string) =>
  `test("mode", () => expect([process.env.QM_FULL, process.env.QM_NIGHT]).toEqual(${told}))`
const PASSING = 'test("one", () => expect(1).toBe(1))'
const NEEDING =
  'needs("D2", "strace")\nneeds("D2", "strace")\ntest.runIf(needs("S5", "git"))("x", () => {})'
const WITHOUT = { QM_TEST_WITHOUT: "strace,git" }
const UNCHECKED = [
  "NOT CHECKED: D2 needs strace (apt-get install strace)",
  "NOT CHECKED: S5 needs git (apt-get install git)",
]

describe("a promise that cannot be checked", () => {
  test("[TEST-1] is named at the very end, once, and fails nothing", async () => {
    const { exitCode, lastLines } = await runTests(`${NEEDING}\n${PASSING}`, [], WITHOUT)
    expect(lastLines.slice(-3)).toEqual([...UNCHECKED, "1 passed, 0 failed, 3 skipped"])
    expect(exitCode).toBe(0)
  })

  test("[TEST-1] is a failure in full mode, which the tests are told", async () => {
    const body = `${NEEDING}\n${inMode('["1", undefined]')}`
    const { exitCode, lastLines } = await runTests(body, ["--full"], WITHOUT)
    expect(lastLines.slice(-3)).toEqual([...UNCHECKED, "1 passed, 2 failed, 1 skipped"])
    expect(exitCode).toBe(1)
  })
})

describe("the closing line", () => {
  test("[TEST-2] counts tests that pass, fail and are skipped", async () => {
    const body = `${PASSING}\ntest("two", () => expect(1).toBe(2))\ntest.skip("three", () => {})`
    const { exitCode, lastLines } = await runTests(body, [])
    expect(lastLines.at(-1)).toBe("1 passed, 1 failed, 1 skipped")
    expect(exitCode).toBe(1)
  })

  test("[TEST-2] counts a file that cannot be loaded as one failure", async () => {
    const { exitCode, lastLines } = await runTests('throw new Error("no")', [])
    expect(lastLines.at(-1)).toBe("0 passed, 1 failed, 0 skipped")
    expect(exitCode).toBe(1)
  })

  test("[TEST-2] is there when the run dies before its end", async () => {
    const { exitCode, lastLines } = await runTests(PASSING, ["--no-such-option"])
    expect(lastLines.at(-1)).toBe("0 passed, 1 failed, 0 skipped")
    expect(exitCode).toBe(1)
  })

  test("[TEST-2] is a failure when no test was found", async () => {
    const { exitCode, lastLines } = await runTests(PASSING, ["nowhere"])
    expect(lastLines.at(-1)).toBe("0 passed, 0 failed, 0 skipped")
    expect(exitCode).toBe(1)
  })
})

describe("modes", () => {
  test("[TEST-3] the seed comes from the environment and is printed before the counts", async () => {
    const body = 'test("seed", () => expect(process.env.SEED).toBe("42"))'
    const { lastLines } = await runTests(body, [], { SEED: "42" })
    expect(lastLines.slice(-2)).toEqual(["SEED=42", "1 passed, 0 failed, 0 skipped"])
  })

  // Each run costs seconds, so this one shows all that holds whatever the mode.
  test("[TEST-1] [TEST-2] night is told, whichever reporter is asked for, and no tool that is at hand is named", async () => {
    const body = `needs("S5", "git")\n${inMode('[undefined, "1"]')}`
    const { exitCode, stdout, lastLines } = await runTests(body, ["--night", "--reporter=verbose"])
    expect(stdout).toContain("> mode")
    expect(lastLines.filter((it) => it.startsWith("NOT CHECKED"))).toEqual([])
    expect(lastLines.at(-1)).toBe("1 passed, 0 failed, 0 skipped")
    expect(exitCode).toBe(0)
  })
})
