import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { keeperSocket } from "#choose/guard"
import { askSocket } from "#ground/base"

export type KeeperPlaces = {
  /** The repository. */
  readonly root: string
  /** `QM_HOME`. */
  readonly home: string
  readonly stateDirectory: string
}

type Question = { readonly kind: "package" | "prepare"; readonly prompt: string }

/** What the keeper of a repository says; undefined when nobody hears it. */
export async function askKeeper(
  places: KeeperPlaces,
  question: Question,
): Promise<string | null | undefined> {
  const line = JSON.stringify({ v: 1, session: "s", agentType: "general-purpose", ...question })
  const answer = await sayToKeeper(places, line)
  const value: { text: string | null } | undefined =
    answer === undefined ? undefined : JSON.parse(answer)
  return value?.text
}

export function sayToKeeper(places: KeeperPlaces, line: string): Promise<string | undefined> {
  return askSocket({ path: keeperSocket(places), line, timeoutMs: 20_000, maxBytes: 100_000 })
}

/** Asks until there is a package: from then on the index is warm. */
export async function untilWarm(places: KeeperPlaces, prompt: string): Promise<void> {
  const until = Date.now() + 120_000
  while (Date.now() < until) {
    if (typeof (await askKeeper(places, { kind: "package", prompt })) === "string") return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("the keeper did not become warm")
}

/** What `qm keep` does, without the command line around it. */
const CHILD = `
  import { createApp, keep } from "#show/app"
  const [directory] = process.argv.slice(1)
  const environment = process.env
  const stop = new AbortController()
  process.once("SIGTERM", () => stop.abort())
  const app = await createApp({ directory, environment, settings: [], writeLog: () => {} })
  process.exitCode = await keep({ app, environment, signal: stop.signal })
  await app[Symbol.asyncDispose]()
`

const HOUSE = fileURLToPath(new URL("../..", import.meta.url))

/** A keeper as a process of its own; ended with the scene: `await using keeper = startKeeper(…)`. */
export function startKeeper({ root, home }: Pick<KeeperPlaces, "root" | "home">) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", CHILD, root], {
    cwd: HOUSE,
    env: { PATH: process.env["PATH"], QM_HOME: home },
    stdio: ["ignore", "ignore", "inherit"],
  })
  const ended = once(child, "exit")
  const isAlive = () => child.exitCode === null && child.signalCode === null
  return {
    pid: child.pid,
    isAlive,
    /** Its exit code; null when a signal ended it. */
    ended: async (): Promise<number | null> => (await ended, child.exitCode),
    stop: () => void child.kill("SIGTERM"),
    /** As a crash does. */
    kill: () => void child.kill("SIGKILL"),
    async [Symbol.asyncDispose]() {
      if (isAlive()) child.kill("SIGTERM")
      await ended
    },
  }
}
