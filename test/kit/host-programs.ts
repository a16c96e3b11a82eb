import { existsSync } from "node:fs"
import { join } from "node:path"

/** Where full mode installs the hosts; `npm ci` of the house clears it with the rest. */
export const HOSTS_FOLDER = join(import.meta.dirname, "../../node_modules/.cache/hosts")

export type TestedHost = "claude-code" | "codex" | "copilot" | "gemini"

/**
 * How a host under test is started. The platform packages hold the real programs, so no install
 * script has to run; only Gemini is a script, for the Node that runs the tests.
 */
export function hostProgram(host: TestedHost): { program: string; args: readonly string[] } {
  const inHosts = (path: string) => join(HOSTS_FOLDER, "node_modules", path)
  const platform = `${process.platform}-${process.arch}`
  switch (host) {
    case "claude-code":
      return { program: inHosts(`@anthropic-ai/claude-code-${platform}/claude`), args: [] }
    case "codex":
      return { program: inHosts(`@openai/codex-${platform}/vendor/${codexTarget()}`), args: [] }
    case "copilot":
      return { program: inHosts(`@github/copilot-${platform}/copilot`), args: [] }
    case "gemini":
      return {
        program: process.execPath,
        args: [inHosts("@google/gemini-cli/bundle/gemini.js")],
      }
  }
}

export function isHostInstalled(host: TestedHost): boolean {
  const { program, args } = hostProgram(host)
  return existsSync(args[0] ?? program)
}

function codexTarget(): string {
  const machine = process.arch === "arm64" ? "aarch64" : "x86_64"
  const system = process.platform === "darwin" ? "apple-darwin" : "unknown-linux-musl"
  return `${machine}-${system}/bin/codex`
}
