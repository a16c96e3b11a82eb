import { openOutput } from "#ground/base"
import type { KeepCall } from "#show/app"
import type { EntryCall } from "#show/cli"
import { runCli } from "#show/cli"
import type { AttackedPlaces, ServeCall } from "#show/http"
import type { McpCall } from "#show/mcp"

const LARGEST_STDIN_BYTES = 10_000_000

/** Connects the command line with server, MCP and hooks. */
const entryPoints = {
  up: async (call: ServeCall) =>
    (await import("#show/http")).up(call, {
      tools: async (app) => (await import("#show/mcp")).createMcp({ app, tools: ["core"] }),
    }),
  open: async (call: ServeCall) => (await import("#show/http")).open(call),
  token: async (call: ServeCall) => (await import("#show/http")).token(call),
  mcp: async (call: McpCall) => {
    stdout.loadStream()
    return (await import("#show/mcp")).serveMcpOnStdio(call)
  },
  acp: async (call: EntryCall) => {
    stdout.loadStream()
    const { createJudge } = await import("#show/hooks")
    const { home } = call.app.places
    const judge = createJudge({ environment: call.environment, home, afterwards: () => {} })
    const streams = { input: process.stdin, output: process.stdout, errors: process.stderr }
    return (await import("#show/app")).proxyAcp(call, { judge, ...streams })
  },
  hook: answerHook,
  statusline: printStatusLine,
  keep: async (call: KeepCall) => (await import("#show/app")).keep(call),
  attack: async (places: AttackedPlaces) => (await import("#show/http")).attack(places),
}

/** The only file that reads argv, environment and streams. */
const interrupted = new AbortController()
for (const name of ["SIGINT", "SIGTERM"] as const) {
  // Once: a second Ctrl-C ends the process immediately.
  process.once(name, () => interrupted.abort())
}
// A closed pipe (`qm events | head`) is not an error: end the work like Ctrl-C does.
let isPipeClosed = false
const stdout = openOutput(1, () => {
  isPipeClosed = true
  interrupted.abort()
})
// Without a reader of stderr, continue.
const stderr = openOutput(2, () => {})

const exitCode = await runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  directory: process.cwd(),
  stdout,
  stderr,
  signal: interrupted.signal,
  entryPoints,
  // Getters: the first access to process.stdin loads the network modules of the runtime.
  get readKey() {
    return process.stdin.isTTY ? readKey : undefined
  },
  get readStdin() {
    return process.stdin.isTTY ? undefined : readStdin
  },
})
process.exitCode = isPipeClosed ? 0 : exitCode

/** One hook started by hand: a git hook exits with its result, a host's hook always with 0. */
async function answerHook({ app, input, environment, signal, say }: EntryCall): Promise<number> {
  const event = String(input["event"])
  const { answerGitHook, isGitHook } = await import("#show/app")
  if (isGitHook(event)) {
    const args = Array.isArray(input["args"]) ? input["args"].map(String) : []
    const stdin = event === "pre-push" ? await readStdin() : ""
    const result = await answerGitHook(event, { app, environment, signal, args, stdin })
    stderr.write(result.stderr)
    return result.code
  }
  const { runHookByHand } = await import("#show/hooks")
  const payload = process.stdin.isTTY ? "" : await readStdin()
  const { line, troubles } = await runHookByHand({
    host: typeof input["host"] === "string" ? input["host"] : "claude-code",
    eventName: event,
    input: payload.trim() === "" ? undefined : payload,
    environment,
    home: app.places.home,
    directory: process.cwd(),
  })
  if (line !== undefined) say(line.trimEnd())
  for (const trouble of troubles) stderr.write(`${trouble}\n`)
  return 0
}

/** Claude Code starts the bundled qm-hook instead, which loads less; the line is the same. */
async function printStatusLine({ environment, say }: EntryCall): Promise<number> {
  const { answerStatusLine } = await import("#show/hooks")
  const input = process.stdin.isTTY ? "{}" : await readStdin()
  say(
    await answerStatusLine({
      input,
      environment,
      now: () => Date.now(),
      later: (ms, act) => {
        const timer = setTimeout(act, ms)
        return () => clearTimeout(timer)
      },
      debug: (sentence) => stderr.write(`${sentence}\n`),
    }),
  )
  return 0
}

/** The payload of a hook; longer input is not one. */
async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(String(chunk))
    sizeBytes += bytes.length
    if (sizeBytes > LARGEST_STDIN_BYTES) break
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** One key, without Enter. Restores the terminal afterwards. */
async function readKey(signal: AbortSignal): Promise<string | undefined> {
  const { stdin } = process
  const pressed = Promise.withResolvers<string | undefined>()
  const leave = (): void => pressed.resolve(undefined)
  const collect = (bytes: Buffer): void => {
    const key = bytes.toString("utf8")
    // In raw mode the terminal sends no signal for Ctrl-C.
    if (key === "\u0003") process.kill(process.pid, "SIGINT")
    else pressed.resolve(key)
  }
  signal.addEventListener("abort", leave, { once: true })
  stdin.setRawMode(true)
  stdin.on("data", collect).on("end", leave).resume()
  try {
    return signal.aborted ? undefined : await pressed.promise
  } finally {
    stdin.off("data", collect).off("end", leave).pause()
    stdin.setRawMode(false)
    signal.removeEventListener("abort", leave)
  }
}
