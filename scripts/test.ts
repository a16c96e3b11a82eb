import { execFileSync, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { newSeed } from "../test/kit/seed.ts"
import { computingTime, describeFileTimes } from "./test/computing-time.ts"
import { reportCoverage } from "./test/coverage.ts"
import { installHosts } from "./test/install-hosts.ts"
import { installTools } from "./test/install-tools.ts"
import { closingLines, type Outcome } from "./test/outcome.ts"
import { packageFolder } from "./test/package.ts"

/**
 * `npm test`, `npm run test:full`, `npm run test:night`; further arguments go to vitest. Coverage is
 * measured with `npm test -- --coverage` and in CI (`CI=true`). Full mode runs the tests in a browser
 * and the *.full.test.ts files, and treats a missing tool as a failure. `--cpu` lists the files that
 * computed most. The last line of the output is always `N passed, N failed, N skipped`.
 */
const ROOT = join(import.meta.dirname, "..")
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs")
const FILE_TIMES = "--cpu"
const MODES = ["--full", "--night", FILE_TIMES]
const MOST_FILE_TIMES = 40
const REPORTER = "--reporter="
const MEMORY_FOLDER = "/dev/shm"
const DISK_FOLDER = "/var/tmp"
const MEMORY_BYTES = 4 * 1024 ** 3

const OutcomeFile = z.object({
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  notChecked: z.array(z.string()),
})

const args = process.argv.slice(2)
const isFull = args.includes("--full")
const isNight = args.includes("--night")
// A reporter passed to vitest itself would replace ours, and with it the last line.
const reporter = args.findLast((it) => it.startsWith(REPORTER))?.slice(REPORTER.length)
const passedOn = args.filter((it) => !MODES.includes(it) && !it.startsWith(REPORTER))
const COVERAGE = "--coverage"
// Coverage of a part says nothing about the whole, and full mode is a part by design. It takes a
// quarter more time, so it is measured in CI and where it is requested.
const isWhole = !isFull && passedOn.every((it) => it === COVERAGE)
const isCounted = isWhole && (passedOn.includes(COVERAGE) || process.env["CI"] === "true")

// A test of this script needs no tools and must not download a gigabyte. The night also runs the
// rows of full mode that the day leaves out.
if ((isFull || isNight) && process.env.QM_TEST_INSTALL !== "none") {
  installTools()
  installHosts()
}
// Browser tests use the built console.
execFileSync(process.execPath, [join(ROOT, "scripts/build.ts"), "--if-needed"], {
  stdio: "inherit",
})
// A test of this script must not replace the folder that the other tests use.
const builtPackage = process.env["QM_TEST_PACKAGE"] ?? (await packageFolder())
process.exitCode = await runTests()

async function runTests(): Promise<number> {
  const seed = process.env.SEED ?? String(newSeed())
  const folder = makeFolder(isFull ? folderForHosts() : memoryFolder())
  const browserFolder = isFull ? makeFolder(memoryFolder()) : undefined
  const outcomeFile = join(folder, "outcome.json")
  const fileTimes = args.includes(FILE_TIMES) ? join(folder, "file-times.jsonl") : undefined
  try {
    const exitCode = await runVitest({
      SEED: seed,
      TMPDIR: folder,
      QM_TEST_OUTCOME: outcomeFile,
      QM_TEST_PACKAGE: builtPackage,
      ...(reporter === undefined ? {} : { QM_TEST_REPORTER: reporter }),
      ...(fileTimes === undefined ? {} : { QM_TEST_CPU: fileTimes }),
      ...(isFull ? { QM_FULL: "1" } : {}),
      ...(browserFolder === undefined ? {} : { QM_TEST_MEMORY: browserFolder }),
      ...(isNight ? { QM_NIGHT: "1" } : {}),
    })
    const isCovered = isCounted ? reportCoverage(ROOT) : true
    if (fileTimes !== undefined) {
      process.stdout.write(describeFileTimes(fileTimes, MOST_FILE_TIMES))
    }
    process.stdout.write(computingLine())
    process.stdout.write(closingLines(readOutcome(outcomeFile), seed))
    return exitCode === 0 && !isCovered ? 1 : exitCode
  } finally {
    for (const it of [folder, browserFolder]) {
      if (it !== undefined) rmSync(it, { recursive: true, force: true })
    }
  }
}

function makeFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, "qm-"))
  // Postgres refuses root, so its test server runs as another user and must reach its folder.
  chmodSync(folder, 0o755)
  return folder
}

/** On a busy machine the elapsed time shows what the others did; this shows what the tests cost. */
function computingLine(): string {
  const time = computingTime()
  return time === undefined
    ? ""
    : `computing time of all test processes: ${time.children.toFixed(0)} s\n`
}

/**
 * In memory where there is room: tests commit thousands of times, and the syncs of a disk take a
 * third of the computing time.
 */
function memoryFolder(): string {
  if (!existsSync(MEMORY_FOLDER)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  return bavail * bsize < MEMORY_BYTES ? tmpdir() : MEMORY_FOLDER
}

/**
 * The sandboxes of the hosts hide the folders in memory. In /tmp codex-acp 2.6.0 creates an empty
 * `.git`, which Claude Code takes for the top of every repository below.
 */
function folderForHosts(): string {
  return existsSync(DISK_FOLDER) ? DISK_FOLDER : tmpdir()
}

function runVitest(environment: Readonly<Record<string, string>>): Promise<number> {
  const vitestArgs = isCounted ? [COVERAGE] : passedOn
  const child = spawn(process.execPath, [VITEST, "run", ...vitestArgs], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
  })
  // A terminal sends the signal to both processes; a signal sent only to this one is forwarded to
  // the child.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => child.kill(signal))
  }
  return new Promise((done, failed) => {
    child.on("error", failed)
    child.on("exit", (code, signal) => done(exitCodeOf(code, signal)))
  })
}

/** A shell reports death by signal as 128 plus the signal number. */
function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  if (signal !== null) return 128 + constants.signals[signal]
  return code ?? 1
}

/** A run that died before its end has no outcome, which counts as one failure. */
function readOutcome(file: string): Outcome {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0, notChecked: [] }
  return OutcomeFile.parse(JSON.parse(readFileSync(file, "utf8")))
}
