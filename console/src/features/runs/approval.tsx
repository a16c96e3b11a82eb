import { useState } from "react"
import { formatAge, formatLeft, formatWhen, visible, visibleLine } from "../../base/format.ts"
import { type Approval } from "../../contract.ts"
import { useAnswer } from "../../data/actions/use-answer.ts"
import { describeAnswer, describeAsk, describeRule } from "../../data/approvals.ts"
import { AskCard } from "../../ui/ask/ask.tsx"
import { Button } from "../../ui/button/button.tsx"
import { TextEntry } from "../../ui/entry/entry.tsx"
import { Flow, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

type ApprovalCardProps = {
  readonly approval: Approval
  readonly now: number
  /** Whether `a` and `d` answer this one; of several on screen only one may have the keys. */
  readonly hasKeys: boolean
  readonly isReadOnly: boolean
}

/** The full request and its answers. Allow never gets the focus by itself. */
export function ApprovalCard({ approval, now, hasKeys, isReadOnly }: ApprovalCardProps) {
  return (
    <Stack gap="8">
      {approval.status === "open" ? (
        <OpenCard key={approval.id} approval={approval} hasKeys={hasKeys} isReadOnly={isReadOnly} />
      ) : (
        <AskCard isOver text={describeAsk(approval).text}>
          <Text tone="2">Status: {describeAnswer(approval)}.</Text>
          {approval.note === null ? null : <Text tone="2">{visibleLine(approval.note)}</Text>}
        </AskCard>
      )}
      <ApprovalFacts approval={approval} now={now} />
    </Stack>
  )
}

type OpenCardProps = Omit<ApprovalCardProps, "now">

function OpenCard({ approval, hasKeys, isReadOnly }: OpenCardProps) {
  const [note, setNote] = useState("")
  const toast = useToast()
  const answer = useAnswer(toast)
  const { id } = approval
  const rule = describeRule(approval)
  const isOff = isReadOnly || answer.isPending
  const words = note.trim()
  const deny = () =>
    answer.mutate({ id, decision: "deny", ...(words === "" ? {} : { note: words }) })
  return (
    <AskCard text={describeAsk(approval).text}>
      <Flow wrap>
        <Button
          variant="primary"
          disabled={isOff}
          {...(hasKeys ? { keyId: "approval.allow" } : {})}
          onPress={() => answer.mutate({ id, decision: "allow" })}
        >
          Allow once
        </Button>
        <Button disabled={isOff} {...(hasKeys ? { keyId: "approval.deny" } : {})} onPress={deny}>
          Deny
        </Button>
        {rule === null ? null : (
          <Button
            variant="ghost"
            disabled={isOff}
            onPress={() => answer.mutate({ id, decision: "allow", always: true })}
          >
            Always allow
          </Button>
        )}
      </Flow>
      {rule === null ? null : (
        <Text as="p" size="sm" tone="2" wrap>
          Always allow writes a rule that can be removed: {rule}.
        </Text>
      )}
      <TextEntry label="Reason for a denial (optional)" value={note} onChange={setNote} />
    </AskCard>
  )
}

function ApprovalFacts({ approval, now }: { readonly approval: Approval; readonly now: number }) {
  const { tool, title, cwd, requestedAt, expiresAt, status } = approval
  const left = expiresAt - now
  return (
    <Values>
      {describeAsk(approval).text === visible(title) ? null : (
        <Value name="Request" wrap>
          {visibleLine(title)}
        </Value>
      )}
      <Value name="Tool">
        <Text mono>{visibleLine(tool)}</Text>
      </Value>
      {cwd === "" ? null : (
        <Value name="Folder">
          <Path path={cwd} />
        </Value>
      )}
      <Value name="Since">
        {formatWhen(requestedAt, now)}, {formatAge(requestedAt, now)}
      </Value>
      {status === "open" ? (
        <Value name="Expires">{left > 0 ? `in ${formatLeft(left)}` : "now"}</Value>
      ) : null}
    </Values>
  )
}
