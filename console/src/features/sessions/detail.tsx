import { toWireError } from "../../base/errors.ts"
import { formatAge, formatMoment, shortSession, visibleLine } from "../../base/format.ts"
import { formatExact, type LiveSession, plural, type SessionShow } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { CommandLine } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import {
  Block,
  DetailHead,
  Flow,
  Pane,
  PaneScroll,
  Stack,
  Value,
  Values,
} from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { ClaimsBlock, FilesBlock, LoadedBlock, MomentsBlock, OutsideBlock } from "./parts.tsx"
import { useOneSession } from "./use-sessions.ts"
import { describeEdits, describeHost, describeRegistration, markOf } from "./words.ts"

type DetailProps = { readonly now: number; readonly id: string; onClose(): void }

export function Detail({ now, id, onClose }: DetailProps) {
  const { data, error, isPending, refetch } = useOneSession(id)
  useKey("panel.right", onClose)
  return (
    <Pane label="The session">
      <DetailHead
        back="Back to the list"
        actions={<CopyIcon text={id} label="Copy name" keyId="sessions.copy" />}
        onClose={onClose}
      >
        <Text as="h2" strong mono cut title={visibleLine(id)}>
          {shortSession(id)}
        </Text>
      </DetailHead>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {isPending && error === null ? <RowSkeleton rows={8} /> : null}
      {data === undefined ? null : (
        <PaneScroll>
          {data.text === null ? null : (
            <Block>
              <Markdown text={data.text} />
            </Block>
          )}
          {data.live === null ? null : <LiveParts now={now} live={data.live} shown={data} />}
        </PaneScroll>
      )}
    </Pane>
  )
}

type LivePartsProps = {
  readonly now: number
  readonly live: LiveSession
  readonly shown: SessionShow
}

function LiveParts({ now, live, shown }: LivePartsProps) {
  return (
    <>
      <Summary now={now} live={live} />
      {live.drifted > 0 ? <UnregisteredChanges live={live} /> : null}
      <FilesBlock now={now} files={shown.files} />
      <ClaimsBlock now={now} claims={shown.claims} />
      <OutsideBlock now={now} outside={shown.outside} />
      <MomentsBlock now={now} shown={shown} />
      <LoadedBlock loaded={shown.loaded} />
    </>
  )
}

function Summary({ now, live }: Omit<LivePartsProps, "shown">) {
  const { session, startedAt, lastAt } = live
  return (
    <Block>
      <Stack gap="8">
        <Values>
          <Value name="Registration">
            <Flow>
              <StatusMark status={markOf(live)} />
              {describeRegistration(live)}
            </Flow>
          </Value>
          <Value name="Work">{describeEdits(live)}</Value>
          <Value name="Host">{describeHost(live)}</Value>
          {startedAt === null ? null : <Value name="Started">{formatMoment(startedAt)}</Value>}
          <Value name="Last seen">
            {formatAge(lastAt, now)} ago, {formatMoment(lastAt)}
          </Value>
          <Value name="Id" wrap>
            <Text mono>{visibleLine(session)}</Text>
          </Value>
        </Values>
        <PlaceLink href={paths.guard({ session, hours: 720 })}>Show hook messages</PlaceLink>
      </Stack>
    </Block>
  )
}

function UnregisteredChanges({ live: { drifted, session } }: { readonly live: LiveSession }) {
  // Without the option the command would act for the terminal session; an id that cannot be typed
  // is left out.
  const whose = /^[\w.:-]{1,200}$/.test(session) ? ` --session ${session}` : ""
  return (
    <Block title="Not registered" aside={formatExact(drifted)}>
      <Stack gap="8">
        <Text as="p" tone="2" read>
          {plural(drifted, "important file")} changed since the session was last registered. The
          stop hook asks for this once.
        </Text>
        <CommandLine command={`qm sessions register topic "request"${whose}`} />
      </Stack>
    </Block>
  )
}
