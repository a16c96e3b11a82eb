import type { FoldParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Detail } from "./detail.tsx"
import { FoldHeader } from "./header.tsx"
import { ListPane } from "./list-pane.tsx"
import { useTree } from "./use-fold.ts"

export type FoldPageProps = {
  readonly now: number
  readonly params: FoldParams
  onParams(change: Partial<FoldParams>, how?: "push" | "replace"): void
}

/** Sub-tasks by session: what each used, what came back, and what never reached the window. */
export function FoldPage({ now, params, onParams }: FoldPageProps) {
  const tree = useTree(params)
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <FoldHeader tree={tree.data} />
      <Split
        name="folds"
        startPx={DETAIL_PX}
        list={<ListPane now={now} tree={tree} params={params} onParams={onParams} />}
        detail={
          params.show === "" ? null : (
            <Detail key={params.show} now={now} params={params} onParams={onParams} />
          )
        }
      />
    </>
  )
}

/** A result is read here: wider than the 392 of other details. */
const DETAIL_PX = 480

/** First the open step, then the detail, then what is looked for. */
function leaves({ show, text, step }: FoldParams, onParams: FoldPageProps["onParams"]) {
  if (show !== "" && step !== null) return () => onParams({ step: null }, "replace")
  if (show !== "") return () => onParams({ show: "", step: null }, "replace")
  return text === "" ? undefined : () => onParams({ text: "", at: "" }, "replace")
}
