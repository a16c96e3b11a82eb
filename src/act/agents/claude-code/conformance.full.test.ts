import { writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { leadsTo, silentLog } from "#ground/base"
import { needs } from "#test/needs"
import {
  agentSuite,
  begin,
  last,
  type ScriptedAction,
} from "../../../../test/conformance/agents.ts"
import { claudeCodeFixture } from "../../../../test/conformance/agents-fixtures.ts"
import {
  agentRuleSuite,
  agentServerSuite,
  SERVERS,
} from "../../../../test/conformance/agents-rules.ts"
import { agentEnvironment } from "../environment.ts"
import { createPermissions } from "../permissions/permissions.ts"
import { claudeCode } from "./claude-code.ts"

describe.runIf(needs("TB7", "claude-code"))("the real Claude Code", () => {
  const environment = (source: Readonly<Record<string, string | undefined>>) =>
    agentEnvironment("claude-code", source)
  const makeFixture = () => claudeCodeFixture({ agent: claudeCode, environment })
  agentSuite("claude-code", {
    makeFixture,
    canAsk: true,
    hasProcess: true,
    canResume: true,
  })
  agentRuleSuite("claude-code", makeFixture)
  agentServerSuite("claude-code", {
    makeFixture: () => claudeCodeFixture({ agent: claudeCode, environment, servers: SERVERS }),
    canAsk: true,
  })

  test("[AGENTS-43] a rule also applies to tools that the host would allow without asking", async () => {
    await using place = await makeFixture()
    const verdict = () => ({ decision: "deny", rule: "deny Read" }) as const
    const options = (deed: ScriptedAction) => ({ ...place.options(deed), verdict })
    await using run = await begin({ agent: claudeCode, options }, "look", "ask")
    const events = await run.until("turn.ended")
    expect(last(events, "approval.resolved")).toMatchObject({ by: "rule: deny Read" })
    expect(last(events, "activity.ended")).toMatchObject({ outcome: "denied" })
  })

  test("[T6][AGENTS-30] a nested instruction file is an event when it enters the window", async () => {
    await using place = await makeFixture()
    const { cwd } = place.options("look")
    await writeFile(join(cwd, "CLAUDE.md"), "Rules of this folder.")
    await writeFile(join(cwd, "note.txt"), "a note")
    // One folder up, so that the file is nested.
    const options = (deed: ScriptedAction) => ({ ...place.options(deed), cwd: dirname(cwd) })
    await using run = await begin({ agent: claudeCode, options }, "look", "auto")
    const events = await run.until("turn.ended")
    expect(last(events, "context.file")).toMatchObject({
      path: join(cwd, "CLAUDE.md"),
      reason: "loaded with a nearby file",
    })
  })

  test.each([
    { deed: "command", deny: "", made: true, by: "rule: allow Bash(touch made.txt && echo made)" },
    { deed: "edit", deny: "Edit(*.txt)", made: false, by: "rule: deny Edit(*.txt)" },
  ] as const)("[AGENTS-43] the project rules decide on a $deed: $by", async (it) => {
    await using place = await makeFixture()
    const { cwd: root } = place.options(it.deed)
    const rules = createPermissions({
      root,
      file: `${root}/.qm/permissions.json`,
      home: `${root}/home`,
      settings: () => ({ deny: it.deny, ask: "", allow: "Bash(touch made.txt && echo made)" }),
      resolve: leadsTo,
      log: silentLog,
    })
    await rules.reload()
    const options = (deed: ScriptedAction) => ({ ...place.options(deed), verdict: rules.verdict })
    await using run = await begin({ agent: claudeCode, options }, it.deed, "ask")
    const events = await run.until("turn.ended")
    expect(last(events, "approval.resolved")).toMatchObject({ by: it.by })
    expect(place.hasMade()).toBe(it.made)
  })
})
