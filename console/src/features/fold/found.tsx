import type { RefObject } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatWhen, visibleLine } from "../../base/format.ts"
import { type FoldSearch, plural } from "../../contract.ts"
import type { FoldParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import {
  Cell,
  NarrowLine,
  Row,
  RowNote,
  type RowOption,
  RowSkeleton,
  TableHead,
} from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { PaneFoot, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { MOST_FOUND, useTrails } from "./use-fold.ts"
import { ICON_OF_STEP, lineAround, rowLine, sayStep } from "./words.ts"

type FoundLine = FoldSearch["found"][number]

type FoundPaneProps = {
  readonly now: number
  readonly params: FoldParams
  readonly handle: RefObject<VirtualListHandle | null>
  onParams(change: Partial<FoldParams>, how?: "push" | "replace"): void
}

/** The steps of all trails that have the words, each with the line that does. */
export function FoundPane(props: FoundPaneProps) {
  const { params, onParams } = props
  const { data, error, refetch } = useTrails(params.text)
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <RowSkeleton rows={8} />
  if (data.found.length === 0) {
    return (
      <RowNote>
        No trail has these words, {plural(data.searched, "branch", "branches")} searched.
        <Button small onPress={() => onParams({ text: "", at: "" })}>
          Show the tree
        </Button>
      </RowNote>
    )
  }
  return <Found {...props} found={data} />
}

const COLUMNS = {
  full: "16px minmax(0, 1.4fr) minmax(0, 1fr) 112px 128px",
  tight: "16px minmax(0, 1.4fr) minmax(0, 1fr)",
  narrow: "16px minmax(0, 1fr)",
} as const

const keyOf = ({ branchId, seq }: FoundLine) => `${branchId} ${seq}`

function Found({ now, found, params, handle, onParams }: FoundPaneProps & { found: FoldSearch }) {
  const lines = found.found
  const index = lines.findIndex((it) => keyOf(it) === params.at)
  const selected = lines[index]
  const moveTo = (line: FoundLine | undefined) =>
    line === undefined ? undefined : onParams({ at: keyOf(line) }, "replace")
  const open = (line: FoundLine) =>
    onParams({ at: keyOf(line), show: line.branchId, tab: "trail", step: line.seq })
  useKey("list.next", () => moveTo(lines[index + 1]))
  useKey("list.previous", () => moveTo(lines[index < 0 ? lines.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(lines[0]))
  useKey("list.last", () => moveTo(lines.at(-1)))
  useKey("folds.open", () => (selected === undefined ? moveTo(lines[0]) : open(selected)))
  const idOf = (line: FoundLine) => `step-${lines.indexOf(line)}`
  return (
    <>
      <VirtualList
        ref={handle}
        label="Steps found"
        columns={COLUMNS}
        head={<FoundHead />}
        items={lines}
        keyOf={keyOf}
        isGroup={() => false}
        activeIndex={index}
        activeId={selected === undefined ? undefined : idOf(selected)}
        sticksToEnd={false}
        renderItem={(it) => (
          <FoundRow
            now={now}
            line={it}
            words={params.text}
            option={{ id: idOf(it), isSelected: it === selected, onPick: () => open(it) }}
          />
        )}
      />
      <PaneFoot>
        {lines.length < MOST_FOUND ? "" : "The first "}
        {plural(lines.length, "step")} in the trails of{" "}
        {plural(found.searched, "branch", "branches")}.
      </PaneFoot>
    </>
  )
}

function FoundHead() {
  return (
    <TableHead
      labels={[
        { text: "" },
        { text: "Line" },
        { text: "Branch" },
        { text: "Step", from: "wide" },
        { text: "When", from: "wide" },
      ]}
    />
  )
}

type FoundRowProps = {
  readonly now: number
  readonly line: FoundLine
  readonly words: string
  readonly option: RowOption
}

function FoundRow({ now, line, words, option }: FoundRowProps) {
  const text = rowLine(line.line)
  const branch = visibleLine(line.description)
  return (
    <Row option={option}>
      <Text tone="3">
        <Icon name={ICON_OF_STEP[line.kind]} />
      </Text>
      <Stack>
        <Text as="div" mono cut title={text}>
          {lineAround(line.line, words)}
        </Text>
        <NarrowLine>{branch}</NarrowLine>
      </Stack>
      <Cell from="roomy">
        <Text as="div" cut title={branch}>
          {branch}
        </Text>
      </Cell>
      <Cell from="wide">
        <Text as="div" size="sm" tone="2" cut>
          {sayStep(line)}
        </Text>
      </Cell>
      <Cell from="wide">
        <Text as="div" size="sm" tone="3" cut>
          {formatWhen(line.at, now)}
        </Text>
      </Cell>
    </Row>
  )
}
