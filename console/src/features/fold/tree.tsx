import { useMemo } from "react"
import { formatMinutes, formatWhen, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { type FoldTree, formatCount, formatExact } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import type { FoldParams } from "../../data/paths.ts"
import { CollectionList, type ListRef, useTreeKeys } from "../../ui/collection/collection.tsx"
import { Gauge } from "../../ui/gauge/gauge.tsx"
import {
  Cell,
  FigureCell,
  NameCell,
  NarrowLine,
  Row,
  type RowOption,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"

import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TreeCell } from "../../ui/tree-cell/tree-cell.tsx"
import {
  type BranchLine,
  type FoldLine,
  type SessionLine,
  treeLines,
  turnLine,
} from "./tree-lines.ts"
import {
  describeState,
  formatBudget,
  formatTime,
  formatUsed,
  isLive,
  isOverBudget,
  MODES,
  MODES_IN_WORDS,
  markOf,
  timeUsedMs,
  WARNED_AT,
} from "./words.ts"

type TreeProps = PageProps<FoldParams> & {
  readonly tree: FoldTree
  readonly handle: ListRef
}

const COLUMNS = {
  full: "minmax(0, 1fr) 112px 72px 184px 128px 72px",
  tight: "minmax(0, 1fr) 92px 136px 48px",
  narrow: "minmax(0, 1fr) 56px",
} as const

export function Tree({ now, tree, params, handle, onParams }: TreeProps) {
  const lines = useMemo(() => treeLines(tree, params.closed), [tree, params.closed])
  const moveTo = (at: string) => onParams({ at }, "replace")
  const turn = ({ key }: FoldLine) =>
    onParams({ at: key, closed: turnLine(params.closed, key) }, "replace")
  useTreeKeys({
    scope: "folds",
    lines,
    at: params.at,
    keyOf: (it) => it.key,
    parentKeyOf: (it) => it.parentKey,
    isOpen: (it) => it.isOpen,
    onTurn: turn,
    onMove: moveTo,
  })
  return (
    <CollectionList
      ref={handle}
      role="tree"
      label="Branches by session"
      columns={COLUMNS}
      head={<TableHead labels={TREE_HEAD} />}
      items={lines}
      keyOf={(it) => it.key}
      at={params.at}
      openKey="folds.open"
      onMove={moveTo}
      onOpen={(row) => {
        if (row.kind === "session") turn(row)
        else onParams({ at: row.key, show: row.branch.id, step: null })
      }}
      renderItem={(row, plain) => {
        const { depth, position, siblings, isOpen } = row
        const option = { ...plain, branch: { level: depth + 1, position, siblings, isOpen } }
        return row.kind === "session" ? (
          <SessionRow now={now} line={row} option={option} />
        ) : (
          <BranchRow now={now} line={row} option={option} />
        )
      }}
    />
  )
}

const TREE_HEAD = [
  { text: "Branch" },
  { text: "State" },
  { text: "Method", from: "wide" },
  { text: "Used of budget" },
  { text: "Time", from: "wide" },
  { text: "Saved", align: "end" },
] as const

type LineProps<Line> = { readonly now: number; readonly line: Line; readonly option: RowOption }

function SessionRow({ now, line, option }: LineProps<SessionLine>) {
  const { client, sessionId, startedAt, branches, budgetUsed, tokensKeptOut } = line.session
  const name = hostTitle(client ?? sessionId)
  const live = branches.filter(isLive).length
  const statusText = live === 0 ? "ended" : `${formatExact(live)} active`
  const since = `since ${formatWhen(startedAt, now)}`
  return (
    <Row option={option}>
      <TreeCell depth={0} isOpen={line.isOpen}>
        <Stack>
          <NameCell>
            <Text strong cut title={visibleLine(sessionId)}>
              {name}
            </Text>
            <Cell from="roomy">
              <Text tone="3">{formatExact(branches.length)}</Text>
            </Cell>
          </NameCell>
          <NarrowLine>
            {statusText}, {since}
          </NarrowLine>
        </Stack>
      </TreeCell>
      <TextCell from="roomy" size="sm" tone="2" cut>
        {statusText}
      </TextCell>
      <Cell from="wide" />
      <TextCell from="roomy" size="sm" tone="3" cut>
        {formatCount(budgetUsed)} used
      </TextCell>
      <TextCell from="wide" size="sm" tone="3" cut title={since}>
        {since}
      </TextCell>
      <FigureCell unit="saved">{formatCount(tokensKeptOut)}</FigureCell>
    </Row>
  )
}

function BranchRow({ now, line, option }: LineProps<BranchLine>) {
  const { branch } = line
  const description = visibleLine(branch.description)
  const state = describeState(branch)
  return (
    <Row option={option}>
      <TreeCell depth={line.depth} isOpen={line.isOpen}>
        <StatusMark status={markOf(branch)} />
        <Stack>
          <NameCell>
            <Text cut title={description}>
              {description}
            </Text>
          </NameCell>
          <NarrowLine>
            {state}, {formatUsed(branch)} of {formatCount(branch.budgetTotal)}
          </NarrowLine>
        </Stack>
      </TreeCell>
      <TextCell from="roomy" size="sm" tone="2" cut title={state}>
        {state}
      </TextCell>
      <TextCell from="wide" size="sm" tone="3" cut title={MODES_IN_WORDS[branch.mode]}>
        {MODES[branch.mode]}
      </TextCell>
      <Cell from="roomy">
        <Gauge
          label={formatBudget(branch)}
          share={Math.min(1, branch.budgetUsed / branch.budgetTotal)}
          used={formatUsed(branch)}
          total={formatCount(branch.budgetTotal)}
          notch={WARNED_AT}
          isOver={isOverBudget(branch)}
        />
      </Cell>
      <Cell from="wide">
        <TimeGauge line={line} now={now} />
      </Cell>
      <FigureCell unit="saved">{formatCount(branch.tokensKeptOut)}</FigureCell>
    </Row>
  )
}

function TimeGauge({ line: { branch }, now }: { readonly line: BranchLine; readonly now: number }) {
  const usedMs = timeUsedMs(branch, now)
  const limitMs = branch.timeoutSeconds * 1_000
  return (
    <Gauge
      label={formatTime(branch, now)}
      share={Math.min(1, usedMs / limitMs)}
      used={formatMinutes(usedMs)}
      total={formatMinutes(limitMs)}
      isOver={branch.endReason === "timeout"}
    />
  )
}
