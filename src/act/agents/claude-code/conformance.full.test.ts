import { describe } from "vitest"
import { needs } from "#test/needs"
import { agentSuite } from "../../../../test/conformance/agents.ts"
import { claudeCodeWorld } from "../../../../test/conformance/agents-worlds.ts"
import { agentEnvironment } from "../environment.ts"
import { claudeCode } from "./claude-code.ts"

describe.runIf(needs("TB7", "claude-code"))("the real Claude Code", () => {
  const environment = (source: Readonly<Record<string, string | undefined>>) =>
    agentEnvironment("claude-code", source)
  agentSuite("claude-code", {
    world: () => claudeCodeWorld({ agent: claudeCode, environment }),
    canAsk: true,
    hasProcess: true,
    canResume: true,
  })
})
