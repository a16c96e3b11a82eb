import { useQueryClient } from "@tanstack/react-query"
import { useContext, useEffect, useState, useSyncExternalStore } from "react"
import { browserClock } from "../../data/clock.ts"
import { keys } from "../../data/keys.ts"
import { useClient } from "../../data/queries.tsx"
import { RunLineContext } from "../../data/run-line.ts"
import { createTranscript, type Transcript, type TranscriptState } from "../../data/transcript.ts"

export function useTranscript(
  id: string,
  at: number | null,
): { readonly transcript: Transcript; readonly state: TranscriptState } {
  const client = useClient()
  const line = useContext(RunLineContext)
  const queries = useQueryClient()
  // Only the initial position: moving within the transcript loads nothing again.
  const [arrivedAt] = useState(at)
  const [transcript] = useState(() =>
    createTranscript({
      id,
      client,
      line,
      after: browserClock.after,
      onRun: (run) => queries.setQueryData(keys.operation("agents.show", { id }), run),
    }),
  )
  useEffect(() => transcript.start(arrivedAt), [transcript, arrivedAt])
  const state = useSyncExternalStore(transcript.listen, transcript.state, transcript.state)
  return { transcript, state }
}

export function useSeconds(isRunning: boolean, now: number): number {
  const [tick, setTick] = useState(now)
  useEffect(() => {
    if (!isRunning) return
    let callOff = () => {}
    const next = () => {
      setTick(browserClock.now())
      callOff = browserClock.after(1_000, next)
    }
    callOff = browserClock.after(0, next)
    return () => callOff()
  }, [isRunning])
  return isRunning ? Math.max(tick, now) : now
}
