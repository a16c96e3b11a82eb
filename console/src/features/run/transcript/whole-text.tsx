import type { ReactNode } from "react"
import { toWireError } from "../../../base/errors.ts"
import { formatExact, type Message } from "../../../contract.ts"
import { useOperation } from "../../../data/queries.tsx"
import { Failure } from "../../../ui/failure/failure.tsx"
import { MoreButton } from "../../../ui/transcript/transcript.tsx"
import type { RowHandlers } from "./row-handlers.ts"

type WholeTextProps = {
  readonly message: Message
  readonly handlers: RowHandlers
  render(text: string): ReactNode
}

export function WholeText({ message, handlers, render }: WholeTextProps) {
  const whole = wholeLength(message)
  const isWanted = whole !== null && handlers.isWhole(message.seq)
  const query = useOperation(
    "agents.message",
    { id: handlers.runId, seq: message.seq },
    { isEnabled: isWanted },
  )
  if (whole === null) return render(message.content)
  if (isWanted && query.data !== undefined) return render(query.data.content)
  return (
    <>
      {render(message.content)}
      {query.error !== null && isWanted ? (
        <Failure size="row" error={toWireError(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <MoreButton onPress={() => handlers.wantWhole(message.seq)}>
          {isWanted ? "Loading" : `Show all ${formatExact(whole)} characters`}
        </MoreButton>
      )}
    </>
  )
}

function wholeLength({ metadata }: Message): number | null {
  return typeof metadata.cut === "number" ? metadata.cut : null
}
