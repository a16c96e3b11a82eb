import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import type { MemoryRecorded } from "../../contract.ts"
import type { AnyOperation } from "../../data/client.ts"
import { toWireError } from "../../data/errors.ts"
import { keys } from "../../data/keys.ts"
import { MEMORY_KINDS } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { AreaEntry, EntryForm, PickEntry, TextEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { Flow, Pane, PaneHead, PaneScroll } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { checkDraft, type Draft, type Problems, problemsOf } from "./draft.ts"
import { KINDS_IN_WORDS } from "./words.ts"

type AddFormProps = {
  readonly draft: Draft
  readonly isReadOnly: boolean
  onDraft(draft: Draft): void
  onRecorded(answer: MemoryRecorded): void
  onClose(): void
}

/** Adds a memory by hand. A panel, so that what is remembered already stays in sight. */
export function AddForm({ draft, isReadOnly, onDraft, onRecorded, onClose }: AddFormProps) {
  const { record, isPending, problems, error } = useRecord(draft, onRecorded)
  const isOff = isReadOnly || isPending
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      if (!isOff) record()
    }
    if (event.key === "Escape") onClose()
  }
  return (
    <Pane ground="canvas" label="Add memory">
      <PaneHead actions={<IconButton small icon="close" label="Close" onPress={onClose} />}>
        <Text strong>Add memory</Text>
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
            <Button look="primary" disabled={isOff} onPress={record}>
              {isPending ? "Recording" : "Record"}
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
        label="What is to be remembered?"
        rows={6}
        value={draft.body}
        problem={problems.body}
        says="Markdown. Secrets are replaced before it is written."
        onChange={(text) => set({ body: text })}
      />
      <TextEntry
        label="In one line"
        value={draft.description}
        problem={problems.description}
        says="Left empty, it is the title."
        onChange={(text) => set({ description: text })}
      />
      <MoreEntries draft={draft} problems={problems} set={set} />
    </>
  )
}

function MoreEntries({ draft, problems, set }: EntriesProps) {
  return (
    <>
      <PickEntry
        label="Kind"
        choices={KINDS}
        value={draft.kind}
        onPick={(value) => set({ kind: MEMORY_KINDS.find((it) => it === value) ?? draft.kind })}
      />
      <AreaEntry
        label="Code it rests on"
        mono
        rows={2}
        value={draft.cites}
        placeholder="src/tariff/rounding.ts#roundLine"
        problem={problems.cites}
        says="One a line, as path or path#symbol. When that code changes, the memory is shown as stale."
        onChange={(text) => set({ cites: text })}
      />
      <PickEntry
        label="Where it comes from"
        choices={SOURCES}
        value={draft.isUntrusted ? "outside" : "here"}
        onPick={(value) => set({ isUntrusted: value === "outside" })}
      />
    </>
  )
}

const KINDS = MEMORY_KINDS.map((value) => ({
  value,
  label: value,
  detail: KINDS_IN_WORDS[value],
}))

const SOURCES = [
  { value: "here", label: "From here", detail: "this code, these people" },
  { value: "outside", label: "From outside", detail: "quarantined until confirmed" },
]

const CHANGED: readonly AnyOperation[] = ["memory.list", "memory.search"]

/** Checks, asks, and puts what is wrong beside its field. */
function useRecord(draft: Draft, onRecorded: (answer: MemoryRecorded) => void) {
  const client = useClient()
  const queries = useQueryClient()
  const [wrong, setWrong] = useState<Problems>({})
  const begin = useMutation({
    mutationFn: async () => {
      const checked = checkDraft(draft)
      setWrong(checked.kind === "wrong" ? checked.problems : {})
      return checked.kind === "wrong" ? undefined : client.write("memory.record", checked.input)
    },
    onSuccess: (answer) => {
      if (answer === undefined) return
      for (const name of CHANGED) void queries.invalidateQueries({ queryKey: keys.anyInput(name) })
      onRecorded(answer)
    },
  })
  const error = begin.error === null ? undefined : toWireError(begin.error)
  const refused = error === undefined ? {} : problemsOf(error)
  const isOfField = Object.keys(refused).length > 0
  return {
    record: () => begin.mutate(),
    isPending: begin.isPending,
    problems: { ...refused, ...wrong },
    error: isOfField ? undefined : error,
  }
}
