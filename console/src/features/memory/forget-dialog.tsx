import { useRef } from "react"
import type { Memory } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Dialog, DialogActions, DialogText } from "../../ui/dialog/dialog.tsx"
import { sayForget } from "./words.ts"

type ForgetDialogProps = { readonly memory: Memory; onForget(): void; onClose(): void }

/** A file is deleted: asked once, with its name. The focus lands on the way back. */
export function ForgetDialog({ memory, onForget, onClose }: ForgetDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null)
  return (
    <Dialog title="Forget this memory?" showsTitle onClose={onClose} initialFocus={cancel}>
      <DialogText>{sayForget(memory)}</DialogText>
      <DialogActions>
        <Button ref={cancel} onPress={onClose}>
          Cancel
        </Button>
        <Button
          look="danger"
          onPress={() => {
            onForget()
            onClose()
          }}
        >
          Forget
        </Button>
      </DialogActions>
    </Dialog>
  )
}
