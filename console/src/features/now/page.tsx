import type { Now } from "../../contract.ts"
import { toWireError } from "../../data/errors.ts"
import { formatDay } from "../../data/moments.ts"
import { useOperation } from "../../data/queries.tsx"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Columns, Pane, PaneScroll } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Facts } from "./facts.tsx"
import { FirstRun } from "./first-run.tsx"
import { EndedList, RunningList, WaitingList } from "./lists.tsx"

type NowPageProps = {
  readonly now: number
  readonly areFactsHidden: boolean
  onToggleFacts(): void
}

/** Home: what waits for me, what runs, what ended today; beside it the truth of the repository. */
export function NowPage({ now, areFactsHidden, onToggleFacts }: NowPageProps) {
  const report = useOperation("now.show", {})
  const doctor = useOperation("doctor.run", {})
  const check = () => void doctor.refetch()
  const isFirst = report.data !== undefined && isFirstRun(report.data)
  return (
    <>
      <Header title="Now" facts={<Text tone="3">{formatDay(now)}</Text>}>
        <Button
          look="ghost"
          icon="refresh"
          keyId="now.check"
          disabled={doctor.isFetching}
          onPress={check}
          shrinks
        >
          Check again
        </Button>
        {isFirst ? null : (
          <IconButton
            icon="panel"
            label={areFactsHidden ? "Show the facts" : "Hide the facts"}
            pressed={!areFactsHidden}
            keyId="panel.right"
            onPress={onToggleFacts}
          />
        )}
      </Header>
      {isFirst ? (
        <Pane label="First run">
          <PaneScroll>
            <FirstRun name={report.data.repository.name} doctor={doctor.data} onCheck={check} />
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
                  onRetry={() => void report.refetch()}
                />
              )}
              {report.isPending ? <RowSkeleton rows={8} /> : null}
              {report.data === undefined ? null : <Lists report={report.data} now={now} />}
            </PaneScroll>
          </Pane>
        </Columns>
      )}
    </>
  )
}

function Lists({ report, now }: { readonly report: Now; readonly now: number }) {
  return (
    <>
      <WaitingList rows={report.waiting} now={now} />
      <RunningList rows={report.running} now={now} />
      <EndedList rows={report.ended} />
    </>
  )
}

/** A new store holds the event of its own making, and nothing else has happened. */
function isFirstRun({ store, waiting, running, ended }: Now): boolean {
  const isNew = store !== null && store.events <= 1
  return isNew && waiting.length + running.length + ended.length === 0
}
