import { type RefObject, useRef } from "react"
import { toWireError } from "../../base/errors.ts"
import { plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { paths, type RunsParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { Filters } from "./filters.tsx"
import { sayTime } from "./lines.ts"
import { useListKeys } from "./list-keys.ts"
import { GroupRow, RUN_COLUMNS, RUN_COLUMNS_BESIDE, RunRow } from "./run-row.tsx"
import { MOST_RUNS, type RunsData } from "./use-runs.ts"
import { filterOf, searchOf } from "./views.ts"

type ListPaneProps = {
  readonly now: number
  readonly data: RunsData
  readonly params: RunsParams
  readonly picked: ReadonlySet<string>
  readonly isReadOnly: boolean
  onPick(id: string): void
  onParams(change: Partial<RunsParams>, how?: "push" | "replace"): void
}

/** Every run that the filters leave, in four groups. */
export function ListPane(props: ListPaneProps) {
  const { data, params, onParams } = props
  const { list, lines, all } = data
  const handle = useRef<VirtualListHandle>(null)
  return (
    <Pane label="Runs">
      <Filters
        data={data}
        params={params}
        onParams={onParams}
        onLeave={() => handle.current?.focus()}
      />
      {list.error === null ? null : (
        <Failure size="pane" error={toWireError(list.error)} onRetry={() => void list.refetch()} />
      )}
      {list.isPending ? <RowSkeleton rows={12} /> : null}
      {list.data !== undefined && lines.length === 0 ? <NoRuns {...props} /> : null}
      {lines.length === 0 ? null : <RunList {...props} handle={handle} />}
      {all.length < MOST_RUNS ? null : (
        <PaneFoot>
          The newest {plural(MOST_RUNS, "run")} are shown. Filter by words, a label or the archive
          to find older ones.
        </PaneFoot>
      )}
    </Pane>
  )
}

type RunListProps = ListPaneProps & { readonly handle: RefObject<VirtualListHandle | null> }

function RunList({ now, data, params, picked, onPick, onParams, handle }: RunListProps) {
  const { lines, askedAt } = data
  const { at } = params
  const ids = lines.flatMap((it) => (it.kind === "run" ? [it.key] : []))
  const isThere = ids.includes(at)
  useListKeys({ ids, at, onMove: (id) => onParams({ at: id }, "replace") })
  useKey("runs.open", isThere ? () => navigate(paths.run(at)) : undefined)
  useKey("runs.select", isThere ? () => onPick(at) : undefined)
  useKey(
    "runs.peek",
    isThere
      ? () => onParams({ beside: params.beside === "peek" ? null : "peek" }, "replace")
      : undefined,
  )
  return (
    <VirtualList
      ref={handle}
      label="Runs"
      columns={params.beside === null ? RUN_COLUMNS : RUN_COLUMNS_BESIDE}
      items={lines}
      keyOf={(it) => it.key}
      isGroup={(it) => it.kind === "group"}
      activeIndex={lines.findIndex((it) => it.kind === "run" && it.key === at)}
      activeId={isThere ? optionId(at) : undefined}
      sticksToEnd={false}
      renderItem={(it) =>
        it.kind === "group" ? (
          <GroupRow line={it} />
        ) : (
          <RunRow
            run={it.run}
            time={sayTime(it, now, askedAt)}
            isPicked={picked.has(it.key)}
            option={{
              id: optionId(it.key),
              isSelected: it.key === at,
              // The first press looks, the second opens: nothing is left by a slip.
              onPick: () =>
                it.key === at && params.beside === "peek"
                  ? navigate(paths.run(it.key))
                  : onParams({ at: it.key, beside: "peek" }),
            }}
          />
        )
      }
    />
  )
}

const optionId = (id: string): string => `run-${id}`

/** Nothing was ever started, or nothing is left by the filters: two different things. */
function NoRuns({ params, isReadOnly, onParams }: ListPaneProps) {
  if (filterOf(params) !== "") {
    return (
      <RowNote>
        {params.archived ? "Nothing is in the archive." : "No run matches."}
        <Button small onPress={() => onParams({ ...searchOf(""), beside: params.beside })}>
          Show all runs
        </Button>
      </RowNote>
    )
  }
  return (
    <Empty
      says="Runs of agents will be here: what each was asked, how it stands, what it used and cost. A demo needs no key and no network."
      command={'qm run "test" --agent synthetic'}
    >
      {isReadOnly ? null : (
        <div>
          <Button look="primary" onPress={() => onParams({ beside: "new" })}>
            New run
          </Button>
        </div>
      )}
    </Empty>
  )
}
