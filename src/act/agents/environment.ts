import type { AgentType } from "#ground/contract"

/**
 * The variables any program needs, and those of the agent's own host; no keys of other services.
 * For the type `acp` the program of `acpCommand` decides which host that is.
 */
export function agentEnvironment(
  type: AgentType,
  source: Readonly<Record<string, string | undefined>>,
  acpCommand = "",
): Readonly<Record<string, string>> {
  const own = OWN[type === "acp" ? (acpHost(acpCommand) ?? "acp") : type]
  const isPassed = (name: string) =>
    !OF_AN_OUTER_SESSION.test(name) && (EVERYWHERE.test(name) || own.test(name))
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) =>
      value !== undefined && isPassed(name) ? [[name, value]] : [],
    ),
  )
}

type AcpHost = "claude-code" | "codex" | "copilot" | "gemini" | "opencode"

const ACP_PROGRAMS: Readonly<Record<string, AcpHost>> = {
  "claude-agent-acp": "claude-code",
  "claude-code-acp": "claude-code",
  "codex-acp": "codex",
  copilot: "copilot",
  gemini: "gemini",
  opencode: "opencode",
}

/** The host behind a program that speaks the Agent Client Protocol, if it is a known one. */
export function acpHost(command: string): AcpHost | undefined {
  const [program = ""] = command.trim().split(/\s+/)
  return Object.hasOwn(ACP_PROGRAMS, program) ? ACP_PROGRAMS[program] : undefined
}

const EVERYWHERE = new RegExp(
  `^(?:${[
    "PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TERM|COLORTERM|TMPDIR|XDG_[A-Z_]+",
    "(?:HTTP|HTTPS|ALL|NO)_PROXY|(?:http|https|all|no)_proxy",
    "SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS",
    "Path|PATHEXT|SystemRoot|SYSTEMROOT|ComSpec|USERPROFILE|APPDATA|LOCALAPPDATA|TEMP|TMP",
  ].join("|")})$`,
)

const OWN: Readonly<Record<AgentType, RegExp>> = {
  "claude-code": /^(?:ANTHROPIC|CLAUDE)_[A-Z0-9_]+$/,
  codex: /^(?:OPENAI|CODEX)_[A-Z0-9_]+$/,
  copilot: /^(?:COPILOT_[A-Z0-9_]+|GH_TOKEN|GITHUB_TOKEN)$/,
  gemini: /^(?:GEMINI|GOOGLE)_[A-Z0-9_]+$/,
  // Its providers read their own variables; a user names others with the run.
  opencode: /^(?:OPENCODE_[A-Z0-9_]+|(?:ANTHROPIC|OPENAI|GEMINI|OPENROUTER)_(?:API_KEY|BASE_URL))$/,
  acp: /^(?!)/,
  synthetic: /^(?!)/,
}

/** Set by a host for its children: a new session with these would join the outer one. */
const OF_AN_OUTER_SESSION =
  /^(?:CLAUDE_CODE_(?:SESSION_ID|CHILD_SESSION|ENTRYPOINT|SESSION_ATTENDED|MESSAGING_\w+)|CLAUDE_(?:PID|ENV_FILE|PROJECT_DIR)|COPILOT_(?:PROJECT|HOOK)_DIR)$/
