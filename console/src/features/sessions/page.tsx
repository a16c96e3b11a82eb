import { formatExact, plural } from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import type { SessionsParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"

import { OnlyWide } from "../../ui/pane/pane.tsx"

import { Text } from "../../ui/text/text.tsx"
import { ClaimDetail } from "./claim-detail.tsx"
import { Detail } from "./detail.tsx"
import { ListPane } from "./list-pane.tsx"
import { useClaims, useSessions } from "./use-sessions.ts"

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
  const owed = drifted === 0 ? "" : `, ${formatExact(drifted)} not written down`
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
