import { leaveOne, type PageProps } from "../../data/params.ts"
import type { AgentsParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"

import { Detail } from "./detail.tsx"
import { ListPane } from "./list-pane.tsx"

/** Agents that people can run: folders with stages, prompts and limits. */
export function AgentsPage({ now, params, onParams }: PageProps<AgentsParams>) {
  const isReadOnly = useReadOnly()
  const { show, tab, text } = params
  return (
    <CollectionPage
      name="agents"
      detailPx={520}
      header={<Header title="Agents" />}
      list={<ListPane params={params} onParams={onParams} />}
      detail={
        show === "" ? null : (
          <Detail
            key={show}
            now={now}
            slug={show}
            tab={tab}
            isReadOnly={isReadOnly}
            onTab={(to) => onParams({ tab: to }, "replace")}
            onClose={() => onParams({ show: "" })}
          />
        )
      }
      onLeave={leaveOne(onParams, [show !== "", { show: "" }], [text !== "", { text: "", at: "" }])}
    />
  )
}
