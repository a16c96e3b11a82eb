import { formatExact, plural } from "../../contract.ts"
import { useSession } from "../../data/queries.tsx"
import type { SessionsAddress } from "../../data/sessions-search.ts"
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
  readonly search: SessionsAddress
  onSearch(change: Partial<SessionsAddress>, how?: "push" | "replace"): void
}

/** Who works here, on what, what they hold, and what they left behind. */
export function SessionsPage({ now, search, onSearch }: SessionsPageProps) {
  useKey("leave", leaves(search, onSearch))
  return (
    <>
      <Header title="Sessions" facts={<Facts />} />
      <Split
        name="sessions"
        startPx={DETAIL_PX}
        list={<ListPane now={now} search={search} onSearch={onSearch} />}
        detail={
          search.show === "" ? null : <Beside now={now} search={search} onSearch={onSearch} />
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

function Beside({ now, search, onSearch }: SessionsPageProps) {
  const { data: session } = useSession()
  const { data } = useClaims()
  const close = () => onSearch({ show: "" })
  if (search.tab !== "claims") {
    return <Detail key={search.show} now={now} id={search.show} onClose={close} />
  }
  return (
    <ClaimDetail
      key={search.show}
      now={now}
      path={search.show}
      claim={data?.claims.find((it) => it.path === search.show)}
      isReadOnly={session?.readOnly === true}
      onClose={close}
    />
  )
}

/** First what stands beside, then the words. */
function leaves({ show, text }: SessionsAddress, onSearch: SessionsPageProps["onSearch"]) {
  if (show !== "") return () => onSearch({ show: "" }, "replace")
  return text === "" ? undefined : () => onSearch({ text: "", at: "" }, "replace")
}
