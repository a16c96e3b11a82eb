import { type KeyboardEvent, useRef } from "react"
import { visibleLine } from "../../base/format.ts"
import { type ContextPack, formatExact } from "../../contract.ts"
import {
  EditableField,
  EditableFields,
  EditableText,
  EditableTextBox,
  type TextFact,
  TextFacts,
} from "../../ui/editable-text/editable-text.tsx"
import { TextField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { Choices } from "./choices.ts"
import { checkBudget, checkTask, describeSignals, readBudget } from "./words.ts"

type TaskProps = {
  readonly choices: Choices
  readonly pack: ContextPack | undefined
  readonly defaultBudget: number | undefined
  onChange(change: Partial<Choices>): void
}

export function Task({ choices, pack, defaultBudget, onChange }: TaskProps) {
  return (
    <EditableTextBox>
      <EditableText
        label="Task"
        keyId="pack.task"
        value={choices.task}
        check={checkTask}
        onCommit={(task) => onChange({ task })}
      />
      <Limits choices={choices} defaultBudget={defaultBudget} onChange={onChange} />
      <TextFacts facts={pack === undefined ? UNREAD : factsOf(pack)} />
    </EditableTextBox>
  )
}

export function Limits({ choices, defaultBudget, onChange }: Omit<TaskProps, "pack">) {
  const { budget, role } = choices
  const box = useRef<HTMLDivElement>(null)
  useKey("pack.budget", () => box.current?.querySelector("input")?.focus())
  // Leaving the field commits it and returns the keys to the lists.
  const leave = (event: KeyboardEvent) => {
    const { target, key } = event
    const isWrong = target instanceof Element && target.getAttribute("aria-invalid") === "true"
    if (key !== "Enter" || isWrong || !(target instanceof HTMLInputElement)) return
    event.stopPropagation()
    target.blur()
  }
  return (
    <div ref={box} onKeyDownCapture={leave}>
      <EditableFields>
        <EditableField label="Budget">
          <TextField
            label="Budget in tokens"
            kind="number"
            value={budget === null ? "" : formatExact(budget)}
            placeholder={defaultBudget === undefined ? "" : formatExact(defaultBudget)}
            check={checkBudget}
            onCommit={(text) => onChange({ budget: readBudget(text) ?? null })}
          />
        </EditableField>
        <EditableField label="Role">
          <TextField
            label="Role"
            value={role}
            placeholder="any"
            onCommit={(text) => onChange({ role: text.trim() })}
          />
        </EditableField>
      </EditableFields>
    </div>
  )
}

/** Keeps the height of the line while the package is computed. */
const UNREAD: readonly TextFact[] = [{ name: "", value: "\u00a0" }]

function factsOf(pack: ContextPack): readonly TextFact[] {
  const { action, domain, symbolNames, filePaths, keywords } = pack.analysis
  const { used, missing } = describeSignals(pack)
  const words = visibleLine(keywords.join(", "))
  const facts = [
    { name: "Recognised", value: action ?? "no action" },
    domain === null ? null : { name: "Domain", value: visibleLine(domain) },
    listed("Symbols", symbolNames),
    listed("Paths", filePaths),
    words === "" ? null : { name: "Keywords", title: words, value: words },
    {
      name: "Signals",
      title: [used, missing].filter(Boolean).join("; "),
      value: (
        <>
          {used === "" ? "none" : used}
          {missing === "" ? null : (
            <>
              {"; "}
              <Text tone="warn">{missing}</Text>
            </>
          )}
        </>
      ),
    },
  ]
  return facts.filter((it) => it !== null)
}

function listed(name: string, values: readonly string[]): TextFact | null {
  if (values.length === 0) return null
  const text = visibleLine(values.join(", "))
  return { name, title: text, value: <Text mono>{text}</Text> }
}
