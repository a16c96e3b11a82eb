import { useRef } from "react"
import { plural } from "../../contract.ts"
import { toWireError } from "../../data/errors.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { FACETS_OF_PIPELINES, type PipelinesAddress } from "../../data/pipelines-search.ts"
import { Button } from "../../ui/button/button.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField, FilterField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import type { VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Flow, OnlyWide, Pane, PaneFoot, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { agentsIn, whyNot } from "./lines.ts"
import { PipelineRows } from "./rows.tsx"
import { EXAMPLE, MOST_RUNS, type PipelinesData, useAgents, useExample } from "./use-pipelines.ts"

type ListPaneProps = {
  readonly now: number
  readonly data: PipelinesData
  readonly isReadOnly: boolean
  readonly search: PipelinesAddress
  onSearch(change: Partial<PipelinesAddress>, how?: "push" | "replace"): void
}

/** Every run that the filters leave. */
export function ListPane(props: ListPaneProps) {
  const { now, data, search, onSearch } = props
  const { list, lines, all } = data
  const handle = useRef<VirtualListHandle>(null)
  return (
    <Pane label="Pipelines">
      <Filters {...props} onLeave={() => handle.current?.focus()} />
      {list.error === null ? null : (
        <Failure size="pane" error={toWireError(list.error)} onRetry={() => void list.refetch()} />
      )}
      {list.isPending ? <RowSkeleton rows={10} /> : null}
      {list.data !== undefined && all.length === 0 ? <NoneYet {...props} /> : null}
      {all.length > 0 && lines.length === 0 ? (
        <RowNote>
          No run matches.
          <Button small onPress={() => onSearch({ text: "", agent: "", status: "all" })}>
            Show all runs
          </Button>
        </RowNote>
      ) : null}
      {lines.length === 0 ? null : (
        <PipelineRows now={now} lines={lines} search={search} handle={handle} onSearch={onSearch} />
      )}
      {all.length < MOST_RUNS ? null : (
        <PaneFoot>The newest {plural(MOST_RUNS, "run")} are shown.</PaneFoot>
      )}
    </Pane>
  )
}

const LABELS = {
  all: "All",
  paused: "Paused",
  live: "Running",
  completed: "Completed",
  ended: "Ended early",
} as const

function Filters({ data, search, onSearch, onLeave }: ListPaneProps & { onLeave(): void }) {
  const { counts, all, list } = data
  const pick = (value: string) =>
    onSearch({ status: FACETS_OF_PIPELINES.find((it) => it === value) ?? "all", at: "" }, "replace")
  const at = FACETS_OF_PIPELINES.indexOf(search.status)
  useKey("pipelines.status", () =>
    pick(FACETS_OF_PIPELINES[(at + 1) % FACETS_OF_PIPELINES.length] ?? "all"),
  )
  const agents = agentsIn(all)
  return (
    <>
      <PaneHead
        edge="page"
        actions={
          agents.length < 2 && search.agent === "" ? undefined : (
            <OnlyWide>
              <ChoiceField
                small
                label="Agent"
                choices={[
                  { value: "", label: "All agents" },
                  ...agents.map((value) => ({ value, label: value })),
                ]}
                value={search.agent}
                onPick={(agent) => onSearch({ agent, at: "" }, "replace")}
              />
            </OnlyWide>
          )
        }
      >
        <FilterField
          label="Filter by words"
          value={search.text}
          onChange={(text) => onSearch({ text, at: "" }, "replace")}
          onLeave={onLeave}
        />
      </PaneHead>
      <PaneHead edge="page">
        <Facets
          label="Only runs that are"
          facets={FACETS_OF_PIPELINES.map((value) => ({
            value,
            label: LABELS[value],
            count: list.data === undefined ? undefined : (counts[value] ?? 0),
          }))}
          active={search.status}
          onPick={pick}
        />
      </PaneHead>
    </>
  )
}

/** Nothing was ever started: the shipped example is one press away, and needs no key. */
function NoneYet({ isReadOnly, onSearch }: ListPaneProps) {
  const agents = useAgents()
  const shipped = agents.data?.agents.find((it) => it.slug === EXAMPLE.agent)
  const example = useExample((run) => navigate(paths.pipeline(run.id)))
  const isOff = shipped === undefined || whyNot(shipped) !== undefined || example.isPending
  return (
    <>
      <Empty
        says="Runs of pipelines will be here: what was asked, the stage it is in, what it cost. The shipped example searches a small handbook of a harbour, offline and without a key."
        command={`qm pipeline run ${EXAMPLE.agent} "${EXAMPLE.query}"`}
      >
        {isReadOnly ? null : (
          <Flow wrap>
            <Button
              look="primary"
              disabled={isOff}
              onPress={() => (shipped === undefined ? undefined : example.mutate(shipped))}
            >
              {example.isPending ? "Starting" : "Start the example"}
            </Button>
            <Button onPress={() => onSearch({ add: true })}>Ask something else</Button>
          </Flow>
        )}
      </Empty>
      {example.error === null ? null : <Failure size="pane" error={toWireError(example.error)} />}
    </>
  )
}
