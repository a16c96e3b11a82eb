import { useRef } from "react"
import type { Claim } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Dialog, DialogActions, DialogText } from "../../ui/dialog/dialog.tsx"
import { sayRelease } from "./words.ts"

type ReleaseDialogProps = { readonly claim: Claim; onRelease(): void; onClose(): void }

/** It is somebody else's: asked once, with the name. The focus lands on the way back. */
export function ReleaseDialog({ claim, onRelease, onClose }: ReleaseDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      title="Release the claim of another session?"
      showsTitle
      onClose={onClose}
      initialFocus={cancel}
    >
      <DialogText>{sayRelease(claim)}</DialogText>
      <DialogActions>
        <Button ref={cancel} onPress={onClose}>
          Cancel
        </Button>
        <Button
          look="danger"
          onPress={() => {
            onClose()
            onRelease()
          }}
        >
          Release
        </Button>
      </DialogActions>
    </Dialog>
  )
}
