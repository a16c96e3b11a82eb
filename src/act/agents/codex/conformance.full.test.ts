import { describe, expect, test } from "vitest"
import { leadsTo, silentLog } from "#ground/base"
import { needs } from "#test/needs"
import {
  agentSuite,
  begin,
  last,
  type ScriptedAction,
} from "../../../../test/conformance/agents.ts"
import { codexFixture } from "../../../../test/conformance/agents-fixtures.ts"
import {
  agentRuleSuite,
  agentServerSuite,
  SERVERS,
} from "../../../../test/conformance/agents-rules.ts"
import { agentEnvironment } from "../environment.ts"
import { createPermissions } from "../permissions/permissions.ts"
import { codex } from "./codex.ts"

describe.runIf(needs("TB7", "codex"))("the real Codex", () => {
  const environment = (source: Readonly<Record<string, string | undefined>>) =>
    agentEnvironment("codex", source)
  const makeFixture = () => codexFixture({ agent: codex, environment })
  agentSuite("codex", {
    makeFixture,
    canAsk: true,
    hasProcess: true,
    canResume: true,
  })
  agentRuleSuite("codex", makeFixture)
  agentServerSuite("codex", {
    makeFixture: () => codexFixture({ agent: codex, environment, servers: SERVERS }),
    canAsk: true,
  })

  test.each([
    {
      deed: "command",
      deny: "",
      made: true,
      by: "rule: allow exec_command(touch made.txt && echo made)",
    },
    { deed: "edit", deny: "Edit(*.txt)", made: false, by: "rule: deny Edit(*.txt)" },
  ] as const)("[AGENTS-43] the project rules decide on a $deed: $by", async (it) => {
    await using place = await makeFixture()
    const { cwd: root } = place.options(it.deed)
    const rules = createPermissions({
      root,
      file: `${root}/.qm/permissions.json`,
      home: `${root}/home`,
      settings: () => ({
        deny: it.deny,
        ask: "",
        allow: "exec_command(touch made.txt && echo made)",
      }),
      resolve: leadsTo,
      log: silentLog,
    })
    await rules.reload()
    const options = (deed: ScriptedAction) => ({ ...place.options(deed), verdict: rules.verdict })
    await using run = await begin({ agent: codex, options }, it.deed, "ask")
    const events = await run.until("turn.ended")
    expect(last(events, "approval.resolved")).toMatchObject({ by: it.by })
    expect(place.hasMade()).toBe(it.made)
  })
})
