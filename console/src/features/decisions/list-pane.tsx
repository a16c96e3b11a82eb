import { type RefObject, useMemo, useRef } from "react"
import { formatAge, formatWhen, visibleLine } from "../../base/format.ts"
import { formatExact, type Memory, type MemoryList, plural } from "../../contract.ts"
import { toWireError } from "../../data/errors.ts"
import type { DecisionsParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FilterField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import {
  Cell,
  NameCell,
  NarrowLine,
  Row,
  RowNote,
  type RowOption,
  RowSkeleton,
  TableHead,
} from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Pane, PaneFoot, PaneHead, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useDecisions } from "./use-decisions.ts"
import { isQuarantined, markOf, sayMoved, sayState } from "./words.ts"

type ListPaneProps = {
  readonly now: number
  readonly isReadOnly: boolean
  readonly params: DecisionsParams
  onParams(change: Partial<DecisionsParams>, how?: "push" | "replace"): void
}

/** What was decided here, the newest first. */
export function ListPane(props: ListPaneProps) {
  const { params, onParams } = props
  const handle = useRef<VirtualListHandle>(null)
  const { data, error, refetch } = useDecisions()
  return (
    <Pane label="Decisions">
      <PaneHead edge="page">
        <FilterField
          label="Filter by words"
          value={params.text}
          onChange={(text) => onParams({ text, at: "" }, "replace")}
          onLeave={() => handle.current?.focus()}
        />
      </PaneHead>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined ? <RowSkeleton rows={8} /> : null}
      {data === undefined ? null : <Listed {...props} handle={handle} list={data} />}
    </Pane>
  )
}

type ListedProps = ListPaneProps & {
  readonly handle: RefObject<VirtualListHandle | null>
  readonly list: MemoryList
}

function Listed(props: ListedProps) {
  const { list, params, onParams } = props
  const { memories, total } = list
  const shown = useMemo(() => having(memories, params.text), [memories, params.text])
  if (memories.length === 0) return <Nothing {...props} />
  if (shown.length === 0) {
    return (
      <RowNote>
        No decision has these words, of {formatExact(total)}.
        <Button small onPress={() => onParams({ text: "", at: "" })}>
          Show all
        </Button>
      </RowNote>
    )
  }
  return (
    <>
      <DecisionRows {...props} decisions={shown} />
      <PaneFoot>
        {memories.length < total
          ? `The newest ${formatExact(memories.length)} of ${formatExact(total)} are listed.`
          : `${plural(total, "decision")}, newest first. Each is a file in git.`}
      </PaneFoot>
    </>
  )
}

/** Those whose title, line or text has every word. */
function having(all: readonly Memory[], text: string): readonly Memory[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return all
  return all.filter(({ title, description, body }) => {
    const haystack = `${title} ${description} ${body}`.toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}

function Nothing({ isReadOnly, onParams }: Pick<ListPaneProps, "isReadOnly" | "onParams">) {
  return (
    <Empty says="What was decided here will be listed with what made it necessary and what follows from it, each a file in git. When code it cites changes, it is shown as stale.">
      <CommandLine command={ADD}>
        {isReadOnly ? null : (
          <Button look="primary" small onPress={() => onParams({ add: true })}>
            Add decision
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

const ADD =
  'qm decision add "Round on the line" "Half to even, per line." --context "Totals differed."'

const COLUMNS = {
  full: "14px minmax(0, 1fr) 96px 80px",
  narrow: "14px minmax(0, 1fr) 56px",
} as const

function DecisionRows(props: ListedProps & { readonly decisions: readonly Memory[] }) {
  const { now, decisions, params, handle, onParams } = props
  const index = decisions.findIndex(({ id }) => id === params.at)
  const selected = decisions[index]
  const moveTo = (it: Memory | undefined) =>
    it === undefined ? undefined : onParams({ at: it.id }, "replace")
  const open = ({ id }: Memory) => onParams({ at: id, show: id, add: false })
  useKey("list.next", () => moveTo(decisions[index + 1]))
  useKey("list.previous", () => moveTo(decisions[index < 0 ? decisions.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(decisions[0]))
  useKey("list.last", () => moveTo(decisions.at(-1)))
  useKey("decisions.open", () => (selected === undefined ? moveTo(decisions[0]) : open(selected)))
  const idOf = (it: Memory) => `decision-${decisions.indexOf(it)}`
  return (
    <VirtualList
      ref={handle}
      label="Decisions"
      columns={COLUMNS}
      head={
        <TableHead
          labels={[
            { text: "" },
            { text: "Title" },
            { text: "State" },
            { text: "Age", align: "end" },
          ]}
        />
      }
      items={decisions}
      keyOf={({ id }) => id}
      isGroup={() => false}
      activeIndex={index}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={false}
      renderItem={(it) => (
        <DecisionRow
          now={now}
          decision={it}
          option={{ id: idOf(it), isSelected: it === selected, onPick: () => open(it) }}
        />
      )}
    />
  )
}

type DecisionRowProps = {
  readonly now: number
  readonly decision: Memory
  readonly option: RowOption
}

function DecisionRow({ now, decision, option }: DecisionRowProps) {
  const title = visibleLine(decision.title)
  const state = sayState(decision)
  const moved = sayMoved(decision)
  const isOdd = isQuarantined(decision) || decision.state === "stale"
  return (
    <Row option={option} ghost={decision.state === "superseded"}>
      <StatusMark status={markOf(decision)} />
      <Stack>
        <NameCell>
          <Text cut title={title}>
            {title}
          </Text>
          {moved === "" ? null : (
            <Cell from="wide">
              <Tag tone="warn">{moved}</Tag>
            </Cell>
          )}
        </NameCell>
        <NarrowLine>{[state, moved].filter((it) => it !== "").join(", ")}</NarrowLine>
      </Stack>
      <Cell from="roomy">
        <Text as="div" size="sm" tone={isOdd ? "warn" : "2"} cut>
          {state}
        </Text>
      </Cell>
      <Text as="div" size="sm" tone="3" align="end" cut title={formatWhen(decision.createdAt, now)}>
        {formatAge(decision.createdAt, now)}
      </Text>
    </Row>
  )
}
