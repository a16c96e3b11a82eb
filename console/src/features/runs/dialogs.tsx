import { type KeyboardEvent, useRef, useState } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatExact, plural, type Run } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Dialog, DialogActions, DialogEntry } from "../../ui/dialog/dialog.tsx"
import { TextEntry } from "../../ui/entry/entry.tsx"
import { hasEnded } from "./lines.ts"

type AskTextProps = {
  readonly title: string
  readonly label: string
  readonly value: string
  readonly verb: string
  readonly description?: string
  onGive(text: string): void
  onClose(): void
}

export function AskTextDialog({ title, label, value, verb, description, ...props }: AskTextProps) {
  const { onGive, onClose } = props
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const give = () => {
    onGive(text.trim())
    onClose()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && text.trim() !== "") give()
  }
  return (
    <Dialog title={title} showsTitle onClose={onClose} initialFocus={input}>
      <DialogEntry onKeyDown={press}>
        <TextEntry
          ref={input}
          label={label}
          value={text}
          onChange={setText}
          {...(description === undefined ? {} : { description })}
        />
      </DialogEntry>
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button variant="primary" disabled={text.trim() === ""} onPress={give}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx"

export function describeDelete(runs: readonly Run[]): string {
  const messages = runs.reduce((sum, it) => sum + it.lastSeq, 0)
  const live = runs.filter((it) => !hasEnded(it)).length
  const first = live === 0 ? "" : ` ${describeLive(live, runs.length)} and will be stopped first.`
  const [one] = runs
  const what =
    one !== undefined && runs.length === 1
      ? `The run "${visibleLine(one.title)}"`
      : plural(runs.length, "run")
  return `${what} with ${plural(messages, "message")} will be deleted.${first} This cannot be undone.`
}

function describeLive(live: number, all: number): string {
  if (all === 1) return "It is still active"
  return `${formatExact(live)} of them ${live === 1 ? "is" : "are"} still active`
}

export function describeStop(runs: readonly Run[]): string {
  return `${plural(runs.length, "run")} will be stopped. Messages stay stored, and another turn continues the run.`
}
