import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatDay } from "../../base/format.ts"
import type { Approval, DoctorReport, Now } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { useOperation, useSession } from "../../data/queries.tsx"
import { hrefOfRow } from "../../data/today.ts"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { CheckLines, CommandLine, Welcome } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Columns, Pane, PaneScroll } from "../../ui/pane/pane.tsx"
import { Prose, Text } from "../../ui/text/text.tsx"
import { Facts } from "./facts.tsx"
import { RunLists } from "./lists.tsx"
import { WaitingList, type WaitingRow, waitingRows } from "./waiting-list.tsx"

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
  const isAsked = (report.data?.waiting.length ?? 0) > 0
  const isPending = report.isPending || (isAsked && inbox.isPending)
  const check = () => void doctor.refetch()
  const isFirst = report.data !== undefined && isFirstRun(report.data)
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
  const at = useCurrent(waiting, report)
  return (
    <>
      <WaitingList rows={waiting} now={now} at={at} isReadOnly={session?.readOnly === true} />
      <RunLists running={report.running} ended={report.ended} now={now} at={at} />
    </>
  )
}

/**
 * The row that keys act on: the first waiting one when the page opens, then the one that the user
 * moves to. When it disappears, no row is current, so that Allow cannot hit an approval that
 * replaced it.
 */
function useCurrent(waiting: readonly WaitingRow[], { running, ended }: Now): string | null {
  const [at, setAt] = useState<string | null>(waiting[0]?.key ?? null)
  const rows = [
    ...waiting.map((it) => ({ key: it.key, href: hrefOfRow(it.row) })),
    ...[...running, ...ended].map((it) => ({ key: it.id, href: hrefOfRow(it) })),
  ]
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

function isFirstRun({ store, waiting, running, ended }: Now): boolean {
  const isNew = store !== null && store.events <= 1
  return isNew && waiting.length + running.length + ended.length === 0
}

type FirstRunProps = {
  readonly name: string
  readonly doctor: DoctorReport | undefined
  onCheck(): void
}

const STATUS = { ok: "done", warn: "warned", fail: "failed" } as const

function FirstRun({ name: repository, doctor, onCheck }: FirstRunProps) {
  return (
    <Welcome
      title="Ready to start"
      description={`The store of ${repository} was created. This page will show what agents do here. Check this machine first; the check takes under a second and changes nothing.`}
      afterwards={
        <Prose>
          {"Next: `qm tokens CLAUDE.md` shows what a file costs, `qm events` lists stored events."}
        </Prose>
      }
    >
      <CommandLine command="qm doctor">
        <Button variant="primary" small onPress={onCheck}>
          Check now
        </Button>
      </CommandLine>
      {doctor === undefined ? (
        <RowSkeleton rows={6} />
      ) : (
        <CheckLines
          lines={doctor.checks.map(({ state, name, detail, hint }) => ({
            status: STATUS[state],
            name,
            detail: hint === undefined ? detail : `${detail}. ${hint}`,
          }))}
        />
      )}
    </Welcome>
  )
}
