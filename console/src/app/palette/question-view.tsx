import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import { describeField, formatValue, type Question } from "../../data/schema-form.ts"
import {
  CommandFoot,
  CommandGiven,
  CommandInput,
  CommandLineBox,
  CommandMessage,
  EntryList,
  entryElementId,
} from "../../ui/command/command.tsx"
import { type AskStep, answer, describeArguments, type PaletteForm } from "./argument-prompt.ts"
import { markMatches } from "./match.ts"

type QuestionViewProps = {
  readonly asking: PaletteForm
  onStep(step: AskStep): void
  onBack(): void
}

export function QuestionView({ asking, onStep, onBack }: QuestionViewProps) {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string | null>(null)
  const [activeChoice, setActiveChoice] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  useEffect(() => input.current?.focus(), [])
  const question = asking.questions[asking.index]
  if (question === undefined) return null
  const choices = choicesOf(question).filter((it) => it.startsWith(text.toLowerCase()))
  const active = choices.find((it) => it === activeChoice) ?? (text === "" ? undefined : choices[0])

  const give = (value: string) => {
    const step = answer(asking, value)
    if (step.kind === "wrong") {
      setProblem(step.message)
      return
    }
    setText("")
    setProblem(null)
    onStep(step)
  }
  const move = (by: 1 | -1) => {
    const index = choices.findIndex((it) => it === active)
    setActiveChoice(choices[Math.min(choices.length - 1, Math.max(0, index + by))] ?? null)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") give(active ?? text)
    else if (event.key === "Escape") onBack()
    else if (event.key === "Backspace" && text === "") onBack()
    else if (event.key === "ArrowDown") move(1)
    else if (event.key === "ArrowUp") move(-1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <CommandLineBox icon="terminal" tag={`${asking.index + 1} of ${asking.questions.length}`}>
        <CommandGiven name={asking.operation.name} description={describeArguments(asking.given)} />
        <CommandInput
          ref={input}
          label={question.name}
          placeholder={question.name}
          value={text}
          listId={choices.length === 0 ? undefined : listId}
          activeId={entryElementId(listId, active)}
          onChange={(next) => {
            setText(next)
            setProblem(null)
          }}
          onKeyDown={press}
        />
      </CommandLineBox>
      {problem === null ? (
        <CommandMessage hint={describeField(question.field)}>
          {question.description || question.name}
        </CommandMessage>
      ) : (
        <CommandMessage mood="bad">{problem}</CommandMessage>
      )}
      {choices.length === 0 ? null : (
        <EntryList
          id={listId}
          label={question.name}
          groups={[
            {
              name: "",
              entries: choices.map((it) => ({
                id: it,
                icon: "chevron-right",
                label: markMatches(it, text),
              })),
            },
          ]}
          selectedId={active}
          onHover={setActiveChoice}
          onPick={give}
        />
      )}
      <CommandFoot
        description={describeOptional(question)}
        actions={[
          { label: "Back", keys: "Escape", onPress: onBack },
          {
            label: labelOfEnter(question, active ?? text),
            keys: "Enter",
            onPress: () => give(active ?? text),
          },
        ]}
      />
    </>
  )
}

function choicesOf({ field }: Question): readonly string[] {
  if (field.kind === "choice") return field.options
  return field.kind === "yes-no" ? ["yes", "no"] : []
}

function describeOptional({ isRequired, fallback, field }: Question): string {
  if (isRequired) return "needed"
  const text = formatValue(fallback)
  if (field.kind === "list" || text === "") return "optional"
  return `default: ${text}`
}

function labelOfEnter({ field, isRequired }: Question, text: string): string {
  if (text !== "") return field.kind === "list" ? "Add" : "Next"
  return isRequired ? "Next" : "Skip"
}
