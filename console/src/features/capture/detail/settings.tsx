import { useMemo } from "react"
import { toWireError } from "../../../base/errors.ts"
import { visibleLine } from "../../../base/format.ts"
import type { CaptureSettings } from "../../../contract.ts"
import { Failure } from "../../../ui/failure/failure.tsx"
import { Cell, NarrowLine, Row, RowNote, RowSkeleton, TextCell } from "../../../ui/list/list.tsx"
import { Stack } from "../../../ui/pane/pane.tsx"
import { Path } from "../../../ui/path/path.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { Heading, LineList, type TabProps } from "../list/line-list.tsx"
import { type SettingsLine, settingsLines } from "../tables.ts"

const COLUMNS = {
  full: "minmax(0, 220px) minmax(0, 1fr) 88px 136px",
  tight: "minmax(0, 200px) minmax(0, 1fr) 104px",
  narrow: "minmax(0, 1fr)",
} as const

type SettingsProps = TabProps & {
  readonly found: CaptureSettings | undefined
  readonly error: Error | null
  onRetry(): void
}

export function EffectiveSettings({ found, error, onRetry, at, onMove, onOpen }: SettingsProps) {
  const lines = useMemo(() => (found === undefined ? [] : settingsLines(found)), [found])
  if (error !== null) return <Failure size="pane" error={toWireError(error)} onRetry={onRetry} />
  if (found === undefined) return <RowSkeleton rows={8} />
  if (lines.length === 0) return <RowNote>No settings file found.</RowNote>
  return (
    <LineList
      label="Settings of the host"
      columns={COLUMNS}
      lines={lines}
      at={at}
      onMove={onMove}
      onOpen={onOpen}
      renderLine={(line, option) => {
        if (line.kind === "heading") return <Heading line={line} />
        const { name, value, where, state, isQuiet } = cellsOf(line)
        return (
          <Row option={option} ghost={isQuiet}>
            <Stack>
              <Cell lead>
                <Text mono cut title={visibleLine(name)}>
                  {visibleLine(name)}
                </Text>
              </Cell>
              <NarrowLine>{`${visibleLine(value)}, ${where}`}</NarrowLine>
            </Stack>
            <Cell from="roomy">
              {line.kind === "layer" ? (
                <Path path={value} />
              ) : (
                <Text as="div" mono cut title={visibleLine(value)}>
                  {visibleLine(value)}
                </Text>
              )}
            </Cell>
            <TextCell from="roomy" tone="2" cut>
              {where}
            </TextCell>
            <TextCell from="wide" tone="3" align="end" cut title={state}>
              {state}
            </TextCell>
          </Row>
        )
      }}
    />
  )
}

function cellsOf(line: Exclude<SettingsLine, { readonly kind: "heading" }>) {
  switch (line.kind) {
    case "setting": {
      const { key, value, layer, hidden } = line.setting
      const state = hidden.length === 0 ? "" : `overrides ${hidden.length}`
      return { name: key, value, where: layer, state, isQuiet: false }
    }
    case "server": {
      const { name, target, scope, transport, state } = line.server
      return { name, value: `${transport} ${target}`, where: scope, state, isQuiet: false }
    }
    case "layer": {
      const { layer, path, outcome, problem } = line.layer
      const isQuiet = outcome !== "found"
      return { name: layer, value: path, where: outcome, state: problem ?? "", isQuiet }
    }
    default:
      return line satisfies never
  }
}
