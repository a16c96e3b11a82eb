import { readdirSync, readFileSync } from "node:fs"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { Run } from "#ground/contract"
import { bundleChild } from "#test/bundled-child"
import { child } from "#test/child"
import { needs } from "#test/needs"
import { restOf } from "#test/run-client"
import { longestTestMs, seed } from "#test/seed"
import { readToken, send } from "#test/server"
import { tempDirectory } from "#test/temp"
import { createChance } from "./cutting-proxy.ts"

const SERVER = new URL("agents-server.child.ts", import.meta.url)
const KILLS = 30
const LANES = 2

/** Most servers have few runs, so that thirty of them stay within a minute. */
const runsIn = (life: number) => (life % 10 === 5 ? 20 : 6)

/**
 * Fake hosts with the behaviours seen when a parent dies: one writes until its pipe breaks, one
 * stays alive, one exits and leaves its tool running. Each first records its prompt.
 */
const STAND_IN = `#!/bin/sh
until case "$line" in *task-*) true ;; *) false ;; esac; do read -r line || exit 0; done
printf '%s\\n' "$line" >> "$HOME/begun"
echo '{"type":"system","subtype":"init","session_id":"s-'$$'","cwd":"/"}'
case "$line" in
  *talks*)
    while :; do
      echo '{"type":"assistant","message":{"content":[{"type":"text","text":"a word"}]}}' || exit 1
      sleep 0.1
    done ;;
  *stays*)
    trap '' PIPE
    while :; do sleep 0.5; done ;;
  *refuses*)
    trap '' PIPE TERM
    while :; do sleep 0.5; done ;;
  *leaves*)
    sleep 60 &
    while read -r line; do :; done ;;
esac
`
const KINDS = ["talks", "stays", "leaves"] as const

/** Hosts that ignore SIGTERM take seconds each, so there are few. */
const kindOf = (life: number, n: number) =>
  life % 10 === 0 && n === 0 ? "refuses" : KINDS[n % KINDS.length]

describe.runIf(needs("C6", "proc"))("a server that is killed while agents work", () => {
  test(
    `[C6] after ${KILLS} kills every run is interrupted, none runs twice, and no process stays`,
    async () => {
      await using temp = await tempDirectory()
      using server = await bundleChild(SERVER)
      const lives = everyLife(KILLS)
      const lanes = everyLife(LANES).map(async (lane) => {
        const folder = path.join(temp.path, `${path.basename(temp.path)}-${lane}`)
        await mkdir(folder)
        const share = KILLS / LANES
        return await liveAndDie(
          { folder, server: server.url },
          lives.slice(lane * share, (lane + 1) * share),
        )
      })
      const ended = await Promise.all(lanes)
      const sum = (numbers: readonly number[]) => numbers.reduce((all, it) => all + it, 0)
      expect(sum(ended.map((it) => it.begun)), "some were at work").toBeGreaterThan(KILLS * 2)
      expect(sum(ended.map((it) => it.atWork))).toBeGreaterThan(KILLS * 2)
    },
    longestTestMs(),
  )
})

type Lane = { readonly folder: string; readonly server: URL }

async function liveAndDie({ folder, server: program }: Lane, lives: readonly number[]) {
  const fixture = { ...(await makeFixture(folder)), program }
  using _ = { [Symbol.dispose]: () => endAll(fixture) }
  const [first = 0] = lives
  const chance = createChance(seed() + first)
  const asked: string[] = []
  let atWork = 0
  for (const life of lives) {
    await using server = await startServer(fixture, life)
    await expectTruth(server, fixture, life)
    for (let n = 0; n < runsIn(life); n++) {
      const prompt = `task-${life}-${n}. ${kindOf(life, n)}`
      asked.push(await server.rest.start(prompt, { mode: "auto" }, "claude-code"))
    }
    // Sometimes before the first run has begun, mostly in the middle.
    await sleep(chance(4) === 0 ? chance(60) : 150 + chance(250))
    atWork += processesOf(fixture, [life]).length
    server.kill()
    await server.exited
  }
  await using last = await startServer(fixture, KILLS)
  await expectTruth(last, fixture, KILLS)
  const begun = await begunTasks(fixture)
  const runs = await Promise.all(asked.map((id) => last.rest.show(id)))
  for (const run of runs) await last.rest.ask("POST", `/api/agents/${run.id}/stop`)
  const after = await Promise.all(asked.map((id) => last.rest.show(id)))
  const unfinished = after.filter((it) => it.endedAt === null)
  expect(unfinished.map((it) => [it.id, it.status])).toEqual([])
  expect(processesOf(fixture, everyLife(KILLS + 1))).toEqual([])
  return { begun: begun.length, atWork }
}

