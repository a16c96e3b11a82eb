import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useEffect } from "react"
import { isRefusal, serverUnreachable, toWireError } from "../base/errors.ts"
import type { Client } from "../data/client.ts"
import type { Clock } from "../data/clock.ts"
import { keys } from "../data/keys.ts"
import { useClient } from "../data/queries.tsx"
import { Failure } from "../ui/failure/failure.tsx"
import type { LiveConnection } from "./live.ts"
import { Shell } from "./shell.tsx"

type GateProps = {
  readonly entered: Promise<void>
  readonly live: LiveConnection
  readonly clock: Clock
}

/** Calls no operation before the session is known. */
export function Gate({ entered, live, clock }: GateProps) {
  const client = useClient()
  const session = useQuery({
    queryKey: keys.session,
    queryFn: async () => {
      // A link that was already used is no error if this browser has a session.
      const refusal = await entered.then(() => undefined, toFailure)
      return client.session().catch((error: unknown) => {
        throw refusal ?? toFailure(error)
      })
    },
    retry: false,
  })
  const isIn = session.data !== undefined
  useEffect(() => {
    if (!isIn) return
    live.start()
    return () => live.stop()
  }, [isIn, live])
  // A session that expires later does not clear the page.
  if (isIn) return <Shell live={live} clock={clock} />
  if (session.error === null) return null
  if (isRefusal(session.error)) {
    return (
      <Suspense fallback={null}>
        <SignIn />
      </Suspense>
    )
  }
  return (
    <main>
      <Failure
        size="page"
        error={toWireError(session.error)}
        onRetry={() => void session.refetch()}
      />
    </main>
  )
}

function toFailure(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

// Most visits have a session, and the first load has a limit.
const SignIn = lazy(async () => {
  try {
    return { default: (await import("./sign-in.tsx")).SignIn }
  } catch {
    return { default: NoSignIn }
  }
})

/** Nothing above this page catches an error. */
function NoSignIn() {
  return (
    <main>
      <Failure size="page" error={toWireError(serverUnreachable())} />
    </main>
  )
}

/**
 * The link of `qm open` has a one-time token in its fragment, which reaches no server and no log.
 * It is removed from the address bar first and is worthless after the exchange.
 */
export async function enterByLink(client: Client): Promise<void> {
  const token = takeToken(window.location.hash)
  if (token === null) return
  window.history.replaceState(null, "", `${window.location.pathname}${window.location.search}`)
  await client.enter(token)
}

function takeToken(hash: string): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get("t")
  return token === "" ? null : token
}
