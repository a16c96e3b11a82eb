import { visibleLine } from "../../base/format.ts"
import { formatCount, plural, type SessionsContext } from "../../contract.ts"
import { KindDot } from "../../ui/budget-bar/budget-bar.tsx"
import { Cell, Row, Rows, TextCell } from "../../ui/list/list.tsx"
import { PaneHead } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { ContextPoint } from "./chart.ts"

export type Compacted = SessionsContext["compactions"][number]

const COLUMNS = {
  full: "14px minmax(0, 1fr) 160px 72px",
  narrow: "14px minmax(0, 1fr) 72px",
} as const

const MOST_TOOLS = 10

/** The compaction whose first call this is. */
export function compactionAt(
  { points, compactions }: Pick<SessionsContext, "points" | "compactions">,
  call: number,
): Compacted | undefined {
  const at = points[call - 1]?.at ?? 0
  const before = points[call - 2]?.at ?? 0
  return compactions.findLast((it) => it.at > before && it.at <= at)
}

type RemovedProps = {
  readonly compaction: Compacted
  readonly before: ContextPoint | undefined
  readonly after: ContextPoint | undefined
}

/** Removed files and results, largest first. A file that the agent read again is marked. */
export function Removed({ compaction, before, after }: RemovedProps) {
  const { files, tools, fileCount } = compaction.removed
  return (
    <section aria-label="What the compaction removed">
      <PaneHead edge="page">
        <Text as="h2" strong>
          Removed by the compaction
        </Text>
        <Text tone="3" cut title={describeRemoved(compaction, before, after)}>
          {describeRemoved(compaction, before, after)}
        </Text>
      </PaneHead>
      <Rows columns={COLUMNS}>
        {files.map((it) => (
          <Row key={it.path}>
            <KindDot kind="files" />
            <Cell lead>
              <Text as="div" mono cut title={visibleLine(it.path)}>
                {visibleLine(it.path)}
              </Text>
            </Cell>
            <TextCell from="roomy" size="sm" tone={it.againTokens > 0 ? "warn" : "3"}>
              {it.againTokens > 0 ? `read again, ${formatCount(it.againTokens)}` : "not read again"}
            </TextCell>
            <Text as="div" mono tone="2" align="end">
              {formatCount(it.tokens)}
            </Text>
          </Row>
        ))}
        {tools.slice(0, MOST_TOOLS).map((it) => (
          <Row key={`tool ${it.tool}`}>
            <KindDot kind="symbols" />
            <Cell lead>{`${plural(it.results, "result")} of ${visibleLine(it.tool)}`}</Cell>
            <TextCell from="roomy">{""}</TextCell>
            <Text as="div" mono tone="2" align="end">
              {formatCount(it.tokens)}
            </Text>
          </Row>
        ))}
      </Rows>
      {fileCount > files.length ? (
        <Text
          as="p"
          size="sm"
          tone="3"
        >{`and ${plural(fileCount - files.length, "more file")}`}</Text>
      ) : null}
    </section>
  )
}

export function describeRemoved(
  { removed, tokensBefore, tokensAfter }: Compacted,
  before: ContextPoint | undefined,
  after: ContextPoint | undefined,
): string {
  const sizes =
    tokensBefore === null || tokensAfter === null
      ? []
      : [`${formatCount(Math.max(0, tokensBefore - tokensAfter))} tokens`]
  const kinds = (["files", "results", "conversation"] as const).flatMap((kind) => {
    const tokens = (before?.parts[kind] ?? 0) - (after?.parts[kind] ?? 0)
    return tokens > 0 ? [`${NAMES[kind]} ${formatCount(tokens)}`] : []
  })
  const again =
    removed.againTokens === 0
      ? "nothing was read again"
      : `${plural(removed.files.filter((it) => it.againTokens > 0).length, "file")} read again, ${formatCount(removed.againTokens)}`
  return [...sizes, plural(removed.turns, "turn"), ...kinds, again].join(", ")
}

const NAMES = { files: "files", results: "tool results", conversation: "conversation" } as const
