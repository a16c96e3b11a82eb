import type { ReactNode } from "react"
import { visibleLine } from "../../../base/format.ts"
import { Icon } from "../../../ui/icon/icon.tsx"
import {
  Cell,
  NameCell,
  NarrowEnd,
  NarrowLine,
  Row,
  type RowOption,
  TextCell,
  VisuallyHidden,
} from "../../../ui/list/list.tsx"
import { Stack } from "../../../ui/pane/pane.tsx"
import { Path } from "../../../ui/path/path.tsx"
import { Tag } from "../../../ui/tag/tag.tsx"
import { Text } from "../../../ui/text/text.tsx"
import type { Delta, ObservationMatch } from "./lines.ts"

type RowCellsProps = {
  readonly option: RowOption
  readonly isGhost: boolean
  readonly number: number | null
  readonly lead: ReactNode
  readonly path: string
  readonly delta: Delta | null
  readonly fold?: "chevron-down" | "chevron-right"
  readonly load: string
  readonly reason: string
  readonly tokens: string
  readonly observed: ObservationMatch
  fall(bare: boolean): ReactNode
}

export function RowCells(props: RowCellsProps) {
  const { option, isGhost, number, path, delta, fold, tokens } = props
  const reason = visibleLine(props.reason)
  return (
    <Row option={option} ghost={isGhost}>
      <TextCell from="roomy" mono tone="3" align="end">
        {number}
      </TextCell>
      <Stack>
        <NameCell>
          {props.lead}
          <Path path={path} nameParts={hasSameName(path) ? 2 : 1} />
          {fold === undefined ? null : <Icon name={fold} size="small" />}
          {delta === null ? null : (
            <Tag {...(delta.tone === undefined ? {} : { tone: delta.tone })}>
              {delta.description}
            </Tag>
          )}
        </NameCell>
        <NarrowLine>{reason}</NarrowLine>
      </Stack>
      <TextCell from="wide" tone="2" cut>
        {props.load}
      </TextCell>
      <TextCell from="roomy" tone="2" cut title={reason}>
        {reason}
      </TextCell>
      <TextCell from="roomy" mono align="end" {...(isGhost ? { tone: "3" } : {})}>
        {tokens}
      </TextCell>
      <Cell from="roomy">
        <ObservedMark observed={props.observed} />
      </Cell>
      <Cell from="roomy">{props.fall(false)}</Cell>
      <NarrowEnd>
        <Text as="div" mono {...(isGhost ? { tone: "3" } : {})}>
          {tokens}
        </Text>
        {props.fall(true)}
      </NarrowEnd>
    </Row>
  )
}

function ObservedMark({ observed }: { readonly observed: ObservationMatch }) {
  switch (observed) {
    case "both":
      return (
        <Text as="div" tone="3" title="estimated and observed">
          <Icon name="check" />
          <VisuallyHidden>observed</VisuallyHidden>
        </Text>
      )
    case "text-differs":
      return (
        <Text as="div" size="xs" tone="warn" title="estimated and observed, but the text differs">
          text
        </Text>
      )
    case "estimated-only":
      return (
        <Text as="div" size="xs" tone="warn" title="estimated, not reported by the host">
          est.
        </Text>
      )
    case null:
      return null
    default:
      return observed satisfies never
  }
}

function hasSameName(path: string): boolean {
  return path.endsWith("/SKILL.md")
}
