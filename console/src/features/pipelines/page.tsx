import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatShown } from "../../base/format.ts"
import { plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import { PIPELINES_FACETS, type PipelinesParams, paths } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import {
  CollectionPage,
  FacetHead,
  FilterHead,
  type ListRef,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { Flow, MoreFilters, Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { recipesIn, startProblem } from "./lines.ts"
import { emptyDraft, NewRun } from "./new-run.tsx"
import { PipelineRows } from "./rows.tsx"
import {
  EXAMPLE,
  MOST_RUNS,
  type PipelinesData,
  useExample,
  usePipelines,
  useRecipes,
} from "./use-pipelines.ts"

export function PipelinesPage({ now, params, onParams }: PageProps<PipelinesParams>) {
  const isReadOnly = useReadOnly()
  const data = usePipelines(params)
  const [draft, setDraft] = useDraft(params)
  const close = () => onParams({ add: false, start: "" }, "replace")
  const { add, text } = params
  return (
    <CollectionPage
      name="pipelines"
      header={
        <Header
          title="Pipelines"
          facts={
            data.list.data === undefined ? null : (
              <Text tone="3">
                {formatShown({ shown: data.lines.length, all: data.all.length }, "run")}
              </Text>
            )
          }
        >
          <Button
            variant="primary"
            icon="plus"
            keyId="pipelines.new"
            disabled={isReadOnly}
            shrinks
            onPress={() => (add ? close() : onParams({ add: true }))}
          >
            New run
          </Button>
        </Header>
      }
      list={<ListPane {...{ now, data, isReadOnly, params, onParams }} />}
      detail={
        add ? (
          <NewRun
            draft={draft}
            isReadOnly={isReadOnly}
            onDraft={setDraft}
            onStarted={(run) => navigate(paths.pipeline(run.id))}
            onClose={close}
          />
        ) : null
      }
      onLeave={leaveOne(onParams, [add, { add: false, start: "" }], [text !== "", { text: "" }])}
    />
  )
}

function useDraft({ start }: PipelinesParams) {
  const [draft, setDraft] = useState(() => emptyDraft(start || EXAMPLE.agent))
  const [fromUrl, setTaken] = useState(start)
  if (fromUrl !== start) {
    setTaken(start)
    if (start !== "") setDraft({ ...draft, agent: start })
  }
  return [draft, setDraft] as const
}

type ListPaneProps = PageProps<PipelinesParams> & {
  readonly data: PipelinesData
  readonly isReadOnly: boolean
}

function ListPane(props: ListPaneProps) {
  const { now, data, params, onParams } = props
  const { list, lines, all } = data
  const handle = useListRef()
  return (
    <Pane label="Pipelines">
      <Filters {...props} handle={handle} />
      <Loaded query={list} rows={10}>
        {() => {
          if (all.length === 0) return <NoneYet {...props} />
          if (lines.length > 0)
            return <PipelineRows {...{ now, lines, params, handle, onParams }} />
          return (
            <NoMatch
              verb="Show all runs"
              onShowAll={() => onParams({ text: "", agent: "", status: "all" })}
            >
              No run matches.
            </NoMatch>
          )
        }}
      </Loaded>
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

function Filters({ data, params, handle, onParams }: ListPaneProps & { handle: ListRef }) {
  const { counts, all, list } = data
  const recipes = recipesIn(all)
  return (
    <>
      <FilterHead
        label="Filter by words"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
        actions={
          recipes.length < 2 && params.agent === "" ? undefined : (
            <MoreFilters isActive={params.agent !== ""}>
              <ChoiceField
                small
                label="Recipe"
                choices={[
                  { value: "", label: "All recipes" },
                  ...recipes.map((value) => ({ value, label: value })),
                ]}
                value={params.agent}
                onPick={(agent) => onParams({ agent, at: "" }, "replace")}
              />
            </MoreFilters>
          )
        }
      />
      <FacetHead
        label="Status filter"
        keyId="pipelines.status"
        facets={PIPELINES_FACETS.map((value) => ({
          value,
          label: LABELS[value],
          count: list.data === undefined ? undefined : (counts[value] ?? 0),
        }))}
        active={params.status}
        onPick={(status) => onParams({ status, at: "" }, "replace")}
      />
    </>
  )
}

function NoneYet({ isReadOnly, onParams }: ListPaneProps) {
  const recipes = useRecipes()
  const shipped = recipes.data?.recipes.find((it) => it.slug === EXAMPLE.agent)
  const example = useExample((run) => navigate(paths.pipeline(run.id)))
  const isOff = shipped === undefined || startProblem(shipped) !== undefined || example.isPending
  return (
    <>
      <Empty
        description="This page lists pipeline runs with their question, stage and cost. The shipped example searches a small harbour handbook, offline and without a key."
        command={`qm pipeline run ${EXAMPLE.agent} "${EXAMPLE.query}"`}
      >
        {isReadOnly ? null : (
          <Flow wrap>
            <Button
              variant="primary"
              disabled={isOff}
              onPress={() => (shipped === undefined ? undefined : example.mutate(shipped))}
            >
              {example.isPending ? "Starting" : "Start the example"}
            </Button>
            <Button onPress={() => onParams({ add: true })}>Ask another question</Button>
          </Flow>
        )}
      </Empty>
      {example.error === null ? null : <Failure size="pane" error={toWireError(example.error)} />}
    </>
  )
}
