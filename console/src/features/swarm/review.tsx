import { useState } from "react"
import { formatClock, visibleLine } from "../../base/format.ts"
import { plural, type Swarm, type SwarmReview, type Workstream } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { TextEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Cell, Row, Rows, TableHead, TextCell } from "../../ui/list/list.tsx"
import { Flow, PaneHead, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import {
  DiffStat,
  Grade,
  PickButton,
  type Reason,
  Reasons,
  TrackPart,
  TracksBottom,
  TracksFoot,
} from "../../ui/tracks/tracks.tsx"
import { useLater } from "../../ui/use-later.ts"
import { loadConfirm } from "./pause-all.tsx"
import type { SwarmActions } from "./use-swarm.ts"
import {
  type Diff,
  describeDiscard,
  describeState,
  formatCostOf,
  isClosed,
  sumOf,
} from "./words.ts"

const COLUMNS = {
  full: "minmax(0, 1fr) 190px 170px 64px 120px",
  tight: "minmax(0, 1fr) 170px 64px 110px",
  narrow: "minmax(0, 1fr) 100px",
} as const

const LABELS = [
  { text: "Workstream" },
  { text: "Difference to base", from: "wide" },
  { text: "Evidence", from: "roomy" },
  { text: "Cost", align: "end", from: "roomy" },
  { text: "State", align: "end" },
] as const

type ReviewProps = {
  readonly review: SwarmReview & { readonly swarm: Swarm }
  readonly selected: Workstream | undefined
  readonly isReadOnly: boolean
  readonly actions: SwarmActions
  onPick(name: string): void
  onDiff(): void
}

export function Review(props: ReviewProps) {
  const { review, selected, onPick, onDiff } = props
  const { swarm, diffs } = review
  const parked = swarm.workstreams.filter((it) => it.state === "parked").length
  const diffOf = (it: Workstream) => diffs.find((row) => row.workstream === it.name)
  const sizes = diffs.map((it) => sumOf(it.files))
  const most = Math.max(1, ...sizes.map((it) => it.added + it.removed))
  return (
    <TracksBottom aside={<Autonomy />}>
      <section aria-label="Review">
        <PaneHead
          edge="page"
          actions={
            <Button
              small
              variant="ghost"
              keyId="swarm.diff"
              disabled={selected === undefined || isClosed(selected)}
              onPress={onDiff}
            >
              Open diff
            </Button>
          }
        >
          <Text strong>Review</Text>
          <Text tone="3">{`${parked} of ${swarm.workstreams.length} ready`}</Text>
        </PaneHead>
        <Rows columns={COLUMNS}>
          <TableHead labels={LABELS} />
          {swarm.workstreams.map((it) => (
            <ReviewRow
              key={it.name}
              stream={it}
              diff={diffOf(it)}
              most={most}
              isCurrent={it.name === selected?.name}
              onPick={() => onPick(it.name)}
            />
          ))}
        </Rows>
        {selected === undefined || isClosed(selected) ? null : (
          <Decision
            key={`${selected.name} ${selected.attempt}`}
            {...props}
            stream={selected}
            diff={diffOf(selected)}
          />
        )}
      </section>
    </TracksBottom>
  )
}

type ReviewRowProps = {
  readonly stream: Workstream
  readonly diff: Diff | undefined
  readonly most: number
  readonly isCurrent: boolean
  onPick(): void
}

function ReviewRow({ stream, diff, most, isCurrent, onPick }: ReviewRowProps) {
  const { added, removed } = sumOf(diff?.files ?? [])
  const titles = stream.tickets.map((it) => it.title).join("; ")
  const commits = plural(diff?.commits ?? 0, "commit")
  return (
    <Row lines={2} isCurrent={isCurrent}>
      <Stack>
        <PickButton onPress={onPick}>{visibleLine(titles)}</PickButton>
        <Text size="sm" tone="3" cut>
          {`${stream.name}, ${commits}`}
        </Text>
      </Stack>
      <Cell from="wide">
        {diff === undefined || diff.files.length === 0 ? (
          <Text tone="3">no commit yet</Text>
        ) : (
          <Flow>
            <DiffStat added={added} removed={removed} most={most} />
            <Text tone="2">{plural(diff.files.length, "file")}</Text>
          </Flow>
        )}
      </Cell>
      <Cell from="roomy">
        <Stack>
          <EvidenceWord stream={stream} diff={diff} />
          <Text size="sm" tone="3" cut>
            {stream.evidence === null
              ? ""
              : `tree ${stream.evidence.tree.slice(0, 7)}, ${formatClock(stream.evidence.at)}`}
          </Text>
        </Stack>
      </Cell>
      <TextCell from="roomy" align="end">
        {stream.runs.length === 0 ? "" : formatCostOf([stream])}
      </TextCell>
      <TextCell size="sm" tone="2" align="end" cut>
        {stream.state === "parked" ? "waits for you" : describeState(stream).word.toLowerCase()}
      </TextCell>
    </Row>
  )
}

function EvidenceWord({ stream, diff }: Pick<ReviewRowProps, "diff" | "stream">) {
  const { evidence } = stream
  if (evidence === null) return <Text tone="3">no evidence</Text>
  if (diff?.evidence === "outdated" && stream.state === "parked")
    return <Text tone="warn">out of date</Text>
  return (
    <Text tone={evidence.exitCode === 0 ? "ok" : "bad"}>
      {evidence.exitCode === null ? "ended by a signal" : `exit code ${evidence.exitCode}`}
    </Text>
  )
}

type DecisionProps = ReviewProps & {
  readonly stream: Workstream
  readonly diff: Diff | undefined
}

/** Only a person decides; the focus never lands on Approve by itself. */
function Decision({ review, stream, diff, isReadOnly, actions }: DecisionProps) {
  const [feedback, setFeedback] = useState<string | null>(null)
  const [isLeaving, setIsLeaving] = useState(false)
  const { part: ConfirmDialog, want } = useLater(loadConfirm)
  const { name: workstream, branch, tickets } = stream
  const isParked = stream.state === "parked"
  const isOff = isReadOnly || actions.isBusy
  const send = () => {
    if (feedback === null || feedback.trim() === "") return
    actions.sendBack({ workstream, feedback })
    setFeedback(null)
  }
  if (feedback !== null)
    return (
      <TracksFoot>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
        >
          <TextEntry
            label={`Missing or wrong in ${workstream}`}
            value={feedback}
            onChange={setFeedback}
          />
        </form>
        <Button variant="primary" disabled={feedback.trim() === ""} onPress={send}>
          Send back
        </Button>
        <Button onPress={() => setFeedback(null)}>Cancel</Button>
      </TracksFoot>
    )
  return (
    <>
      {actions.approveFailed === undefined ? null : (
        <Failure size="pane" error={actions.approveFailed} />
      )}
      <TracksFoot>
        <Button
          variant="primary"
          keyId="swarm.approve"
          disabled={isOff || !isParked}
          onPress={() => actions.approve(workstream)}
        >
          {actions.isApproving ? "Merging" : `Approve ${workstream}`}
        </Button>
        <Button keyId="swarm.reject" disabled={isOff || !isParked} onPress={() => setFeedback("")}>
          Send back
        </Button>
        <Button variant="danger" disabled={isOff} onPress={() => want(() => setIsLeaving(true))}>
          Discard
        </Button>
        <p>
          {isParked
            ? `Approve merges ${branch ?? workstream} into ${review.swarm.baseRef} and moves ${tickets
                .map((it) => it.id)
                .join(", ")} to Conclusion in your name. Automation never closes a ticket.`
            : "Only a workstream that is parked at testing can be approved or sent back."}
        </p>
      </TracksFoot>
      {ConfirmDialog === undefined || !isLeaving ? null : (
        <ConfirmDialog
          title={`Discard ${workstream}`}
          description={describeDiscard(stream, diff)}
          verb="Discard"
          onDo={() => actions.discard(workstream)}
          onClose={() => setIsLeaving(false)}
        />
      )}
    </>
  )
}

const STARTS = {
  manual: "started only by you",
  suggest: "suggested to you",
  auto: "started by automation",
} as const

function Autonomy() {
  const { data } = useOperation("autonomy.show", {})
  if (data === undefined) return null
  const dispatch = data.areas.find((it) => it.area === "swarm-dispatch")
  const reasons: readonly Reason[] = [
    ...(dispatch === undefined
      ? []
      : [
          {
            icon: "play",
            text: `A swarm is ${STARTS[dispatch.answer]}: ${dispatch.why}`,
          } as const,
        ]),
    { icon: "up", text: "Grade 4 needs all of this:" },
    ...data.measures.map(({ value, needed, isMet }) => ({
      icon: isMet ? ("check" as const) : ("close" as const),
      ...(isMet ? { tone: "ok" as const } : {}),
      text: `${needed}; now ${value}`,
    })),
    { icon: "lock", text: "Merge and close need you at every grade." },
  ]
  return (
    <section aria-label="Autonomy">
      <PaneHead
        actions={
          <LinkButton small variant="ghost" href={paths.settings({ at: "autonomy.grade" })}>
            Change grade
          </LinkButton>
        }
      >
        <Text strong>Autonomy</Text>
      </PaneHead>
      <TrackPart>
        <Grade grade={data.grade} most={4} description={data.effect} />
        <Reasons reasons={reasons} />
      </TrackPart>
    </section>
  )
}
