import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import type { HostSession, WireError } from "../../contract.ts"
import type { AnyOperation } from "../../data/client.ts"
import { invalidateOperations } from "../../data/keys.ts"
import { useClient } from "../../data/queries.tsx"

export type ImportProgress = {
  readonly done: number
  readonly failed: number
  readonly total: number
  readonly isRunning: boolean
  readonly error: WireError | undefined
}

const CHANGED: readonly AnyOperation[] = ["agents.sessions", "agents.list", "now.show"]

/**
 * Imports sessions one after the other. Cancel ends the request that is under way; the server
 * stores a session as a whole and resumes a partial one at the next import.
 */
export function useImport() {
  const client = useClient()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<ImportProgress | null>(null)
  const stop = useRef<AbortController | null>(null)
  // Leaving the page cancels it, because no other page shows it.
  useEffect(() => () => stop.current?.abort(), [])

  const start = async (sessions: readonly HostSession[]): Promise<void> => {
    const controller = new AbortController()
    stop.current = controller
    const { signal } = controller
    let now: ImportProgress = {
      done: 0,
      failed: 0,
      total: sessions.length,
      isRunning: true,
      error: undefined,
    }
    const report = (next: Partial<ImportProgress>) => {
      now = { ...now, ...next }
      setProgress(now)
    }
    report({})
    for (const { sessionId } of sessions) {
      if (signal.aborted) break
      try {
        await client.write("agents.read", { session: sessionId }, { signal })
        report({ done: now.done + 1 })
      } catch (error) {
        if (!signal.aborted) report({ failed: now.failed + 1, error: toWireError(error) })
      }
    }
    report({ isRunning: false })
    invalidateOperations(queries, CHANGED)
  }
  return {
    progress,
    start: (sessions: readonly HostSession[]) => void start(sessions),
    cancel: () => stop.current?.abort(),
  }
}
