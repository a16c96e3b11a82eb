import { useMemo } from "react"
import { visibleLine } from "../../../base/format.ts"
import { type Capture, formatExact } from "../../../contract.ts"
import { KindDot } from "../../../ui/budget-bar/budget-bar.tsx"
import {
  NameCell,
  NarrowEnd,
  NarrowLine,
  Row,
  TableHead,
  TextCell,
} from "../../../ui/list/list.tsx"
import { Stack } from "../../../ui/pane/pane.tsx"
import { Path } from "../../../ui/path/path.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { foundLines } from "../tables.ts"
import { sentenceCase } from "../words.ts"
import { LineList, type TabProps } from "./line-list.tsx"

const COLUMNS = {
  full: "minmax(0, 1.2fr) 88px 160px minmax(0, 1fr) 56px",
  tight: "minmax(120px, 1.2fr) 80px 130px 56px",
  narrow: "minmax(0, 1fr) 88px",
} as const

const OUTCOME_TONES = {
  found: "ok",
  missing: "3",
  empty: "warn",
  unreadable: "bad",
  excluded: "2",
} as const

export function SearchedPaths({
  capture,
  at,
  onMove,
  onOpen,
}: TabProps & { readonly capture: Capture }) {
  const lines = useMemo(() => foundLines(capture), [capture])
  return (
    <LineList
      label="Searched paths"
      columns={COLUMNS}
      head={
        <TableHead
          labels={[
            { text: "Path" },
            { text: "Outcome" },
            { text: "Source" },
            { text: "Detail", from: "wide" },
            { text: "Tokens", align: "end" },
          ]}
        />
      }
      lines={lines}
      at={at}
      onMove={onMove}
      onOpen={onOpen}
      renderLine={({ searched, label, item }, option) => (
        <Row option={option} ghost={searched.outcome !== "found"}>
          <Stack>
            <NameCell>
              <KindDot kind={item?.kind ?? null} outlined={(item?.tokens ?? 0) === 0} />
              <Path path={label} />
            </NameCell>
            <NarrowLine>{visibleLine(searched.detail ?? sentenceCase(searched.source))}</NarrowLine>
          </Stack>
          <TextCell from="roomy" tone={OUTCOME_TONES[searched.outcome]}>
            {searched.outcome}
          </TextCell>
          <TextCell from="roomy" tone="2" cut>
            {sentenceCase(searched.source)}
          </TextCell>
          <TextCell from="wide" tone="2" cut title={visibleLine(searched.detail ?? "")}>
            {visibleLine(searched.detail ?? item?.reason ?? "")}
          </TextCell>
          <TextCell from="roomy" mono align="end">
            {item === undefined ? "" : formatExact(item.tokens)}
          </TextCell>
          <NarrowEnd>
            <Text as="div" size="sm" tone={OUTCOME_TONES[searched.outcome]}>
              {searched.outcome}
            </Text>
          </NarrowEnd>
        </Row>
      )}
    />
  )
}
