import { leaveOne, type PageProps } from "../../data/params.ts"
import type { FoldParams } from "../../data/paths.ts"
import { CollectionPage } from "../../ui/collection/collection.tsx"

import { Detail } from "./detail.tsx"
import { FoldHeader } from "./header.tsx"
import { ListPane } from "./list-pane.tsx"
import { useTree } from "./use-fold.ts"

/** Sub-tasks by session: what each used, what came back, and what never reached the window. */
export function FoldPage({ now, params, onParams }: PageProps<FoldParams>) {
  const tree = useTree(params)
  const { show, step, text } = params
  return (
    <CollectionPage
      name="folds"
      detailPx={480}
      header={<FoldHeader tree={tree.data} />}
      list={<ListPane now={now} tree={tree} params={params} onParams={onParams} />}
      detail={
        show === "" ? null : <Detail key={show} now={now} params={params} onParams={onParams} />
      }
      onLeave={leaveOne(
        onParams,
        [show !== "" && step !== null, { step: null }],
        [show !== "", { show: "", step: null }],
        [text !== "", { text: "", at: "" }],
      )}
    />
  )
}
