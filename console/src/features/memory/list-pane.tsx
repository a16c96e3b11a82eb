import { useMemo, useRef } from "react"
import type { Memory, MemoryList } from "../../contract.ts"
import { formatExact, plural } from "../../contract.ts"
import { toWireError } from "../../data/errors.ts"
import { KINDS_OF_MEMORY, type MemoryAddress, STATES_OF_MEMORY } from "../../data/memory-search.ts"
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
import { visibleLine } from "../../ui/visible.ts"
import { type MemoryLine, MemoryRows } from "./rows.tsx"
import { MOST_LISTED, useFound, useMemories } from "./use-memory.ts"
import { NAMES_OF_STATES } from "./words.ts"

type ListPaneProps = {
  readonly now: number
  readonly isReadOnly: boolean
  readonly search: MemoryAddress
  onSearch(change: Partial<MemoryAddress>, how?: "push" | "replace"): void
}

/** All of them, those of a kind and a state, or those that answer the words. */
export function ListPane(props: ListPaneProps) {
  const { search, onSearch } = props
  const handle = useRef<VirtualListHandle>(null)
  const { data, error, refetch } = useMemories(search)
  const isSearching = search.text.trim() !== ""
  return (
    <Pane label="Memories">
      <Filters search={search} handle={handle} onSearch={onSearch} />
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

function Filters({ search, handle, onSearch }: Omit<Handled, "now" | "isReadOnly">) {
  const states = [{ value: "", label: "All" }, ...STATES]
  const pick = (value: string) =>
    onSearch({ state: STATES_OF_MEMORY.find((it) => it === value) ?? null, at: "" }, "replace")
  const at = states.findIndex((it) => it.value === (search.state ?? ""))
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
            value={search.kind ?? ""}
            onPick={(value) => {
              const kind = KINDS_OF_MEMORY.find((it) => it === value) ?? null
              onSearch({ kind, at: "" }, "replace")
            }}
          />
        }
      >
        <FilterField
          label="Search the memories"
          value={search.text}
          onChange={(text) => onSearch({ text, at: "" }, "replace")}
          onLeave={() => handle.current?.focus()}
        />
      </PaneHead>
      <PaneHead edge="page">
        <Facets label="State" facets={states} active={search.state ?? ""} onPick={pick} />
      </PaneHead>
    </>
  )
}

const STATES = STATES_OF_MEMORY.map((value) => ({ value, label: NAMES_OF_STATES[value] }))
const KINDS = [
  { value: "", label: "All kinds" },
  ...KINDS_OF_MEMORY.map((value) => ({ value, label: value })),
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
  search,
  isReadOnly,
  onSearch,
}: Pick<ListPaneProps, "search" | "isReadOnly" | "onSearch">) {
  if (search.kind !== null || search.state !== null) {
    return (
      <RowNote>
        No memory is of this kind and state.
        <Button small onPress={() => onSearch({ kind: null, state: null })}>
          Show all
        </Button>
      </RowNote>
    )
  }
  return (
    <Empty says="What was decided to be remembered will be here: rules, decisions, pitfalls, each a file in git with the code it rests on. Agents propose them at the end of their work and are handed those that match.">
      <CommandLine command={ADD}>
        {isReadOnly ? null : (
          <Button look="primary" small onPress={() => onSearch({ add: true })}>
            Add memory
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

const ADD = 'qm memory add "Berth" "Where a ship lies, and what is billed." --kind term'

function FoundPane(props: Handled) {
  const { search, onSearch } = props
  const { data, error, refetch } = useFound(search)
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <RowSkeleton rows={6} />
  // The search knows kinds only; the state is looked at here.
  const lines = data.found.filter(
    ({ memory }) => search.state === null || memory.state === search.state,
  )
  if (lines.length === 0) {
    return (
      <RowNote>
        No memory answers these words, of {formatExact(data.total)}.
        <Button small onPress={() => onSearch({ text: "", kind: null, state: null, at: "" })}>
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
