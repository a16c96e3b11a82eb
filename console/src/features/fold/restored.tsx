import { toWireError } from "../../base/errors.ts"
import { type FoldRestore, plural } from "../../contract.ts"
import { Code } from "../../ui/code/code.tsx"
import { CopyButton } from "../../ui/copy/copy.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Block, Flow } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useRestored } from "./use-fold.ts"

export function Restored({ id }: { readonly id: string }) {
  const { data, error, refetch } = useRestored(id)
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <RowSkeleton rows={8} />
  return (
    <>
      <Block>
        <Flow align="apart">
          <Text size="sm" tone="2">
            {sayRestored(data)}
          </Text>
          <CopyButton text={data.text} />
        </Flow>
      </Block>
      <Code text={data.text} label="The trail for a model" />
    </>
  )
}

function sayRestored({ tokens, leftOut }: FoldRestore): string {
  const rest = leftOut === 0 ? "nothing left out" : `${plural(leftOut, "step")} had no room`
  return `The trail for a model, ${plural(tokens, "token")}, ${rest}`
}
