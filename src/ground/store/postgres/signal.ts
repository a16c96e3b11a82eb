import { Client, type Pool } from "pg"
import type { Clock, Log } from "#ground/base"
import type { Signal } from "../driver.ts"
import { POSTGRES_CONNECT_TIMEOUT_MS } from "../limits.ts"

const LISTEN_AGAIN_AFTER_MS = 500

const SIGNAL_GAP_MS = 10

const CHANNEL = "qm_journal"

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
          return deps.pool.query(`SELECT pg_notify('${CHANNEL}', '')`)
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
      await listenOnce(deps.url, tell, ended)
    } catch (error) {
      deps.log.warn("not listening for signals of other servers", { error })
    }
    await deps.clock.sleep(LISTEN_AGAIN_AFTER_MS, ended).catch(() => {})
  }
}

async function listenOnce(url: string, tell: () => void, ended: AbortSignal): Promise<void> {
  const client = new Client({
    connectionString: url,
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
  ended.addEventListener("abort", stop)
  try {
    await client.connect()
    await client.query(`LISTEN ${CHANNEL}`)
    // Covers signals sent before LISTEN was active.
    tell()
    await over.promise
  } finally {
    ended.removeEventListener("abort", stop)
    await client.end().catch(() => {})
  }
}
