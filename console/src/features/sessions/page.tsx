import { formatExact, plural } from "../../contract.ts"
import type { SessionsParams } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Text } from "../../ui/text/text.tsx"
import { ClaimDetail } from "./claim-detail.tsx"
import { Detail } from "./detail.tsx"
import { ListPane } from "./list-pane.tsx"
import { useClaims, useSessions } from "./use-sessions.ts"

type SessionsPageProps = {
  readonly now: number
  readonly params: SessionsParams
  onParams(change: Partial<SessionsParams>, how?: "push" | "replace"): void
}

/** Who works here, on what, what they hold, and what they left behind. */
export function SessionsPage({ now, params, onParams }: SessionsPageProps) {
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <Header title="Sessions" facts={<Facts />} />
      <Split
        name="sessions"
        startPx={DETAIL_PX}
        list={<ListPane now={now} params={params} onParams={onParams} />}
        detail={
          params.show === "" ? null : <Beside now={now} params={params} onParams={onParams} />
        }
      />
    </>
  )
}

/** A text is read here: wider than the 392 of other details. */
const DETAIL_PX = 480

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

function Beside({ now, params, onParams }: SessionsPageProps) {
  const { data: session } = useSession()
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
      isReadOnly={session?.readOnly === true}
      onClose={close}
    />
  )
}

/** First what stands beside, then the words. */
function leaves({ show, text }: SessionsParams, onParams: SessionsPageProps["onParams"]) {
  if (show !== "") return () => onParams({ show: "" }, "replace")
  return text === "" ? undefined : () => onParams({ text: "", at: "" }, "replace")
}
