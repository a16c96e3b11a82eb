import { existsSync } from "node:fs"
import { join } from "node:path"

/** Where full mode installs the hosts; `npm ci` removes it. */
export const HOSTS_FOLDER = join(import.meta.dirname, "../../node_modules/.cache/hosts")

export type TestedHost = "claude-code" | "codex" | "copilot" | "gemini"

/** The hosts, two adapters to the Agent Client Protocol, and two official programs for MCP. */
export type TestedProgram =
  | TestedHost
  | "opencode"
  | "claude-agent-acp"
  | "codex-acp"
  | "mcp-conformance"
  | "mcp-inspector"

/**
 * How a host under test is started. The platform packages contain the real programs, so no install
 * script has to run; Gemini, the adapters and the MCP programs are scripts for the Node that runs
 * the tests.
 */
export function hostProgram(host: TestedProgram): { program: string; args: readonly string[] } {
  const inHosts = (path: string) => join(HOSTS_FOLDER, "node_modules", path)
  const script = (path: string) => ({ program: process.execPath, args: [inHosts(path)] })
  const platform = `${process.platform}-${process.arch}`
  switch (host) {
    case "claude-code":
      return { program: inHosts(`@anthropic-ai/claude-code-${platform}/claude`), args: [] }
    case "codex":
      return { program: inHosts(`@openai/codex-${platform}/vendor/${codexTarget()}`), args: [] }
    case "copilot":
      return { program: inHosts(`@github/copilot-${platform}/copilot`), args: [] }
    case "gemini":
      return script("@google/gemini-cli/bundle/gemini.js")
    case "opencode":
      return { program: inHosts(`opencode-${platform}/bin/opencode`), args: [] }
    case "claude-agent-acp":
      return script("@agentclientprotocol/claude-agent-acp/dist/index.js")
    case "codex-acp":
      return script("@agentclientprotocol/codex-acp/dist/index.js")
    case "mcp-conformance":
      return script("@modelcontextprotocol/conformance/dist/index.js")
    case "mcp-inspector":
      return script("@modelcontextprotocol/inspector/clients/launcher/build/index.js")
  }
}

export function isHostInstalled(host: TestedProgram): boolean {
  const { program, args } = hostProgram(host)
  return existsSync(args[0] ?? program)
}

function codexTarget(): string {
  const machine = process.arch === "arm64" ? "aarch64" : "x86_64"
  const system = process.platform === "darwin" ? "apple-darwin" : "unknown-linux-musl"
  return `${machine}-${system}/bin/codex`
}
