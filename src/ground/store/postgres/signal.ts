import { Client, type Pool } from "pg"
import type { Clock, Log } from "#ground/base"
import type { Signal } from "../driver.ts"
import { POSTGRES_CONNECT_TIMEOUT_MS } from "../limits.ts"

const LISTEN_AGAIN_AFTER_MS = 500

const SIGNAL_GAP_MS = 10

const CHANNEL = "qm_journal"

/** A connection that was cut without a reset would wait forever. */
const ANSWER_IN_TIME = { query_timeout: POSTGRES_CONNECT_TIMEOUT_MS }

const CHECK_LISTENING_EVERY_MS = 10_000

/**
 * Signals between servers that share a database. A commit with NOTIFY takes a lock that all commits
 * wait for, so the signal is sent outside the transaction and throttled. It may be lost: followers
 * also poll.
 */
export function createSignal(deps: { url: string; pool: Pool; clock: Clock; log: Log }): Signal {
  let isDue = false
  let sending: Promise<unknown> = Promise.resolve()
  return {
    send() {
      if (isDue) return
      isDue = true
      sending = deps.clock
        .sleep(SIGNAL_GAP_MS)
        .then(() => {
          isDue = false
          const text = `SELECT pg_notify('${CHANNEL}', '')`
          return deps.pool.query({ text, ...ANSWER_IN_TIME })
        })
        .catch((error: unknown) => deps.log.debug("signal not sent", { error }))
    },
    settled: () => sending,
    listen(tell, ended) {
      void keepListening(deps, tell, ended)
    },
  }
}

async function keepListening(
  deps: { url: string; clock: Clock; log: Log },
  tell: () => void,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    try {
      await listenOnce(deps, tell, ended)
    } catch (error) {
      deps.log.warn("not listening for signals of other servers", { error })
    }
    await deps.clock.sleep(LISTEN_AGAIN_AFTER_MS, ended).catch(() => {})
  }
}

async function listenOnce(
  deps: { url: string; clock: Clock },
  tell: () => void,
  ended: AbortSignal,
): Promise<void> {
  const client = new Client({
    connectionString: deps.url,
    application_name: "qm-listen",
    connectionTimeoutMillis: POSTGRES_CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  const over = Promise.withResolvers<void>()
  // Report the failure of LISTEN itself first.
  over.promise.catch(() => {})
  client.on("error", over.reject)
  client.on("end", over.resolve)
  client.on("notification", tell)
  const stop = () => over.resolve()
  const closed = new AbortController()
  ended.addEventListener("abort", stop)
  try {
    await client.connect()
    await client.query(`LISTEN ${CHANNEL}`)
    // Covers signals sent before LISTEN was active.
    tell()
    void checkWhile(client, AbortSignal.any([ended, closed.signal]), deps.clock).catch(over.reject)
    await over.promise
  } finally {
    ended.removeEventListener("abort", stop)
    closed.abort()
    // Not awaited: a connection that was cut without a reset ends only after minutes.
    void client.end().catch(() => {})
  }
}

/** Rejects when the connection no longer answers; a listening one is otherwise silent for hours. */
async function checkWhile(client: Client, ended: AbortSignal, clock: Clock): Promise<void> {
  while (!ended.aborted) {
    await clock.sleep(CHECK_LISTENING_EVERY_MS, ended).catch(() => {})
    if (!ended.aborted) await client.query({ text: "SELECT 1", ...ANSWER_IN_TIME })
  }
}
