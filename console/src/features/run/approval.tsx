import { useState } from "react"
import { formatLeft, visible, visibleLine } from "../../base/format.ts"
import type { Approval } from "../../contract.ts"
import { useAnswer } from "../../data/actions/use-answer.ts"
import { describeAnswer, describeAsk, describeRule } from "../../data/approvals.ts"
import { Button } from "../../ui/button/button.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { Box, BoxCode, BoxFoot, BoxTop } from "../../ui/transcript/box.tsx"
import { PromptField } from "../../ui/transcript/title-button.tsx"
import { Line } from "../../ui/transcript/transcript.tsx"
import type { ApprovalEntry } from "./transcript/entry.ts"
import type { RowHandlers } from "./transcript/row-handlers.ts"

type ApprovalViewProps = { readonly entry: ApprovalEntry; readonly handlers: RowHandlers }

export function ApprovalView({ entry, handlers }: ApprovalViewProps) {
  const approval = handlers.approvals.get(entry.event.approvalId)
  const isOpen = entry.resolved === null && (approval === undefined || approval.status === "open")
  if (!isOpen) return <Answered entry={entry} approval={approval} />
  if (approval === undefined) return <Unknown entry={entry} />
  return <OpenAsk approval={approval} handlers={handlers} />
}

function Answered({ entry, approval }: { entry: ApprovalEntry; approval: Approval | undefined }) {
  const title = visibleLine(entry.event.title)
  const description =
    approval === undefined || approval.status === "open"
      ? describeResolved(entry)
      : describeAnswer(approval)
  const isNo = entry.resolved?.event.decision !== "allow"
  const note = approval?.note ?? null
  return (
    <Line
      plain
      title={title}
      description={note === null ? description : `${description}: ${visibleLine(note)}`}
      tone={isNo ? "warn" : undefined}
    />
  )
}

function describeResolved({ resolved }: ApprovalEntry): string {
  if (resolved === null) return "not answered yet"
  const { decision, by } = resolved.event
  if (decision === "expired") return "expired without an answer"
  return `${decision === "allow" ? "allowed" : "denied"} by ${visibleLine(by)}`
}

function Unknown({ entry }: { readonly entry: ApprovalEntry }) {
  return (
    <Box tone="warn">
      <BoxTop>
        <b>{visibleLine(entry.event.title)}</b>
      </BoxTop>
      <BoxCode label="Request" text={entry.event.input} />
    </Box>
  )
}

function OpenAsk({ approval, handlers }: AskProps) {
  const ask = describeAsk(approval)
  return (
    <Box tone="warn">
      <BoxTop aside={<Expiry approval={approval} now={handlers.now} />}>
        <b>{TITLES[ask.verb]}</b>
        <OnlyWide>
          <Text tone="2">not covered by a rule</Text>
        </OnlyWide>
      </BoxTop>
      <BoxCode label="Request" text={ask.text} />
      {handlers.isReadOnly ? (
        <BoxFoot>
          <Text size="sm" tone="2">
            This page is read only.
          </Text>
        </BoxFoot>
      ) : (
        <Answers approval={approval} handlers={handlers} />
      )}
    </Box>
  )
}

type AskProps = { readonly approval: Approval; readonly handlers: RowHandlers }

function Answers({ approval, handlers }: AskProps) {
  const [isDenying, setIsDenying] = useState(false)
  const answer = useAnswer(useToast())
  const respond = (decision: "allow" | "deny", more: { note?: string; always?: boolean } = {}) =>
    answer.mutate({ id: approval.id, decision, ...more })
  const rule = describeRule(approval)
  const isKeyed = handlers.askedNow === approval.id
  const isOff = answer.isPending
  if (isDenying) {
    return (
      <BoxFoot>
        <PromptField
          label="Reason for the agent"
          placeholder="Reason (optional); Enter denies"
          value=""
          onCommit={(note) => respond("deny", note.trim() === "" ? {} : { note: note.trim() })}
          onCancel={() => setIsDenying(false)}
        />
      </BoxFoot>
    )
  }
  return (
    <BoxFoot aside={<Cwd path={approval.cwd} />}>
      <Button
        small
        variant="primary"
        disabled={isOff}
        {...(isKeyed ? { keyId: "approval.allow" } : {})}
        onPress={() => respond("allow")}
      >
        Allow once
      </Button>
      <Button
        small
        disabled={isOff}
        {...(isKeyed ? { keyId: "approval.deny" } : {})}
        onPress={() => setIsDenying(true)}
      >
        Deny
      </Button>
      {rule === null ? null : (
        <Button
          small
          variant="ghost"
          disabled={isOff}
          onPress={() => respond("allow", { always: true })}
        >
          Always {rule}
        </Button>
      )}
    </BoxFoot>
  )
}

function Cwd({ path }: { readonly path: string }) {
  return (
    <Text mono tone="3">
      {visible(path)}
    </Text>
  )
}

const TITLES = { run: "Run a command", change: "Change a file", use: "Use a tool" } as const

function Expiry({ approval, now }: { readonly approval: Approval; readonly now: number }) {
  const left = approval.expiresAt - now
  return (
    <Text size="sm" tone="3">
      {left <= 0 ? "expired" : `expires in ${formatLeft(left)}`}
    </Text>
  )
}
