import { toWireError } from "../../base/errors.ts"
import type { GatewayShow } from "../../contract.ts"
import {
  describeFolded,
  FOLD_DIALOG,
  requestsWithResults,
  useHandFold,
} from "../../data/hand-fold.ts"
import { SpanDialog } from "../../ui/span-dialog/span-dialog.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

type FoldSpanProps = { readonly show: GatewayShow; onClose(): void }

/** A person selects finished requests and writes what stays of their tool results. */
export function FoldSpan({ show, onClose }: FoldSpanProps) {
  const toast = useToast()
  const fold = useHandFold((folded) => {
    toast.show({ text: describeFolded(folded) })
    onClose()
  })
  return (
    <SpanDialog
      {...FOLD_DIALOG}
      items={requestsWithResults(show.requests, show.sessions.at(-1)?.id)}
      isBusy={fold.isPending}
      error={fold.error === null ? undefined : toWireError(fold.error)}
      onCommit={(span, summary) => fold.mutate({ span, summary })}
      onClose={onClose}
    />
  )
}
