import { useMemo } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type Memory, type MemoryList, plural } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import { MEMORY_KINDS, MEMORY_STATES, type MemoryParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import {
  FacetHead,
  FilterHead,
  type ListRef,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"

import { Notice } from "../../ui/notice/notice.tsx"
import { Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { type MemoryLine, MemoryRows } from "./rows.tsx"
import { MOST_LISTED, useFound, useMemories } from "./use-memory.ts"
import { NAMES_OF_STATES } from "./words.ts"

type MemoriesPaneProps = PageProps<MemoryParams> & { readonly isReadOnly: boolean }
type MemoryListProps = MemoriesPaneProps & { readonly handle: ListRef }

export function MemoriesPane(props: MemoriesPaneProps) {
  const { params, onParams } = props
  const handle = useListRef()
  const memories = useMemories(params)
  return (
    <Pane label="Memories">
      <FilterHead
        label="Search the memories"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
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
      />
      <FacetHead
        label="State"
        keyId="memory.state"
        facets={STATES}
        active={params.state ?? ""}
        onPick={(state) => onParams({ state: state === "" ? null : state, at: "" }, "replace")}
      />
      <Problems problems={memories.data?.problems ?? []} />
      {params.text.trim() === "" ? (
        <Loaded query={memories} rows={10}>
          {(list) => <AllMemories {...props} handle={handle} list={list} />}
        </Loaded>
      ) : (
        <FoundMemories {...props} handle={handle} />
      )}
    </Pane>
  )
}

const STATES = [
  { value: "" as const, label: "All" },
  ...MEMORY_STATES.map((value) => ({ value, label: NAMES_OF_STATES[value] })),
]
const KINDS = [
  { value: "", label: "All kinds" },
  ...MEMORY_KINDS.map((value) => ({ value, label: value })),
]

function Problems({ problems }: Pick<MemoryList, "problems">) {
  if (problems.length === 0) return null
  const named = problems.slice(0, 3).map(({ file, problem }) => `${file}: ${problem}`)
  const more = problems.length - named.length
  const rest = more === 0 ? "" : ` And ${formatExact(more)} more.`
  const description = `${plural(problems.length, "file")} could not be read as a memory. ${named.join(" ")}${rest}`
  return <Notice tone="warn" description={visibleLine(description)} />
}

function AllMemories({ list, ...props }: MemoryListProps & { readonly list: MemoryList }) {
  const { params, isReadOnly, onParams } = props
  const { memories, total } = list
  const lines = useMemo(() => memories.map(plainLine), [memories])
  if (lines.length === 0 && params.kind === "decision" && params.state === null) {
    return <NoDecision isReadOnly={isReadOnly} onAdd={() => onParams({ add: true })} />
  }
  if (lines.length === 0 && (params.kind !== null || params.state !== null)) {
    return (
      <NoMatch onShowAll={() => onParams({ kind: null, state: null })}>
        No memory has this kind and state.
      </NoMatch>
    )
  }
  if (lines.length === 0) {
    return (
      <Empty description="This page lists memories: rules, decisions and pitfalls. Each is a file in git that cites code. Agents propose them after their work and receive those that match. Add the first one:">
        <CommandLine command='qm memory add "Berth" "Place where a ship is moored and billed." --kind term'>
          {isReadOnly ? null : (
            <Button variant="primary" small onPress={() => onParams({ add: true })}>
              Add memory
            </Button>
          )}
        </CommandLine>
      </Empty>
    )
  }
  return (
    <>
      <MemoryRows {...props} lines={lines} />
      <PaneFoot>
        {memories.length < MOST_LISTED
          ? `${plural(memories.length, "memory", "memories")}, newest first. Each is a file in git.`
          : `${formatExact(memories.length)} of ${formatExact(total)} are listed; the search finds the others.`}
      </PaneFoot>
    </>
  )
}

type NoDecisionProps = { readonly isReadOnly: boolean; onAdd(): void }

function NoDecision({ isReadOnly, onAdd }: NoDecisionProps) {
  return (
    <Empty description="Decisions are memories with a context and consequences. Each is a file in git. If the cited code changes, the decision is shown as stale. Add the first one:">
      <CommandLine command='qm decision add "Round on the line" "Half to even, per line." --context "Totals differed."'>
        {isReadOnly ? null : (
          <Button variant="primary" small onPress={onAdd}>
            Add decision
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

/** The server's search filters by kind only. */
export function ofState<Match extends Pick<MemoryLine, "memory">>(
  matches: readonly Match[],
  { state }: Pick<MemoryParams, "state">,
): readonly Match[] {
  return matches.filter(({ memory }) => state === null || memory.state === state)
}

const plainLine = (memory: Memory): MemoryLine => ({ memory, why: [] })

function FoundMemories(props: MemoryListProps) {
  const { params, onParams } = props
  return (
    <Loaded query={useFound(params)} rows={6}>
      {(data) => {
        const lines = ofState(data.found, params)
        return lines.length === 0 ? (
          <NoMatch onShowAll={() => onParams({ text: "", kind: null, state: null, at: "" })}>
            None of {plural(data.total, "memory", "memories")} matches.
          </NoMatch>
        ) : (
          <>
            <MemoryRows {...props} lines={lines} />
            <PaneFoot>
              {plural(lines.length, "memory", "memories")} of {formatExact(data.total)}, best match
              first.
            </PaneFoot>
          </>
        )
      }}
    </Loaded>
  )
}
