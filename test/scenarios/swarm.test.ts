import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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

const SLOW = { timeout: 60_000 }

/** The wall clock of a scene can be set forward; the monotonic clock runs as usual. */
async function scene({
  history = "a commit",
}: {
  history?: "none" | "no commit" | "a commit"
} = {}) {
  let aheadMs = 0
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  const temp = await tempDirectory()
  const root = join(temp.path, "shop")
  const home = join(temp.path, "home")
  for (const it of [root, home]) mkdirSync(it)
  if (history !== "none") git(root, "init", "-q", "-b", "main")
  if (history === "a commit")
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
  test("[SWARM-3] [SWARM-4] three tickets reach testing in parallel; a person approves, sends back and discards", async () => {
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
    expect(swarm.workstreams.map((ws) => ws.costUsd)).toEqual([0, 0, 0])
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

    // The user's own uncommitted change would be overwritten.
    writeFileSync(join(it.root, "shared.txt"), "mine\n")
    await expect(it.call("swarm.approve", { workstream: "ws1" })).rejects.toMatchObject({
      code: "SWARM_MERGE_REFUSED",
      message: expect.stringContaining("shared.txt"),
    })
    expect(readFileSync(join(it.root, "shared.txt"), "utf8")).toBe("mine\n")
    expect(git(it.root, "log", "-1", "--format=%s")).toBe("first")
    const { swarm: refused } = await it.call("swarm.review", {})
    expect(refused?.workstreams[0]?.state).toBe("parked")
    git(it.root, "checkout", "--", "shared.txt")

    const approved = await it.call("swarm.approve", { workstream: "ws1" })
    expect(approved.workstreams[0]?.state).toBe("approved")
    expect(git(it.root, "show", "--stat", "--format=%s", "HEAD")).toContain("work/")
    await expect(it.call("swarm.approve", { workstream: "ws2" })).rejects.toMatchObject({
      code: "SWARM_MERGE_CONFLICT",
    })
    expect((await it.call("agents.list", { label: ids[0] })).runs[0]?.title).toBe("Change a")
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

  test("[SWARM-1] [SWARM-2] [SWARM-7] the plan ranks, finds files, partitions, and refuses what it cannot plan", async () => {
    await using it = await scene()
    const add = async (title: string, paths: readonly string[], priority: "P0" | "P3") =>
      (await it.call("ticket.new", { title, paths: [...paths], priority })).id
    await expect(it.call("swarm.run", { script: SCRIPT })).rejects.toMatchObject({
      code: "SWARM_NOTHING_TO_RUN",
    })
    const unnamed = await it.call("ticket.new", { title: "Repair the quay tariff" })
    const guessed = await it.call("swarm.plan", { tickets: [unnamed.id] })
    const files = guessed.workstreams.flatMap((ws) => ws.tickets.flatMap((one) => one.touch))
    expect(files.filter((file) => file.startsWith(".qm/"))).toEqual([])
    await it.call("ticket.block", { id: unnamed.id, reason: "later" })
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

  test.each([
    ["none", "WORKTREE_NO_GIT"],
    ["no commit", "SWARM_NO_BASE"],
  ] as const)("[SWARM-3] with a git history of %s nothing runs: %s", async (history, code) => {
    await using it = await scene({ history })
    await it.call("ticket.new", { title: "Change a", paths: ["src/a.ts"] })
    await expect(it.call("swarm.run", { script: SCRIPT })).rejects.toMatchObject({ code })
    expect((await it.call("agents.list", {})).runs).toEqual([])
    expect((await it.call("swarm.review", {})).swarm).toBeNull()
    expect((await it.call("board.show", {})).tickets[0]?.lane).toBe("backlog")
  })

  test("[SWARM-6] [SWARM-9] a used budget pauses its workstream; one without activity is evicted and keeps its worktree", async () => {
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
    const workstreams = async () => (await it.call("swarm.review", {})).swarm?.workstreams ?? []
    await expect
      .poll(async () => (await workstreams())[1])
      .toMatchObject({ name: "ws2", state: "working", tickets: [{ id }] })
    it.setForward(31 * 60_000)
    const [, evicted] = (await running).workstreams
    expect(evicted).toMatchObject({ state: "evicted", reason: "no activity for 30 minutes" })
    expect((await it.call("ticket.show", { id })).ticket.lane).toBe("backlog")
    expect(git(it.root, "worktree", "list")).toContain(evicted?.path)

    it.setForward(0)
    await it.call("swarm.retry", { workstream: "ws1", budget: 20 })
    await it.call("swarm.retry", { workstream: "ws2" })
    const again = await it.call("swarm.run", { script: SCRIPT })
    expect(again.workstreams.map((ws) => [ws.state, ws.attempt, ws.reason])).toEqual([
      ["parked", 2, null],
      ["parked", 2, null],
    ])
    const { runs } = await it.call("agents.list", {})
    expect(runs.find((run) => run.id === again.workstreams[0]?.runs.at(-1))?.budgetUsd).toBe(11)
    await expect(it.call("swarm.retry", { workstream: "ws1" })).rejects.toMatchObject({
      code: "SWARM_WORKSTREAM_NOT_READY",
    })
  })

  test("[SWARM-8] [SWARM-10] a swarm in the background takes pauses, retries and further tickets; a lost worktree is named", async () => {
    await using it = await scene()
    const late = '{"event":"turn.ended","outcome":"completed","after":3600000}'
    const review = () => it.call("swarm.review", {})
    const states = async () => (await review()).swarm?.workstreams.map((ws) => ws.state)
    const first = await it.call("ticket.new", { title: "First", paths: ["src/a.ts"] })
    const begun = await it.call("swarm.run", { script: late, wait: false })
    expect(begun.workstreams[0]).toMatchObject({ state: "pending", tickets: [{ id: first.id }] })
    await expect.poll(states, SLOW).toEqual(["working"])
    expect((await review()).isDriven).toBe(true)

    const { id } = await it.call("ticket.new", { title: "Second", paths: ["src/b.ts"] })
    const agent: "synthetic"[] = ["synthetic"]
    await it.call("swarm.run", { tickets: [id], agent, script: late, wait: false })
    await expect.poll(states, SLOW).toEqual(["working", "working"])
    const same = await it.call("ticket.new", { title: "Same file", paths: ["src/b.ts"] })
    const plan = await it.call("swarm.plan", { tickets: [same.id, id] })
    expect(plan.left.map((left) => left.reason)).toEqual([
      "an open workstream works on it",
      "touches the same files as ws2; plan it afterwards",
    ])

    await it.call("swarm.pause", {})
    expect(await states()).toEqual(["paused", "paused"])
    await expect.poll(async () => (await review()).isDriven, SLOW).toBe(false)
    const { runs } = await it.call("agents.list", {})
    expect(runs.map((run) => run.status)).toEqual(["stopped", "stopped"])
    expect(await states()).toEqual(["paused", "paused"])
    await expect(it.call("swarm.pause", { workstream: "ws1" })).rejects.toMatchObject({
      code: "SWARM_WORKSTREAM_NOT_READY",
    })

    await it.call("swarm.retry", {})
    await it.call("swarm.run", { script: SCRIPT, wait: false })
    await expect.poll(states, SLOW).toEqual(["parked", "parked"])
    expect((await review()).diffs.map((diff) => [diff.commits, diff.evidence])).toEqual([
      [1, "passed"],
      [1, "passed"],
    ])
    const [one, two] = (await review()).swarm?.workstreams ?? []
    writeFileSync(join(one?.path ?? "", "src", "a.ts"), "edited by hand\n")
    rmSync(two?.path ?? "", { recursive: true })
    expect((await review()).diffs).toMatchObject([
      { evidence: "outdated", problem: null },
      { problem: `its folder ${two?.path} is gone` },
    ])
    await expect(it.call("swarm.approve", { workstream: "ws2" })).rejects.toMatchObject({
      code: "SWARM_WORKTREE_MISSING",
    })
    const discarded = await it.call("swarm.discard", { workstream: "ws2" })
    expect(discarded.workstreams[1]?.state).toBe("discarded")
    expect(git(it.root, "branch", "--list", "qm/*")).toContain("ws2")
    expect((await it.call("ticket.show", { id })).ticket.lane).toBe("backlog")
  })
})
