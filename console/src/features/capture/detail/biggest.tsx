import { useMemo } from "react"
import { formatShare, visibleLine } from "../../../base/format.ts"
import { type Capture, formatExact } from "../../../contract.ts"
import { KindDot } from "../../../ui/budget-bar/budget-bar.tsx"
import {
  Cell,
  NameCell,
  NarrowEnd,
  NarrowLine,
  Row,
  RowNote,
  type RowOption,
  TextCell,
} from "../../../ui/list/list.tsx"
import { Meter } from "../../../ui/meter/meter.tsx"
import { Stack } from "../../../ui/pane/pane.tsx"
import { Path } from "../../../ui/path/path.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { Heading, LineList, type TabProps } from "../list/line-list.tsx"
import { type BiggestLine, biggestLines } from "../tables.ts"

const COLUMNS = {
  full: "minmax(0, 1fr) minmax(0, 1fr) 72px 64px 120px",
  tight: "minmax(0, 1.2fr) minmax(0, 1fr) 72px 64px",
  narrow: "minmax(0, 1fr) 96px",
} as const

export function Biggest({ capture, at, onMove, onOpen }: TabProps & { readonly capture: Capture }) {
  const lines = useMemo(() => biggestLines(capture), [capture])
  const total = capture.budget.tokens
  if (lines.length === 0) return <RowNote>The window is empty.</RowNote>
  return (
    <LineList
      label="Largest items, duplicates, notes"
      columns={COLUMNS}
      lines={lines}
      at={at}
      onMove={onMove}
      onOpen={onOpen}
      renderLine={(line, option) =>
        line.kind === "heading" ? (
          <Heading line={line} />
        ) : (
          <BiggestRow line={line} option={option} total={total} />
        )
      }
    />
  )
}

type BiggestRowProps = {
  readonly line: Exclude<BiggestLine, { readonly kind: "heading" }>
  readonly option: RowOption
  readonly total: number
}

function BiggestRow({ line, option, total }: BiggestRowProps) {
  switch (line.kind) {
    case "big": {
      const share = total === 0 ? 0 : line.tokens / total
      return (
        <Cells
          option={option}
          lead={
            <>
              <KindDot kind={line.item?.kind ?? null} />
              <Path path={line.label} />
            </>
          }
          description={line.item?.reason ?? ""}
          tokens={line.tokens}
          share={formatShare(share)}
          meter={share}
        />
      )
    }
    case "duplicate": {
      const { labels, tokens, likeness, excerpt } = line.duplicate
      return (
        <Cells
          option={option}
          lead={<Text cut>{visibleLine(labels.join(", "))}</Text>}
          description={excerpt}
          tokens={tokens}
          share={likeness === 1 ? "identical" : `${Math.round(likeness * 100)} % alike`}
        />
      )
    }
    case "note":
      return (
        <Cells
          option={option}
          lead={<Text cut>{visibleLine(line.note.text)}</Text>}
          description={line.place}
        />
      )
    case "category":
      return (
        <Cells
          option={option}
          lead={<Text cut>{visibleLine(line.name)}</Text>}
          description={`counted by the ${line.source}`}
          tokens={line.tokens}
        />
      )
    default:
      return line satisfies never
  }
}

type CellsProps = {
  readonly option: RowOption
  readonly lead: React.ReactNode
  readonly description: string
  readonly tokens?: number
  readonly share?: string
  readonly meter?: number
}

function Cells({ option, lead, description, tokens, share, meter }: CellsProps) {
  const shown = visibleLine(description)
  const figure = tokens === undefined ? "" : formatExact(tokens)
  return (
    <Row option={option}>
      <Stack>
        <NameCell>{lead}</NameCell>
        <NarrowLine>{shown}</NarrowLine>
      </Stack>
      <TextCell from="roomy" tone="2" cut title={shown}>
        {shown}
      </TextCell>
      <TextCell from="roomy" tone="2" align="end">
        {share}
      </TextCell>
      <TextCell from="roomy" mono align="end">
        {figure}
      </TextCell>
      <Cell from="wide">
        {meter === undefined ? null : (
          <Meter share={Math.min(0.79, meter)} label={`${share ?? ""} of the initial context`} />
        )}
      </Cell>
      <NarrowEnd>
        <Text as="div" mono>
          {figure}
        </Text>
        <Text as="div" size="sm" tone="3">
          {share}
        </Text>
      </NarrowEnd>
    </Row>
  )
}
