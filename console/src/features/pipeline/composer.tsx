import { useState } from "react"
import { visibleLine } from "../../base/format.ts"
import type { PipelineRun } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Composer, ComposerClosed, ComposerFact } from "../../ui/composer/composer.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { PipelineWrites } from "./use-pipeline.ts"

type SayProps = {
  readonly run: PipelineRun
  readonly isReadOnly: boolean
  readonly writes: PipelineWrites
}

/**
 * A message to the run: an answer to its pause, or a question about its result. The field is always
 * shown, so that nothing moves when a run pauses; while the run is active, nothing can be sent.
 */
export function MessageBox({ run, isReadOnly, writes }: SayProps) {
  const [text, setText] = useState("")
  if (isReadOnly) {
    return (
      <ComposerClosed>
        <Icon name="lock" />
        This page is read only.
      </ComposerClosed>
    )
  }
  const isHeard = run.status !== "running" && run.status !== "interrupted"
  const isOff = !isHeard || text.trim() === "" || writes.isBusy
  const send = () => {
    if (!isOff) writes.say.mutate(text.trim(), { onSuccess: () => setText("") })
  }
  return (
    <Composer
      text={text}
      placeholder={run.pause === null ? "Ask about the result" : "Type an answer"}
      keyId="pipeline.compose"
      onText={setText}
      onCommit={send}
      tools={
        <>
          <ComposerFact>
            <Text tone="3">{describeInputHint(run, writes.say.isPending)}</Text>
          </ComposerFact>
          <Skip run={run} writes={writes} />
        </>
      }
      actions={
        <Button small disabled={isOff} onPress={send}>
          Send <Kbd keys="mod+Enter" />
        </Button>
      }
    />
  )
}

function describeInputHint({ status, pause }: PipelineRun, isAsking: boolean): string {
  if (isAsking) return "Waiting for the answer"
  if (status === "running")
    return "The run is active; you can send a message when it pauses or ends"
  if (status === "interrupted") return "Resume the run first"
  if (pause?.isConfirmingExit === true)
    return '"yes" to exit, "no" to continue; any other message exits and is answered'
  return pause === null
    ? "Your question is asked with these results as context"
    : 'Describe a change, "go on" to continue, or "stop the pipeline" to exit'
}

function Skip({ run, writes }: Omit<SayProps, "isReadOnly">) {
  const { pause, stages } = run
  const next = pause === null || pause.isConfirmingExit ? undefined : stages[pause.stage + 1]
  if (next === undefined) return null
  return (
    <Button variant="ghost" small disabled={writes.isBusy} onPress={() => writes.skip.mutate()}>
      Skip {visibleLine(next.title)}
    </Button>
  )
}
