import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../../base/errors.ts"
import { visibleLine } from "../../../base/format.ts"
import type { Plan } from "../../../contract.ts"
import { keys } from "../../../data/keys.ts"
import { useClient, useOperation } from "../../../data/queries.tsx"
import { Button } from "../../../ui/button/button.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { useToast } from "../../../ui/toast/toast.tsx"
import { Box, BoxBody, BoxFoot, BoxTop } from "../../../ui/transcript/box.tsx"

type PlanViewProps = { readonly id: string; readonly isReadOnly: boolean }

/** A plan that an agent submitted, with the answer or the buttons for it. */
export function PlanView({ id, isReadOnly }: PlanViewProps) {
  const { data: plan } = useOperation("plan.show", { id })
  const answer = useAnswer(id)
  if (plan === undefined) return null
  const isOpen = plan.status === "waiting"
  return (
    <Box tone={isOpen ? "warn" : undefined}>
      <BoxTop
        aside={
          <Text size="sm" tone="3">
            {describePlan(plan)}
          </Text>
        }
      >
        <Text strong>{visibleLine(plan.title)}</Text>
      </BoxTop>
      <BoxBody>
        {plan.steps.map((it) => (
          <Text as="p" key={it.number} wrap {...(it.isDone ? { tone: "3" } : {})}>
            {it.isDone ? "✓" : `${it.number}.`} {visibleLine(it.text)}
          </Text>
        ))}
      </BoxBody>
      {isOpen && !isReadOnly ? (
        <BoxFoot aside={visibleLine(plan.file)}>
          <Button
            small
            variant="primary"
            disabled={answer.isPending}
            onPress={() => answer.mutate("approve")}
          >
            Approve
          </Button>
          <Button small disabled={answer.isPending} onPress={() => answer.mutate("reject")}>
            Reject
          </Button>
        </BoxFoot>
      ) : null}
    </Box>
  )
}

function describePlan({ status, answeredBy, feedback }: Plan): string {
  const by = answeredBy === null ? "" : ` by ${visibleLine(answeredBy)}`
  const why = feedback === null ? "" : `: ${visibleLine(feedback)}`
  return status === "waiting" ? "plan, waiting for you" : `plan, ${status}${by}${why}`
}

function useAnswer(id: string) {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const refetch = () => queries.invalidateQueries({ queryKey: keys.operation("plan.show", { id }) })
  return useMutation({
    mutationFn: (decision: "approve" | "reject") => client.write("plan.answer", { id, decision }),
    onError: (error: unknown) => toast.fail(toWireError(error)),
    onSettled: refetch,
  })
}
