import { useMutation } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import type { Ticket } from "../../contract.ts"
import { useClient } from "../../data/queries.tsx"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { AreaEntry, EntryForm, PickEntry, TextEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { Flow, Pane, PaneHead, PaneScroll } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useTicketActions } from "./use-board.ts"

const PRIORITIES = ["P0", "P1", "P2", "P3"] as const
const NO_TICKET = { title: "", body: "", priority: "P2", paths: "", accept: "" }

type AddTicketProps = {
  readonly isReadOnly: boolean
  onAdded(ticket: Ticket): void
  onClose(): void
}

export function AddTicket({ isReadOnly, onAdded, onClose }: AddTicketProps) {
  const client = useClient()
  const { refresh } = useTicketActions()
  const [draft, setDraft] = useState(NO_TICKET)
  const title = useRef<HTMLInputElement>(null)
  useEffect(() => title.current?.focus(), [])
  const set = (change: Partial<typeof NO_TICKET>) => setDraft({ ...draft, ...change })
  const add = useMutation({
    mutationFn: () =>
      client.write("ticket.new", {
        title: draft.title.trim(),
        body: draft.body,
        priority: PRIORITIES.find((it) => it === draft.priority) ?? "P2",
        paths: linesOf(draft.paths),
        accept: linesOf(draft.accept),
      }),
    onSuccess: onAdded,
    onSettled: refresh,
  })
  const isOff = isReadOnly || add.isPending || draft.title.trim() === ""
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !isOff) add.mutate()
    if (event.key === "Escape") onClose()
  }
  return (
    <Pane ground="canvas" label="New ticket">
      <PaneHead actions={<IconButton small icon="close" label="Close" onPress={onClose} />}>
        <Text strong>New ticket</Text>
      </PaneHead>
      <PaneScroll onKeyDown={press}>
        <EntryForm>
          <TextEntry
            ref={title}
            label="Title"
            value={draft.title}
            onChange={(it) => set({ title: it })}
          />
          <AreaEntry
            label="Text"
            rows={4}
            value={draft.body}
            onChange={(it) => set({ body: it })}
          />
          <PickEntry
            label="Priority"
            choices={PRIORITIES.map((it) => ({ value: it, label: it }))}
            value={draft.priority}
            onPick={(it) => set({ priority: it })}
          />
          <AreaEntry
            label="Acceptance criteria"
            description="One per line."
            rows={3}
            value={draft.accept}
            onChange={(it) => set({ accept: it })}
          />
          <AreaEntry
            label="Paths"
            description="Files the work is expected to touch, one per line."
            mono
            rows={2}
            value={draft.paths}
            onChange={(it) => set({ paths: it })}
          />
          {add.error === null ? null : <Failure size="pane" error={toWireError(add.error)} />}
          <Flow>
            <Button variant="primary" disabled={isOff} onPress={() => add.mutate()}>
              {add.isPending ? "Adding" : "Add ticket"}
            </Button>
            <Kbd keys="mod+Enter" />
          </Flow>
        </EntryForm>
      </PaneScroll>
    </Pane>
  )
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((it) => it.trim())
    .filter((it) => it !== "")
}
