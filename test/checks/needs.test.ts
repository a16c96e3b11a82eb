import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { REPOSITORY, runScript } from "./plant-files.ts"

const SCRIPT = join(REPOSITORY, "scripts/test.ts")
const NEEDS = JSON.stringify(join(REPOSITORY, "test/kit/needs.ts"))

/** Runs one test file in its own folder, the way `npm test` runs the repository's tests. */
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

/** A test that passes when full and night mode have these values. */
const inMode = (told: string) =>
  `test("mode", () => expect([process.env.QM_FULL, process.env.QM_NIGHT]).toEqual(${told}))`
const PASSING = 'test("one", () => expect(1).toBe(1))'
const NEEDING =
  'needs("D2", "strace")\nneeds("D2", "strace")\ntest.runIf(needs("S5", "git"))("x", () => {})'
const WITHOUT = { QM_TEST_WITHOUT: "strace,git" }
const UNCHECKED = [
  "NOT CHECKED: D2 needs strace (npm run test:full has it)",
  "NOT CHECKED: S5 needs git (apt-get install git)",
]

describe("a promise that cannot be checked", () => {
  test("[TEST-1] an unchecked promise is listed once at the very end and fails nothing", async () => {
    const { exitCode, lastLines } = await runTests(`${NEEDING}\n${PASSING}`, [], WITHOUT)
    expect(lastLines.slice(-3)).toEqual([...UNCHECKED, "1 passed, 0 failed, 3 skipped"])
    expect(exitCode).toBe(0)
  })

  test("[TEST-1] an unchecked promise is a failure in full mode, which tests can read", async () => {
    const body = `${NEEDING}\n${inMode('["1", undefined]')}`
    const { exitCode, lastLines } = await runTests(body, ["--full"], WITHOUT)
    expect(lastLines.slice(-3)).toEqual([...UNCHECKED, "1 passed, 2 failed, 1 skipped"])
    expect(exitCode).toBe(1)
  })
})

describe("the last line of a run", () => {
  test("[TEST-2] the last line counts passed, failed and skipped tests", async () => {
    const body = `${PASSING}\ntest("two", () => expect(1).toBe(2))\ntest.skip("three", () => {})`
    const { exitCode, lastLines } = await runTests(body, [])
    expect(lastLines.at(-1)).toBe("1 passed, 1 failed, 1 skipped")
    expect(exitCode).toBe(1)
  })

  test("[TEST-2] the last line counts a file that cannot be loaded as one failure", async () => {
    const { exitCode, lastLines } = await runTests('throw new Error("no")', [])
    expect(lastLines.at(-1)).toBe("0 passed, 1 failed, 0 skipped")
    expect(exitCode).toBe(1)
  })

  test("[TEST-2] the last line is printed when the run dies before its end", async () => {
    const { exitCode, lastLines } = await runTests(PASSING, ["--no-such-option"])
    expect(lastLines.at(-1)).toBe("0 passed, 1 failed, 0 skipped")
    expect(exitCode).toBe(1)
  })

  test("[TEST-2] the last line reports a failure when no test was found", async () => {
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

  // Each run takes seconds, so this one checks everything that is independent of the mode.
  test("[TEST-1] [TEST-2] tests can read night mode with any reporter, and an installed tool is not listed", async () => {
    const body = `needs("S5", "git")\n${inMode('[undefined, "1"]')}`
    const { exitCode, stdout, lastLines } = await runTests(body, ["--night", "--reporter=verbose"])
    expect(stdout).toContain("> mode")
    expect(lastLines.filter((it) => it.startsWith("NOT CHECKED"))).toEqual([])
    expect(lastLines.at(-1)).toBe("1 passed, 0 failed, 0 skipped")
    expect(exitCode).toBe(0)
  })
})
