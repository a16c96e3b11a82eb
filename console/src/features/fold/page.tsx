import type { FoldAddress } from "../../data/fold-search.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Detail } from "./detail.tsx"
import { FoldHeader } from "./header.tsx"
import { ListPane } from "./list-pane.tsx"
import { useTree } from "./use-fold.ts"

export type FoldPageProps = {
  readonly now: number
  readonly search: FoldAddress
  onSearch(change: Partial<FoldAddress>, how?: "push" | "replace"): void
}

/** Sub-tasks by session: what each used, what came back, and what never reached the window. */
export function FoldPage({ now, search, onSearch }: FoldPageProps) {
  const tree = useTree(search)
  useKey("leave", leaves(search, onSearch))
  return (
    <>
      <FoldHeader tree={tree.data} />
      <Split
        name="folds"
        startPx={DETAIL_PX}
        list={<ListPane now={now} tree={tree} search={search} onSearch={onSearch} />}
        detail={
          search.show === "" ? null : (
            <Detail key={search.show} now={now} search={search} onSearch={onSearch} />
          )
        }
      />
    </>
  )
}

/** A result is read here: wider than the 392 of other details. */
const DETAIL_PX = 480

/** First the open step, then the detail, then what is looked for. */
function leaves({ show, text, step }: FoldAddress, onSearch: FoldPageProps["onSearch"]) {
  if (show !== "" && step !== null) return () => onSearch({ step: null }, "replace")
  if (show !== "") return () => onSearch({ show: "", step: null }, "replace")
  return text === "" ? undefined : () => onSearch({ text: "", at: "" }, "replace")
}
