import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import path from "node:path"
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config"
import { lineBars } from "./scripts/test/bars.ts"
import { UNCOUNTED } from "./scripts/test/coverage-provider.ts"
import { closingReporter } from "./scripts/test/reporter.ts"
import { LongFirst } from "./scripts/test/sequencer.ts"
import { UNCOUNTED_FILES } from "./scripts/test/uncounted-files.ts"
import { newSeed } from "./test/kit/seed.ts"
import "./test/kit/compile-cache.ts"

// One seed for the whole run, so that one line at the end is enough to repeat it.
process.env.SEED ??= String(newSeed())

const FOLDERS = "{src,scripts,bin,test,bench}"
const isFullMode = process.env.QM_FULL === "1"
const isNightMode = process.env.QM_NIGHT === "1"

// The runner's own tests point it at a folder of theirs, which has no console.
const isElsewhere = process.argv.some((it) => it.startsWith("--root="))

/**
 * Tests that compute for long in their own process, of code that other tests cover: counted, they
 * would take up to four times as long. The same holds for `UNCOUNTED_FILES`, some of which share a
 * process. Full mode counts nothing.
 */
const HEAVY_FILES = ["src/**/*.heavy.test.ts", "test/fault/store-{migrations,model}.test.ts"]

/**
 * They take a third of the computing time of all tests, most of it in Chromium, so they run in full
 * mode and where they are named: `npm test test/browser/board`.
 */
const BROWSER_FILES = "test/browser/**/*.test.ts"
const isBrowserNamed = process.argv.some((it) => it.includes("test/browser"))

/** Tests that change or measure their own process, or whose code does, so that each needs its own. */
const OWN_PROCESS =
  /\bprocess\.(?:umask|on|emit|exitCode|cpuUsage|memoryUsage|listenerCount|getActiveResourcesInfo|seteuid|chdir)\b|\bprocess\.(?:platform|getBuiltinModule) =(?!=)|\bprocess\.env(?:\[[^\]]*\]|\.\w+) =(?!=)|\bglobalThis\b|\bvi\.|#test\/index-daemon-scene/

/** Of full mode `npm test` only lists the titles, which needs no process. */
const OWN_PROCESS_NAME = isNightMode ? /\.(?:full|heavy)\.test\.ts$/ : /\.heavy\.test\.ts$/

/** All other tests share a process and its modules with the files of their group. */
const SHARED_FILES =
  isFullMode || isElsewhere
    ? []
    : globSync(`${FOLDERS}/**/*.test.ts`, { cwd: import.meta.dirname })
        .toSorted()
        .filter(
          (file) =>
            !OWN_PROCESS_NAME.test(file) &&
            !/^test\/(?:corpus|browser)\//.test(file) &&
            !OWN_PROCESS.test(readFileSync(path.join(import.meta.dirname, file), "utf8")),
        )

const UNCOUNTED_OWN = UNCOUNTED_FILES.filter((file) => !SHARED_FILES.includes(file))

/** Tests that need runners which only full mode installs; `npm test` runs those whose runner is there. */
const RUNNER_FILES = "test/scenarios/scaffold-tests.test.ts"

const HOUSE: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "house",
    include: isFullMode
      ? [`${FOLDERS}/**/*.full.test.ts`, RUNNER_FILES]
      : [`${FOLDERS}/**/*.test.ts`],
    exclude: [
      ...configDefaults.exclude,
      ...(isFullMode ? [] : [...HEAVY_FILES, ...UNCOUNTED_OWN, ...SHARED_FILES, BROWSER_FILES]),
    ],
  },
}

/**
 * A process that runs hundreds of files grows to a gigabyte, and then each start of a child, of
 * which there are thousands, copies its page tables for 25 ms. Neighbours load the same modules.
 */
const FILES_A_GROUP = 45
const SHARED: readonly TestProjectInlineConfiguration[] = [
  ...groupsOf("shared", (file) => !UNCOUNTED_FILES.includes(file), {}),
  ...groupsOf("heavy-shared", (file) => UNCOUNTED_FILES.includes(file), UNCOUNTED),
]

function groupsOf(
  name: string,
  isOfGroup: (file: string) => boolean,
  env: Readonly<Record<string, string>>,
): readonly TestProjectInlineConfiguration[] {
  const files = SHARED_FILES.filter(isOfGroup)
  const starts = files.keys().filter((at) => at % FILES_A_GROUP === 0)
  return Array.from(starts, (at, group) => ({
    extends: true,
    test: {
      name: `${name}-${group + 1}`,
      include: files.slice(at, at + FILES_A_GROUP),
      exclude: HEAVY_FILES,
      isolate: false,
      env,
    },
  }))
}

/** By its name before the house: projects run in that order, and the longest files should start first. */
const HEAVY: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: "heavy", include: [...HEAVY_FILES, ...UNCOUNTED_OWN], env: UNCOUNTED },
}

/**
 * `npm run test:full` names a folder in memory: these tests start no sandbox that would hide it, and
 * the syncs of a disk take a third of their computing time.
 */
const memoryFolder = process.env["QM_TEST_MEMORY"]

/** The files share processes, and each process a browser. */
const BROWSER: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "browser",
    include: [BROWSER_FILES],
    exclude: ["**/*.full.test.ts"],
    isolate: false,
    env: { ...UNCOUNTED, ...(memoryFolder === undefined ? {} : { TMPDIR: memoryFolder }) },
  },
}

/** The console has a config of its own, for its aliases and style sheets. */
const CONSOLE = "console/vite.config.ts"

const PROJECTS = [
  HOUSE,
  ...(isFullMode ? [] : [HEAVY]),
  ...(isFullMode || isBrowserNamed ? [BROWSER] : []),
  ...(isFullMode || isElsewhere ? [] : [...SHARED, CONSOLE]),
]

export default defineConfig({
  test: {
    projects: PROJECTS,
    setupFiles: [
      path.join(import.meta.dirname, "test/kit/compile-cache.ts"),
      ...(process.env["QM_TEST_CPU"] === undefined
        ? []
        : [path.join(import.meta.dirname, "scripts/test/computing-time-setup.ts")]),
    ],
    // Processes, not threads: tests kill, chdir and change the umask. Three at least, because most
    // of them wait for children and disks rather than for a core.
    pool: "forks",
    maxWorkers: Math.max(isFullMode ? 4 : 3, Math.floor(availableParallelism() / 2)),
    ...(isFullMode ? { sequence: { sequencer: LongFirst } } : {}),
    // Limits against hanging, not against slowness: tests must also pass on a loaded machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    // Titles of tables are sentences with a rule in them; cut short they say nothing.
    taskTitleValueFormatTruncate: 0,
    reporters: [process.env.QM_TEST_REPORTER ?? "default", closingReporter()],
    coverage: {
      provider: "custom",
      customProviderModule: path.join(import.meta.dirname, "scripts/test/coverage-provider.ts"),
      include: ["src/**/*.ts"],
      // These entries run only as processes or threads of their own, where this coverage cannot see.
      exclude: [
        "src/**/*.test.ts",
        "src/show/main.ts",
        "src/show/hooks/main.ts",
        "src/show/hooks/opencode/{plugin,notes}.ts",
        "src/show/cli/connect/*.ts",
        "src/show/app/acp-proxy.ts",
        "src/act/agents/acp/proxy.ts",
        "src/act/agents/runs/recorded-run.ts",
        "src/**/thread/main.ts",
        "src/know/knowledge/readers/pdf/open-pdf.ts",
      ],
      reporter: ["json-summary"],
      reportsDirectory: "coverage",
      thresholds: lineBars(import.meta.dirname),
    },
  },
})
