/**
 * A server for a fresh user in the folder of the first argument. Prints its port, its token and the
 * floor. For each line on stdin, `turn` prints the longest turn of the event loop since the last
 * one, in milliseconds of computing time: other programs do not lengthen it. `cli […]` runs a command
 * line in this process first.
 */
import { spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { systemClock, threadCpuMs } from "#ground/base"
import { TOOL_SETS } from "#ground/contract"
import { createApp } from "#show/app"
import { runCli } from "#show/cli"
import { serve } from "#show/http"
import { createMcp } from "#show/mcp"
import { readToken } from "#test/server"

const LONGEST_COMMAND_MS = 5_000

const [folder = ""] = process.argv.slice(2)
const [home, directory] = [`${folder}/home`, `${folder}/project`]
for (const it of [home, directory]) mkdirSync(it)
spawnSync("git", ["init", "-q", directory])
writeFileSync(`${directory}/a.ts`, "export const first = 1\n")
const environment = { HOME: home, PATH: process.env["PATH"] ?? "" }
const app = await createApp({ directory, environment, settings: [], writeLog: () => {} })
const server = await serve({
  app,
  port: 0,
  mayMove: false,
  tools: async (it) => createMcp({ app: it, tools: TOOL_SETS }),
})

let longestMs = 0
let lastMs = threadCpuMs()
const beat = setInterval(() => {
  const nowMs = threadCpuMs()
  longestMs = Math.max(longestMs, nowMs - lastMs)
  lastMs = nowMs
}, 1)

function takeTurn(): number {
  const taken = longestMs
  longestMs = 0
  return taken
}

/**
 * A hash of 20 MB, about 14 ms: a machine half as fast takes twice as long for both. Native code, so
 * that the floor does not depend on when the runtime compiles a loop.
 */
function measureFloor(): number {
  const bytes = Buffer.alloc(20_000_000, "ab cd ")
  const measured = Array.from({ length: 5 }, () => {
    const before = threadCpuMs()
    hash("sha256", bytes)
    return threadCpuMs() - before
  })
  return measured.toSorted((a, b) => a - b)[2] ?? 0
}

const noEntry = async () => 0
async function runCommand(argv: readonly string[]): Promise<void> {
  const sink = { write: () => {}, isTerminal: false }
  await runCli({
    argv,
    environment,
    directory,
    stdout: sink,
    stderr: sink,
    signal: AbortSignal.timeout(LONGEST_COMMAND_MS),
    entryPoints: {
      up: noEntry,
      open: noEntry,
      token: noEntry,
      mcp: noEntry,
      acp: noEntry,
      hook: noEntry,
      statusline: noEntry,
      keep: noEntry,
      attack: async () => [],
    },
  })
}

const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
print({ port: server.port, token: await readToken(`${home}/.qm`), floorMs: measureFloor() })
for await (const line of createInterface({ input: process.stdin })) {
  const command = line.startsWith("cli ") ? JSON.parse(line.slice(4)) : undefined
  if (command !== undefined) await runCommand(command)
  // So that the beat sees the last turn.
  await systemClock.sleep(3)
  print(takeTurn())
}
clearInterval(beat)
await server.close()
await app[Symbol.asyncDispose]()
process.exit()
