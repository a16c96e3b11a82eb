import { useMemo, useRef } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type Memory, type MemoryList, plural } from "../../contract.ts"
import { toWireError } from "../../data/errors.ts"
import { MEMORY_KINDS, MEMORY_STATES, type MemoryParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField, FilterField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import type { VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Pane, PaneFoot, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { type MemoryLine, MemoryRows } from "./rows.tsx"
import { MOST_LISTED, useFound, useMemories } from "./use-memory.ts"
import { NAMES_OF_STATES } from "./words.ts"

type ListPaneProps = {
  readonly now: number
  readonly isReadOnly: boolean
  readonly params: MemoryParams
  onParams(change: Partial<MemoryParams>, how?: "push" | "replace"): void
}

/** All of them, those of a kind and a state, or those that answer the words. */
export function ListPane(props: ListPaneProps) {
  const { params, onParams } = props
  const handle = useRef<VirtualListHandle>(null)
  const { data, error, refetch } = useMemories(params)
  const isSearching = params.text.trim() !== ""
  return (
    <Pane label="Memories">
      <Filters params={params} handle={handle} onParams={onParams} />
      <Problems problems={data?.problems ?? []} />
      {isSearching ? <FoundPane {...props} handle={handle} /> : null}
      {!isSearching && error !== null ? (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      ) : null}
      {!isSearching && error === null && data === undefined ? <RowSkeleton rows={10} /> : null}
      {isSearching || data === undefined ? null : <Listed {...props} handle={handle} list={data} />}
    </Pane>
  )
}

type Handled = ListPaneProps & { readonly handle: React.RefObject<VirtualListHandle | null> }

function Filters({ params, handle, onParams }: Omit<Handled, "now" | "isReadOnly">) {
  const states = [{ value: "", label: "All" }, ...STATES]
  const pick = (value: string) =>
    onParams({ state: MEMORY_STATES.find((it) => it === value) ?? null, at: "" }, "replace")
  const at = states.findIndex((it) => it.value === (params.state ?? ""))
  useKey("memory.state", () => pick(states[(at + 1) % states.length]?.value ?? ""))
  return (
    <>
      <PaneHead
        edge="page"
        actions={
          <ChoiceField
            small
            label="Kind"
            choices={KINDS}
            value={params.kind ?? ""}
            onPick={(value) => {
              const kind = MEMORY_KINDS.find((it) => it === value) ?? null
              onParams({ kind, at: "" }, "replace")
            }}
          />
        }
      >
        <FilterField
          label="Search the memories"
          value={params.text}
          onChange={(text) => onParams({ text, at: "" }, "replace")}
          onLeave={() => handle.current?.focus()}
        />
      </PaneHead>
      <PaneHead edge="page">
        <Facets label="State" facets={states} active={params.state ?? ""} onPick={pick} />
      </PaneHead>
    </>
  )
}

const STATES = MEMORY_STATES.map((value) => ({ value, label: NAMES_OF_STATES[value] }))
const KINDS = [
  { value: "", label: "All kinds" },
  ...MEMORY_KINDS.map((value) => ({ value, label: value })),
]

/** Files that say nothing we could read: named, so that somebody mends them. */
function Problems({ problems }: Pick<MemoryList, "problems">) {
  if (problems.length === 0) return null
  const named = problems.slice(0, MOST_NAMED).map(({ file, problem }) => `${file}: ${problem}`)
  const more = problems.length - named.length
  const rest = more === 0 ? "" : ` And ${formatExact(more)} more.`
  const says = `${plural(problems.length, "file")} could not be read as a memory. ${named.join(" ")}${rest}`
  return <Notice tone="warn" says={visibleLine(says)} />
}

/** The others are named by the command line. */
const MOST_NAMED = 3

function Listed({ list, ...props }: Handled & { readonly list: MemoryList }) {
  const { memories, total } = list
  const lines = useMemo(() => memories.map(plainLine), [memories])
  if (lines.length === 0) return <NothingListed {...props} />
  return (
    <>
      <MemoryRows {...props} lines={lines} />
      <PaneFoot>
        {memories.length < MOST_LISTED
          ? `${plural(memories.length, "memory", "memories")}, newest first. Each is a file in git.`
          : `${formatExact(memories.length)} of ${formatExact(total)} are listed, the search finds the others.`}
      </PaneFoot>
    </>
  )
}

const plainLine = (memory: Memory): MemoryLine => ({ memory, why: [] })

function NothingListed({
  params,
  isReadOnly,
  onParams,
}: Pick<ListPaneProps, "params" | "isReadOnly" | "onParams">) {
  if (params.kind !== null || params.state !== null) {
    return (
      <RowNote>
        No memory is of this kind and state.
        <Button small onPress={() => onParams({ kind: null, state: null })}>
          Show all
        </Button>
      </RowNote>
    )
  }
  return (
    <Empty says="What was decided to be remembered will be here: rules, decisions, pitfalls, each a file in git with the code it rests on. Agents propose them at the end of their work and are handed those that match.">
      <CommandLine command={ADD}>
        {isReadOnly ? null : (
          <Button look="primary" small onPress={() => onParams({ add: true })}>
            Add memory
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

const ADD = 'qm memory add "Berth" "Where a ship lies, and what is billed." --kind term'

function FoundPane(props: Handled) {
  const { params, onParams } = props
  const { data, error, refetch } = useFound(params)
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <RowSkeleton rows={6} />
  // The search knows kinds only; the state is looked at here.
  const lines = data.found.filter(
    ({ memory }) => params.state === null || memory.state === params.state,
  )
  if (lines.length === 0) {
    return (
      <RowNote>
        No memory answers these words, of {formatExact(data.total)}.
        <Button small onPress={() => onParams({ text: "", kind: null, state: null, at: "" })}>
          Show all
        </Button>
      </RowNote>
    )
  }
  return (
    <>
      <MemoryRows {...props} lines={lines} />
      <PaneFoot>
        {plural(lines.length, "memory", "memories")} of {formatExact(data.total)}, the best first.
      </PaneFoot>
    </>
  )
}
