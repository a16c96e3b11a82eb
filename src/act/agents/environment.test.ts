import { expect, test } from "vitest"
import { AGENT_TYPES } from "#ground/contract"
import { agentEnvironment } from "./environment.ts"

const SOURCE = {
  PATH: "/bin",
  HOME: "/home/x",
  LC_ALL: "C",
  https_proxy: "http://proxy",
  ANTHROPIC_API_KEY: "a",
  CLAUDE_CONFIG_DIR: "/c",
  OPENAI_API_KEY: "o",
  CODEX_HOME: "/x",
  COPILOT_MODEL: "m",
  GH_TOKEN: "g",
  GEMINI_API_KEY: "g",
  OPENCODE_CONFIG: "/o",
  QM_CANARY: "c",
  AWS_SECRET_ACCESS_KEY: "s",
  NODE_OPTIONS: "--require x",
  LD_PRELOAD: "x.so",
  MY_ANTHROPIC_API_KEY: "m",
  UNSET: undefined,
}

test("[AGENTS-18] each agent sees the variables that every program needs and those of its own host", () => {
  const everywhere = ["PATH", "HOME", "LC_ALL", "https_proxy"]
  const own = {
    "claude-code": ["ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR"],
    codex: ["OPENAI_API_KEY", "CODEX_HOME"],
    copilot: ["COPILOT_MODEL", "GH_TOKEN"],
    gemini: ["GEMINI_API_KEY"],
    opencode: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENCODE_CONFIG"],
    acp: [],
    synthetic: [],
  }
  for (const type of AGENT_TYPES) {
    expect(Object.keys(agentEnvironment(type, SOURCE))).toEqual([...everywhere, ...own[type]])
  }
})

test.each([
  { command: "claude-agent-acp", own: ["ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR"] },
  { command: "copilot --acp", own: ["COPILOT_MODEL", "GH_TOKEN"] },
  { command: "evil --acp", own: [] },
])("[AGENTS-18] the ACP agent $command sees the variables of its host only", (it) => {
  const names = Object.keys(agentEnvironment("acp", SOURCE, it.command))
  expect(names).toEqual(["PATH", "HOME", "LC_ALL", "https_proxy", ...it.own])
})

test("[AGENTS-18] variables that an outer session set for its children are not passed on", () => {
  const source = {
    CLAUDE_CODE_SESSION_ID: "s",
    CLAUDE_CODE_MESSAGING_TOKEN: "t",
    CLAUDE_CODE_MAX_RETRIES: "2",
  }
  expect(agentEnvironment("claude-code", source)).toEqual({ CLAUDE_CODE_MAX_RETRIES: "2" })
})
