import { useMemo } from "react"
import { toWireError } from "../../../base/errors.ts"
import { formatWhenAmong } from "../../../base/format.ts"
import { type CaptureDiff, type CaptureSummary, formatExact, plural } from "../../../contract.ts"
import { Failure } from "../../../ui/failure/failure.tsx"
import {
  Cell,
  NarrowEnd,
  NarrowLine,
  Row,
  RowNote,
  RowSkeleton,
  TableHead,
  TextCell,
} from "../../../ui/list/list.tsx"
import { ChoiceMenu } from "../../../ui/menu/menu.tsx"
import { OnlyWide, PaneHead, Stack } from "../../../ui/pane/pane.tsx"
import { Path } from "../../../ui/path/path.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { Heading, LineList, type TabProps } from "../list/line-list.tsx"
import { signed } from "../list/lines.ts"
import { type ChangeLine, changeLines } from "../tables.ts"
import { describeSummary } from "../words.ts"

const COLUMNS = {
  full: "minmax(0, 1fr) 120px 72px 72px 72px",
  tight: "minmax(0, 1fr) 100px 72px 72px",
  narrow: "minmax(0, 1fr) 88px",
} as const

const HEAD = [
  { text: "Loaded" },
  { text: "Lines", from: "roomy" },
  { text: "Before", align: "end", from: "wide" },
  { text: "After", align: "end", from: "roomy" },
  { text: "Change", align: "end" },
] as const

type DiffProps = TabProps & {
  readonly now: number
  readonly captures: readonly CaptureSummary[]
  readonly from: string
  readonly to: string
  readonly diff: CaptureDiff | undefined
  readonly error: Error | null
  onRetry(): void
  onPick(change: { readonly from?: string; readonly to?: string }): void
}

export function Diff(props: DiffProps) {
  const { now, captures, from, to, diff, error, onPick } = props
  const moments = captures.map((it) => it.capturedAt)
  const choices = captures.map((it) => ({
    value: it.id,
    label: formatWhenAmong(it.capturedAt, now, moments),
    detail: describeSummary(it),
  }))
  const nameOf = (id: string) => choices.find((it) => it.value === id)?.label ?? "choose"
  return (
    <>
      <PaneHead edge="page">
        <Text size="sm" tone="2">
          From
        </Text>
        <ChoiceMenu
          label={`From: ${nameOf(from)}`}
          choices={choices}
          value={from}
          onPick={(it) => onPick({ from: it })}
        >
          {nameOf(from)}
        </ChoiceMenu>
        <Text size="sm" tone="2">
          to
        </Text>
        <ChoiceMenu
          label={`To: ${nameOf(to)}`}
          choices={choices}
          value={to}
          onPick={(it) => onPick({ to: it })}
        >
          {nameOf(to)}
        </ChoiceMenu>
        {diff === undefined ? null : (
          <OnlyWide>
            <Text as="div" size="sm" tone="2" cut>
              {describeTotals(diff)}
            </Text>
          </OnlyWide>
        )}
      </PaneHead>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={props.onRetry} />
      )}
      <Changes {...props} />
    </>
  )
}

function Changes({ from, diff, error, at, onMove, onOpen }: DiffProps) {
  const lines = useMemo(() => (diff === undefined ? [] : changeLines(diff)), [diff])
  if (from === "") {
    return <RowNote>Only one capture exists. Capture again after a change to compare.</RowNote>
  }
  if (diff === undefined) return error === null ? <RowSkeleton rows={6} /> : null
  if (lines.length === 0) return <RowNote>No differences.</RowNote>
  return (
    <LineList
      label="Changes"
      columns={COLUMNS}
      head={<TableHead labels={HEAD} />}
      lines={lines}
      at={at}
      onMove={onMove}
      onOpen={onOpen}
      renderLine={(line, option) =>
        line.kind === "heading" ? (
          <Heading line={line} />
        ) : (
          <Row option={option}>
            <Stack>
              <Cell lead>
                <Path path={line.change.label} />
              </Cell>
              <NarrowLine>{formatLines(line)}</NarrowLine>
            </Stack>
            <TextCell from="roomy" tone="2">
              {formatLines(line)}
            </TextCell>
            <TextCell from="wide" mono tone="3" align="end">
              {line.change.change === "added" ? "" : formatExact(line.change.tokensBefore)}
            </TextCell>
            <TextCell from="roomy" mono align="end">
              {line.change.change === "removed" ? "" : formatExact(line.change.tokensAfter)}
            </TextCell>
            <TextCell from="roomy" mono align="end">
              {signed(line.change.tokensAfter - line.change.tokensBefore)}
            </TextCell>
            <NarrowEnd>
              <Text as="div" mono>
                {signed(line.change.tokensAfter - line.change.tokensBefore)}
              </Text>
            </NarrowEnd>
          </Row>
        )
      }
    />
  )
}

function formatLines({ change }: Extract<ChangeLine, { readonly kind: "change" }>): string {
  const { linesAdded = 0, linesRemoved = 0 } = change
  const parts = [
    linesAdded > 0 ? `+${formatExact(linesAdded)}` : "",
    linesRemoved > 0 ? `−${formatExact(linesRemoved)}` : "",
  ].filter(Boolean)
  if (parts.length > 0) return `${parts.join(" ")} lines`
  return change.change === "moved" ? "moved in the load order" : ""
}

function describeTotals({ tokensBefore, tokensAfter, changes }: CaptureDiff): string {
  const grown = tokensAfter - tokensBefore
  return `${plural(changes.length, "change")}, ${formatExact(tokensBefore)} to ${formatExact(tokensAfter)} tokens, ${signed(grown)}`
}
