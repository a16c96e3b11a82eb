import { type KeyboardEvent, useRef, useState } from "react"
import type { WireError } from "../../contract.ts"
import { Button } from "../button/button.tsx"
import { Dialog, DialogActions, DialogEntry } from "../dialog/dialog.tsx"
import { AreaEntry } from "../entry/entry.tsx"
import { Failure } from "../failure/failure.tsx"
import { Stack } from "../pane/pane.tsx"
import { type Span, SpanList } from "../span-list/span-list.tsx"

type SpanDialogProps<Item> = {
  readonly title: string
  readonly label: string
  readonly items: readonly Item[]
  readonly verb: readonly [verb: string, doing: string]
  /** The selection at first; all items without it. */
  readonly span?: Span
  readonly isBusy: boolean
  readonly error: WireError | undefined
  lineOf(item: Item): { readonly key: string; readonly label: string; readonly detail: string }
  /** The summary until the person writes one. */
  draftOf(span: readonly Item[]): string
  describe(span: readonly Item[]): string
  onCommit(span: readonly Item[], summary: string): void
  onClose(): void
}

/** A person selects consecutive items and writes the summary that takes their place. */
export function SpanDialog<Item>(props: SpanDialogProps<Item>) {
  const { title, label, items, verb, isBusy, error, onCommit, onClose } = props
  const [selected, setSelected] = useState(props.span ?? { from: 0, to: items.length - 1 })
  const span = items.slice(selected.from, selected.to + 1)
  const [written, setWritten] = useState<string>()
  const summary = written ?? props.draftOf(span)
  const area = useRef<HTMLTextAreaElement>(null)
  const isReady = span.length > 0 && summary.trim() !== "" && !isBusy
  const press = (event: KeyboardEvent) => {
    const isCommit = event.key === "Enter" && (event.metaKey || event.ctrlKey)
    if (isCommit && isReady) onCommit(span, summary)
  }
  return (
    <Dialog title={title} showsTitle onClose={onClose} initialFocus={area}>
      <DialogEntry onKeyDown={press}>
        <Stack gap="8">
          <SpanList
            label={label}
            description="Press the first line, then the last. With keys: arrows, Shift and an arrow to extend."
            lines={items.map(props.lineOf)}
            span={selected}
            onSelect={setSelected}
          />
          <AreaEntry
            ref={area}
            label="Summary"
            rows={4}
            value={summary}
            description={props.describe(span)}
            onChange={setWritten}
          />
        </Stack>
      </DialogEntry>
      {error === undefined ? null : <Failure size="row" error={error} />}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button variant="primary" disabled={!isReady} onPress={() => onCommit(span, summary)}>
          {isBusy ? verb[1] : verb[0]}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
