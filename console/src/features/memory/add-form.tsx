import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import type { MemoryRecorded } from "../../contract.ts"
import type { Client } from "../../data/client.ts"
import { invalidateOperations } from "../../data/keys.ts"
import { MEMORY_KINDS } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { AreaEntry, EntryActions, EntryForm, PickEntry, TextEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { Pane, PaneHead, PaneScroll } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import {
  checkDecision,
  checkMemory,
  type DecisionDraft,
  type MemoryDraft,
  type Problems,
  problemsOf,
} from "./draft.ts"
import { CHANGED } from "./use-memory.ts"
import { KINDS_IN_WORDS } from "./words.ts"

type AddFormProps<Draft> = {
  readonly draft: Draft
  readonly isReadOnly: boolean
  onDraft(draft: Draft): void
  onRecorded(answer: MemoryRecorded): void
  onClose(): void
}

export function AddMemory(props: AddFormProps<MemoryDraft>) {
  const send = (client: Client, draft: MemoryDraft) => {
    const checked = checkMemory(draft)
    return checked.kind === "wrong" ? checked : client.write("memory.record", checked.input)
  }
  return (
    <AddForm {...props} title="Add memory" send={send}>
      {(entry) => <MemoryEntries {...entry} />}
    </AddForm>
  )
}

export function AddDecision(props: AddFormProps<DecisionDraft>) {
  const send = (client: Client, draft: DecisionDraft) => {
    const checked = checkDecision(draft)
    return checked.kind === "wrong" ? checked : client.write("decision.add", checked.input)
  }
  return (
    <AddForm {...props} title="Add decision" send={send}>
      {(entry) => <DecisionEntries {...entry} />}
    </AddForm>
  )
}

type FormFailure = { readonly kind: "wrong"; readonly problems: Problems }

type EntriesProps<Draft> = {
  readonly draft: Draft
  readonly problems: Problems
  set(change: Partial<Draft>): void
}

type SharedFormProps<Draft> = AddFormProps<Draft> & {
  readonly title: string
  send(client: Client, draft: Draft): FormFailure | Promise<MemoryRecorded>
  children(entry: EntriesProps<Draft>): ReactNode
}

function AddForm<Draft extends MemoryDraft | DecisionDraft>(props: SharedFormProps<Draft>) {
  const { title, draft, isReadOnly, onDraft, onClose } = props
  const { record, isPending, problems, error } = useRecord(props)
  const isOff = isReadOnly || isPending
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      if (!isOff) record()
    }
    if (event.key === "Escape") onClose()
  }
  return (
    <Pane ground="canvas" label={title}>
      <PaneHead actions={<IconButton small icon="close" label="Close" onPress={onClose} />}>
        <Text strong>{title}</Text>
      </PaneHead>
      <PaneScroll onKeyDown={press}>
        <EntryForm>
          {props.children({
            draft,
            problems,
            set: (change) => onDraft({ ...draft, ...change }),
          })}
          {error === undefined ? null : <Failure size="pane" error={error} />}
          <EntryActions>
            <Button variant="primary" disabled={isOff} onPress={record}>
              {isPending ? "Adding" : "Add"}
            </Button>
            <Kbd keys="mod+Enter" />
            {isReadOnly ? <Text tone="2">This page is read only.</Text> : null}
          </EntryActions>
        </EntryForm>
      </PaneScroll>
    </Pane>
  )
}

function useRecord<Draft extends MemoryDraft | DecisionDraft>(props: SharedFormProps<Draft>) {
  const { draft, send, onRecorded } = props
  const client = useClient()
  const queries = useQueryClient()
  const [wrong, setWrong] = useState<Problems>({})
  const begin = useMutation({
    mutationFn: async () => {
      const answer = await send(client, draft)
      const isWrong = "problems" in answer
      setWrong(isWrong ? answer.problems : {})
      return isWrong ? undefined : answer
    },
    onSuccess: (answer) => {
      if (answer === undefined) return
      invalidateOperations(queries, CHANGED)
      onRecorded(answer)
    },
  })
  const error = begin.error === null ? undefined : toWireError(begin.error)
  const refused = error === undefined ? {} : problemsOf(error, draft)
  const isOfField = Object.keys(refused).length > 0
  return {
    record: () => begin.mutate(),
    isPending: begin.isPending,
    problems: { ...refused, ...wrong },
    error: isOfField ? undefined : error,
  }
}

type TitleEntryProps = {
  readonly title: string
  readonly problem: string | undefined
  onTitle(title: string): void
}

function TitleEntry({ title, problem, onTitle }: TitleEntryProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return <TextEntry ref={input} label="Title" value={title} problem={problem} onChange={onTitle} />
}

type CitesEntryProps = {
  readonly noun: string
  readonly cites: string
  readonly problem: string | undefined
  onCites(cites: string): void
}

function CitesEntry({ noun, cites, problem, onCites }: CitesEntryProps) {
  return (
    <AreaEntry
      label="Cited code"
      mono
      rows={2}
      value={cites}
      placeholder="src/tariff/rounding.ts#roundLine"
      problem={problem}
      description={`One per line, as path or path#symbol. If that code changes, the ${noun} is shown as stale.`}
      onChange={onCites}
    />
  )
}

function MemoryEntries({ draft, problems, set }: EntriesProps<MemoryDraft>) {
  return (
    <>
      <TitleEntry
        title={draft.title}
        problem={problems["title"]}
        onTitle={(title) => set({ title })}
      />
      <AreaEntry
        label="Text"
        rows={6}
        value={draft.body}
        problem={problems["body"]}
        description="Markdown. Secrets are redacted before it is written."
        onChange={(body) => set({ body })}
      />
      <TextEntry
        label="Summary"
        value={draft.description}
        problem={problems["description"]}
        description="Default: the title."
        onChange={(description) => set({ description })}
      />
      <PickEntry
        label="Kind"
        choices={KINDS}
        value={draft.kind}
        onPick={(value) => set({ kind: MEMORY_KINDS.find((it) => it === value) ?? draft.kind })}
      />
      <CitesEntry
        noun="memory"
        cites={draft.cites}
        problem={problems["cites"]}
        onCites={(cites) => set({ cites })}
      />
      <PickEntry
        label="Source"
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
  { value: "here", label: "This project", detail: "written by its team" },
  { value: "outside", label: "Outside", detail: "quarantined until confirmed" },
]

function DecisionEntries({ draft, problems, set }: EntriesProps<DecisionDraft>) {
  return (
    <>
      <TitleEntry
        title={draft.title}
        problem={problems["title"]}
        onTitle={(title) => set({ title })}
      />
      <AreaEntry
        label="Context"
        rows={3}
        value={draft.context}
        problem={problems["context"]}
        onChange={(context) => set({ context })}
      />
      <AreaEntry
        label="Decision"
        rows={4}
        value={draft.decision}
        problem={problems["decision"]}
        description="Markdown. Secrets are redacted before it is written."
        onChange={(decision) => set({ decision })}
      />
      <AreaEntry
        label="Consequences"
        rows={3}
        value={draft.consequences}
        problem={problems["consequences"]}
        description="Optional."
        onChange={(consequences) => set({ consequences })}
      />
      <CitesEntry
        noun="decision"
        cites={draft.cites}
        problem={problems["cites"]}
        onCites={(cites) => set({ cites })}
      />
    </>
  )
}
