import { useState } from "react"
import type { GatewayShow } from "../../contract.ts"
import { useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { useLater } from "../../ui/use-later.ts"
import { useDelete } from "./use-gateway.ts"

const loadDialog = async () => (await import("./delete-dialog.tsx")).DeleteDialog

type DeleteRecordsProps = {
  readonly show: GatewayShow
  /** There is nothing to look at any more. */
  onDeleted(): void
}

/** What is still being recorded cannot be deleted from here: more would come after it. */
export function DeleteRecords({ show, onDeleted }: DeleteRecordsProps) {
  const { data: session } = useSession()
  const [isAsking, setIsAsking] = useState(false)
  const { part: DeleteDialog, want } = useLater(loadDialog)
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
      {isAsking && DeleteDialog !== undefined ? (
        <DeleteDialog
          show={show}
          onClose={() => setIsAsking(false)}
          onDelete={() => remove(show, { onSuccess: onDeleted })}
        />
      ) : null}
    </>
  )
}
