import { useMemo } from "react"
import { hostTitle } from "../../base/hosts.ts"
import {
  type Claim,
  formatExact,
  type LoggedSession,
  plural,
  type SessionList,
} from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import { SESSIONS_TABS, type SessionsParams, TRANSCRIPT_HOSTS } from "../../data/paths.ts"
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
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { MoreFilters, Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { AllList } from "./all-list.tsx"
import { ClaimDetail } from "./claim-detail.tsx"
import { Detail } from "./detail.tsx"
import {
  CLAIM_COLUMNS,
  CLAIM_HEAD,
  ClaimRow,
  LOGGED_COLUMNS,
  LoggedHead,
  LoggedRow,
} from "./rows.tsx"
import { useClaims, useIndexed, useSessions } from "./use-sessions.ts"
import { filterByWords } from "./words.ts"

export function SessionsPage({ now, params, onParams }: PageProps<SessionsParams>) {
  const { show, text } = params
  return (
    <CollectionPage
      name="sessions"
      detailPx={392}
      header={<Header title="Sessions" facts={<Facts params={params} />} />}
      list={<ListPane now={now} params={params} onParams={onParams} />}
      detail={show === "" ? null : <Beside now={now} params={params} onParams={onParams} />}
      onLeave={leaveOne(onParams, [show !== "", { show: "" }], [text !== "", { text: "", at: "" }])}
    />
  )
}

function Facts({ params }: { readonly params: SessionsParams }) {
  const { data } = useSessions()
  const drifted = data?.live.filter((it) => it.drifted > 0).length ?? 0
  const indexed = useIndexed(params)
  const parts = [
    indexed.data === undefined ? "" : plural(indexed.data.total, "transcript"),
    drifted === 0 ? "" : `${formatExact(drifted)} not registered`,
  ].filter((it) => it !== "")
  return (
    <Text as="div" tone="3" cut>
      {parts.join(", ")}
    </Text>
  )
}

function Beside({ now, params, onParams }: PageProps<SessionsParams>) {
  const isReadOnly = useReadOnly()
  const { data } = useClaims()
  const close = () => onParams({ show: "" })
  if (params.tab !== "claims") {
    const text = params.tab === "all" ? params.text : ""
    return <Detail key={params.show} now={now} id={params.show} text={text} onClose={close} />
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
  // The first tab lists runs and sessions of hooks too, and the header counts the transcripts.
  const counts: Partial<Record<SessionsParams["tab"], number | undefined>> = {
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
        actions={
          tab === "all" ? (
            <MoreFilters isActive={params.here || params.host !== null}>
              <Narrowed params={params} onParams={onParams} />
            </MoreFilters>
          ) : undefined
        }
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
      {tab === "all" ? <AllList {...props} handle={handle} /> : null}
      {tab === "claims" ? (
        <Loaded query={claims} rows={8}>
          {(list) => <Claims {...props} handle={handle} claims={list.claims} />}
        </Loaded>
      ) : null}
      {tab === "logged" ? (
        <Loaded query={sessions} rows={8}>
          {(list) => <Logged {...props} handle={handle} list={list} />}
        </Loaded>
      ) : null}
    </Pane>
  )
}

type NarrowedProps = Omit<PageProps<SessionsParams>, "now">

function Narrowed({ params, onParams }: NarrowedProps) {
  const { host, here } = params
  return (
    <>
      <ChoiceMenu
        label="Repository"
        boxed="small"
        value={here ? "here" : ""}
        choices={[
          { value: "", label: "All repositories", detail: "No filter" },
          { value: "here", label: "This repository", detail: "With all its worktrees" },
        ]}
        onPick={(value) => onParams({ here: value === "here", at: "" })}
      >
        {here ? "This repository" : "All repositories"}
      </ChoiceMenu>
      <ChoiceMenu
        label="Host"
        boxed="small"
        value={host ?? ""}
        choices={[
          { value: "", label: "Any host", detail: "No filter" },
          ...TRANSCRIPT_HOSTS.map((it) => ({
            value: it,
            label: hostTitle(it),
            detail: "Only its sessions",
          })),
        ]}
        onPick={(value) =>
          onParams({ host: TRANSCRIPT_HOSTS.find((it) => it === value) ?? null, at: "" })
        }
      >
        {host === null ? "Any host" : hostTitle(host)}
      </ChoiceMenu>
    </>
  )
}

const FILTER_LABELS = {
  all: "Search all sessions",
  logged: "Filter by words or date",
  claims: "Filter by path or session",
} as const

const TAB_NAMES = { all: "Sessions", logged: "Registered", claims: "Claims" } as const

type SessionListProps = PageProps<SessionsParams> & { readonly handle: ListRef }

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
