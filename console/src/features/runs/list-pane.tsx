import { plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { paths, type RunsParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import {
  CollectionList,
  type ListRef,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"

import { useKey } from "../../ui/keys/keys.tsx"

import { Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { Filters } from "./filters.tsx"
import { formatTime } from "./lines.ts"

import { GroupRow, RUN_COLUMNS, RUN_COLUMNS_BESIDE, RunRow } from "./run-row.tsx"
import { MOST_RUNS, type RunsData } from "./use-runs.ts"
import { filterOf, searchOf } from "./views.ts"

type ListPaneProps = PageProps<RunsParams> & {
  readonly data: RunsData
  readonly picked: ReadonlySet<string>
  readonly isReadOnly: boolean
  onPick(id: string): void
}

export function ListPane(props: ListPaneProps) {
  const { data, params, onParams } = props
  const { list, lines, all } = data
  const handle = useListRef()
  return (
    <Pane label="Runs">
      <Filters data={data} params={params} handle={handle} onParams={onParams} />
      <Loaded query={list} rows={12}>
        {() =>
          lines.length === 0 ? <NoRuns {...props} /> : <RunList {...props} handle={handle} />
        }
      </Loaded>
      {all.length < MOST_RUNS ? null : (
        <PaneFoot>
          The newest {plural(MOST_RUNS, "run")} are shown. Filter by words, a label or the archive
          to find older ones.
        </PaneFoot>
      )}
    </Pane>
  )
}

function RunList(props: ListPaneProps & { readonly handle: ListRef }) {
  const { now, data, params, picked, onPick, onParams, handle } = props
  const { lines, askedAt } = data
  const { at } = params
  const isPeek = params.beside === "peek"
  const isThere = lines.some((it) => it.kind === "run" && it.key === at)
  useKey("runs.open", isThere ? () => navigate(paths.run(at)) : undefined)
  useKey("runs.select", isThere ? () => onPick(at) : undefined)
  useKey(
    "runs.peek",
    isThere ? () => onParams({ beside: isPeek ? null : "peek" }, "replace") : undefined,
  )
  return (
    <CollectionList
      ref={handle}
      label="Runs"
      columns={params.beside === null ? RUN_COLUMNS : RUN_COLUMNS_BESIDE}
      items={lines}
      keyOf={(it) => it.key}
      isHeading={(it) => it.kind === "group"}
      at={at}
      onMove={(key) => onParams({ at: key }, "replace")}
      // The first click selects, the second opens, so that a slip leaves nothing.
      onOpen={({ key }) =>
        key === at && isPeek ? navigate(paths.run(key)) : onParams({ at: key, beside: "peek" })
      }
      renderItem={(it, option) =>
        it.kind === "group" ? (
          <GroupRow line={it} />
        ) : (
          <RunRow
            run={it.run}
            time={formatTime(it, now, askedAt)}
            isPicked={picked.has(it.key)}
            option={option}
          />
        )
      }
    />
  )
}

function NoRuns({ params, isReadOnly, onParams }: ListPaneProps) {
  if (filterOf(params) !== "") {
    return (
      <NoMatch
        verb="Show all runs"
        onShowAll={() => onParams({ ...searchOf(""), beside: params.beside })}
      >
        {params.archived ? "The archive is empty." : "No run matches."}
      </NoMatch>
    )
  }
  return (
    <Empty
      description="This page lists agent runs with their task, status, usage and cost. A demo run needs no key and no network:"
      command={'qm run "test" --agent synthetic'}
    >
      {isReadOnly ? null : (
        <div>
          <Button variant="primary" onPress={() => onParams({ beside: "new" })}>
            New run
          </Button>
        </div>
      )}
    </Empty>
  )
}
