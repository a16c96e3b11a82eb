import { formatAge, visibleLine } from "../../base/format.ts"
import { PIPELINE_MARKS, PIPELINE_WORDS, sayCost } from "../../base/status.ts"
import type { PipelineLine } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { LinkButton } from "../../ui/button/button.tsx"
import { Row, RowNote, Rows } from "../../ui/list/list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"

const COLUMNS = {
  full: "14px minmax(0, 1fr) 72px",
  tight: "14px minmax(0, 1fr) 72px",
  narrow: "14px minmax(0, 1fr) 72px",
} as const

type AgentRunsProps = {
  readonly now: number
  readonly slug: string
  readonly runs: readonly PipelineLine[]
}

export function AgentRuns({ now, slug, runs }: AgentRunsProps) {
  if (runs.length === 0) return <RowNote>It was never started here.</RowNote>
  return (
    <>
      <Rows columns={COLUMNS}>
        {runs.map((it) => (
          <Row key={it.id} lines={2} href={paths.pipeline(it.id)}>
            <StatusMark status={PIPELINE_MARKS[it.status]} />
            <Stack>
              <Text as="div" cut title={visibleLine(it.title)}>
                {visibleLine(it.title)}
              </Text>
              <Text as="div" size="sm" tone="2" cut>
                {[it.id, PIPELINE_WORDS[it.status], sayCost(it.cost)].join(", ")}
              </Text>
            </Stack>
            <Text as="div" size="sm" tone="3" align="end" cut>
              {formatAge(it.createdAt, now)}
            </Text>
          </Row>
        ))}
      </Rows>
      <RowNote>
        <LinkButton look="ghost" small href={paths.pipelines({ agent: slug })}>
          All runs of {slug}
        </LinkButton>
      </RowNote>
    </>
  )
}
