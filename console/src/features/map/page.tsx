import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { type MapScan, type MapTree, plural } from "../../contract.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import type { MapParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import {
  CollectionPage,
  FilterHead,
  type ListRef,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { HoverList } from "../../ui/hover-list/hover-list.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { MoreFilters, Pane } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useNarrow } from "../../ui/use-narrow.ts"
import { Detail } from "./detail.tsx"
import { SearchResults } from "./search-results.tsx"
import { Tree } from "./tree.tsx"
import { flatLines, treeLines } from "./tree-lines.ts"
import { TreemapView } from "./treemap-view.tsx"
import { useFolders, useFound, useScan, useTreemap } from "./use-map.ts"
import { describeScan, describeTree } from "./words.ts"

export function MapPage({ now, params, onParams }: PageProps<MapParams>) {
  const isReadOnly = useReadOnly()
  const folders = useFolders(params.open)
  const scan = useScan()
  const { show, text } = params
  return (
    <CollectionPage
      name="map"
      detailPx={440}
      header={
        <MapHeader
          shown={params.show}
          now={now}
          root={folders.get("")?.tree}
          isReadOnly={isReadOnly}
          isBusy={scan.isPending}
          onScan={() => scan.mutate()}
        />
      }
      list={<ListPane {...{ now, folders, params, scan, isReadOnly, onParams }} />}
      detail={show === "" ? null : <Detail now={now} params={params} onParams={onParams} />}
      onLeave={leaveOne(
        onParams,
        [show !== "", { show: "" }],
        [text !== "", { text: "" }],
        [params.folder !== "", { folder: "", at: "" }],
      )}
    />
  )
}

type MapHeaderProps = {
  readonly now: number
  readonly shown: string
  readonly root: MapTree | undefined
  readonly isReadOnly: boolean
  readonly isBusy: boolean
  onScan(): void
}

function MapHeader({ now, shown, root, isReadOnly, isBusy, onScan }: MapHeaderProps) {
  return (
    <Header
      title="Map"
      name={shown === "" ? "Map" : `${visibleLine(shown)}, Map`}
      facts={
        root === undefined || root.state === null ? null : (
          <Text as="div" tone="3" cut>
            {describeTree(root, now)}
          </Text>
        )
      }
    >
      <Button
        icon="refresh"
        keyId="map.scan"
        disabled={isReadOnly || isBusy}
        onPress={onScan}
        shrinks
      >
        {isBusy ? "Scanning" : "Scan"}
      </Button>
    </Header>
  )
}

type ListPaneProps = ParamsProps<MapParams> & {
  readonly now: number
  readonly folders: ReturnType<typeof useFolders>
  readonly scan: ReturnType<typeof useScan>
  readonly isReadOnly: boolean
}

function ListPane(props: ListPaneProps) {
  const { folders, params, scan, onParams } = props
  const handle = useListRef()
  const root = folders.get("")
  const turn = () => onParams({ by: params.by === "path" ? "words" : "path", at: "" }, "replace")
  useKey("map.by", turn)
  const isNarrow = useNarrow()
  const view = params.view ?? (isNarrow ? "list" : "treemap")
  const pickView = (next: string) =>
    onParams({ view: next === "list" ? "list" : "treemap", text: "", at: "" }, "replace")
  useKey("map.view", () => pickView(view === "list" ? "treemap" : "list"))
  return (
    <Pane label="The repository">
      <FilterHead
        label={params.by === "path" ? "Find by path" : "Find by words"}
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
        actions={
          <MoreFilters isActive={params.view !== null}>
            <ChoiceField
              small
              label="Find by"
              choices={FIND_BY}
              value={params.by}
              onPick={(by) => onParams({ by: by === "path" ? "path" : "words", at: "" }, "replace")}
            />
            <ChoiceField small label="View" choices={VIEWS} value={view} onPick={pickView} />
          </MoreFilters>
        }
      />
      <ScanLine result={scan.data} isBusy={scan.isPending} />
      {root?.tree?.state === null ? (
        <NeverScanned
          isReadOnly={props.isReadOnly}
          isBusy={scan.isPending}
          onScan={() => scan.mutate()}
        />
      ) : (
        <Shown {...props} handle={handle} view={view} />
      )}
    </Pane>
  )
}

