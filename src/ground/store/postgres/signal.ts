import { Client, type Pool } from "pg"
import type { Clock, Log } from "#ground/base"
import type { Signal } from "../driver.ts"
import { POSTGRES_CONNECT_TIMEOUT_MS } from "../limits.ts"

/** Before a broken listening connection is made anew. */
const LISTEN_AGAIN_AFTER_MS = 500

/** Commits within this time are one signal. */
const SIGNAL_GAP_MS = 10

const CHANNEL = "qm_journal"

/**
 * Word between servers that share a database. A commit with a NOTIFY in it takes a lock that all
 * commits wait for, so the word is sent apart from the transaction, and at most once in a while
 * however many commits there were. It may be lost: whoever listens also looks by itself.
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
      deps.log.warn("signals of other servers are not heard", { error })
    }
    await deps.clock.sleep(LISTEN_AGAIN_AFTER_MS, ended).catch(() => {})
  }
}

/** Until the connection breaks, or the follower ends. */
async function listenOnce(url: string, tell: () => void, ended: AbortSignal): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: "qm-listen",
    connectionTimeoutMillis: POSTGRES_CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  const over = Promise.withResolvers<void>()
  // While the LISTEN is under way its own failure is the one that is told.
  over.promise.catch(() => {})
  client.on("error", over.reject)
  client.on("end", over.resolve)
  client.on("notification", tell)
  const stop = () => over.resolve()
  ended.addEventListener("abort", stop)
  try {
    await client.connect()
    await client.query(`LISTEN ${CHANNEL}`)
    // What was said before we listened.
    tell()
    await over.promise
  } finally {
    ended.removeEventListener("abort", stop)
    await client.end().catch(() => {})
  }
}
