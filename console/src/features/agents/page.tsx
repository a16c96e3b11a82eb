import type { AgentsParams } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Detail } from "./detail.tsx"
import { ListPane } from "./list-pane.tsx"

type AgentsPageProps = {
  readonly now: number
  readonly params: AgentsParams
  onParams(change: Partial<AgentsParams>, how?: "push" | "replace"): void
}

/** Agents that people can run: folders with stages, prompts and limits. */
export function AgentsPage({ now, params, onParams }: AgentsPageProps) {
  const { data: session } = useSession()
  const { show, tab } = params
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <Header title="Agents" />
      <Split
        name="agents"
        startPx={DETAIL_PX}
        list={<ListPane params={params} onParams={onParams} />}
        detail={
          show === "" ? null : (
            <Detail
              key={show}
              now={now}
              slug={show}
              tab={tab}
              isReadOnly={session?.readOnly === true}
              onTab={(to) => onParams({ tab: to }, "replace")}
              onClose={() => onParams({ show: "" })}
            />
          )
        }
      />
    </>
  )
}

/** Prompts are read here: wider than the 392 of other details. */
const DETAIL_PX = 520

/** First what stands beside, then what is looked for. */
function leaves({ show, text }: AgentsParams, onParams: AgentsPageProps["onParams"]) {
  if (show !== "") return () => onParams({ show: "" }, "replace")
  return text === "" ? undefined : () => onParams({ text: "", at: "" }, "replace")
}
