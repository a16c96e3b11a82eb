import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import type { SessionsImported, WireError } from "../../contract.ts"
import type { AnyOperation } from "../client.ts"
import { invalidateOperations } from "../keys.ts"
import { useClient } from "../queries.tsx"

type TranscriptImport =
  | { readonly state: "none" }
  | { readonly state: "running"; readonly waitingAtStart: number }
  | { readonly state: "done"; readonly result: SessionsImported }
  | { readonly state: "cancelled" }
  | { readonly state: "failed"; readonly error: WireError }

type ImportScope = "repository" | "machine"

const CHANGED: readonly AnyOperation[] = ["sessions.list", "sessions.search", "sessions.cost"]

/**
 * Indexes transcripts. The server commits as it reads and continues where it stopped, so Cancel
 * and leaving the page lose nothing.
 */
export function useImportSessions() {
  const client = useClient()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<TranscriptImport>({ state: "none" })
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  const start = async (scope: ImportScope, waitingAtStart: number): Promise<void> => {
    const controller = new AbortController()
    const { signal } = controller
    stop.current = controller
    setProgress({ state: "running", waitingAtStart })
    try {
      const result = await client.write("sessions.import", { all: scope === "machine" }, { signal })
      setProgress({ state: "done", result })
    } catch (error) {
      setProgress(
        signal.aborted ? { state: "cancelled" } : { state: "failed", error: toWireError(error) },
      )
    }
    invalidateOperations(queries, CHANGED)
  }
  return {
    progress,
    start: (scope: ImportScope, waiting: number) => void start(scope, waiting),
    cancel: () => stop.current?.abort(),
  }
}
