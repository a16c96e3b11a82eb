import { Pool, type PoolClient, TypeOverrides, types } from "pg"
import { invariant, type Log } from "#ground/base"
import {
  POSTGRES_CONNECT_TIMEOUT_MS,
  POSTGRES_IDLE_IN_TRANSACTION_MS,
  POSTGRES_STATEMENT_TIMEOUT_MS,
} from "../limits.ts"

/** Everything of ours lies in this schema; what else the database holds is not touched. */
export const POSTGRES_SCHEMA = "qm"

/** Connections for one kind of work. A reading one cannot write, as in SQLite. */
export function createPool(
  options: { url: string; busyTimeoutMs: number; log: Log },
  use: { role: "read" | "write"; size: number },
): Pool {
  const url = new URL(options.url)
  const given = url.searchParams.get("options") ?? ""
  url.searchParams.delete("options")
  const isReading = use.role === "read"
  const pool = new Pool({
    connectionString: url.href,
    application_name: "qm",
    max: use.size,
    connectionTimeoutMillis: POSTGRES_CONNECT_TIMEOUT_MS,
    lock_timeout: options.busyTimeoutMs,
    // Waiting for the lock counts as running, so it is added.
    statement_timeout: POSTGRES_STATEMENT_TIMEOUT_MS + options.busyTimeoutMs,
    idle_in_transaction_session_timeout: POSTGRES_IDLE_IN_TRANSACTION_MS,
    options: `${given} -c search_path=${POSTGRES_SCHEMA} -c default_transaction_read_only=${isReading ? "on" : "off"}`,
    keepAlive: true,
    allowExitOnIdle: true,
    types: readersAsInSqlite(),
  })
  // A connection that breaks while idle is replaced at the next use; without a listener it would
  // end the process.
  pool.on("error", (error) => options.log.warn("idle database connection lost", { error }))
  return pool
}

/** Lends a connection; one that broke is thrown away instead of given back. */
export async function withClient<Result>(
  pool: Pool,
  use: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isBroken = false
  const onError = () => {
    isBroken = true
  }
  client.on("error", onError)
  try {
    return await use(client)
  } finally {
    client.off("error", onError)
    client.release(isBroken)
  }
}

/** Rows come back as from SQLite: whole numbers as numbers, bytes as plain Uint8Array. */
function readersAsInSqlite(): TypeOverrides {
  const overrides = new TypeOverrides()
  overrides.setTypeParser(types.builtins.INT8, readNumber)
  overrides.setTypeParser(types.builtins.NUMERIC, readNumber)
  overrides.setTypeParser(types.builtins.BYTEA, readBytes)
  return overrides
}

function readNumber(text: string): number {
  const value = Number(text)
  invariant(!Number.isInteger(value) || Number.isSafeInteger(value), "a stored number is exact")
  return value
}

function readBytes(text: string): Uint8Array {
  invariant(text.startsWith("\\x"), "the server sends bytes in hexadecimal")
  return new Uint8Array(Buffer.from(text.slice(2), "hex"))
}
