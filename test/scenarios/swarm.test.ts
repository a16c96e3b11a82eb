import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Clock, systemClock } from "#ground/base"
import type { OperationInput, OperationName, OperationOutput } from "#ground/contract"
import { createApp } from "#show/app"
import { commit, git } from "#test/git"
import { tempDirectory } from "#test/temp"
import { GIT_ENVIRONMENT } from "#test/worktree-room"

/** Does in each new worktree what an agent would: it writes two files. */
const SETUP = `import { mkdirSync, writeFileSync } from "node:fs"
const name = process.env.QM_WORKTREE
mkdirSync("work", { recursive: true })
writeFileSync("work/" + name + ".txt", name + "\\n")
writeFileSync("shared.txt", name.endsWith("ws3") ? "base\\n" : name + "\\n")
`

const SCRIPT =
  '{"event":"message","type":"assistant","text":"done"}\n{"event":"turn.ended","outcome":"completed"}'

/** The wall clock of a scene can be set forward; the monotonic clock runs as usual. */
async function scene() {
  let aheadMs = 0
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  const temp = await tempDirectory()
  const root = join(temp.path, "shop")
  const home = join(temp.path, "home")
  for (const it of [root, home]) mkdirSync(it)
  git(root, "init", "-q", "-b", "main")
  commit(root, "first", {
    "src/a.ts": "a\n",
    "src/b.ts": "b\n",
    "src/c.ts": "c\n",
    "shared.txt": "base\n",
  })
  writeFileSync(join(temp.path, "setup.mjs"), SETUP)
  const app = await createApp({
    directory: root,
    environment: { ...GIT_ENVIRONMENT, HOME: home },
    settings: [
      `worktrees.setup=${process.execPath} ${join(temp.path, "setup.mjs")}`,
      "worktrees.ports=0",
      "board.checks=git --version",
      "swarm.agent=synthetic",
    ],
    writeLog: () => {},
    clock,
  })
  const signal = new AbortController().signal
  return {
    root,
    setForward: (ms: number) => {
      aheadMs = ms
    },
    call: async <Name extends OperationName>(name: Name, input: OperationInput<Name>) =>
      (await app.call(name, input, { signal })) as OperationOutput<Name>,
    asAgent: async <Name extends OperationName>(name: Name, input: OperationInput<Name>) =>
      app.call(name, input, {
        signal,
        caller: { principal: "owner", client: "codex", session: "s" },
      }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

describe("a swarm", () => {
  test("[SWARM-3] three tickets reach testing in parallel; a person approves, sends back and discards", async () => {
    await using it = await scene()
    const ids: string[] = []
    for (const file of ["a", "b", "c"]) {
      const ticket = { title: `Change ${file}`, paths: [`src/${file}.ts`] }
      ids.push((await it.call("ticket.new", ticket)).id)
    }
    const swarm = await it.call("swarm.run", { script: SCRIPT })
    expect(swarm.workstreams.map((ws) => [ws.name, ws.state, ws.reason])).toEqual([
      ["ws1", "parked", null],
      ["ws2", "parked", null],
      ["ws3", "parked", null],
    ])
    const board = await it.call("board.show", {})
    expect(board.tickets.map((ticket) => ticket.lane)).toEqual(["testing", "testing", "testing"])
    const review = await it.call("swarm.review", {})
    expect(review.conflicts).toEqual([{ workstream: "ws1", with: "ws2", files: ["shared.txt"] }])
    expect(review.diffs[0]?.files.map((file) => file.path)).toContain("shared.txt")
    expect(swarm.workstreams[0]?.evidence).toMatchObject({ exitCode: 0, command: "git --version" })

    await expect(it.asAgent("swarm.approve", { workstream: "ws1" })).rejects.toMatchObject({
      code: "BOARD_MOVE_ILLEGAL",
    })
    expect(git(it.root, "log", "-1", "--format=%s")).toBe("first")

    const approved = await it.call("swarm.approve", { workstream: "ws1" })
    expect(approved.workstreams[0]?.state).toBe("approved")
    expect(git(it.root, "show", "--stat", "--format=%s", "HEAD")).toContain("work/")
    await expect(it.call("swarm.approve", { workstream: "ws2" })).rejects.toMatchObject({
      code: "SWARM_MERGE_CONFLICT",
    })
    const runsBefore = (await it.call("agents.list", {})).runs.length
    await it.call("swarm.reject", { workstream: "ws3", feedback: "Add a test" })
    const again = await it.call("swarm.run", { script: SCRIPT })
    expect(again.workstreams[2]).toMatchObject({ state: "parked", attempt: 2 })
    const { runs } = await it.call("agents.list", {})
    expect(runs).toHaveLength(runsBefore + 1)
    expect(runs[0]?.prompt).toContain("Add a test")
    const third = await it.call("swarm.approve", { workstream: "ws3" })
    expect(third.workstreams[2]?.state).toBe("approved")
    await it.call("swarm.discard", { workstream: "ws2" })
    const closed = { code: "SWARM_WORKSTREAM_NOT_READY" }
    await expect(it.call("swarm.approve", { workstream: "ws1" })).rejects.toMatchObject(closed)
    await expect(it.call("swarm.discard", { workstream: "ws2" })).rejects.toMatchObject(closed)
    const late = { workstream: "ws3", feedback: "More" }
    await expect(it.call("swarm.reject", late)).rejects.toMatchObject(closed)
    expect(git(it.root, "branch", "--list", "qm/*")).not.toBe("")
    const lanes = await Promise.all(ids.map((id) => it.call("ticket.show", { id })))
    expect(lanes.map(({ ticket }) => ticket.lane)).toEqual(["conclusion", "backlog", "conclusion"])
    expect(git(it.root, "worktree", "list").split("\n")).toHaveLength(1)
  })

  test("[SWARM-1] [SWARM-2] the plan ranks, finds files, partitions, and refuses what it cannot plan", async () => {
    await using it = await scene()
    const add = async (title: string, paths: readonly string[], priority: "P0" | "P3") =>
      (await it.call("ticket.new", { title, paths: [...paths], priority })).id
    await expect(it.call("swarm.run", { script: SCRIPT })).rejects.toMatchObject({
      code: "SWARM_NOTHING_TO_RUN",
    })
    const one = await add("One", ["src/a.ts"], "P0")
    const two = await add("Two", ["src/b.ts"], "P0")
    const both = await add("Both", ["src/a.ts", "src/b.ts"], "P3")
    const same = await add("Same", ["src/b.ts"], "P3")
    await it.call("claim.take", { paths: ["src/a.ts"], session: "theirs" })
    const plan = await it.call("swarm.plan", { workstreams: 2 })
    expect(plan.workstreams.map((ws) => ws.tickets.map((ticket) => ticket.id))).toEqual([
      [one],
      [two, same],
    ])
    expect(plan.left).toMatchObject([{ id: both, reason: expect.stringContaining("ws1 and ws2") }])
    expect(plan.conflicts).toContainEqual({
      workstream: "ws1",
      with: "session theirs",
      files: ["src/a.ts"],
    })
    await expect(it.asAgent("swarm.run", { script: SCRIPT })).rejects.toMatchObject({
      code: "BOARD_NOT_AUTONOMOUS",
    })
    git(it.root, "checkout", "-q", "--detach")
    await expect(it.call("swarm.run", { script: SCRIPT })).rejects.toMatchObject({
      code: "SWARM_NO_BASE",
    })
    await expect(it.call("swarm.approve", { workstream: "ws9" })).rejects.toMatchObject({
      code: "SWARM_WORKSTREAM_NOT_FOUND",
    })
    await expect(it.call("swarm.plan", { definition: "none" })).rejects.toMatchObject({
      code: "SWARM_DEFINITION_NOT_FOUND",
    })
  })

  test("[SWARM-6] a used budget pauses its workstream; one without activity is evicted and keeps its worktree", async () => {
    await using it = await scene()
    const late = '{"event":"turn.ended","outcome":"completed","after":3600000}'
    const usage = '"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0}'
    const costly = `{"event":"cost",${usage},"isTotal":true,"reportedUsd":9}\n${late}`
    await it.call("ticket.new", { title: "Costly", paths: ["src/a.ts"] })
    const paused = await it.call("swarm.run", { script: costly, budget: 1 })
    expect(paused.workstreams[0]).toMatchObject({
      state: "paused",
      costUsd: 9,
      reason: "the budget of $1 is used",
    })

    const { id } = await it.call("ticket.new", { title: "Silent", paths: ["src/b.ts"] })
    const running = it.call("swarm.run", { script: late })
    await expect
      .poll(async () => (await it.call("swarm.review", {})).swarm?.workstreams[0])
      .toMatchObject({ state: "working", tickets: [{ id }] })
    it.setForward(31 * 60_000)
    const [evicted] = (await running).workstreams
    expect(evicted).toMatchObject({ state: "evicted", reason: "no activity for 30 minutes" })
    expect((await it.call("ticket.show", { id })).ticket.lane).toBe("backlog")
    expect(git(it.root, "worktree", "list")).toContain(evicted?.path)
  })
})