type RestartFolders = {
  readonly program: URL
  readonly project: string
  readonly home: string
  readonly programs: string
  readonly marker: string
}

async function makeFixture(folder: string): Promise<Omit<RestartFolders, "program">> {
  const [project, home, programs] = ["project", "home", "programs"].map((it) =>
    path.join(folder, it),
  ) as [string, string, string]
  for (const it of [project, home, programs]) await mkdir(it)
  await writeFile(path.join(programs, "claude"), STAND_IN)
  await chmod(path.join(programs, "claude"), 0o755)
  return { project, home, programs, marker: path.basename(folder) }
}

const lifeOf = ({ marker }: RestartFolders, life: number) => `${marker}-life-${life}.`
const everyLife = (count: number) => Array.from({ length: count }, (_, life) => life)

async function startServer(fixture: RestartFolders, life: number) {
  const { program, project, home, programs } = fixture
  const search = `${programs}:/usr/local/bin:/usr/bin:/bin`
  const started = child(program, [project, home, search, lifeOf(fixture, life)])
  const line = await started.nextLine()
  if (line === undefined) throw new Error((await started.exited).stderr)
  const headers = { authorization: `Bearer ${await readToken(home)}` }
  const ask: Parameters<typeof restOf>[0]["ask"] = (asked) =>
    send(Number(line), { ...asked, headers: { ...headers, ...asked.headers } })
  return Object.assign(started, { rest: restOf({ ask }) })
}

type Server = Awaited<ReturnType<typeof startServer>>

/** Runs from before this server are interrupted, ran once, and left no process. */
async function expectTruth(server: Server, fixture: RestartFolders, life: number): Promise<void> {
  const hint = `SEED=${seed()} life ${life}`
  expect(processesOf(fixture, everyLife(life)), `${hint}: orphans`).toEqual([])
  const begun = await begunTasks(fixture)
  expect(begun.toSorted(), `${hint}: run twice`).toEqual([...new Set(begun)].toSorted())
  const { said } = await server.rest.ask("GET", "/api/agents?limit=500")
  const runs = z.array(Run).parse(said)
  const lying = runs.filter((it) => begun.includes(taskIn(it.prompt)) && !isOld(it))
  expect(
    lying.map((it) => [it.prompt, it.status]),
    hint,
  ).toEqual([])
}

const isOld = (run: Run) => run.status === "interrupted" && run.endedAt !== null
const taskIn = (text: string) => /task-\d+-\d+/.exec(text)?.[0] ?? ""

async function begunTasks({ home }: RestartFolders): Promise<readonly string[]> {
  const text = await readFile(path.join(home, "begun"), "utf8").catch(() => "")
  return text.split("\n").filter(Boolean).map(taskIn)
}

/** Processes started by these servers or their children, whatever their current parent. */
function processesOf(fixture: RestartFolders, lives: readonly number[]): readonly string[] {
  const marks = lives.map((it) => lifeOf(fixture, it))
  return readdirSync("/proc")
    .filter((it) => /^\d+$/.test(it))
    .filter((pid) => marks.some((it) => procFile(pid, "environ").includes(it)))
    .map((pid) => procFile(pid, "stat").slice(0, 60))
    .filter((stat) => stat !== "" && !/\) Z /.test(stat))
}

function endAll(fixture: RestartFolders): void {
  for (const stat of processesOf(fixture, everyLife(KILLS + 1))) {
    try {
      process.kill(Number.parseInt(stat, 10), "SIGKILL")
    } catch {
      // The process has already ended.
    }
  }
}

function procFile(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1")
  } catch {
    return ""
  }
}
