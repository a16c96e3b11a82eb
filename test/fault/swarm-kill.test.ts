import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import type { OperationInput, OperationName, OperationOutput } from "#ground/contract"
import { createApp } from "#show/app"
import { commit, git } from "#test/git"
import { LAUNCHER } from "#test/qm"
import { isNight, longestTestMs, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { GIT_ENVIRONMENT } from "#test/worktree-room"
import { createChance } from "./cutting-proxy.ts"

const KILLS = isNight() ? 100 : 8
const FILES = ["a", "b", "c"]
const SCRIPT =
  '{"event":"message","type":"assistant","text":"done"}\n{"event":"turn.ended","outcome":"completed"}'

/** Does in each new worktree what an agent would. */
const SETUP = `import { mkdirSync, writeFileSync } from "node:fs"
mkdirSync("work", { recursive: true })
writeFileSync("work/" + process.env.QM_WORKTREE + ".txt", "done\\n")
`

async function newScene() {
  const temp = await tempDirectory()
  const root = path.join(temp.path, "shop")
  const home = path.join(temp.path, "home")
  for (const it of [root, home]) mkdirSync(it)
  git(root, "init", "-q", "-b", "main")
  commit(root, "first", Object.fromEntries(FILES.map((it) => [`src/${it}.ts`, `${it}\n`])))
  const setup = path.join(temp.path, "setup.mjs")
  writeFileSync(setup, SETUP)
  const environment = {
    ...GIT_ENVIRONMENT,
    HOME: home,
    QM_WORKTREES_SETUP: `${process.execPath} ${setup}`,
    QM_WORKTREES_PORTS: "0",
    QM_BOARD_CHECKS: "git --version",
    QM_SWARM_AGENT: "synthetic",
  }
  const app = await createApp({ directory: root, environment, settings: [], writeLog: () => {} })
  const signal = new AbortController().signal
  return {
    root,
    environment,
    folder: path.join(root, ".git", "qm", "swarm"),
    call: async <Name extends OperationName>(name: Name, input: OperationInput<Name>) =>
      (await app.call(name, input, { signal })) as OperationOutput<Name>,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

async function stepsIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const histories = names.filter((it) => it.endsWith(".history.jsonl"))
  const texts = await Promise.all(histories.map((it) => readFile(path.join(folder, it), "utf8")))
  return texts.join("").split("\n").length
}

/** Runs `qm swarm run`; kills it when it stored `steps` more steps. */
async function runAndKill(scene: Awaited<ReturnType<typeof newScene>>, steps: number) {
  const { root: cwd, environment: env, folder } = scene
  const before = await stepsIn(folder)
  const child = spawn(LAUNCHER, ["swarm", "run", "--script", SCRIPT], { cwd, env, stdio: "ignore" })
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  let code: number | null | undefined
  void ended.then((it) => {
    code = it
  })
  while (code === undefined && (await stepsIn(folder)) < before + steps) await systemClock.sleep(2)
  child.kill("SIGKILL")
  return await ended
}

test(`[SWARM-5] ${KILLS} kills at any step: the swarm continues, nothing runs twice, no worktree is orphaned`, {
  timeout: longestTestMs(),
}, async () => {
  const chance = createChance(seed())
  let kills = 0
  while (kills < KILLS) {
    await using scene = await newScene()
    for (const file of FILES) {
      await scene.call("ticket.new", { title: `Change ${file}`, paths: [`src/${file}.ts`] })
    }
    // A run that was killed after its last step has no further run, which ends with 1.
    while ((await runAndKill(scene, 1 + chance(4))) === null) kills += 1
    const { swarm } = await scene.call("swarm.review", {})
    expect(swarm?.workstreams.map((it) => [it.state, it.reason, it.runs.length])).toEqual(
      FILES.map(() => ["parked", null, 1]),
    )
    const { runs } = await scene.call("agents.list", {})
    expect(runs).toHaveLength(FILES.length)
    expect(runs.map((it) => it.status)).toEqual(runs.map(() => "completed"))
    const { tickets } = await scene.call("board.show", {})
    expect(tickets.map((it) => it.lane)).toEqual(tickets.map(() => "testing"))
    const worktrees = git(scene.root, "worktree", "list", "--porcelain").match(/^worktree /gm)
    expect(worktrees).toHaveLength(1 + FILES.length)
    const commits = git(scene.root, "rev-list", "--branches=qm/*", "--not", "main").trim()
    expect(commits.split("\n")).toHaveLength(FILES.length)
  }
})
