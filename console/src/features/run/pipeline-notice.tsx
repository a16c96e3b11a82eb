import { visibleLine } from "../../base/format.ts"
import type { PipelineLine } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { LinkButton } from "../../ui/button/button.tsx"
import { Notice } from "../../ui/notice/notice.tsx"

export function PipelineNotice({ session }: { readonly session: string }) {
  const { data } = useOperation("pipeline.list", { session, limit: 1 })
  const newest = data?.runs[0]
  if (newest === undefined || newest.endedAt !== null) return null
  return (
    <Notice says={sayPipeline(newest)}>
      <LinkButton small href={paths.pipeline(newest.id)}>
        Open {newest.id}
      </LinkButton>
    </Notice>
  )
}

function sayPipeline({ agent, status, stageTitle, query }: PipelineLine): string {
  const where = stageTitle === null ? "" : ` after ${visibleLine(stageTitle)}`
  const question = visibleLine(query)
  return status === "paused"
    ? `${agent} has paused${where}: ${question}. What you write here answers it; 3 leaves.`
    : `${agent} works on: ${question}`
}
