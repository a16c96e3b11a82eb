import { visibleLine } from "./format.ts"

const TITLES: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  copilot: "Copilot CLI",
  gemini: "Gemini CLI",
  opencode: "opencode",
  antigravity: "Antigravity",
}

/** The name that a person knows. Commands and addresses keep the id. */
export function hostTitle(host: string): string {
  return Object.hasOwn(TITLES, host) ? (TITLES[host] ?? "") : visibleLine(host)
}
