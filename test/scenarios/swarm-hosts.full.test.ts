import { expect, test } from "vitest"
import { commit, git } from "#test/git"
import { needs } from "#test/needs"
import { longestTestMs } from "#test/seed"
import { GIT_ENVIRONMENT } from "#test/worktree-room"
import { startHosts } from "../browser/agent-hosts.ts"
import type { ModelRequest, Reply } from "../browser/agents-loopback.ts"

/** The agent of each ticket changes its own file; those of a and b also the same line. */
const COMMANDS = {
  "Change a": "echo a2 > src/a.ts; echo by a > shared.txt",
  "Change b": "echo b2 > src/b.ts; echo by b > shared.txt",
  "Change c": "echo c2 > src/c.ts",
} as const

const FEEDBACK = "Add a test with three items"

/** The model that the agents use; it gives no ticket an answer before each of them has asked. */
function patientModel() {
  const asked = new Set<string>()
  const allAsked = Promise.withResolvers<void>()
  return async (request: ModelRequest): Promise<Reply> => {
    const title = titleOf(request)
    if (title !== undefined) asked.add(title)
    if (asked.size === Object.keys(COMMANDS).length) allAsked.resolve()
    if (title !== undefined) await allAsked.promise
    return answer(request)
  }
}

function titleOf({ whole }: ModelRequest): string | undefined {
  if (isNaming(whole)) return undefined
  return Object.keys(COMMANDS).find((it) => whole.includes(`: ${it}`))
}

const isNaming = (whole: string) => whole.includes("Name the piece of work below")

function answer(request: ModelRequest): Reply {
  const { wire, isAfterTool, whole } = request
  if (isNaming(whole)) return { says: ["A title"] }
  if (isAfterTool) return { says: ["It is done."] }
  const title = titleOf(request)
  const entry = Object.entries(COMMANDS).find(([it]) => it === title)
  if (entry === undefined) return { says: ["Nothing to do."] }
  const command = whole.includes(FEEDBACK) ? "echo three > src/c.test.ts" : entry[1]
  const description = "as the ticket asks"
  return wire === "messages"
    ? { says: ["I change it."], tool: { name: "Bash", input: { command, description } } }
    : { says: ["I change it."], tool: { name: "exec_command", input: { cmd: command } } }
}

const HOSTS = ["claude-code", "codex"] as const

test.runIf(HOSTS.every((it) => needs("SWARM-3", it)))(
  "[SWARM-3] [SWARM-9] two Claude Code runs and one Codex run finish three tickets in parallel",
  { timeout: longestTestMs() },
  async () => {
    await using it = await startHosts({
      answer: patientModel(),
      prepare(project) {
        commit(project, "first", {
          "src/a.ts": "a\n",
          "src/b.ts": "b\n",
          "src/c.ts": "c\n",
          "shared.txt": "base\n",
        })
        return {
          ...GIT_ENVIRONMENT,
          QM_BOARD_CHECKS: "git --version",
          QM_WORKTREES_PORTS: "0",
          QM_SWARM_MODE: "auto",
        }
      },
    })
    for (const file of ["a", "b", "c"])
      await it.call("ticket.new", { title: `Change ${file}`, paths: [`src/${file}.ts`] })

    const swarm = await it.call("swarm.run", { agent: ["claude-code", "codex", "claude-code"] })
    expect(swarm.workstreams.map((ws) => [ws.name, ws.agent, ws.state, ws.reason])).toEqual([
      ["ws1", "claude-code", "parked", null],
      ["ws2", "codex", "parked", null],
      ["ws3", "claude-code", "parked", null],
    ])
    const { runs } = await it.call("agents.list", {})
    expect(runs.map((run) => run.status)).toEqual(["completed", "completed", "completed"])
    const starts = runs.map((run) => run.startedAt ?? Number.NaN)
    const ends = runs.map((run) => run.endedAt ?? Number.NaN)
    expect(Math.max(...starts), "all ran at the same time").toBeLessThan(Math.min(...ends))

    const { conflicts, diffs } = await it.call("swarm.review", {})
    expect(conflicts).toEqual([{ workstream: "ws1", with: "ws2", files: ["shared.txt"] }])
    expect(diffs.map((diff) => diff.evidence)).toEqual(["passed", "passed", "passed"])
    await it.call("swarm.approve", { workstream: "ws1" })
    await expect(it.call("swarm.approve", { workstream: "ws2" })).rejects.toMatchObject({
      code: "SWARM_MERGE_CONFLICT",
    })

    await it.call("swarm.reject", { workstream: "ws3", feedback: FEEDBACK })
    const again = await it.call("swarm.run", {})
    expect(again.workstreams[2]).toMatchObject({ state: "parked", attempt: 2, reason: null })
    await it.call("swarm.approve", { workstream: "ws3" })
    expect(git(it.project, "show", "HEAD:src/c.test.ts")).toBe("three")
    const { tickets } = await it.call("board.show", {})
    expect(tickets.map((ticket) => ticket.lane).toSorted()).toEqual([
      "conclusion",
      "conclusion",
      "testing",
    ])
    expect(it.processes()).toEqual([])
  },
)
