import type { AgentsAddress } from "../../data/agents-search.ts"
import { useSession } from "../../data/queries.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Detail } from "./detail.tsx"
import { ListPane } from "./list-pane.tsx"

type AgentsPageProps = {
  readonly now: number
  readonly search: AgentsAddress
  onSearch(change: Partial<AgentsAddress>, how?: "push" | "replace"): void
}

/** Agents that people can run: folders with stages, prompts and limits. */
export function AgentsPage({ now, search, onSearch }: AgentsPageProps) {
  const { data: session } = useSession()
  const { show, tab } = search
  useKey("leave", leaves(search, onSearch))
  return (
    <>
      <Header title="Agents" />
      <Split
        name="agents"
        startPx={DETAIL_PX}
        list={<ListPane search={search} onSearch={onSearch} />}
        detail={
          show === "" ? null : (
            <Detail
              key={show}
              now={now}
              slug={show}
              tab={tab}
              isReadOnly={session?.readOnly === true}
              onTab={(to) => onSearch({ tab: to }, "replace")}
              onClose={() => onSearch({ show: "" })}
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
function leaves({ show, text }: AgentsAddress, onSearch: AgentsPageProps["onSearch"]) {
  if (show !== "") return () => onSearch({ show: "" }, "replace")
  return text === "" ? undefined : () => onSearch({ text: "", at: "" }, "replace")
}
