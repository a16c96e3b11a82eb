import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { BUILT_PACKAGE } from "./qm.ts"

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

const ROOT = path.join(import.meta.dirname, "../..")

/**
 * The launcher's compile cache halves the start time of a child. A child that gets killed stores
 * nothing there, so it calls `flushCompileCache()` once it is loaded.
 */
export const COMPILE_CACHE = path.join(ROOT, "node_modules/.cache/quartermaster")

/** The file to run for a script: `npm test` has bundled it (scripts/test/children.ts). */
export function childFile(script: URL): string {
  const file = fileURLToPath(script)
  if (BUILT_PACKAGE === undefined) return file
  const name = path.relative(ROOT, file).replace(/\.ts$/, ".mjs")
  const built = path.join(BUILT_PACKAGE, "children", name)
  return existsSync(built) ? built : file
}

/**
 * Runs a TypeScript file as its own process with the node of the test. It is killed at the end of
 * the test at the latest. `script` is a file URL: `new URL("x.ts", import.meta.url)`.
 */
export function child(
  script: URL,
  args: readonly string[] = [],
  options: ChildOptions = {},
): Child {
  // Under another program system calls are counted, and writing a cache file would add some.
  const program = options.under === undefined ? childFile(script) : fileURLToPath(script)
  const command = [...(options.under ?? []), process.execPath, program, ...args]
  const [file = "", ...rest] = command
  const cache = options.under === undefined ? COMPILE_CACHE : undefined
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
