import { useMemo, useRef } from "react"
import { toWireError } from "../../base/errors.ts"
import {
  type Claim,
  formatExact,
  type LiveSession,
  type LoggedSession,
  plural,
  type SessionList,
} from "../../contract.ts"
import { SESSIONS_TABS, type SessionsParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FilterField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import type { VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Pane, PaneFoot, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { PickList } from "./pick-list.tsx"
import {
  CLAIM_COLUMNS,
  ClaimHead,
  ClaimRow,
  LIVE_COLUMNS,
  LiveHead,
  LiveRow,
  LOGGED_COLUMNS,
  LoggedHead,
  LoggedRow,
} from "./rows.tsx"
import { useClaims, useSessions } from "./use-sessions.ts"
import { having } from "./words.ts"

type ListPaneProps = {
  readonly now: number
  readonly params: SessionsParams
  onParams(change: Partial<SessionsParams>, how?: "push" | "replace"): void
}

/** Sessions that work or worked, those that were written down, and who holds what. */
export function ListPane(props: ListPaneProps) {
  const { params } = props
  const handle = useRef<VirtualListHandle>(null)
  const sessions = useSessions()
  const claims = useClaims()
  const { error, refetch, isPending } = params.tab === "claims" ? claims : sessions
  return (
    <Pane label="Sessions">
      <Filters
        {...props}
        handle={handle}
        sessions={sessions.data}
        claims={claims.data?.claims.length}
      />
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {isPending && error === null ? <RowSkeleton rows={8} /> : null}
      {params.tab === "claims" && claims.data !== undefined ? (
        <Claims {...props} handle={handle} claims={claims.data.claims} />
      ) : null}
      {params.tab === "live" && sessions.data !== undefined ? (
        <Live {...props} handle={handle} live={sessions.data.live} />
      ) : null}
      {params.tab === "logged" && sessions.data !== undefined ? (
        <Logged {...props} handle={handle} list={sessions.data} />
      ) : null}
    </Pane>
  )
}

type Handled = ListPaneProps & { readonly handle: React.RefObject<VirtualListHandle | null> }

type FiltersProps = Handled & {
  readonly sessions: SessionList | undefined
  readonly claims: number | undefined
}

function Filters({ params, handle, sessions, claims, onParams }: FiltersProps) {
  const counts = { live: sessions?.live.length, logged: sessions?.loggedCount, claims }
  const pick = (value: string) => {
    const tab = SESSIONS_TABS.find((it) => it === value)
    if (tab !== undefined) onParams({ tab, text: "", at: "", show: "" })
  }
  const at = SESSIONS_TABS.indexOf(params.tab)
  useKey("sessions.tab", () => pick(SESSIONS_TABS[(at + 1) % SESSIONS_TABS.length] ?? ""))
  return (
    <>
      <PaneHead edge="page">
        <FilterField
          label={FILTER_LABELS[params.tab]}
          value={params.text}
          onChange={(text) => onParams({ text, at: "" }, "replace")}
          onLeave={() => handle.current?.focus()}
        />
      </PaneHead>
      <PaneHead edge="page">
        <Facets
          label="What is listed"
          active={params.tab}
          facets={SESSIONS_TABS.map((value) => {
            const count = counts[value]
            return {
              value,
              label: TAB_NAMES[value],
              count: count === undefined ? undefined : formatExact(count),
            }
          })}
          onPick={pick}
        />
      </PaneHead>
    </>
  )
}

const FILTER_LABELS = {
  live: "Filter by name or host",
  logged: "Filter by words or date",
  claims: "Filter by path or session",
} as const

const TAB_NAMES = { live: "Recent", logged: "Written down", claims: "Claims" } as const

function Live({ live, ...props }: Handled & { readonly live: readonly LiveSession[] }) {
  const { now, params, onParams } = props
  const items = useMemo(() => having(live, params.text, wordsOfLive), [live, params.text])
  if (live.length === 0) {
    return (
      <Empty
        says="Sessions of agents will be here while they work: what they edit, what they hold, and what they have not written down. Their hooks keep the ledger from level 2 on."
        command="qm init"
      />
    )
  }
  if (items.length === 0) return <NoneFits onParams={onParams} />
  return (
    <PickList
      {...props}
      label="Recent sessions"
      columns={LIVE_COLUMNS}
      head={<LiveHead />}
      items={items}
      keyOf={(it) => it.session}
      renderItem={(item, option) => <LiveRow item={item} now={now} option={option} />}
    />
  )
}

const wordsOfLive = ({ session, host }: LiveSession) => `${session} ${host ?? ""}`

function Logged({ list, ...props }: Handled & { readonly list: SessionList }) {
  const { params, onParams } = props
  const { logged, loggedCount } = list
  const items = useMemo(() => having(logged, params.text, wordsOfLogged), [logged, params.text])
  if (logged.length === 0) {
    return (
      <Empty
        says="What sessions were asked and what they did will be here, each a file of the repository with its request, its work, its decisions and where it stands."
        command={'qm session register rounding "Make quotes and invoices agree"'}
      />
    )
  }
  if (items.length === 0) return <NoneFits onParams={onParams} />
  return (
    <>
      <PickList
        {...props}
        label="Written down"
        columns={LOGGED_COLUMNS}
        head={<LoggedHead />}
        items={items}
        keyOf={(it) => it.file}
        renderItem={(item, option) => <LoggedRow item={item} option={option} />}
      />
      <PaneFoot>
        {logged.length < loggedCount
          ? `The newest ${formatExact(logged.length)} of ${formatExact(loggedCount)} are listed.`
          : `${plural(logged.length, "session")}, newest first. Each is a file in git.`}
      </PaneFoot>
    </>
  )
}

const wordsOfLogged = ({ file, date, title, request }: LoggedSession) =>
  [file, date, title, request].join(" ")

function Claims({ claims, ...props }: Handled & { readonly claims: readonly Claim[] }) {
  const { now, params, onParams } = props
  const items = useMemo(() => having(claims, params.text, wordsOfClaim), [claims, params.text])
  if (claims.length === 0) {
    return (
      <Empty
        says="No file is held. Whoever says what they work on is seen by all other sessions and worktrees of this repository, and warned of them in turn."
        command="qm claim take src/"
      />
    )
  }
  if (items.length === 0) return <NoneFits onParams={onParams} />
  return (
    <PickList
      {...props}
      label="Claims"
      columns={CLAIM_COLUMNS}
      head={<ClaimHead />}
      items={items}
      keyOf={(it) => it.path}
      renderItem={(item, option) => <ClaimRow item={item} now={now} option={option} />}
    />
  )
}

const wordsOfClaim = ({ path, session, machine }: Claim) => [path, session, machine].join(" ")

function NoneFits({ onParams }: Pick<ListPaneProps, "onParams">) {
  return (
    <RowNote>
      Nothing has these words.
      <Button small onPress={() => onParams({ text: "" })}>
        Show all
      </Button>
    </RowNote>
  )
}