const FIND_BY = [
  { value: "words", label: "Words" },
  { value: "path", label: "Path" },
] as const

const VIEWS = [
  { value: "treemap", label: "Treemap" },
  { value: "list", label: "List" },
] as const

type ShownProps = ListPaneProps & {
  readonly handle: ListRef
  readonly view: "treemap" | "list"
}

function Shown(props: ShownProps) {
  const { now, folders, params, onParams, handle, view } = props
  const root = folders.get("")
  const isTreemap = view === "treemap" && params.text.trim() === ""
  const treemap = useTreemap(params.folder, isTreemap)
  if (params.text.trim() !== "") return <FoundPane {...props} />
  if (root?.error !== null && root?.tree === undefined) {
    return <Failure size="pane" error={toWireError(root?.error)} onRetry={root?.retry} />
  }
  if (root.tree === undefined) return <RowSkeleton rows={12} />
  if (root.tree.total === 0) return <RowNote>No readable files.</RowNote>
  if (isTreemap) {
    return (
      <Loaded query={treemap} rows={12}>
        {(data) => <TreemapView now={now} treemap={data} params={params} onParams={onParams} />}
      </Loaded>
    )
  }
  return (
    <Tree
      now={now}
      lines={treeLines(folders)}
      hasHistory={root.tree.measured?.period !== null}
      params={params}
      handle={handle}
      onParams={onParams}
      onRetry={(folder) => folders.get(folder)?.retry()}
    />
  )
}

function FoundPane({ now, params, onParams, handle }: ShownProps) {
  const { words, paths } = useFound(params)
  const shared = { params, handle, onParams }
  if (params.by === "words") {
    return (
      <Loaded query={words} rows={8}>
        {(data) =>
          data.files.length === 0 ? (
            <NothingFound params={params} onParams={onParams} />
          ) : (
            <SearchResults {...shared} found={data} />
          )
        }
      </Loaded>
    )
  }
  return (
    <Loaded query={paths} rows={8}>
      {(data) =>
        data.entries.length === 0 ? (
          <NothingFound params={params} onParams={onParams} />
        ) : (
          <Tree
            {...shared}
            now={now}
            label={plural(data.total, "file")}
            lines={flatLines(data)}
            hasHistory={data.measured?.period !== null}
          />
        )
      }
    </Loaded>
  )
}

function NothingFound({ params, onParams }: ParamsProps<MapParams>) {
  return (
    <NoMatch verb="Show the tree" onShowAll={() => onParams({ text: "", at: "" })}>
      {params.by === "path" ? "No path matches." : "Nothing in this repository matches."}
    </NoMatch>
  )
}

type NeverProps = {
  readonly isReadOnly: boolean
  readonly isBusy: boolean
  onScan(): void
}

function NeverScanned({ isReadOnly, isBusy, onScan }: NeverProps) {
  return (
    <Empty description="This page shows each file and symbol of this repository, and how much other code depends on it. A scan reads files, starts no process and sends nothing.">
      <CommandLine command="qm map">
        {isReadOnly ? null : (
          <Button variant="primary" small disabled={isBusy} onPress={onScan}>
            {isBusy ? "Scanning" : "Scan now"}
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

type ScanLineProps = { readonly result: MapScan | undefined; readonly isBusy: boolean }

export function ScanLine({ result, isBusy }: ScanLineProps) {
  if (isBusy) {
    return (
      <Notice description="Scanning. The first scan reads each file, later ones only changed files." />
    )
  }
  if (result === undefined) return null
  return (
    <Notice description={describeScan(result)}>
      <Aside name="partly read" rows={result.problems} count={result.problemsCount} />
      <Aside name="skipped" rows={result.skipped} count={result.skippedCount} />
    </Notice>
  )
}

type AsideProps = {
  readonly name: string
  readonly rows: MapScan["skipped"]
  readonly count: number
}

function Aside({ name, rows, count }: AsideProps) {
  if (count === 0) return null
  const title = `${plural(count, "file")} ${name}`
  const more = count - rows.length
  return (
    <HoverList
      title={title}
      lines={rows.map((it, i) => ({
        key: `${i} ${it.path}`,
        lead: <Path path={it.path} />,
        description: visibleLine(it.reason),
      }))}
      {...(more > 0 ? { foot: `And ${plural(more, "file")} more.` } : {})}
    >
      {title}
    </HoverList>
  )
}
