import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { LAUNCHER } from "#test/qm"
import { readToken } from "#test/server"

/** Far above what these tests open, because they do not test the limits. */
export const NO_LIMITS = {
  CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_SESSION: "100000",
  CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_INSTANCE: "100000",
  CONTEXT_FOLDING_BRANCH_CREATION_RATE_LIMIT: "100000",
} as const

export type RunningUp = Awaited<ReturnType<typeof startUp>>

export type UserPlace = AsyncDisposable & { readonly home: string; readonly project: string }

async function freshUser(): Promise<UserPlace> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "qm-up-")))
  const [home, project] = [join(path, "home"), join(path, "project")]
  for (const folder of [home, project]) await mkdir(folder)
  return {
    home,
    project,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/**
 * A real `qm up` for a user's project (default: a fresh user): `await using up = await
 * startUp(env)`.
 */
export async function startUp(env: Readonly<Record<string, string>> = {}, given?: UserPlace) {
  const user = given ?? (await freshUser())
  const started = spawn(LAUNCHER, ["up", "--port", "0", "--no-open"], {
    cwd: user.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: user.home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const ended = new Promise<number | null>((resolve) => started.on("close", resolve))
  let said = ""
  started.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-100_000)
  })
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: started.stdout }).on("line", (line) => {
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    void ended.then((code) => reject(new Error(`qm up ended with ${code}: ${said}`)))
  })
  return {
    user,
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    token: await readToken(join(user.home, ".qm")),
    said: () => said,
    residentBytes: () => residentBytes(started.pid ?? 0),
    async stop(): Promise<number | null> {
      started.kill("SIGTERM")
      return await ended
    },
    async [Symbol.asyncDispose]() {
      started.kill("SIGKILL")
      await ended
      if (given === undefined) await user[Symbol.asyncDispose]()
    },
  }
}

/** The launcher replaces itself by node, so its pid is the server's. */
function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kilobytes === undefined) throw new Error(`the kernel tells nothing of ${pid}`)
  return Number(kilobytes) * 1_024
}
