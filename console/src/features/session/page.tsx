import { formatRound, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { formatSpend } from "../../base/spend.ts"
import {
  formatCount,
  formatDuration,
  formatExact,
  plural,
  type SessionsShow,
} from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import { paths, type SessionParams } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { LinkButton } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { LoadFailure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Pane } from "../../ui/pane/pane.tsx"
import { Tabs } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Vital, Vitals } from "../../ui/transcript/transcript.tsx"
import { contextOf } from "./context-input.ts"
import { ContextTab } from "./context-tab.tsx"
import { FoldBox } from "./fold-box.tsx"
import { FilesTab, LedgerTab } from "./other-tabs.tsx"
import { LineDetail, TranscriptTab } from "./transcript-tab.tsx"

export type SessionPageProps = PageProps<SessionParams> & { readonly id: string }

export function SessionPage(props: SessionPageProps) {
  const { id, params, onParams } = props
  const shown = useOperation("sessions.show", { session: id })
  // Requested together: the tab that draws it opens only with the session's facts.
  useOperation("sessions.context", contextOf(id, params), { isEnabled: params.tab === "context" })
  const title = shown.data?.session.title ?? id
  return (
    <CollectionPage
      name="session"
      detailPx={480}
      header={
        <Header
          title={visibleLine(title)}
          parent={{ label: "Sessions", href: paths.sessions() }}
          isDetail
          facts={<BranchFact shown={shown.data} />}
        >
          <RunLink id={id} />
          <CopyIcon text={id} label="Copy the session's id" keyId="session.copy" />
        </Header>
      }
      list={
        <Pane label="Session">
          <LoadFailure error={shown.error} missing={MISSING} onRetry={() => void shown.refetch()} />
          {shown.isPending ? <RowSkeleton rows={10} /> : null}
          {shown.data === undefined ? null : <SessionContent {...props} shown={shown.data} />}
        </Pane>
      }
      detail={
        params.line === null ? null : (
          <LineDetail
            key={params.line}
            session={id}
            line={params.line}
            now={props.now}
            onClose={() => onParams({ line: null }, "replace")}
          >
            {(turn) =>
              params.tab === "context" && shown.data !== undefined ? (
                <FoldBox id={id} host={shown.data.session.host} agent={params.agent} turn={turn} />
              ) : null
            }
          </LineDetail>
        )
      }
      onLeave={leaveOne(onParams, [params.line !== null, { line: null }])}
    />
  )
}

function BranchFact({ shown }: { readonly shown: SessionsShow | undefined }) {
  const branch = shown?.session.branch ?? null
  if (branch === null) return null
  return (
    <Text mono tone="3" cut>
      {visibleLine(branch)}
    </Text>
  )
}

const MOST_RUNS = 500

/** The run that started this session, if one did. */
function RunLink({ id }: { readonly id: string }) {
  const { data } = useOperation("agents.list", { limit: MOST_RUNS })
  const run = data?.runs.find((it) => it.sessionId === id)
  if (run === undefined) return null
  return <LinkButton href={paths.run(run.id)}>Open the run</LinkButton>
}

const MISSING = {
  code: "SESSIONS_NOT_FOUND",
  text: "No transcript with this id is indexed.",
  all: "All sessions",
  href: paths.sessions(),
} as const

type SessionContentProps = SessionPageProps & { readonly shown: SessionsShow }

function SessionContent(props: SessionContentProps) {
  const { shown, params, onParams } = props
  const { ledger, paths: touched } = shown
  const listed =
    ledger === null ? [] : [ledger.edited, ledger.claims, ledger.records, ledger.verdicts]
  const entries = listed.reduce((sum, it) => sum + it.length, 0)
  return (
    <>
      <SessionVitals shown={shown} />
      <Tabs
        active={params.tab}
        onChange={(tab) => onParams({ tab, line: null })}
        tabs={[
          { id: "context", label: "Context", content: <ContextTab {...props} /> },
          { id: "transcript", label: "Transcript", content: <TranscriptTab {...props} /> },
          {
            id: "files",
            label: "Files",
            note: formatExact(touched.length),
            content: <FilesTab shown={shown} />,
          },
          {
            id: "ledger",
            label: "Ledger",
            note: formatExact(entries),
            content: <LedgerTab now={props.now} shown={shown} />,
          },
        ]}
      />
    </>
  )
}

function SessionVitals({ shown: { session } }: { readonly shown: SessionsShow }) {
  const { host, models, peakTokens, windowTokens, spend, turns, startedAt, endedAt } = session
  const window = windowTokens === null ? "" : ` of ${formatRound(windowTokens)}`
  return (
    <Vitals>
      <Vital yields>
        {hostTitle(host)}
        <Text tone="2" cut>
          {models.map(visibleLine).join(", ")}
        </Text>
      </Vital>
      {peakTokens === null ? null : (
        <Vital title="Most tokens in the window of the main agent">
          peak {formatCount(peakTokens)}
          {window}
        </Vital>
      )}
      <Vital title="At list prices">{formatSpend(spend)}</Vital>
      <Vital wide>{plural(turns, "turn")}</Vital>
      {session.compactions === 0 ? null : (
        <Vital wide>{plural(session.compactions, "compaction")}</Vital>
      )}
      {startedAt === null || endedAt === null ? null : (
        <Vital wide push>
          <Text tone="3">{formatDuration(endedAt - startedAt)}</Text>
        </Vital>
      )}
    </Vitals>
  )
}
