import { useEffect, useRef, useState } from "react"
import { visibleLine } from "../../base/format.ts"
import { Button } from "../button/button.tsx"
import { Kbd } from "../kbd/kbd.tsx"
import { PauseCard, type PauseChoice, PauseField } from "./pause-card.tsx"

type Pause = {
  readonly question: string
  readonly lines: readonly { readonly text: string; readonly note: string }[]
  readonly choices: readonly {
    readonly key: string
    readonly word: string
    readonly consequence: string
  }[]
  readonly isConfirmingExit: boolean
}

type PauseAnswers = {
  readonly isOff: boolean
  readonly isAmending: boolean
  readonly amendProblem: string | undefined
  onResume(): void
  onAmend(text: string, onDone: () => void): void
  onReply(text: string): void
}

type PauseAnswerProps = PauseAnswers & {
  readonly title: string
  readonly aside: string
  readonly pause: Pause
  /** Id in the keymap by the key of a choice. */
  readonly keyIds: Readonly<Record<string, string>>
}

/** A pause card whose choices are buttons and keys, with a field for the change. */
export function PauseAnswer(props: PauseAnswerProps) {
  const { title, aside, pause, keyIds, isOff } = props
  const [draft, setDraft] = useState<string | null>(null)
  const acts = actsOf(props, () => setDraft(draft === null ? "" : null))
  const choices = pause.choices.flatMap((choice): PauseChoice[] => {
    const [keyId, onPick] = [keyIds[choice.key], acts[choice.key]]
    if (keyId === undefined || onPick === undefined) return []
    return [
      {
        word: visibleLine(choice.word),
        description: visibleLine(choice.consequence),
        keyId,
        isOn: choice.key === "1" && !pause.isConfirmingExit,
        onPick,
      },
    ]
  })
  return (
    <PauseCard
      title={title}
      question={visibleLine(pause.question)}
      aside={aside}
      lines={pause.lines.map((it) => ({ text: visibleLine(it.text), note: visibleLine(it.note) }))}
      choices={choices}
      isOff={isOff}
    >
      {draft === null || pause.isConfirmingExit ? null : (
        <Amend {...props} draft={draft} onDraft={setDraft} onDone={() => setDraft(null)} />
      )}
    </PauseCard>
  )
}

function actsOf(
  { pause, onResume, onReply }: PauseAnswerProps,
  onAmend: () => void,
): Readonly<Record<string, () => void>> {
  const reply = (text: string) => () => onReply(text)
  if (pause.isConfirmingExit) return { "1": reply("1"), "2": reply("2") }
  return { "1": onResume, "2": onAmend, "3": reply("3") }
}

type AmendProps = PauseAnswers & {
  readonly draft: string
  onDraft(text: string): void
  onDone(): void
}

function Amend({ draft, isAmending, amendProblem, onAmend, onDraft, onDone }: AmendProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const [isEmpty, setIsEmpty] = useState(false)
  useEffect(() => area.current?.focus(), [])
  const send = () => {
    const text = draft.trim()
    setIsEmpty(text === "")
    if (text !== "" && !isAmending) onAmend(text, onDone)
  }
  return (
    <PauseField
      ref={area}
      label="Requested change"
      value={draft}
      problem={isEmpty ? "Describe the change." : amendProblem}
      onChange={onDraft}
      onCommit={send}
      onCancel={onDone}
      actions={
        <>
          <Button variant="primary" small disabled={isAmending} onPress={send}>
            {isAmending ? "Sending" : "Send"}
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
