import type { Usable } from "./describe.ts"
import { environmentFor } from "./environment.ts"
import { SourceWithoutCredential } from "./errors.ts"
import { type Connection, connect } from "./wire/connection.ts"
import { httpWire } from "./wire/http.ts"
import { stdioWire } from "./wire/stdio.ts"

type LineDeps = {
  readonly environment: Readonly<Record<string, string | undefined>>
  credential(name: string): Promise<string | undefined>
}

/** A line to a source, whichever way it is reached. Its key goes with the start, never before. */
export async function openLine(
  source: Usable,
  signal: AbortSignal,
  deps: LineDeps,
): Promise<Connection> {
  const { slug, config, program } = source
  const { transport, timeoutMs } = config
  if (transport.type === "stdio" && program !== undefined) {
    const env = await environmentFor(transport.env, deps)
    return connect(stdioWire(program, env), { signal, timeoutMs })
  }
  const name = transport.type === "http" ? transport.credential : undefined
  const token = name === undefined ? undefined : await deps.credential(name)
  if (name !== undefined && token === undefined) throw SourceWithoutCredential({ slug, name })
  const url = transport.type === "http" ? transport.url : ""
  return connect(httpWire({ url, token }), { signal, timeoutMs })
}
