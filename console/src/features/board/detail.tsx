import { useMemo, useState } from "react"
import { formatDate, formatWhen, visibleLine } from "../../base/format.ts"
import { type BoardEvent, formatDuration, plural, type TicketDetail } from "../../contract.ts"
import { usePullState } from "../../data/actions/use-pull-state.ts"
import { paths } from "../../data/paths.ts"
import { useOperation, useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { DiffLines } from "../../ui/diff/diff.tsx"
import { readUnified } from "../../ui/diff/unified-diff.ts"
import { AreaEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Block, Flow, Stack, TimedLine, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PullState } from "../../ui/pull-state/pull-state.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { Changes } from "../../ui/transcript/box.tsx"
import type { useTicketActions } from "./use-board.ts"
import { describeEvent, describeExit, LANE_MARKS, LANE_NAMES } from "./words.ts"

export type TicketProps = {
  readonly now: number
  readonly detail: TicketDetail
  readonly isReadOnly: boolean
  readonly actions: ReturnType<typeof useTicketActions>
}

export function TicketText({ detail: { ticket, body } }: Pick<TicketProps, "detail">) {
  return (
    <Block>
      <Stack gap="8">
        <Text as="h2" size="title-sm" strong wrap>
          {visibleLine(ticket.title)}
        </Text>
        {body.trim() === "" ? null : <Markdown text={body} />}
      </Stack>
    </Block>
  )
}

export function TicketFacts({ now, detail: { ticket } }: Pick<TicketProps, "detail" | "now">) {
  const { lane, laneSince, priority, sla, severity, dependencies, openDependencies } = ticket
  return (
    <Block>
      <Values>
        <Value name="Lane">
          <Flow gap="tight">
            <StatusMark status={LANE_MARKS[lane]} />
            <Text>{`${LANE_NAMES[lane].toLowerCase()}, since ${formatWhen(laneSince, now)}`}</Text>
          </Flow>
        </Value>
        <Value name="Priority">
          {priority}
          {sla.dueAt === null ? "" : `, due ${formatDate(sla.dueAt)}`}
          {sla.state === "overdue" ? ", overdue" : ""}
        </Value>
        {severity === null ? null : <Value name="Severity">{severity}</Value>}
        <Value name="Size">
          {`${plural(ticket.complexity, "point")}, urgency ${ticket.wsjf.toFixed(1)}`}
        </Value>
        {dependencies.length === 0 ? null : (
          <Value name="Depends on" wrap>
            <Flow wrap>
              {dependencies.map((it) => (
                <PlaceLink key={it} href={paths.ticket(it)}>
                  {openDependencies.includes(it) ? `${it} (open)` : it}
                </PlaceLink>
              ))}
            </Flow>
          </Value>
        )}
        {ticket.blockedReason === null ? null : (
          <Value name="Blocked" wrap>
            {visibleLine(ticket.blockedReason)}
          </Value>
        )}
        {ticket.paths.length === 0 ? null : (
          <Value name="Paths" wrap>
            <Stack>
              {ticket.paths.map((it) => (
                <Path key={it} path={it} />
              ))}
            </Stack>
          </Value>
        )}
        <Value name="File">
          <Path path={ticket.file} />
        </Value>
      </Values>
    </Block>
  )
}

export function Acceptance({ detail: { ticket }, isReadOnly, actions }: TicketProps) {
  const { acceptance, id } = ticket
  if (acceptance.length === 0) return null
  const done = acceptance.filter((it) => it.isDone).length
  return (
    <Block title="Acceptance" aside={`${done} of ${acceptance.length}`}>
      <Stack gap="8">
        {acceptance.map((it, at) => (
          <Flow key={`${at} ${it.text}`} align="apart">
            <Flow gap="tight">
              <StatusMark status={it.isDone ? "done" : "queued"} />
              <Text wrap>{visibleLine(it.text)}</Text>
            </Flow>
            <Button
              small
              variant="ghost"
              disabled={isReadOnly}
              onPress={() => actions.check({ id, at: at + 1, isDone: !it.isDone })}
            >
              {it.isDone ? "Reopen" : "Mark as met"}
            </Button>
          </Flow>
        ))}
      </Stack>
    </Block>
  )
}

export function Evidence({ now, detail: { evidence } }: Pick<TicketProps, "detail" | "now">) {
  const [latest] = evidence
  if (latest === undefined) return null
  return (
    <Block title="Evidence" aside={`run by Quartermaster, ${formatWhen(latest.at, now)}`}>
      <Values>
        <Value name="Command">
          <Text mono cut title={visibleLine(latest.command)}>
            {visibleLine(latest.command)}
          </Text>
        </Value>
        <Value name="Result">
          <Text tone={latest.exitCode === 0 ? "ok" : "bad"}>{describeExit(latest.exitCode)}</Text>
          {` in ${formatDuration(latest.durationMs)}`}
        </Value>
        <Value name="Tree">
          <Text mono>{latest.tree.slice(0, 9)}</Text>
        </Value>
        <Value name="Output">
          <Text mono>{`sha256 ${latest.outputHash.slice(0, 12)}`}</Text>
        </Value>
      </Values>
    </Block>
  )
}

export function Events({ now, detail, isReadOnly, actions }: TicketProps) {
  const { events, ticket } = detail
  const lastMove = events.find((it) => it.kind !== "evidence" && it.voidReason === null)
  return (
    <Block title="Events">
      <Stack gap="8">
        {events.map((it) => (
          <Flow key={it.id} align="apart">
            <EventLine now={now} event={it} />
            {it === lastMove && it.kind !== "undo" ? (
              <Button
                small
                variant="ghost"
                keyId="board.undo"
                disabled={isReadOnly}
                onPress={() => actions.undo(ticket.id)}
              >
                Undo
              </Button>
            ) : null}
          </Flow>
        ))}
        <TimedLine time={formatWhen(ticket.createdAt, now)}>
          <Text size="sm" tone="2">
            created
          </Text>
        </TimedLine>
      </Stack>
    </Block>
  )
}

export function EventLine({ now, event }: { readonly now: number; readonly event: BoardEvent }) {
  return (
    <TimedLine time={formatWhen(event.at, now)}>
      <Text size="sm" wrap tone={event.voidReason === null ? "2" : "warn"}>
        {visibleLine(describeEvent(event))}
        {event.voidReason === null ? "" : `; no effect: ${visibleLine(event.voidReason)}`}
      </Text>
    </TimedLine>
  )
}

/** Approve and reject, beside the evidence that permits them. */
export function ReviewButtons({ detail: { ticket }, isReadOnly, actions }: TicketProps) {
  const [feedback, setFeedback] = useState<string | null>(null)
  if (ticket.lane !== "testing") return null
  const { id } = ticket
  const send = () => {
    if (feedback === null || feedback.trim() === "") return
    actions.reject({ id, feedback })
    setFeedback(null)
  }
  if (feedback !== null)
    return (
      <Block title="Feedback">
        <Stack gap="8">
          <AreaEntry label="Missing or wrong" rows={3} value={feedback} onChange={setFeedback} />
          <Flow>
            <Button variant="primary" disabled={feedback.trim() === ""} onPress={send}>
              Send back
            </Button>
            <Button onPress={() => setFeedback(null)}>Cancel</Button>
          </Flow>
        </Stack>
      </Block>
    )
  return (
    <Block>
      {actions.refusal === undefined ? null : <Failure size="pane" error={actions.refusal} />}
      <Flow>
        <Button
          variant="primary"
          keyId="board.approve"
          disabled={isReadOnly}
          onPress={() => actions.approve(ticket)}
        >
          Approve
        </Button>
        <Button keyId="board.reject" disabled={isReadOnly} onPress={() => setFeedback("")}>
          Reject with feedback
        </Button>
      </Flow>
    </Block>
  )
}

/** Of its worktree, or of the commits that name it. */
export function TicketDiff({ detail: { ticket } }: Pick<TicketProps, "detail">) {
  const { data: session } = useSession()
  const isEnabled = (session?.repository.branch ?? null) !== null
  const { data, error } = useOperation("worktree.diff", { name: ticket.id }, { isEnabled })
  const files = useMemo(() => readUnified(data?.text ?? ""), [data?.text])
  // Without git there is no diff; the page shows the rest.
  if (error !== null || files.length === 0) return null
  const added = files.reduce((sum, it) => sum + it.added, 0)
  const removed = files.reduce((sum, it) => sum + it.removed, 0)
  return (
    <Block
      title={
        data?.from === "worktree" ? `Diff to ${data.against ?? "its base"}` : "Diff of its commits"
      }
      aside={<Changes added={added} removed={removed} />}
    >
      <Stack gap="8">
        {files.map((it, at) => (
          <Stack key={`${at} ${it.path}`}>
            <Flow align="apart">
              <Path path={it.path} />
              <Changes added={it.added} removed={it.removed} />
            </Flow>
            <DiffLines lines={it.lines} label={`Changes of ${visibleLine(it.path)}`} />
          </Stack>
        ))}
        {data?.isCut === true ? <Text tone="warn">The rest is not shown.</Text> : null}
      </Stack>
    </Block>
  )
}

/** Runs, worktrees, claims and sessions that belong to a ticket. */
export function TicketWork({ detail }: Pick<TicketProps, "detail">) {
  const { ticket, events } = detail
  const runs = useOperation("agents.list", { label: ticket.id }).data?.runs ?? []
  const worktrees = (useOperation("worktree.list", {}).data?.worktrees ?? []).filter(
    (it) => it.ticket === ticket.id,
  )
  const claims = (useOperation("claim.list", {}).data?.claims ?? []).filter((it) =>
    ticket.paths.some((path) => path === it.path || path.startsWith(`${it.path}/`)),
  )
  const sessions = [...new Set(events.map((it) => it.session))]
  const branch = worktrees[0]?.branch ?? null
  const pullState = usePullState(branch)
  return (
    <Block title="Work">
      <Values>
        <Value name="Runs" wrap>
          {runs.length === 0 ? "none" : null}
          <Stack>
            {runs.map((it) => (
              <PlaceLink key={it.id} href={paths.run(it.id)}>
                {`${visibleLine(it.title)}, ${it.status}`}
              </PlaceLink>
            ))}
          </Stack>
        </Value>
        <Value name="Worktree" wrap>
          {worktrees.length === 0
            ? "none"
            : worktrees.map((it) => `${it.name}, ${it.uncommitted ?? 0} uncommitted`).join("; ")}
        </Value>
        {branch === null ? null : (
          <Value name="Pull request" wrap>
            <PullState {...pullState} />
          </Value>
        )}
        <Value name="Claims" wrap>
          {claims.length === 0
            ? "none"
            : claims.map((it) => `${it.path} by ${visibleLine(it.session)}`).join("; ")}
        </Value>
        <Value name="Sessions" wrap>
          {sessions.length === 0 ? "none" : sessions.map(visibleLine).join(", ")}
        </Value>
      </Values>
    </Block>
  )
}
