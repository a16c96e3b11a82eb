import { spawn } from "node:child_process"
import { once } from "node:events"
import { indexDaemonSocket } from "#choose/guard"
import { askSocket } from "#ground/base"
import { childFile } from "./child.ts"

export type DaemonPlaces = {
  readonly root: string
  readonly home: string
  readonly stateDirectory: string
}

type Question = { readonly kind: "package" | "prepare"; readonly prompt: string }

export async function askIndexDaemon(
  places: DaemonPlaces,
  question: Question,
): Promise<string | null | undefined> {
  const line = JSON.stringify({ v: 1, session: "s", agentType: "general-purpose", ...question })
  const answer = await sendToIndexDaemon(places, line)
  const value: { text: string | null } | undefined =
    answer === undefined ? undefined : JSON.parse(answer)
  return value?.text
}

export function sendToIndexDaemon(places: DaemonPlaces, line: string): Promise<string | undefined> {
  return askSocket({ path: indexDaemonSocket(places), line, timeoutMs: 60_000, maxBytes: 100_000 })
}

export async function untilWarm(places: DaemonPlaces, prompt: string): Promise<void> {
  const until = Date.now() + 120_000
  while (Date.now() < until) {
    if (typeof (await askIndexDaemon(places, { kind: "package", prompt })) === "string") return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("the index daemon did not become warm")
}

const PROGRAM = childFile(new URL("index-daemon.child.ts", import.meta.url))

/** An index daemon as its own process: `await using daemon = startIndexDaemon(…)`. */
export function startIndexDaemon({ root, home }: Pick<DaemonPlaces, "root" | "home">) {
  const child = spawn(process.execPath, [PROGRAM, root], {
    env: { PATH: process.env["PATH"], QM_HOME: home },
    stdio: ["ignore", "ignore", "inherit"],
  })
  const ended = once(child, "exit")
  const isAlive = () => child.exitCode === null && child.signalCode === null
  return {
    pid: child.pid,
    isAlive,
    ended: async (): Promise<number | null> => (await ended, child.exitCode),
    stop: () => void child.kill("SIGTERM"),
    kill: () => void child.kill("SIGKILL"),
    async [Symbol.asyncDispose]() {
      if (isAlive()) child.kill("SIGTERM")
      await ended
    },
  }
}
