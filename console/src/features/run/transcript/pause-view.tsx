import { useMutation } from "@tanstack/react-query"
import { toWireError } from "../../../base/errors.ts"
import { formatAge, visibleLine } from "../../../base/format.ts"
import type { PipelineRun } from "../../../contract.ts"
import { paths } from "../../../data/paths.ts"
import { useClient, useOperation } from "../../../data/queries.tsx"
import { PauseAnswer } from "../../../ui/pause-card/pause-answer.tsx"
import { useToast } from "../../../ui/toast/toast.tsx"
import { Muted, TextLink } from "../../../ui/transcript/transcript.tsx"
import type { PauseEntry } from "./entry.ts"
import type { RowHandlers } from "./row-handlers.ts"

type PauseViewProps = { readonly entry: PauseEntry; readonly handlers: RowHandlers }

const KEYS: Readonly<Record<string, string>> = {
  "1": "run.answer-first",
  "2": "run.answer-second",
  "3": "run.answer-third",
}

/** Only the state of the run is needed here; its events are in the transcript. */
const NO_EVENTS = Number.MAX_SAFE_INTEGER

/** A pause of a pipeline in its session: a card while it is open, one line afterwards. */
export function PauseView({ entry, handlers }: PauseViewProps) {
  const { pipeline, pause, answer, isOver } = entry
  if (isOver) {
    const [question = ""] = entry.message.content.split("\n")
    const reply = answer === null ? "" : ` ${visibleLine(answer.content)}.`
    return <Muted>{`${visibleLine(question)}${reply}`}</Muted>
  }
  return <OpenPause pipeline={pipeline} pauseId={pause} entry={entry} handlers={handlers} />
}

type OpenPauseProps = PauseViewProps & { readonly pipeline: string; readonly pauseId: string }

function OpenPause({ pipeline, pauseId, entry, handlers }: OpenPauseProps) {
  const { data } = useOperation("pipeline.show", { id: pipeline, after: NO_EVENTS })
  const answers = useAnswers(pipeline, pauseId)
  const run = data?.run
  const pause = run?.pause ?? null
  if (run === undefined || pause === null || pause.pauseId !== pauseId) {
    return <Muted>{visibleLine(entry.message.content.split("\n")[0] ?? "")}</Muted>
  }
  return (
    <>
      <PauseAnswer
        {...answers}
        title={titleOf(run)}
        aside={formatAge(pause.since, handlers.now)}
        pause={pause}
        keyIds={KEYS}
        isOff={handlers.isReadOnly || answers.isOff}
      />
      <Muted>
        Your next message answers it too.{" "}
        <TextLink href={paths.pipeline(pipeline)}>Open {pipeline}</TextLink>
      </Muted>
    </>
  )
}

function titleOf({ agent, pause, stages }: PipelineRun): string {
  const title = stages[pause?.stage ?? -1]?.title
  return title === undefined
    ? `${agent} has paused`
    : `${agent} has paused after ${visibleLine(title)}`
}

/** Names the pause, so that a late click cannot answer the next one. */
function useAnswers(id: string, pause: string) {
  const client = useClient()
  const toast = useToast()
  const onError = (error: unknown) => toast.fail(toWireError(error))
  const named = { id, pause }
  const resume = useMutation({
    mutationFn: () => client.write("pipeline.resume", named),
    onError,
  })
  const amend = useMutation({
    mutationFn: (text: string) => client.write("pipeline.amend", { ...named, text }),
  })
  const reply = useMutation({
    mutationFn: (text: string) => client.write("pipeline.say", { ...named, text }),
    onError,
  })
  return {
    isOff: resume.isPending || amend.isPending || reply.isPending,
    isAmending: amend.isPending,
    amendProblem: amend.error === null ? undefined : toWireError(amend.error).message,
    onResume: () => resume.mutate(),
    onAmend: (text: string, onSuccess: () => void) => amend.mutate(text, { onSuccess }),
    onReply: (text: string) => reply.mutate(text),
  }
}
