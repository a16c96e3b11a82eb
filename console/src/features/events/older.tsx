import { useMutation } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { type Journal, olderThan } from "../../data/journal.ts"
import { Button } from "../../ui/button/button.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

type OlderEventsProps = { readonly journal: Journal | undefined; loadOlder(): Promise<void> }

/** In the header: what lies before the events in memory. */
export function OlderEvents({ journal, loadOlder }: OlderEventsProps) {
  const toast = useToast()
  const older = useMutation({
    mutationFn: loadOlder,
    onError: (error) => toast.fail(toWireError(error)),
  })
  if (journal === undefined || olderThan(journal) === null) return null
  return (
    <Button look="ghost" disabled={older.isPending} onPress={() => older.mutate()}>
      Load older
    </Button>
  )
}
