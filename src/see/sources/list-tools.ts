import { type Clock, type Environment, sliceText, visibleLine } from "#ground/base"
import { type Deadline, startDeadline } from "./connections.ts"
import { connect } from "./wire/connection.ts"
import { httpWire } from "./wire/http.ts"
import { stdioWire } from "./wire/stdio.ts"

const LONGEST_PROBLEM_CHARACTERS = 200

export type ListedServer =
  | {
      readonly kind: "stdio"
      readonly file: string
      readonly args: readonly string[]
      readonly cwd: string
      readonly env: Environment
    }
  | { readonly kind: "http"; readonly url: string; readonly token: string | undefined }

export type ServerTools =
  | {
      readonly kind: "listed"
      readonly instructions: string
      readonly tools: readonly {
        readonly name: string
        readonly description: string
        readonly inputSchema: Readonly<Record<string, unknown>>
        readonly isAlwaysLoaded: boolean
      }[]
    }
  | { readonly kind: "failed"; readonly reason: string }

/**
 * Starts or reaches one MCP server, lists its tools and closes it. The caller has the user's
 * consent: unlike a source, a host's server needs no approval of its own.
 */
export async function listServerTools(
  server: ListedServer,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly clock: Clock },
): Promise<ServerTools> {
  using deadline = startDeadline(options.clock, options.timeoutMs, options.signal)
  try {
    const wire =
      server.kind === "stdio"
        ? stdioWire({ file: server.file, args: server.args, cwd: server.cwd }, server.env)
        : httpWire(server)
    const limits = { signal: deadline.signal, timeoutMs: options.timeoutMs }
    // Not raced against the deadline: an aborted connect first ends the server.
    const connection = await connect(wire, limits)
    await connection.close()
    return { kind: "listed", instructions: connection.instructions, tools: connection.definitions }
  } catch (error) {
    options.signal.throwIfAborted()
    return { kind: "failed", reason: reasonOf(error, { deadline, ...options }) }
  }
}

function reasonOf(
  error: unknown,
  { deadline, timeoutMs }: { readonly deadline: Deadline; readonly timeoutMs: number },
): string {
  if (deadline.signal.aborted) return `no answer after ${timeoutMs / 1_000} s`
  const text = error instanceof Error ? error.message : String(error)
  return sliceText(visibleLine(text), LONGEST_PROBLEM_CHARACTERS)
}
