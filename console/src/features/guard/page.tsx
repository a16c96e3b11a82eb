import { useMemo } from "react"
import type { GuardAddress } from "../../data/guard-search.ts"
import { useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail.tsx"
import { keyed } from "./lines.ts"
import { ListPane } from "./list-pane.tsx"
import { TryPanel } from "./try-panel.tsx"
import { useCounts, useVerdicts } from "./use-guard.ts"
import { sayCounts } from "./words.ts"

type GuardPageProps = {
  readonly now: number
  readonly search: GuardAddress
  onSearch(change: Partial<GuardAddress>, how?: "push" | "replace"): void
}

/** What hooks said to agents: a log as of a firewall, each line to its rule. */
export function GuardPage({ now, search, onSearch }: GuardPageProps) {
  const { data } = useVerdicts(search)
  const counts = useCounts(search, data)
  useKey("leave", leaves(search, onSearch))
  return (
    <>
      <Header
        title="Guard"
        facts={
          counts === undefined ? null : (
            <OnlyWide>
              <Text as="div" tone="3" cut>
                {sayCounts(counts, search.hours)}
              </Text>
            </OnlyWide>
          )
        }
      >
        <Button
          keyId="guard.try"
          icon="shield"
          onPress={() => onSearch({ trying: true, show: "" })}
          shrinks
        >
          Try a rule
        </Button>
      </Header>
      <Split
        name="guard"
        startPx={DETAIL_PX}
        list={<ListPane now={now} search={search} onSearch={onSearch} />}
        detail={
          search.trying || search.show !== "" ? (
            <Beside now={now} search={search} onSearch={onSearch} />
          ) : null
        }
      />
    </>
  )
}

/** Sentences and commands are read here: wider than the 392 of other details. */
const DETAIL_PX = 480

/** The verdict that was chosen, or the panel that tries a rule. */
function Beside({ now, search, onSearch }: GuardPageProps) {
  const { data } = useVerdicts(search)
  const { data: session } = useSession()
  const isReadOnly = session?.readOnly === true
  const rows = useMemo(() => keyed(data?.verdicts ?? []), [data])
  if (search.trying) return <TryPanel {...{ now, search, isReadOnly, onSearch }} />
  const line = rows.find(({ key }) => key === search.show)?.line
  return <Detail key={search.show} {...{ now, line, isReadOnly, onSearch }} />
}

/** First what stands beside, then the words. */
function leaves({ trying, show, text }: GuardAddress, onSearch: GuardPageProps["onSearch"]) {
  if (trying) return () => onSearch({ trying: false }, "replace")
  if (show !== "") return () => onSearch({ show: "" }, "replace")
  return text === "" ? undefined : () => onSearch({ text: "", at: "" }, "replace")
}
