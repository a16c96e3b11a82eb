import { describe } from "vitest"
import { needs } from "#test/needs"
import { agentSuite } from "../../../../test/conformance/agents.ts"
import { codexWorld } from "../../../../test/conformance/agents-worlds.ts"
import { agentEnvironment } from "../environment.ts"
import { codex } from "./codex.ts"

describe.runIf(needs("TB7", "codex"))("the real Codex", () => {
  const environment = (source: Readonly<Record<string, string | undefined>>) =>
    agentEnvironment("codex", source)
  agentSuite("codex", {
    world: () => codexWorld({ agent: codex, environment }),
    canAsk: true,
    hasProcess: true,
    canResume: true,
  })
})
