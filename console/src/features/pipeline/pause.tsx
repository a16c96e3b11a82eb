import { toWireError } from "../../base/errors.ts"
import { formatAge } from "../../base/format.ts"
import type { PipelinePause, PipelineRun } from "../../contract.ts"
import { PauseAnswer } from "../../ui/pause-card/pause-answer.tsx"
import type { PipelineWrites } from "./use-pipeline.ts"
import { describePaused } from "./words.ts"

type PauseProps = {
  readonly run: PipelineRun
  readonly pause: PipelinePause
  readonly now: number
  readonly isReadOnly: boolean
  readonly writes: PipelineWrites
}

const KEYS: Readonly<Record<string, string>> = {
  "1": "pipeline.first",
  "2": "pipeline.second",
  "3": "pipeline.third",
}

export function Pause({ run, pause, now, isReadOnly, writes }: PauseProps) {
  const { amend } = writes
  return (
    <PauseAnswer
      title={describePaused(run)}
      aside={formatAge(pause.since, now)}
      pause={pause}
      keyIds={KEYS}
      isOff={isReadOnly || writes.isBusy}
      isAmending={amend.isPending}
      amendProblem={amend.error === null ? undefined : toWireError(amend.error).message}
      onResume={() => writes.resume.mutate()}
      onAmend={(text, onSuccess) => amend.mutate(text, { onSuccess })}
      onReply={(text) => writes.say.mutate(text)}
    />
  )
}
