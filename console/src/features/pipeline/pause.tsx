import { useEffect, useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatAge, visibleLine } from "../../base/format.ts"
import type { PipelinePause, PipelineRun } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { PauseCard, type PauseChoice, PauseField } from "../../ui/pause-card/pause-card.tsx"
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
  const [draft, setDraft] = useState<string | null>(null)
  const acts = actsOf(pause, writes, () => setDraft(draft === null ? "" : null))
  const choices = pause.choices.flatMap((choice): PauseChoice[] => {
    const [keyId, onPick] = [KEYS[choice.key], acts[choice.key]]
    if (keyId === undefined || onPick === undefined) return []
    const description = visibleLine(choice.consequence)
    return [
      {
        word: visibleLine(choice.word),
        description,
        keyId,
        isOn: choice.key === "1" && !pause.isConfirmingExit,
        onPick,
      },
    ]
  })
  return (
    <PauseCard
      title={describePaused(run)}
      question={visibleLine(pause.question)}
      aside={formatAge(pause.since, now)}
      lines={pause.lines.map((it) => ({ text: visibleLine(it.text), note: visibleLine(it.note) }))}
      choices={choices}
      isOff={isReadOnly || writes.isBusy}
    >
      {draft === null || pause.isConfirmingExit ? null : (
        <Amend draft={draft} writes={writes} onDraft={setDraft} onDone={() => setDraft(null)} />
      )}
    </PauseCard>
  )
}

function actsOf(
  { isConfirmingExit }: PipelinePause,
  writes: PipelineWrites,
  onAmend: () => void,
): Readonly<Record<string, () => void>> {
  const reply = (text: string) => () => writes.say.mutate(text)
  if (isConfirmingExit) return { "1": reply("1"), "2": reply("2") }
  return { "1": () => writes.resume.mutate(), "2": onAmend, "3": reply("3") }
}

type AmendProps = {
  readonly draft: string
  readonly writes: PipelineWrites
  onDraft(text: string): void
  onDone(): void
}

function Amend({ draft, writes, onDraft, onDone }: AmendProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const [isEmpty, setIsEmpty] = useState(false)
  useEffect(() => area.current?.focus(), [])
  const { amend } = writes
  const send = () => {
    const text = draft.trim()
    setIsEmpty(text === "")
    if (text !== "" && !amend.isPending) amend.mutate(text, { onSuccess: onDone })
  }
  const refusal = amend.error === null ? undefined : toWireError(amend.error)
  const problem = isEmpty ? "Describe the change." : refusal?.message
  return (
    <PauseField
      ref={area}
      label="Requested change"
      value={draft}
      problem={problem}
      onChange={onDraft}
      onCommit={send}
      onCancel={onDone}
      actions={
        <>
          <Button variant="primary" small disabled={amend.isPending} onPress={send}>
            {amend.isPending ? "Sending" : "Send"}
          </Button>
          <Kbd keys="mod+Enter" />
          <Button variant="ghost" small onPress={onDone}>
            Cancel
          </Button>
        </>
      }
    />
  )
}
