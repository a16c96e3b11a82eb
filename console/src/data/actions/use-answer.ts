import { useMutation, useQueryClient } from "@tanstack/react-query"
import { asRecord } from "#ground/base/object"
import { hasCode, toWireError } from "../../base/errors.ts"
import type { Approval, OperationOutput } from "../../contract.ts"
import { invalidateOperations, keys } from "../keys.ts"
import { useClient } from "../queries.tsx"

export type Answer = {
  readonly id: string
  readonly decision: "allow" | "deny"
  readonly note?: string
  readonly always?: boolean
}

type AnswerToasts = {
  show(it: { text: string }): void
  fail(error: ReturnType<typeof toWireError>): void
}

/**
 * Answers an approval once and refetches the list in any case. If another client answered first, the
 * page names it; that is no error.
 */
export function useAnswer(toasts: AnswerToasts, onAnswered?: (approval: Approval) => void) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (answer: Answer) => client.write("agents.answer", answer),
    onSuccess: (approval) => {
      dropFromInbox(approval.id)
      onAnswered?.(approval)
    },
    onError: (error, { id }) => {
      if (!hasCode(error, "AGENTS_APPROVAL_ANSWERED")) return toasts.fail(toWireError(error))
      dropFromInbox(id)
      toasts.show({ text: describeEarlierAnswer(toWireError(error).data) })
    },
    onSettled: () => {
      invalidateOperations(queries, ["agents.approvals", "agents.list", "agents.show", "now.show"])
    },
  })

  function dropFromInbox(id: string): void {
    queries.setQueryData<OperationOutput<"agents.approvals">>(
      keys.operation("agents.approvals", {}),
      (inbox) =>
        inbox === undefined ? inbox : { approvals: inbox.approvals.filter((it) => it.id !== id) },
    )
  }
}

function describeEarlierAnswer(data: unknown): string {
  const { status = "answered", by = "another client" } = asRecord(data)
  return `Already ${String(status)} by ${String(by)}. Your answer was not used.`
}
