import { type RefObject, useMemo } from "react"
import { formatMinutes, formatWhen, visibleLine } from "../../base/format.ts"
import { type FoldTree, formatCount, formatExact } from "../../contract.ts"
import type { FoldParams } from "../../data/paths.ts"
import { Gauge } from "../../ui/gauge/gauge.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, NameCell, NarrowLine, Row, type RowOption, TableHead } from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Twig } from "../../ui/twig/twig.tsx"
import {
  type BranchLine,
  type FoldLine,
  type SessionLine,
  treeLines,
  turnLine,
} from "./tree-lines.ts"
import {
  isLive,
  MODES,
  MODES_IN_WORDS,
  markOf,
  sayBudget,
  sayState,
  sayTime,
  sayUsed,
  timeUsedMs,
  WARNED_AT,
} from "./words.ts"

type TreeProps = {
  readonly now: number
  readonly tree: FoldTree
  readonly params: FoldParams
  readonly handle: RefObject<VirtualListHandle | null>
  onParams(change: Partial<FoldParams>, how?: "push" | "replace"): void
}

const COLUMNS = {
  full: "minmax(0, 1fr) 112px 72px 184px 128px 72px",
  tight: "minmax(0, 1fr) 92px 136px 48px",
  narrow: "minmax(0, 1fr) 56px",
} as const

/** Branches below the session and the branch that opened them; keys walk, right opens, left closes. */
export function Tree({ now, tree, params, handle, onParams }: TreeProps) {
  const lines = useMemo(() => treeLines(tree, params.closed), [tree, params.closed])
  const indexes = useMemo(() => new Map(lines.map((it, i) => [it.key, i])), [lines])
  const index = indexes.get(params.at) ?? -1
  const selected = lines[index]
  useTreeKeys({ lines, indexes, index, params, onParams })
  const open = openerOf(params, onParams)
  const idOf = (line: FoldLine) => `fold-${indexes.get(line.key) ?? 0}`
  return (
    <VirtualList
      ref={handle}
      role="tree"
      label="Branches by session"
      columns={COLUMNS}
      head={<TreeHead />}
      items={lines}
      keyOf={(it) => it.key}
      isGroup={() => false}
      activeIndex={index}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={false}
      renderItem={(it) => {
        const { depth, place, siblings, isOpen } = it
        const option: RowOption = {
          id: idOf(it),
          isSelected: it.key === params.at,
          branch: { level: depth + 1, place, siblings, isOpen },
          onPick: () => open(it),
        }
        return it.kind === "session" ? (
          <SessionRow now={now} line={it} option={option} />
        ) : (
          <BranchRow now={now} line={it} option={option} />
        )
      }}
    />
  )
}

type Turn = Pick<TreeProps, "params" | "onParams">

/** A session opens and closes; a branch is shown beside. */
function openerOf(params: FoldParams, onParams: TreeProps["onParams"]) {
  return (line: FoldLine) => {
    if (line.kind === "session") return turn({ params, onParams }, line)
    return onParams({ at: line.key, show: line.branch.id, step: null })
  }
}

function turn({ params, onParams }: Turn, { key }: FoldLine): void {
  onParams({ at: key, closed: turnLine(params.closed, key) }, "replace")
}

type TreeKeys = Turn & {
  readonly lines: readonly FoldLine[]
  readonly indexes: ReadonlyMap<string, number>
  readonly index: number
}

