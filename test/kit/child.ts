import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export type Child = AsyncDisposable & {
  readonly pid: number
  nextLine(): Promise<string | undefined>
  restOfLines(): Promise<readonly string[]>
  send(line: string): void
  kill(signal?: NodeJS.Signals): void
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>
}

export type ChildOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly under?: readonly string[]
}

/**
 * The launcher's compile cache halves the start time of a child. A child that gets killed stores
 * nothing there, so it calls `flushCompileCache()` once it is loaded.
 */
const COMPILED = fileURLToPath(new URL("../../node_modules/.cache/quartermaster", import.meta.url))

/**
 * Runs a TypeScript file as its own process with the node of the test. It is killed at the end of
 * the test at the latest. `script` is a file URL: `new URL("x.ts", import.meta.url)`.
 */
export function child(
  script: URL,
  args: readonly string[] = [],
  options: ChildOptions = {},
): Child {
  const command = [...(options.under ?? []), process.execPath, fileURLToPath(script), ...args]
  const [file = "", ...rest] = command
  // Under another program system calls are counted, and writing a cache file would add some.
  const cache = options.under === undefined ? COMPILED : undefined
  const started = spawn(file, rest, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: cache, ...options.env },
  })
  let stderr = ""
  started.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-10_000)
  })
  started.stdin.on("error", () => {})
  const exited = once(started, "close").then(([code, signal]) => ({ code, signal, stderr }))
  // Callers that await it get the failure; without one it must not crash the test.
  exited.catch(() => {})
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]()

  return {
    pid: started.pid ?? Number.NaN,
    async nextLine() {
      const { done, value } = await lines.next()
      return done ? undefined : value
    },
    async restOfLines() {
      const rest: string[] = []
      for await (const line of lines) rest.push(line)
      return rest
    },
    send: (line) => void started.stdin.write(`${line}\n`),
    kill: (signal = "SIGKILL") => void started.kill(signal),
    exited,
    async [Symbol.asyncDispose]() {
      started.kill("SIGKILL")
      await exited.catch(() => {})
    },
  }
}
