import { useMemo } from "react"
import type { GuardParams } from "../../data/paths.ts"
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
  readonly params: GuardParams
  onParams(change: Partial<GuardParams>, how?: "push" | "replace"): void
}

/** What hooks said to agents: a log as of a firewall, each line to its rule. */
export function GuardPage({ now, params, onParams }: GuardPageProps) {
  const { data } = useVerdicts(params)
  const counts = useCounts(params, data)
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <Header
        title="Guard"
        facts={
          counts === undefined ? null : (
            <OnlyWide>
              <Text as="div" tone="3" cut>
                {sayCounts(counts, params.hours)}
              </Text>
            </OnlyWide>
          )
        }
      >
        <Button
          keyId="guard.try"
          icon="shield"
          onPress={() => onParams({ trying: true, show: "" })}
          shrinks
        >
          Try a rule
        </Button>
      </Header>
      <Split
        name="guard"
        startPx={DETAIL_PX}
        list={<ListPane now={now} params={params} onParams={onParams} />}
        detail={
          params.trying || params.show !== "" ? (
            <Beside now={now} params={params} onParams={onParams} />
          ) : null
        }
      />
    </>
  )
}

/** Sentences and commands are read here: wider than the 392 of other details. */
const DETAIL_PX = 480

/** The verdict that was chosen, or the panel that tries a rule. */
function Beside({ now, params, onParams }: GuardPageProps) {
  const { data } = useVerdicts(params)
  const { data: session } = useSession()
  const isReadOnly = session?.readOnly === true
  const rows = useMemo(() => keyed(data?.verdicts ?? []), [data])
  if (params.trying) return <TryPanel {...{ now, params, isReadOnly, onParams }} />
  const line = rows.find(({ key }) => key === params.show)?.line
  return <Detail key={params.show} {...{ now, line, isReadOnly, onParams }} />
}

/** First what stands beside, then the words. */
function leaves({ trying, show, text }: GuardParams, onParams: GuardPageProps["onParams"]) {
  if (trying) return () => onParams({ trying: false }, "replace")
  if (show !== "") return () => onParams({ show: "" }, "replace")
  return text === "" ? undefined : () => onParams({ text: "", at: "" }, "replace")
}
