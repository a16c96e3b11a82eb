import { parseJson } from "#ground/base/json"
import { toWireError } from "../../../base/errors.ts"
import { useOperation } from "../../../data/queries.tsx"
import { Button, IconButton } from "../../../ui/button/button.tsx"
import { Code } from "../../../ui/code/code.tsx"
import { CopyIcon } from "../../../ui/copy/copy.tsx"
import { Failure } from "../../../ui/failure/failure.tsx"
import { RowSkeleton } from "../../../ui/list/list.tsx"
import { Pane, PaneHead } from "../../../ui/pane/pane.tsx"
import { Text } from "../../../ui/text/text.tsx"

type RawPaneProps = {
  readonly id: string
  readonly seq: number
  onSeq(seq: number): void
  onClose(): void
}

export function RawPane({ id, seq, onSeq, onClose }: RawPaneProps) {
  const message = useOperation("agents.message", { id, seq })
  const text = message.data === undefined ? "" : JSON.stringify(unfolded(message.data), null, 2)
  return (
    <Pane label="Raw message">
      <PaneHead
        actions={
          <>
            <Button small variant="ghost" disabled={seq <= 1} onPress={() => onSeq(seq - 1)}>
              Previous
            </Button>
            <Button small variant="ghost" onPress={() => onSeq(seq + 1)}>
              Next
            </Button>
            <CopyIcon text={text} label="Copy the JSON" />
            <IconButton small icon="close" label="Close" keyId="run.raw" onPress={onClose} />
          </>
        }
      >
        <b>Message {seq}</b>
        <Text tone="3">raw</Text>
      </PaneHead>
      {message.error === null ? null : (
        <Failure
          size="pane"
          error={toWireError(message.error)}
          onRetry={() => void message.refetch()}
        />
      )}
      {message.isPending ? <RowSkeleton rows={8} /> : null}
      {text === "" ? null : <Code label="JSON of the message" text={text} />}
    </Pane>
  )
}

function unfolded(message: { readonly raw?: string | undefined }): object {
  const raw = message.raw === undefined ? undefined : parseJson(message.raw)
  return raw === undefined ? message : { ...message, raw }
}
