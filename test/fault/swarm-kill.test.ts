import { mkdirSync, writeFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import {
  type OperationInput,
  type OperationName,
  type OperationOutput,
  Swarm,
} from "#ground/contract"
import { createApp } from "#show/app"
import { child } from "#test/child"
import { commit, git } from "#test/git"
import { isNight, longestTestMs, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { GIT_ENVIRONMENT } from "#test/worktree-room"
import { createChance } from "./cutting-proxy.ts"

/** Interrupted swarms: a process that runs ten of them counts ten times when it is killed. */
const KILLS = isNight() ? 1_000 : 100
const SWARMS_A_PROCESS = 10
/** The swarms continue between two looks, so they are killed within a step as well. */
const POLL_MS = 15
const FILES = ["a", "b"]
const SCRIPT =
  '{"event":"message","type":"assistant","text":"done"}\n{"event":"turn.ended","outcome":"completed"}'

/** Does in each new worktree what an agent would. */
const SETUP = "mkdir -p work && echo done > work/$QM_WORKTREE.txt\n"

async function newScene(folder: string) {
  const root = path.join(folder, "shop")
  const home = path.join(folder, "home")
  for (const it of [root, home]) mkdirSync(it, { recursive: true })
  git(root, "init", "-q", "-b", "main")
  commit(root, "first", Object.fromEntries(FILES.map((it) => [`src/${it}.ts`, `${it}\n`])))
  const app = await createApp({
    directory: root,
    environment: environmentOf(folder),
    settings: [],
    writeLog: () => {},
  })
  const signal = new AbortController().signal
  const call = async <Name extends OperationName>(name: Name, input: OperationInput<Name>) =>
    (await app.call(name, input, { signal })) as OperationOutput<Name>
  for (const file of FILES) {
    await call("ticket.new", { title: `Change ${file}`, paths: [`src/${file}.ts`] })
  }
  return {
    root,
    call,
    steps: () => stepsIn(path.join(root, ".git", "qm", "swarm")),
    isOpen: () => isOpen(path.join(root, ".git", "qm", "swarm")),
    close: () => app[Symbol.asyncDispose](),
  }
}

type Scene = Awaited<ReturnType<typeof newScene>>

function environmentOf(folder: string) {
  return {
    ...GIT_ENVIRONMENT,
    HOME: path.join(folder, "home"),
    QM_WORKTREES_SETUP: `sh ${path.join(folder, "..", "setup.sh")}`,
    QM_WORKTREES_PORTS: "0",
    QM_BOARD_CHECKS: "git --version",
    QM_SWARM_AGENT: "synthetic",
  }
}

async function stepsIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const histories = names.filter((it) => it.endsWith(".history.jsonl"))
  const texts = await Promise.all(histories.map((it) => readFile(path.join(folder, it), "utf8")))
  return texts.join("").split("\n").length
}

/** According to the stored swarm, which its process may have been killed before storing. */
async function isOpen(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  const newest = names
    .filter((it) => /^sw_\w+\.json$/.test(it))
    .toSorted()
    .at(-1)
  if (newest === undefined) return true
  const swarm = Swarm.parse(JSON.parse(await readFile(path.join(folder, newest), "utf8")))
  return swarm.workstreams.some((it) => it.state !== "parked")
}

const sum = (counts: readonly number[]) => counts.reduce((all, it) => all + it, 0)

/** Kills the process when its swarms stored `steps` more steps; the number of interrupted swarms. */
async function runAndKill(scenes: readonly Scene[], environment: object, steps: number) {
  const allSteps = async () => sum(await Promise.all(scenes.map((it) => it.steps())))
  const before = await allSteps()
  await using driver = child(
    new URL("swarm-driver.child.ts", import.meta.url),
    [SCRIPT, ...scenes.map((it) => it.root)],
    { env: { ...environment } },
  )
  let hasEnded = false
  void driver.exited.then(() => {
    hasEnded = true
  })
  while (!hasEnded && (await allSteps()) < before + steps) await systemClock.sleep(POLL_MS)
  driver.kill("SIGKILL")
  const { signal, stderr, code } = await driver.exited
  expect(signal === null && code !== 0 ? stderr : "").toBe("")
  if (signal === null) return 0
  const open = await Promise.all(scenes.map((it) => it.isOpen()))
  // A review of an interrupted swarm works; it starts 20 git processes, so not for each of them.
  await scenes[steps % scenes.length]?.call("swarm.review", {})
  return open.filter(Boolean).length
}

test(`[SWARM-5] ${KILLS} swarms killed at any step continue: nothing runs twice, no worktree is orphaned`, {
  timeout: longestTestMs(),
}, async () => {
  const chance = createChance(seed())
  let kills = 0
  while (kills < KILLS) {
    await using temp = await tempDirectory()
    writeFileSync(path.join(temp.path, "setup.sh"), SETUP)
    const folders = Array.from({ length: SWARMS_A_PROCESS }, (_, at) =>
      path.join(temp.path, `s${at}`),
    )
    const scenes = await Promise.all(folders.map(newScene))
    const environment = environmentOf(folders[0] ?? "")
    for (;;) {
      const steps = kills < KILLS ? 1 + chance(SWARMS_A_PROCESS) : Number.POSITIVE_INFINITY
      const interrupted = await runAndKill(scenes, environment, steps)
      if (interrupted === 0) break
      kills += interrupted
    }
    for (const scene of scenes) {
      await expectWhole(scene)
      await scene.close()
    }
  }
})

async function expectWhole({ root, call }: Scene): Promise<void> {
  const { swarm } = await call("swarm.review", {})
  expect(swarm?.workstreams.map((it) => [it.state, it.reason, it.runs.length])).toEqual(
    FILES.map(() => ["parked", null, 1]),
  )
  const { runs } = await call("agents.list", {})
  expect(runs).toHaveLength(FILES.length)
  expect(runs.map((it) => it.status)).toEqual(runs.map(() => "completed"))
  const { tickets } = await call("board.show", {})
  expect(tickets.map((it) => it.lane)).toEqual(tickets.map(() => "testing"))
  const worktrees = git(root, "worktree", "list", "--porcelain").match(/^worktree /gm)
  expect(worktrees).toHaveLength(1 + FILES.length)
  const commits = git(root, "rev-list", "--branches=qm/*", "--not", "main").trim()
  expect(commits.split("\n")).toHaveLength(FILES.length)
}