function useTreeKeys({ lines, indexes, index, params, onParams }: TreeKeys): void {
  const selected = lines[index]
  const open = openerOf(params, onParams)
  const moveTo = (line: FoldLine | undefined) =>
    line === undefined ? undefined : onParams({ at: line.key }, "replace")
  const unfold = (line: FoldLine) => {
    if (line.isOpen === false) turn({ params, onParams }, line)
    else if (line.isOpen === true) moveTo(lines[index + 1])
  }
  const fold = (line: FoldLine) => {
    if (line.isOpen === true) return turn({ params, onParams }, line)
    return moveTo(lines[indexes.get(line.parentKey) ?? -1])
  }
  useKey("list.next", () => moveTo(lines[index + 1]))
  useKey("list.previous", () => moveTo(lines[index < 0 ? lines.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(lines[0]))
  useKey("list.last", () => moveTo(lines.at(-1)))
  useKey("folds.open", () => (selected === undefined ? moveTo(lines[0]) : open(selected)))
  useKey("folds.unfold", selected === undefined ? undefined : () => unfold(selected))
  useKey("folds.fold", selected === undefined ? undefined : () => fold(selected))
}

function TreeHead() {
  return (
    <TableHead
      labels={[
        { text: "Branch" },
        { text: "State" },
        { text: "Way", from: "wide" },
        { text: "Used of budget" },
        { text: "Time", from: "wide" },
        { text: "Kept out", align: "end" },
      ]}
    />
  )
}

type LineProps<Line> = { readonly now: number; readonly line: Line; readonly option: RowOption }

function SessionRow({ now, line, option }: LineProps<SessionLine>) {
  const { client, sessionId, startedAt, branches, budgetUsed, tokensKeptOut } = line.session
  const name = visibleLine(client ?? sessionId)
  const live = branches.filter(isLive).length
  const stands = live === 0 ? "ended" : `${formatExact(live)} active`
  const since = `since ${formatWhen(startedAt, now)}`
  return (
    <Row option={option}>
      <Twig depth={0} isOpen={line.isOpen}>
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
            {stands}, {since}
          </NarrowLine>
        </Stack>
      </Twig>
      <Cell from="roomy">
        <Text as="div" size="sm" tone="2" cut>
          {stands}
        </Text>
      </Cell>
      <Cell from="wide" />
      <Cell from="roomy">
        <Text as="div" size="sm" tone="3" cut>
          {formatCount(budgetUsed)} used
        </Text>
      </Cell>
      <Cell from="wide">
        <Text as="div" size="sm" tone="3" cut title={since}>
          {since}
        </Text>
      </Cell>
      <Text as="div" mono tone="2" align="end">
        {formatCount(tokensKeptOut)}
      </Text>
    </Row>
  )
}

function BranchRow({ now, line, option }: LineProps<BranchLine>) {
  const { branch } = line
  const description = visibleLine(branch.description)
  const state = sayState(branch)
  return (
    <Row option={option}>
      <Twig depth={line.depth} isOpen={line.isOpen}>
        <StatusMark status={markOf(branch)} />
        <Stack>
          <NameCell>
            <Text cut title={description}>
              {description}
            </Text>
          </NameCell>
          <NarrowLine>
            {state}, {sayUsed(branch)} of {formatCount(branch.budgetTotal)}
          </NarrowLine>
        </Stack>
      </Twig>
      <Cell from="roomy">
        <Text as="div" size="sm" tone="2" cut title={state}>
          {state}
        </Text>
      </Cell>
      <Cell from="wide">
        <Text as="div" size="sm" tone="3" cut title={MODES_IN_WORDS[branch.mode]}>
          {MODES[branch.mode]}
        </Text>
      </Cell>
      <Cell from="roomy">
        <Gauge
          label={sayBudget(branch)}
          share={branch.budgetUsed / branch.budgetTotal}
          used={sayUsed(branch)}
          total={formatCount(branch.budgetTotal)}
          notch={WARNED_AT}
          isOver={branch.endReason === "budget"}
        />
      </Cell>
      <Cell from="wide">
        <TimeGauge line={line} now={now} />
      </Cell>
      <Text as="div" mono tone="2" align="end">
        {formatCount(branch.tokensKeptOut)}
      </Text>
    </Row>
  )
}

function TimeGauge({ line: { branch }, now }: { readonly line: BranchLine; readonly now: number }) {
  const usedMs = timeUsedMs(branch, now)
  const limitMs = branch.timeoutSeconds * 1_000
  return (
    <Gauge
      label={sayTime(branch, now)}
      share={Math.min(1, usedMs / limitMs)}
      used={formatMinutes(usedMs)}
      total={formatMinutes(limitMs)}
      isOver={branch.endReason === "timeout"}
    />
  )
}
