import { useMutation, useQuery } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { formatExact, type Run } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { useCopyText } from "../../ui/copy/copy.tsx"
import { Dialog, DialogActions, DialogText } from "../../ui/dialog/dialog.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { BoxBody, BoxCode } from "../../ui/transcript/box.tsx"

type HandoffProps = { readonly run: Run; onClose(): void }

export function Handoff({ run, onClose }: HandoffProps) {
  const { id } = run
  const client = useClient()
  const toast = useToast()
  const copy = useCopyText()
  // A write operation, because it can also start the new session.
  const handoff = useQuery({
    queryKey: keys.operation("agents.handoff", { id }),
    queryFn: () => client.write("agents.handoff", { id }),
    // Not cached: the run may have changed since the dialog was last open.
    gcTime: 0,
  })
  const start = useMutation({
    mutationFn: () => client.write("agents.handoff", { id, start: true }),
    onSuccess: ({ run: fresh }) => {
      onClose()
      if (fresh !== null) navigate(paths.run(fresh.id))
    },
    onError: (error: unknown) => toast.fail(toWireError(error)),
  })
  const { data, error } = handoff
  return (
    <Dialog title="Hand off to a new session" showsTitle onClose={onClose}>
      <DialogText>
        {data === undefined
          ? "The handoff text is collected from this run."
          : `${formatExact(data.tokens)} tokens go to the new session. This run stays unchanged.`}
      </DialogText>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void handoff.refetch()} />
      )}
      {handoff.isPending ? <RowSkeleton rows={5} /> : null}
      {data === undefined ? null : (
        <BoxBody>
          <BoxCode label="Handoff text" text={data.text} />
        </BoxBody>
      )}
      <DialogActions>
        <Button onPress={onClose}>Back</Button>
        {data === undefined ? null : (
          <Button icon="copy" onPress={() => copy(data.text, "Handoff text copied")}>
            Copy
          </Button>
        )}
        <Button
          variant="primary"
          disabled={data === undefined || start.isPending}
          onPress={() => start.mutate()}
        >
          Start the new session
        </Button>
      </DialogActions>
    </Dialog>
  )
}
