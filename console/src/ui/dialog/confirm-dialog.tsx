import { useRef } from "react"
import { Button } from "../button/button.tsx"
import { Dialog, DialogActions, DialogLines, DialogText } from "./dialog.tsx"

type ConfirmProps = {
  readonly title: string
  readonly description: string
  readonly lines?: readonly string[]
  readonly verb: string
  readonly tone?: "danger" | "primary"
  onDo(): void
  onClose(): void
}

export function ConfirmDialog({
  title,
  description,
  lines = [],
  verb,
  tone = "danger",
  ...props
}: ConfirmProps) {
  const { onDo, onClose } = props
  const cancel = useRef<HTMLButtonElement>(null)
  return (
    // Focus Cancel, so that a key pressed for the page deletes nothing.
    <Dialog title={title} showsTitle onClose={onClose} initialFocus={cancel}>
      <DialogText>{description}</DialogText>
      {lines.length === 0 ? null : <DialogLines lines={lines} />}
      <DialogActions>
        <Button ref={cancel} onPress={onClose}>
          Cancel
        </Button>
        <Button
          variant={tone}
          onPress={() => {
            onDo()
            onClose()
          }}
        >
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
