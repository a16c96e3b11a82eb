import { useMemo } from "react"
import { visibleLine } from "../../base/format.ts"
import { type Capture, type CaptureAdvice, formatExact } from "../../contract.ts"
import { CommandLine } from "../../ui/empty/empty.tsx"
import {
  NameCell,
  NarrowEnd,
  NarrowLine,
  Row,
  RowNote,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"
import { Block, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail/detail.tsx"
import { LineList, type TabProps } from "./list/line-list.tsx"

export type AdviceLine = {
  readonly kind: "advice"
  readonly key: string
  readonly advice: CaptureAdvice
}

export function adviceLines({ advice }: Capture): readonly AdviceLine[] {
  return advice.map((it) => ({ kind: "advice", key: `advice:${it.kind} ${it.title}`, advice: it }))
}

const COLUMNS = {
  full: "minmax(0, 1fr) minmax(0, 1.4fr) 72px",
  tight: "minmax(0, 1fr) minmax(0, 1.2fr) 72px",
  narrow: "minmax(0, 1fr) 72px",
} as const

/** Suggested cuts, most tokens first. A saving is an estimate until the next capture measures it. */
export function Cuts({ capture, at, onMove, onOpen }: TabProps & { readonly capture: Capture }) {
  const lines = useMemo(() => adviceLines(capture), [capture])
  if (lines.length === 0) return <RowNote>Nothing to cut.</RowNote>
  return (
    <LineList
      label="Suggested cuts"
      columns={COLUMNS}
      head={
        <TableHead
          labels={[{ text: "Cut" }, { text: "Evidence" }, { text: "Tokens", align: "end" }]}
        />
      }
      lines={lines}
      at={at}
      onMove={onMove}
      onOpen={onOpen}
      renderLine={({ advice }, option) => {
        const evidence = visibleLine(advice.evidence)
        const tokens = advice.tokens === 0 ? "" : formatExact(advice.tokens)
        return (
          <Row option={option}>
            <Stack>
              <NameCell>
                <Text cut {...(advice.kind === "secret" ? { tone: "bad" } : {})}>
                  {visibleLine(advice.title)}
                </Text>
              </NameCell>
              <NarrowLine>{evidence}</NarrowLine>
            </Stack>
            <TextCell from="roomy" tone="2" cut title={evidence}>
              {evidence}
            </TextCell>
            <TextCell from="roomy" mono align="end">
              {tokens}
            </TextCell>
            <NarrowEnd>
              <Text as="div" mono>
                {tokens}
              </Text>
            </NarrowEnd>
          </Row>
        )
      }}
    />
  )
}

type AdviceDetailProps = { readonly advice: CaptureAdvice; onClose(): void }

export function AdviceDetail({ advice, onClose }: AdviceDetailProps) {
  const isCommand = advice.edit.startsWith("claude ") || advice.edit.startsWith("qm ")
  return (
    <Detail
      label="Suggested cut"
      title={advice.title}
      copies={{ text: advice.edit, label: "Copy the edit" }}
      onClose={onClose}
    >
      <PaneScroll>
        <Block>
          <Text as="p" tone="2" read>
            {visibleLine(advice.evidence)}
          </Text>
        </Block>
        <Block
          title={advice.tokens === 0 ? "Edit" : `Edit, frees ${formatExact(advice.tokens)} tokens`}
        >
          {isCommand ? (
            <CommandLine command={advice.edit} />
          ) : (
            <Text as="p" read>
              {visibleLine(advice.edit)}
            </Text>
          )}
        </Block>
        <Block>
          <Text as="p" size="sm" tone="3">
            A saving is an estimate until the next capture measures it.
          </Text>
        </Block>
      </PaneScroll>
    </Detail>
  )
}
