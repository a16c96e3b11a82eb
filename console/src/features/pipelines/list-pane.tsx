import { useRef } from "react"
import { toWireError } from "../../base/errors.ts"
import { plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { PIPELINES_FACETS, type PipelinesParams, paths } from "../../data/paths.ts"
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
  readonly params: PipelinesParams
  onParams(change: Partial<PipelinesParams>, how?: "push" | "replace"): void
}

/** Every run that the filters leave. */
export function ListPane(props: ListPaneProps) {
  const { now, data, params, onParams } = props
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
          <Button small onPress={() => onParams({ text: "", agent: "", status: "all" })}>
            Show all runs
          </Button>
        </RowNote>
      ) : null}
      {lines.length === 0 ? null : (
        <PipelineRows now={now} lines={lines} params={params} handle={handle} onParams={onParams} />
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

function Filters({ data, params, onParams, onLeave }: ListPaneProps & { onLeave(): void }) {
  const { counts, all, list } = data
  const pick = (value: string) =>
    onParams({ status: PIPELINES_FACETS.find((it) => it === value) ?? "all", at: "" }, "replace")
  const at = PIPELINES_FACETS.indexOf(params.status)
  useKey("pipelines.status", () =>
    pick(PIPELINES_FACETS[(at + 1) % PIPELINES_FACETS.length] ?? "all"),
  )
  const agents = agentsIn(all)
  return (
    <>
      <PaneHead
        edge="page"
        actions={
          agents.length < 2 && params.agent === "" ? undefined : (
            <OnlyWide>
              <ChoiceField
                small
                label="Agent"
                choices={[
                  { value: "", label: "All agents" },
                  ...agents.map((value) => ({ value, label: value })),
                ]}
                value={params.agent}
                onPick={(agent) => onParams({ agent, at: "" }, "replace")}
              />
            </OnlyWide>
          )
        }
      >
        <FilterField
          label="Filter by words"
          value={params.text}
          onChange={(text) => onParams({ text, at: "" }, "replace")}
          onLeave={onLeave}
        />
      </PaneHead>
      <PaneHead edge="page">
        <Facets
          label="Only runs that are"
          facets={PIPELINES_FACETS.map((value) => ({
            value,
            label: LABELS[value],
            count: list.data === undefined ? undefined : (counts[value] ?? 0),
          }))}
          active={params.status}
          onPick={pick}
        />
      </PaneHead>
    </>
  )
}

/** Nothing was ever started: the shipped example is one press away, and needs no key. */
function NoneYet({ isReadOnly, onParams }: ListPaneProps) {
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
            <Button onPress={() => onParams({ add: true })}>Ask something else</Button>
          </Flow>
        )}
      </Empty>
      {example.error === null ? null : <Failure size="pane" error={toWireError(example.error)} />}
    </>
  )
}
