import { useState } from "react"
import type { GatewayShow } from "../../contract.ts"
import { useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { useLater } from "../../ui/use-later.ts"
import { useDelete } from "./use-gateway.ts"
import { sayDelete } from "./words.ts"

const loadDialog = async () => (await import("../../ui/dialog/confirm-dialog.tsx")).ConfirmDialog

type DeleteRecordsProps = {
  readonly show: GatewayShow
  onDeleted(): void
}

/** What is still being recorded cannot be deleted from here: more would come after it. */
export function DeleteRecords({ show, onDeleted }: DeleteRecordsProps) {
  const { data: session } = useSession()
  const [isAsking, setIsAsking] = useState(false)
  const { part: ConfirmDialog, want } = useLater(loadDialog)
  const { remove, isBusy } = useDelete()
  const isAlive = show.carries.some((it) => it.isAlive)
  return (
    <>
      <Button
        look="ghost"
        keyId="gateway.delete"
        disabled={session?.readOnly === true || isAlive || isBusy}
        onPress={() => want(() => setIsAsking(true))}
      >
        Delete
      </Button>
      {isAsking && ConfirmDialog !== undefined ? (
        <ConfirmDialog
          title="Delete what was recorded?"
          says={sayDelete(show)}
          verb="Delete"
          onClose={() => setIsAsking(false)}
          onDo={() => remove(show, { onSuccess: onDeleted })}
        />
      ) : null}
    </>
  )
}
