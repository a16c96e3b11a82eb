import { useMutation } from "@tanstack/react-query"
import { toWireError } from "../../data/errors.ts"
import { type Journal, olderThan } from "../../data/journal.ts"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowNote } from "../../ui/list/list.tsx"

type OlderEventsProps = { readonly journal: Journal | undefined; loadOlder(): Promise<void> }

/** Above the list: what lies before the events in memory. */
export function OlderEvents({ journal, loadOlder }: OlderEventsProps) {
  const older = useMutation({ mutationFn: loadOlder })
  if (journal === undefined || olderThan(journal) === null) return null
  if (older.error !== null) {
    return <Failure size="row" error={toWireError(older.error)} onRetry={() => older.mutate()} />
  }
  return (
    <RowNote>
      <Button small disabled={older.isPending} onPress={() => older.mutate()}>
        Load older events
      </Button>
    </RowNote>
  )
}
