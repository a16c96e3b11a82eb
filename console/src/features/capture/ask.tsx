import { useRef } from "react"
import { Button } from "../../ui/button/button.tsx"
import { Dialog, DialogActions, DialogText } from "../../ui/dialog/dialog.tsx"

type AskDialogProps = {
  readonly title: string
  readonly description: string
  readonly isTrusting: boolean
  onAsk(): void
  onClose(): void
}

export function AskDialog({ title, description, isTrusting, onAsk, onClose }: AskDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null)
  return (
    // Focus Cancel, so that a key pressed for the page starts nothing.
    <Dialog title={title} showsTitle onClose={onClose} initialFocus={cancel}>
      <DialogText>{description}</DialogText>
      {isTrusting ? (
        <DialogText>
          The host does not trust this folder. If you continue, it reads the settings of the folder
          and runs the commands in them, for this start only.
        </DialogText>
      ) : null}
      <DialogActions>
        <Button ref={cancel} onPress={onClose}>
          Cancel
        </Button>
        <Button variant="primary" onPress={onAsk}>
          {isTrusting ? "Query anyway" : "Query the host"}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
