import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { HOSTS_FOLDER, isHostInstalled, type TestedProgram } from "../../test/kit/host-programs.ts"

const PINNED = join(import.meta.dirname, "../../test/hosts")
const FILES = ["package.json", "package-lock.json"]
const TESTED: readonly TestedProgram[] = [
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

/**
 * Installs the agent hosts of full mode, as pinned in test/hosts; about 30 s and 2 GB, once. A
 * failure is printed, and the tests that need a host fail.
 */
export function installHosts(): void {
  if (isCurrent()) return
  mkdirSync(HOSTS_FOLDER, { recursive: true })
  for (const file of FILES) copyFileSync(join(PINNED, file), join(HOSTS_FOLDER, file))
  // No install script runs: the platform packages contain the complete programs.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const { status } = spawnSync("npm", args, { cwd: HOSTS_FOLDER, stdio: ["ignore", 2, 2] })
  if (status === 0) return
  process.stderr.write("The agent hosts of test/hosts could not be installed by npm ci.\n")
}

function isCurrent(): boolean {
  return (
    TESTED.every(isHostInstalled) &&
    FILES.every((file) => read(join(PINNED, file)) === read(join(HOSTS_FOLDER, file)))
  )
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
