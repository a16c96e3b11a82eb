import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatDay } from "../../base/format.ts"
import type { Approval, Now } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { useOperation, useSession } from "../../data/queries.tsx"
import { hrefOfRow } from "../../data/today.ts"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Columns, Pane, PaneScroll } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Facts } from "./facts.tsx"
import { FirstRun } from "./first-run.tsx"
import { RunLists } from "./lists.tsx"
import { ReviewList, useReviewRows } from "./review-list.tsx"
import { RecentSessions, useRecentSessions } from "./sessions.tsx"
import { useImport } from "./use-import.ts"
import { WaitingList, waitingRows } from "./waiting-list.tsx"

type NowPageProps = {
  readonly now: number
  readonly areFactsHidden: boolean
  onToggleFacts(): void
}

export function NowPage({ now, areFactsHidden, onToggleFacts }: NowPageProps) {
  const report = useOperation("now.show", {})
  const doctor = useOperation("doctor.run", {})
  const inbox = useOperation("agents.approvals", {})
  // Wait for the approvals of waiting rows, so that no key hits a row that changes.
  const hasApprovals = (report.data?.waiting.length ?? 0) > 0
  const isPending = report.isPending || (hasApprovals && inbox.isPending)
  const importing = useImport()
  const queries = useQueryClient()
  const check = () => {
    void doctor.refetch()
    void queries.invalidateQueries({ queryKey: keys.anyInput("now.repository") })
  }
  // The first import ends the state "new"; its progress stays in view.
  const isFirst = report.data?.isNew === true || importing.progress?.isRunning === true
  return (
    <>
      <NowHeader
        now={now}
        isChecking={doctor.isFetching}
        onCheck={check}
        {...(isFirst ? {} : { facts: { isHidden: areFactsHidden, onToggle: onToggleFacts } })}
      />
      {isFirst ? (
        <Pane label="First run">
          <PaneScroll>
            <FirstRun importing={importing} />
          </PaneScroll>
        </Pane>
      ) : (
        <Columns facts={areFactsHidden ? undefined : <Facts now={now} />}>
          <Pane label="Waiting, running, ended">
            <PaneScroll>
              {report.error === null ? null : (
                <Failure
                  size="pane"
                  error={toWireError(report.error)}
                  onRetry={() => void retryFailed(queries)}
                />
              )}
              {isPending ? <RowSkeleton rows={8} /> : null}
              {report.data === undefined || isPending ? null : (
                <Lists report={report.data} approvals={inbox.data?.approvals ?? []} now={now} />
              )}
            </PaneScroll>
          </Pane>
        </Columns>
      )}
    </>
  )
}

/** One failure is shown for all queries that failed with it, so its retry asks them all again. */
function retryFailed(queries: QueryClient): Promise<void> {
  return queries.refetchQueries({ type: "active", predicate: (it) => it.state.status === "error" })
}

type NowHeaderProps = {
  readonly now: number
  readonly isChecking: boolean
  readonly facts?: { readonly isHidden: boolean; onToggle(): void }
  onCheck(): void
}

function NowHeader({ now, isChecking, facts, onCheck }: NowHeaderProps) {
  const { data: session } = useSession()
  return (
    <Header title="Now" facts={<Text tone="3">{formatDay(now)}</Text>}>
      <Button
        variant="ghost"
        icon="refresh"
        keyId="now.check"
        disabled={isChecking}
        onPress={onCheck}
        shrinks
      >
        Check again
      </Button>
      <Button
        variant="primary"
        icon="plus"
        keyId="runs.new"
        disabled={session?.readOnly === true}
        shrinks
        onPress={() => navigate(paths.runs({ beside: "new" }))}
      >
        New run
      </Button>
      {facts === undefined ? null : (
        <IconButton
          icon="panel"
          label={facts.isHidden ? "Show details" : "Hide details"}
          pressed={!facts.isHidden}
          keyId="panel.right"
          onPress={facts.onToggle}
        />
      )}
    </Header>
  )
}

type ListsProps = {
  readonly report: Now
  readonly approvals: readonly Approval[]
  readonly now: number
}

function Lists({ report, approvals, now }: ListsProps) {
  const { data: session } = useSession()
  const waiting = waitingRows(report.waiting, approvals)
  const reviews = useReviewRows()
  const sessions = useRecentSessions()
  const rows = [
    ...waiting.map((it) => ({ key: it.key, href: hrefOfRow(it.row) })),
    ...reviews,
    ...[...report.running, ...report.ended].map((it) => ({ key: it.id, href: hrefOfRow(it) })),
    ...sessions,
  ]
  const at = useCurrent(rows, waiting[0]?.key)
  const isIdle = waiting.length + reviews.length + report.running.length + report.ended.length === 0
  return (
    <>
      {isIdle ? (
        <Empty
          description="Nothing waits for you, nothing runs, and no run ended today. Runs that you start appear here."
          command='qm run "What does this repository do?"'
        />
      ) : null}
      <WaitingList rows={waiting} now={now} at={at} isReadOnly={session?.readOnly === true} />
      <ReviewList rows={reviews} now={now} at={at} />
      <RunLists running={report.running} ended={report.ended} now={now} at={at} />
      <RecentSessions rows={sessions} now={now} at={at} />
    </>
  )
}

type CurrentRow = { readonly key: string; readonly href: string }

/**
 * The row that keys act on: the first waiting one when the page opens, then the one that the user
 * moves to. When it disappears, no row is current, so that Allow cannot hit an approval that
 * replaced it.
 */
function useCurrent(rows: readonly CurrentRow[], first: string | undefined): string | null {
  const [at, setAt] = useState<string | null>(first ?? null)
  const index = rows.findIndex((it) => it.key === at)
  const current = rows[index]
  const move = (to: (typeof rows)[number] | undefined) => setAt(to?.key ?? at)
  useKey("list.next", () => move(rows[index + 1]))
  useKey("list.previous", () => move(rows[index < 0 ? 0 : index - 1]))
  useKey("list.first", () => move(rows[0]))
  useKey("list.last", () => move(rows.at(-1)))
  useKey("now.open", current && (() => navigate(current.href)))
  return current?.key ?? null
}
