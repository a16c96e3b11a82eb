import { type ExitOutcome, type RunningChild, start } from "#ground/base"
import { STOP_GRACE_MS } from "../wire/host-process.ts"

/** Agents run one or two commands at a time. */
const MAX_TERMINALS = 32
const MAX_TERMINAL_OUTPUT_BYTES = 1024 * 1024

type Terminal = {
  readonly child: RunningChild
  output: Buffer
  isTruncated: boolean
  exit: ExitOutcome | undefined
}

type NewTerminal = {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly outputByteLimit: number | undefined
}

export type Terminals = ReturnType<typeof createTerminals>

/** Commands that the agent runs through us: by argv only, in their own process groups. */
export function createTerminals() {
  const terminals = new Map<string, Terminal>()
  let created = 0

  const find = (id: string): Terminal | undefined => terminals.get(id)
  return {
    isFull: () => terminals.size >= MAX_TERMINALS,
    /** Returns the new terminal's id, or the reason why there is none. */
    async create(it: NewTerminal): Promise<{ readonly id: string } | { readonly reason: string }> {
      const { program, args, cwd, environment: env } = it
      const started = await start(program, args, { cwd, env, graceMs: STOP_GRACE_MS })
      if (started.kind === "not-found") return { reason: `program ${program} not found` }
      if (started.kind === "aborted") return { reason: "the session has ended" }
      if (started.kind !== "started") return { reason: started.reason }
      created += 1
      const id = `terminal-${created}`
      const { child } = started
      const limit = Math.min(
        it.outputByteLimit ?? MAX_TERMINAL_OUTPUT_BYTES,
        MAX_TERMINAL_OUTPUT_BYTES,
      )
      const terminal: Terminal = {
        child,
        output: Buffer.alloc(0),
        isTruncated: false,
        exit: undefined,
      }
      terminals.set(id, terminal)
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => appendOutput(terminal, chunk, limit))
      }
      void child.exited.then((exit) => {
        terminal.exit = exit
      })
      return { id }
    },
    output(id: string) {
      const terminal = find(id)
      if (terminal === undefined) return undefined
      const { output, isTruncated: truncated, exit } = terminal
      const exitStatus = exit === undefined ? null : exitStatusOf(exit)
      return { output: output.toString("utf8"), truncated, exitStatus }
    },
    async waitForExit(id: string) {
      const exit = await find(id)?.child.exited
      return exit === undefined ? undefined : exitStatusOf(exit)
    },
    async kill(id: string): Promise<boolean> {
      await find(id)?.child.end()
      return terminals.has(id)
    },
    async release(id: string): Promise<boolean> {
      await find(id)?.child.end()
      return terminals.delete(id)
    },
    async endAll(): Promise<void> {
      await Promise.all([...terminals.values()].map((it) => it.child.end()))
    },
  }
}

/** The protocol truncates at the beginning, because a command's end is what the agent needs. */
function appendOutput(terminal: Terminal, chunk: Buffer, limit: number): void {
  const all = Buffer.concat([terminal.output, chunk])
  terminal.isTruncated ||= all.length > limit
  terminal.output = all.length > limit ? wholeCharacters(all.subarray(all.length - limit)) : all
}

/** Drops the rest of a UTF-8 character at the start. */
function wholeCharacters(bytes: Buffer): Buffer {
  let from = 0
  while (from < 3 && from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return Buffer.from(bytes.subarray(from))
}

function exitStatusOf(exit: ExitOutcome) {
  return exit.kind === "exited"
    ? { exitCode: exit.code, signal: null }
    : { exitCode: null, signal: exit.signal }
}
