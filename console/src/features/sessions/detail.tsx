import {
  formatAge,
  formatMoment,
  formatWhen,
  shortSession,
  visibleLine,
} from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { STATUS_MARKS } from "../../base/status.ts"
import {
  formatExact,
  type LiveSession,
  plural,
  type Run,
  type SessionShow,
} from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { shownStatus, usePausedSessions } from "../../data/paused-sessions.ts"
import { useOperation } from "../../data/queries.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { CommandLine } from "../../ui/empty/empty.tsx"
import { LoadFailure } from "../../ui/failure/failure.tsx"
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
import { SessionActions } from "./session-actions.tsx"
import { TranscriptDetail } from "./transcript-detail.tsx"
import { useIndexed, useOneSession, useRuns, useSessions } from "./use-sessions.ts"
import { describeEdits, describeHost, describeRegistration, markOf } from "./words.ts"

type DetailProps = {
  readonly now: number
  readonly id: string
  /** The words that were searched for. */
  readonly text: string
  onClose(): void
}

const MISSING = {
  code: "APP_SESSION_UNKNOWN",
  text: "No session has this id.",
  all: "All sessions",
  href: paths.sessions(),
} as const

/** Facts of the transcript and of the hooks. */
export function Detail({ now, id, text, onClose }: DetailProps) {
  const sources = useSources(id)
  const {
    data,
    error,
    isLoading: isLedgerLoading,
    refetch,
  } = useOneSession(sources.hasLedger ? id : "")
  const indexed = useOperation(
    "sessions.show",
    { session: id },
    { isEnabled: sources.hasTranscript },
  )
  const { run } = sources
  const failed = error ?? indexed.error
  const isLoading = !sources.isKnown || isLedgerLoading || indexed.isLoading
  const title = indexed.data?.session.title ?? run?.title ?? shortSession(id)
  useKey("panel.right", onClose)
  return (
    <Pane label="The session">
      <DetailHead
        back="Back to the list"
        actions={<CopyIcon text={id} label="Copy name" keyId="sessions.copy" />}
        onClose={onClose}
      >
        <Text as="h2" strong cut title={visibleLine(id)}>
          {visibleLine(title)}
        </Text>
      </DetailHead>
      {indexed.data === undefined ? (
        <LoadFailure error={failed} missing={MISSING} onRetry={() => void refetch()} />
      ) : null}
      {isLoading ? <RowSkeleton rows={8} /> : null}
      {isLoading ? null : (
        <PaneScroll>
          {run === undefined ? null : <RunFacts run={run} />}
          {indexed.data === undefined ? null : (
            <TranscriptDetail now={now} id={id} shown={indexed.data} text={text} />
          )}
          {data === undefined || data.text === null ? null : (
            <Block>
              <Markdown text={data.text} />
            </Block>
          )}
          {data === undefined || data.live === null ? null : (
            <LiveParts now={now} live={data.live} shown={data} />
          )}
        </PaneScroll>
      )}
      {isLoading || (indexed.data === undefined && run === undefined) ? null : (
        <SessionActions
          now={now}
          id={id}
          shown={indexed.data}
          run={run}
          live={data?.live ?? undefined}
        />
      )}
    </Pane>
  )
}

/**
 * Which lists contain the session. Rooms without it return an error, so only the others are
 * queried; a session in no list may be older than all of them.
 */
function useSources(id: string) {
  const indexed = useIndexed({ host: null, here: false })
  const ledger = useSessions()
  const runs = useRuns()
  const isIndexed = indexed.data?.sessions.some((it) => it.id === id) === true
  const run = runs.data?.runs.find((it) => it.id === id || it.sessionId === id)
  const isReported =
    ledger.data?.live.some((it) => it.session === id) === true ||
    ledger.data?.logged.some((it) => it.file === id) === true
  const mayBeOlder = (indexed.data?.total ?? 0) > (indexed.data?.sessions.length ?? 0)
  const isKnown = !indexed.isLoading && !ledger.isLoading && !runs.isLoading
  const isUnlisted = isKnown && !isIndexed && !isReported && run === undefined
  return {
    run,
    isKnown,
    hasTranscript: isIndexed || (isUnlisted && mayBeOlder),
    hasLedger: isReported || (isUnlisted && !mayBeOlder),
  }
}

function RunFacts({ run }: { readonly run: Run }) {
  const status = shownStatus(run, usePausedSessions())
  return (
    <Block>
      <Values>
        <Value name="Run">
          <Flow>
            <StatusMark status={STATUS_MARKS[status]} />
            <PlaceLink href={paths.run(run.id)}>
              {status === run.status ? status : "waiting for your answer"}
            </PlaceLink>
          </Flow>
        </Value>
        <Value name="Agent">{[hostTitle(run.type), visibleLine(run.model ?? "")].join(" ")}</Value>
        <Value name="Turns">{formatExact(run.turns)}</Value>
      </Values>
    </Block>
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
    <Block title="Ledger" aside="reported by hooks">
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
          {startedAt === null ? null : (
            <Value name="Started" title={formatMoment(startedAt)}>
              {formatWhen(startedAt, now)}
            </Value>
          )}
          <Value name="Last seen">
            {formatAge(lastAt, now)} ago, {formatWhen(lastAt, now)}
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
