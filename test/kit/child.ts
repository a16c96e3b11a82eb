import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export type Child = AsyncDisposable & {
  readonly pid: number
  /** The next line of its output; undefined when there are no more. */
  nextLine(): Promise<string | undefined>
  /** Everything it still has to say, to the end of its output. */
  restOfLines(): Promise<readonly string[]>
  /** A line to its input. */
  send(line: string): void
  kill(signal?: NodeJS.Signals): void
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>
}

export type ChildOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** A program that starts ours, e.g. `["strace", "-f", …]`; its arguments come first. */
  readonly under?: readonly string[]
}

/**
 * The launcher's own: with it a child starts in half the time. One that is killed at work keeps
 * nothing there, so it says `flushCompileCache()` itself once it is loaded.
 */
const COMPILED = fileURLToPath(new URL("../../node_modules/.cache/quartermaster", import.meta.url))

/**
 * A TypeScript file of ours as a process of its own, run by the same node as the test. It is killed
 * at the end of the test at the latest. `script` is a file URL: `new URL("x.ts", import.meta.url)`.
 */
export function child(
  script: URL,
  args: readonly string[] = [],
  options: ChildOptions = {},
): Child {
  const command = [...(options.under ?? []), process.execPath, fileURLToPath(script), ...args]
  const [file = "", ...rest] = command
  // Under another program the calls are counted, and a kept file would be one of them.
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
  // Whoever awaits it gets the failure; when nobody does, it must not bring the test down.
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
