import { formatAge, formatMoment, visibleLine } from "../../base/format.ts"
import { formatExact, type Memory } from "../../contract.ts"
import { toWireError } from "../../data/errors.ts"
import { paths } from "../../data/paths.ts"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { DetailHead } from "../../ui/pane/detail-head.tsx"
import { Block, Flow, Pane, PaneScroll, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { useDecision } from "./use-decisions.ts"
import { CITE_STATES, isQuarantined, markOf, placeOf, sayState } from "./words.ts"

type DetailProps = { readonly now: number; readonly id: string; onClose(): void }

/** One decision: its text, the code it rests on, and where it is judged. */
export function Detail({ now, id, onClose }: DetailProps) {
  const { data, error, isPending, refetch } = useDecision(id)
  const title = visibleLine(data?.title ?? id)
  useKey("panel.right", onClose)
  return (
    <Pane label="The decision">
      <DetailHead
        back="Back to the list"
        actions={<CopyIcon text={data?.body ?? id} label="Copy its text" keyId="decisions.copy" />}
        onClose={onClose}
      >
        <Text as="h2" strong cut title={title}>
          {title}
        </Text>
      </DetailHead>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {isPending ? <RowSkeleton rows={8} /> : null}
      {data === undefined ? null : (
        <PaneScroll>
          <Warning decision={data} />
          <Block>
            <Markdown text={data.body} />
          </Block>
          <Cites decision={data} />
          <About now={now} decision={data} />
        </PaneScroll>
      )}
    </Pane>
  )
}

function Warning({ decision }: { readonly decision: Memory }) {
  if (isQuarantined(decision)) {
    return (
      <Notice
        tone="warn"
        says="Quarantined: it rests on a text that nobody here wrote. It is handed to no agent until a person confirms it in Memory."
      />
    )
  }
  if (decision.state !== "stale") return null
  return (
    <Notice
      tone="warn"
      says="Stale: code it cites has changed since it was decided. If it still holds, confirm it in Memory."
    />
  )
}

function Cites({ decision: { cites } }: { readonly decision: Memory }) {
  if (cites.length === 0) return null
  return (
    <Block title="Rests on" aside={formatExact(cites.length)}>
      <Stack gap="8">
        {cites.map((it) => {
          const { says, tone } = CITE_STATES[it.state]
          const place = placeOf(it)
          return (
            <Flow key={place} align="apart">
              {it.state === "gone" ? (
                <Path path={place} />
              ) : (
                <PlaceLink href={paths.map({ show: place })}>{visibleLine(place)}</PlaceLink>
              )}
              <Text size="sm" tone={tone}>
                {says}
              </Text>
            </Flow>
          )
        })}
      </Stack>
    </Block>
  )
}

function About({ now, decision }: { readonly now: number; readonly decision: Memory }) {
  const { id, file, source, createdAt, supersededBy } = decision
  return (
    <Block title="About it">
      <Stack gap="8">
        <Values>
          <Value name="State">
            <Flow>
              <StatusMark status={markOf(decision)} />
              {sayState(decision)}
            </Flow>
          </Value>
          <Value name="Said by">{source.actor}</Value>
          {source.session === null ? null : (
            <Value name="Session" title={visibleLine(source.session)}>
              <Text mono>{visibleLine(source.session)}</Text>
            </Value>
          )}
          <Value name="Age">
            {formatAge(createdAt, now)}, {formatMoment(createdAt)}
          </Value>
          {supersededBy === null ? null : (
            <Value name="Replaced by">
              <PlaceLink href={paths.decisions({ at: supersededBy, show: supersededBy })}>
                {visibleLine(supersededBy)}
              </PlaceLink>
            </Value>
          )}
          <Value name="File" wrap>
            <Text mono>{visibleLine(file)}</Text>
          </Value>
        </Values>
        <PlaceLink href={paths.memory({ at: id, show: id })}>
          Confirm, judge or forget it in Memory
        </PlaceLink>
      </Stack>
    </Block>
  )
}
