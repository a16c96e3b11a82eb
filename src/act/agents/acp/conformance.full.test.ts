import { afterAll, describe } from "vitest"
import { systemClock } from "#ground/base"
import { needs } from "#test/needs"
import { isNight } from "#test/seed"
import { agentSuite } from "../../../../test/conformance/agents.ts"
import {
  claudeAcpFixture,
  codexAcpFixture,
  copilotFixture,
  geminiFixture,
  opencodeFixture,
  removeCopilotCache,
} from "../../../../test/conformance/agents-fixtures.ts"
import { agentEnvironment } from "../environment.ts"
import { configuredAgent, gemini, opencode } from "./acp.ts"

type Source = Readonly<Record<string, string | undefined>>

const SUITE = { canAsk: true, hasProcess: true, canResume: true } as const

/** By day the whole suite runs with three agents; Copilot also runs it with its own adapter. */
const BRIEF_BY_DAY = { ...SUITE, isBrief: !isNight() } as const

describe.runIf(needs("TB7", "claude-agent-acp"))("the real Claude Code over ACP", () => {
  const command = "claude-agent-acp"
  agentSuite(command, {
    ...SUITE,
    makeFixture: () =>
      claudeAcpFixture({
        agent: configuredAgent(command, systemClock),
        environment: (source: Source) => agentEnvironment("acp", source, command),
      }),
  })
})

describe.runIf(needs("TB7", "copilot"))("the real Copilot over ACP", () => {
  const command = "copilot --acp"
  afterAll(removeCopilotCache)
  agentSuite(command, {
    ...BRIEF_BY_DAY,
    makeFixture: () =>
      copilotFixture({
        agent: configuredAgent(command, systemClock),
        environment: (source: Source) => agentEnvironment("acp", source, command),
      }),
  })
})

describe.runIf(needs("TB7", "opencode"))("the real opencode over ACP", () => {
  agentSuite("opencode", {
    ...BRIEF_BY_DAY,
    makeFixture: () =>
      opencodeFixture({
        agent: opencode,
        environment: (source: Source) => agentEnvironment("opencode", source),
      }),
  })
})

describe.runIf(needs("TB7", "gemini"))("the real Gemini CLI over ACP", () => {
  agentSuite("gemini", {
    ...SUITE,
    staysInside: true,
    makeFixture: () =>
      geminiFixture({
        agent: gemini,
        environment: (source: Source) => agentEnvironment("gemini", source),
      }),
  })
})

describe.runIf(needs("TB7", "codex-acp"))("the real Codex over ACP", () => {
  const command = "codex-acp"
  agentSuite(command, {
    ...SUITE,
    // Its modes run commands in a sandbox and ask only to leave it; the adapter for Codex itself asks.
    canAsk: false,
    makeFixture: () =>
      codexAcpFixture({
        agent: configuredAgent(command, systemClock),
        environment: (source: Source) => agentEnvironment("acp", source, command),
      }),
  })
})
