import { type Ref } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatExact, plural } from "../../contract.ts"
import { CollectionList } from "../../ui/collection/collection.tsx"
import {
  Cell,
  FoldGroup,
  Row,
  RowNote,
  type RowOption,
  RowSkeleton,
  VisuallyHidden,
} from "../../ui/list/list.tsx"
import { type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Pane, PaneFoot, PaneHead, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Score, Tick } from "../../ui/score/score.tsx"
import { Text } from "../../ui/text/text.tsx"
import { OnlyTwoColumns } from "../../ui/two-columns/two-columns.tsx"
import type { CandidateLine } from "./lines.ts"

import { describeLeftOut, describeReasons } from "./words.ts"

const COLUMNS = {
  full: "28px 14px minmax(0, 1fr) 48px",
  narrow: "28px 14px minmax(0, 1fr) max-content",
} as const

type CandidatesProps = {
  readonly lines: readonly CandidateLine[] | undefined
  readonly count: number
  readonly unlisted: number
  readonly at: string
  readonly isActive: boolean
  readonly ref: Ref<VirtualListHandle>
  onMove(key: string): void
  onPick(key: string): void
  onFold(key: string): void
  onTick(path: string, isIn: boolean): void
}

export function Candidates(props: CandidatesProps) {
  const { lines, count, unlisted, at, isActive, onMove } = props
  return (
    <Pane label="Candidates">
      <OnlyTwoColumns>
        <PaneHead
          edge="page"
          actions={
            <Text size="sm" tone="3">
              by score
            </Text>
          }
        >
          <Text as="h2" strong>
            Candidates
          </Text>
          <Text tone="3">{lines === undefined ? "" : formatExact(count)}</Text>
        </PaneHead>
      </OnlyTwoColumns>
      {lines === undefined ? <RowSkeleton rows={10} /> : null}
      {lines?.length === 0 ? <RowNote>No candidates.</RowNote> : null}
      {lines === undefined || lines.length === 0 ? null : (
        <CollectionList
          ref={props.ref}
          label="Candidates"
          columns={COLUMNS}
          lines={2}
          wraps
          items={lines}
          keyOf={(it) => it.key}
          isGroup={(it) => it.kind === "group"}
          at={at}
          isActive={isActive}
          onMove={onMove}
          onOpen={(it) => (it.kind === "group" ? props.onFold(it.key) : props.onPick(it.key))}
          renderItem={(it, option) => <Line line={it} option={option} onTick={props.onTick} />}
        />
      )}
      {unlisted <= 0 ? null : (
        <PaneFoot>{plural(unlisted, "candidate")} with lower scores not listed.</PaneFoot>
      )}
    </Pane>
  )
}

type LineProps = Pick<CandidatesProps, "onTick"> & {
  readonly line: CandidateLine
  readonly option: RowOption
}

function Line({ line, option, onTick }: LineProps) {
  if (line.kind === "group") {
    return (
      <FoldGroup
        option={option}
        name={visibleLine(line.name)}
        count={line.count}
        sum={line.sum}
        isOpen={line.isOpen}
      />
    )
  }
  const isIn = line.kind === "chosen"
  const { path, score, tokens } = isIn ? line.file : line.left
  const description = visibleLine(isIn ? describeReasons(line.file) : describeLeftOut(line.left))
  return (
    <Row lines={2} wraps option={option}>
      {score === null ? <span /> : <Score share={score} />}
      <Tick isOn={isIn} onPress={() => onTick(path, isIn)} />
      <Stack>
        <Cell lead>
          <Path wraps path={path} />
        </Cell>
        <Text as="div" size="sm" tone="2" cut="wide" title={description}>
          {description}
        </Text>
        <VisuallyHidden>{isIn ? "in the package" : "left out"}</VisuallyHidden>
      </Stack>
      <Text as="div" mono tone="2" align="end">
        {tokens === null ? "" : formatExact(tokens)}
      </Text>
    </Row>
  )
}
