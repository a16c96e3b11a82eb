import { useMemo } from "react"
import type { PipelineLine, Run } from "../contract.ts"
import { useOperation } from "./queries.tsx"

/** Also of the shell, which counts the open ones: one request serves both. */
export const NEWEST_PIPELINES = 200

/** Sessions whose newest pipeline waits for an answer, with the moment of the pause. */
export function usePausedSessions(): ReadonlyMap<string, number> {
  const { data } = useOperation("pipeline.list", { limit: NEWEST_PIPELINES })
  return useMemo(() => pausedSessions(data?.runs ?? []), [data])
}

/** `lines` are newest first. */
export function pausedSessions(
  lines: readonly Pick<PipelineLine, "session" | "status" | "updatedAt">[],
): ReadonlyMap<string, number> {
  const newest = new Map<string, (typeof lines)[number]>()
  for (const it of lines) {
    if (it.session !== null && !newest.has(it.session)) newest.set(it.session, it)
  }
  return new Map(
    [...newest].flatMap(([session, it]) =>
      it.status === "paused" ? [[session, it.updatedAt]] : [],
    ),
  )
}

const ENDED: ReadonlySet<Run["status"]> = new Set(["completed", "failed", "stopped", "interrupted"])

/** Between turns a pipeline of the session may wait for an answer; then the run is not over. */
export function shownStatus(
  { id, status }: Pick<Run, "id" | "status">,
  paused: ReadonlyMap<string, number>,
): Run["status"] {
  return ENDED.has(status) && paused.has(id) ? "waiting" : status
}
