import { useRef } from "react"
import type { GatewayShow } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Dialog, DialogActions, DialogText } from "../../ui/dialog/dialog.tsx"
import { sayDelete } from "./words.ts"

type DeleteDialogProps = { readonly show: GatewayShow; onDelete(): void; onClose(): void }

/** Nothing brings it back: asked once, with how much it is. The focus lands on the way back. */
export function DeleteDialog({ show, onDelete, onClose }: DeleteDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null)
  return (
    <Dialog title="Delete what was recorded?" showsTitle onClose={onClose} initialFocus={cancel}>
      <DialogText>{sayDelete(show)}</DialogText>
      <DialogActions>
        <Button ref={cancel} onPress={onClose}>
          Cancel
        </Button>
        <Button
          look="danger"
          onPress={() => {
            onDelete()
            onClose()
          }}
        >
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  )
}
