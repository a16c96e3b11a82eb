import { useMemo } from "react"
import {
  type Claim,
  formatExact,
  type LiveSession,
  type LoggedSession,
  plural,
  type SessionList,
} from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import { SESSIONS_TABS, type SessionsParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import {
  CollectionList,
  CollectionPage,
  FacetHead,
  FilterHead,
  type ListRef,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { TableHead } from "../../ui/list/list.tsx"
import { OnlyWide, Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { ClaimDetail } from "./claim-detail.tsx"
import { Detail } from "./detail.tsx"
import {
  CLAIM_COLUMNS,
  CLAIM_HEAD,
  ClaimRow,
  LIVE_COLUMNS,
  LIVE_HEAD,
  LiveRow,
  LOGGED_COLUMNS,
  LoggedHead,
  LoggedRow,
} from "./rows.tsx"
import { useClaims, useSessions } from "./use-sessions.ts"
import { filterByWords } from "./words.ts"

export function SessionsPage({ now, params, onParams }: PageProps<SessionsParams>) {
  const { show, text } = params
  return (
    <CollectionPage
      name="sessions"
      detailPx={480}
      header={<Header title="Sessions" facts={<Facts />} />}
      list={<ListPane now={now} params={params} onParams={onParams} />}
      detail={show === "" ? null : <Beside now={now} params={params} onParams={onParams} />}
      onLeave={leaveOne(onParams, [show !== "", { show: "" }], [text !== "", { text: "", at: "" }])}
    />
  )
}

function Facts() {
  const { data } = useSessions()
  if (data === undefined || data.live.length === 0) return null
  const drifted = data.live.filter((it) => it.drifted > 0).length
  const owed = drifted === 0 ? "" : `, ${formatExact(drifted)} not registered`
  return (
    <OnlyWide>
      <Text as="div" tone="3" cut>
        {plural(data.live.length, "session")} in 30 days{owed}
      </Text>
    </OnlyWide>
  )
}

function Beside({ now, params, onParams }: PageProps<SessionsParams>) {
  const isReadOnly = useReadOnly()
  const { data } = useClaims()
  const close = () => onParams({ show: "" })
  if (params.tab !== "claims") {
    return <Detail key={params.show} now={now} id={params.show} onClose={close} />
  }
  return (
    <ClaimDetail
      key={params.show}
      now={now}
      path={params.show}
      claim={data?.claims.find((it) => it.path === params.show)}
      isReadOnly={isReadOnly}
      onClose={close}
    />
  )
}

function ListPane(props: PageProps<SessionsParams>) {
  const { params, onParams } = props
  const { tab } = params
  const handle = useListRef()
  const sessions = useSessions()
  const claims = useClaims()
  const counts = {
    live: sessions.data?.live.length,
    logged: sessions.data?.loggedCount,
    claims: claims.data?.claims.length,
  }
  return (
    <Pane label="Sessions">
      <FilterHead
        label={FILTER_LABELS[tab]}
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
      />
      <FacetHead
        label="List"
        keyId="sessions.tab"
        active={tab}
        facets={SESSIONS_TABS.map((value) => {
          const count = counts[value]
          return {
            value,
            label: TAB_NAMES[value],
            count: count === undefined ? undefined : formatExact(count),
          }
        })}
        onPick={(to) => onParams({ tab: to, text: "", at: "", show: "" })}
      />
      {tab === "claims" ? (
        <Loaded query={claims} rows={8}>
          {(list) => <Claims {...props} handle={handle} claims={list.claims} />}
        </Loaded>
      ) : (
        <Loaded query={sessions} rows={8}>
          {(list) =>
            tab === "live" ? (
              <Live {...props} handle={handle} live={list.live} />
            ) : (
              <Logged {...props} handle={handle} list={list} />
            )
          }
        </Loaded>
      )}
    </Pane>
  )
}

const FILTER_LABELS = {
  live: "Filter by name or host",
  logged: "Filter by words or date",
  claims: "Filter by path or session",
} as const

const TAB_NAMES = { live: "Recent", logged: "Registered", claims: "Claims" } as const

type SessionListProps = PageProps<SessionsParams> & { readonly handle: ListRef }

function Live({ live, ...props }: SessionListProps & { readonly live: readonly LiveSession[] }) {
  const { now, params } = props
  const items = useMemo(() => filterByWords(live, params.text, liveSearchText), [live, params.text])
  if (live.length === 0) {
    return (
      <Empty
        description="This page lists agent sessions with their edits, claims and unregistered changes. Hooks record them from level 2 on. Install the kit:"
        command="qm init"
      />
    )
  }
  if (items.length === 0) return <NoneFits {...props} />
  return (
    <CollectionList
      {...listOf(props)}
      label="Recent sessions"
      columns={LIVE_COLUMNS}
      head={<TableHead labels={LIVE_HEAD} />}
      items={items}
      keyOf={(it) => it.session}
      onOpen={(it) => props.onParams({ at: it.session, show: it.session })}
      renderItem={(item, option) => <LiveRow item={item} now={now} option={option} />}
    />
  )
}

const liveSearchText = ({ session, host }: LiveSession) => `${session} ${host ?? ""}`

function Logged({ list, ...props }: SessionListProps & { readonly list: SessionList }) {
  const { params } = props
  const { logged, loggedCount } = list
  const items = useMemo(
    () => filterByWords(logged, params.text, loggedSearchText),
    [logged, params.text],
  )
  if (logged.length === 0) {
    return (
      <Empty
        description="Registered sessions are listed here. Each is a file of the repository with its request, work, decisions and status. Register one:"
        command={'qm sessions register rounding "Make quotes and invoices agree"'}
      />
    )
  }
  if (items.length === 0) return <NoneFits {...props} />
  return (
    <>
      <CollectionList
        {...listOf(props)}
        label="Registered"
        columns={LOGGED_COLUMNS}
        head={<LoggedHead />}
        items={items}
        keyOf={(it) => it.file}
        onOpen={(it) => props.onParams({ at: it.file, show: it.file })}
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

const loggedSearchText = ({ file, date, title, request }: LoggedSession) =>
  [file, date, title, request].join(" ")

function Claims({ claims, ...props }: SessionListProps & { readonly claims: readonly Claim[] }) {
  const { now, params } = props
  const items = useMemo(
    () => filterByWords(claims, params.text, claimSearchText),
    [claims, params.text],
  )
  if (claims.length === 0) {
    return (
      <Empty
        description="No file is claimed. A claim shows all other sessions and worktrees of this repository what a session works on. Claim a path:"
        command="qm claim take src/"
      />
    )
  }
  if (items.length === 0) return <NoneFits {...props} />
  return (
    <CollectionList
      {...listOf(props)}
      label="Claims"
      columns={CLAIM_COLUMNS}
      head={<TableHead labels={CLAIM_HEAD} />}
      items={items}
      keyOf={(it) => it.path}
      onOpen={(it) => props.onParams({ at: it.path, show: it.path })}
      renderItem={(item, option) => <ClaimRow item={item} now={now} option={option} />}
    />
  )
}

const claimSearchText = ({ path, session, machine }: Claim) => [path, session, machine].join(" ")

function listOf({ params, handle, onParams }: SessionListProps) {
  return {
    ref: handle,
    at: params.at,
    openKey: "sessions.open",
    onMove: (at: string) => onParams({ at }, "replace"),
  }
}

function NoneFits({ onParams }: Pick<SessionListProps, "onParams">) {
  return <NoMatch onShowAll={() => onParams({ text: "" })}>No match.</NoMatch>
}
