import { type KeyboardEvent, useEffect, useRef } from "react"
import type { MemoryRecorded } from "../../contract.ts"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { AreaEntry, EntryForm, TextEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { Flow, Pane, PaneHead, PaneScroll } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { Draft, Problems } from "./draft.ts"
import { useAdd } from "./use-decisions.ts"

type AddFormProps = {
  readonly draft: Draft
  readonly isReadOnly: boolean
  onDraft(draft: Draft): void
  onAdded(answer: MemoryRecorded): void
  onClose(): void
}

/** Adds a decision. A panel, so that what was decided already stays in sight. */
export function AddForm({ draft, isReadOnly, onDraft, onAdded, onClose }: AddFormProps) {
  const { add, isPending, problems, error } = useAdd(draft, onAdded)
  const isOff = isReadOnly || isPending
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      if (!isOff) add()
    }
    if (event.key === "Escape") onClose()
  }
  return (
    <Pane ground="canvas" label="Add decision">
      <PaneHead actions={<IconButton small icon="close" label="Close" onPress={onClose} />}>
        <Text strong>Add decision</Text>
      </PaneHead>
      <PaneScroll onKeyDown={press}>
        <EntryForm>
          <Entries
            draft={draft}
            problems={problems}
            set={(change) => onDraft({ ...draft, ...change })}
          />
          {error === undefined ? null : <Failure size="pane" error={error} />}
          <Flow>
            <Button look="primary" disabled={isOff} onPress={add}>
              {isPending ? "Adding" : "Add"}
            </Button>
            <Kbd keys="mod+Enter" />
            {isReadOnly ? <Text tone="2">This page is read only.</Text> : null}
          </Flow>
        </EntryForm>
      </PaneScroll>
    </Pane>
  )
}

type EntriesProps = {
  readonly draft: Draft
  readonly problems: Problems
  set(change: Partial<Draft>): void
}

function Entries({ draft, problems, set }: EntriesProps) {
  const title = useRef<HTMLInputElement>(null)
  // It was opened to be written in.
  useEffect(() => title.current?.focus(), [])
  return (
    <>
      <TextEntry
        ref={title}
        label="Title"
        value={draft.title}
        problem={problems.title}
        onChange={(text) => set({ title: text })}
      />
      <AreaEntry
        label="What made it necessary?"
        rows={3}
        value={draft.context}
        problem={problems.context}
        onChange={(text) => set({ context: text })}
      />
      <AreaEntry
        label="What was decided?"
        rows={4}
        value={draft.decision}
        problem={problems.decision}
        says="Markdown. Secrets are replaced before it is written."
        onChange={(text) => set({ decision: text })}
      />
      <AreaEntry
        label="What follows from it?"
        rows={3}
        value={draft.consequences}
        problem={problems.consequences}
        says="May be left empty."
        onChange={(text) => set({ consequences: text })}
      />
      <AreaEntry
        label="Code it rests on"
        mono
        rows={2}
        value={draft.cites}
        placeholder="src/tariff/rounding.ts#roundLine"
        problem={problems.cites}
        says="One a line, as path or path#symbol. When that code changes, the decision is shown as stale."
        onChange={(text) => set({ cites: text })}
      />
    </>
  )
}
