import type { AgentType } from "#ground/contract"

/**
 * The variables any program needs, and those of the agent's own host; no keys of other services.
 */
export function agentEnvironment(
  type: AgentType,
  source: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const isPassed = (name: string) =>
    !OF_AN_OUTER_SESSION.test(name) && (EVERYWHERE.test(name) || OWN[type].test(name))
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) =>
      value !== undefined && isPassed(name) ? [[name, value]] : [],
    ),
  )
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
  synthetic: /^(?!)/,
}

/** Set by a host for its children: a new session with these would join the outer one. */
const OF_AN_OUTER_SESSION =
  /^(?:CLAUDE_CODE_(?:SESSION_ID|CHILD_SESSION|ENTRYPOINT|SESSION_ATTENDED|MESSAGING_\w+)|CLAUDE_(?:PID|ENV_FILE|PROJECT_DIR)|COPILOT_(?:PROJECT|HOOK)_DIR)$/
