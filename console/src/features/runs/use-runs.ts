import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Run } from "../../contract.ts"
import type { Input } from "../../data/client.ts"
import { keys } from "../../data/keys.ts"
import type { RunsParams } from "../../data/paths.ts"
import { shownStatus, usePausedSessions } from "../../data/paused-sessions.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { askedSince, countFacets, isOfFacet, linesOf } from "./lines.ts"

export const MOST_RUNS = 500

/** Filters of the server; the status is filtered here, so that each filter has a count. */
export function listInput({ text, label, workflow, archived }: RunsParams): Input<"agents.list"> {
  return {
    limit: MOST_RUNS,
    ...(text === "" ? {} : { text }),
    ...(label === "" ? {} : { label }),
    ...(workflow === "" ? {} : { workflow }),
    ...(archived ? { archived } : {}),
  }
}

export function useRuns(params: RunsParams, now: number) {
  const client = useClient()
  const input = listInput(params)
  const list = useQuery({
    queryKey: keys.operation("agents.list", input),
    queryFn: ({ signal }) => client.read("agents.list", input, { signal }),
    // While the user types, the previous list stays visible.
    placeholderData: keepPreviousData,
  })
  const unfiltered = { text: "", label: "", workflow: "" }
  const whole = useOperation("agents.list", listInput({ ...params, ...unfiltered }))
  const inbox = useOperation("agents.approvals", {})
  const all = list.data?.runs ?? NONE
  const paused = usePausedSessions()
  const { status } = params
  // Actions get the run as it is: one that waits between turns is not at work.
  const shown = useMemo(
    () => all.map((it) => ({ ...it, status: shownStatus(it, paused) })),
    [all, paused],
  )
  const lines = useMemo(
    () =>
      linesOf(
        shown.filter((it) => isOfFacet(it, status)),
        now,
      ),
    [shown, status, now],
  )
  const approvals = inbox.data?.approvals
  const askedAt = useMemo(
    () => new Map([...paused, ...askedSince(approvals ?? [])]),
    [paused, approvals],
  )
  const counts = useMemo(() => countFacets(shown), [shown])
  const total = whole.data?.runs.length
  return { list, all, total, lines, counts, inbox, approvals, askedAt, paused }
}

export type RunsData = ReturnType<typeof useRuns>

const NONE: readonly Run[] = []
