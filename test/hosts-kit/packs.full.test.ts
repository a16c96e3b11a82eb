import { mkdir } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type KitUser, kitUser, liveClaudeCode, liveCodex } from "#test/kit-story"
import { needs } from "#test/needs"

const A_SESSION_MS = 300_000

const FILES = {
  "src/kettle.ts":
    "// TODO: whistle\nexport function boilWater(degrees: number) {\n  return degrees\n}\n",
  "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n- The kettle whistles.\n",
}

/** A command of each pack: its first line as the model reads it, the operation, and a word of its answer. */
const COMMANDS = [
  ["daily", "state", "Report the state from the records", "qm report state", "The kettle whistles"],
  ["audit", "tech-debt", "Choose what to repair from measured debt", "qm audit debt", "whistle"],
  ["pipeline", "plan-week", "Plan from the board", "qm report week", "No open tickets"],
  ["qa", "test-plan", "Plan tests from the diff", "qm audit tests", "changed symbol"],
  ["vcs", "changelog-draft", "Draft from the history", "qm report changes", "Unreleased"],
  ["forge", "forge-check", "Exit code 1 means a problem", "qm forge check", "No agents, commands"],
  ["setup", "autonomy", "each area with manual, suggest or auto", "qm autonomy", "swarm-dispatch"],
] as const

/** An agent of each squad, and the first line of its instructions. */
const AGENTS = [
  ["builder", "You implement one ticket and nothing else."],
  ["qa-verifier", "You try to show that a ticket is not done."],
  ["ui-reviewer", "You review pages for all users"],
  ["security-reviewer", "You judge whether an attacker can use a finding."],
  ["compliance-checker", "You collect facts for the person who is responsible"],
  ["release-manager", "You prepare a release up to the point"],
  ["forge-smith", "You write small, checked definitions for agents."],
] as const

const hasHosts = needs("KIT", "claude-code") && needs("KIT", "codex")

describe.runIf(hasHosts)("packs and squads in the real hosts", () => {
  let user: KitUser
  beforeAll(async () => {
    user = await kitUser(FILES)
    await mkdir(path.join(user.home, ".claude"))
    await mkdir(path.join(user.home, ".codex"))
    const hosts = ["--host", "claude-code", "--host", "codex"]
    const done = await user.qm(["init", "--yes", "--level", "7", ...hosts])
    if (done.code !== 0) throw new Error(`qm init: ${done.stdout}${done.stderr}`)
  }, A_SESSION_MS)
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  test.each(COMMANDS)(
    "[TEMPLATES-5] in Claude Code a command of the pack %s runs: /qm:%s",
    {
      timeout: A_SESSION_MS,
    },
    async (...row) => {
      const [, name, line, command, word] = row
      const steps = [{ name: "Bash", input: { command, description: "Get the figures" } }]
      const { asked, code, stderr } = await liveClaudeCode(user, { prompt: `/qm:${name}`, steps })
      expect([code, stderr]).toEqual([0, ""])
      expect(asked[0]).toContain(line)
      expect(asked.at(-1)).toContain(word)
    },
  )

  test("[TEMPLATES-5] in Claude Code an agent of each squad starts with its instructions", {
    timeout: A_SESSION_MS,
  }, async () => {
    const steps = AGENTS.map(([name]) => ({
      name: "Agent",
      input: {
        description: `Try ${name}`,
        prompt: `do the work of ${name}`,
        subagent_type: `qm-${name}`,
        run_in_background: false,
      },
    }))
    const { asked, code } = await liveClaudeCode(user, { prompt: "try all squads", steps })
    expect(code).toBe(0)
    const started = AGENTS.filter(([, line]) =>
      asked.some((it) => it.includes(line) && !it.includes("try all squads")),
    )
    expect(started.map(([name]) => name)).toEqual(AGENTS.map(([name]) => name))
  })

  test("[TEMPLATES-5] in Codex a command is a skill that `$name` loads", {
    timeout: A_SESSION_MS,
  }, async () => {
    const { asked, code } = await liveCodex(user, {
      prompt: "$qm-state where are we",
      patches: [],
      trustHooks: true,
    })
    expect(code).toBe(0)
    for (const [, name] of COMMANDS) expect(asked[0]).toContain(`qm-${name}`)
    expect(asked[0]).toContain("Report the state from the records")
  })

  test("[TEMPLATES-5] in Codex an agent of each squad starts, and an unknown one does not", {
    timeout: A_SESSION_MS,
  }, async () => {
    const names = [...AGENTS.map(([name]) => name), "unknown"]
    const patches = names.map((name) => ({
      namespace: "multi_agent_v1",
      name: "spawn_agent",
      input: { message: `do the work of ${name}`, agent_type: `qm-${name}` },
    }))
    const { asked, code } = await liveCodex(user, {
      prompt: "try all squads",
      patches,
      trustHooks: true,
      args: ["-c", "agents.max_threads=10"],
    })
    expect(code).toBe(0)
    const refused = asked.flatMap((it) =>
      [...it.matchAll(/unknown agent_type '(qm-[a-z-]+)'/g)].map(([, name]) => name),
    )
    expect(new Set(refused)).toEqual(new Set(["qm-unknown"]))
    const [, firstLine] = AGENTS[0]
    expect(
      asked.some((it) => it.includes(firstLine) && it.includes("do the work of builder")),
    ).toBe(true)
  })
})
