import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type Organising } from "../../contract.ts"
import type { Input } from "../../data/client.ts"
import { keys } from "../../data/keys.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { RunsFacet, RunsParams } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import { labelTree, useOrganising } from "../../data/run-organisation.ts"
import { FacetHead, FilterHead, type ListRef } from "../../ui/collection/collection.tsx"
import { ChoiceMenu, type MenuChoice } from "../../ui/menu/menu.tsx"
import { Flow, MoreFilters } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { useLater } from "../../ui/use-later.ts"
import { namesIn, workflowsOf } from "./lines.ts"
import type { RunsData } from "./use-runs.ts"
import { filterOf, isNarrowed, keepViews, type SavedView, savedViews, searchOf } from "./views.ts"

type FiltersProps = ParamsProps<RunsParams> & {
  readonly data: RunsData
  readonly handle: ListRef
}

const FACETS: readonly { readonly value: RunsFacet; readonly label: string }[] = [
  { value: "all", label: "All" },
  { value: "waiting", label: "Waiting" },
  { value: "live", label: "Running" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
  { value: "stopped", label: "Stopped" },
]

export function Filters({ data, params, handle, onParams }: FiltersProps) {
  const { counts, list } = data
  return (
    <>
      <FilterHead
        label="Filter"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text }, "replace")}
        actions={
          <MoreFilters isActive={params.label !== "" || params.workflow !== ""}>
            <NarrowMenus data={data} params={params} onParams={onParams} />
          </MoreFilters>
        }
      />
      <FacetHead
        label="Status filter"
        facets={FACETS.filter(
          (it) => it.value === "all" || it.value === params.status || counts[it.value] > 0,
        ).map((it) => ({
          ...it,
          ...(list.data === undefined ? {} : { count: formatExact(counts[it.value]) }),
        }))}
        active={params.status}
        onPick={(status) => onParams({ status, at: "" })}
      />
    </>
  )
}

type MenusProps = Omit<FiltersProps, "handle">

function NarrowMenus({ data, params, onParams }: MenusProps) {
  const organising = useOrganising()
  const labels = labelTree(organising.labels, namesIn(data.all).labels)
  const states = workflowsOf(organising, data.all).map((name) => ({ name, depth: 0 }))
  return (
    <Flow gap="wide">
      <NameMenu
        label="Label"
        any="Any label"
        names={labels}
        value={params.label}
        onPick={(label) => onParams({ label, at: "" })}
      />
      <NameMenu
        label="Progress"
        any="Any progress"
        names={states}
        value={params.workflow}
        onPick={(workflow) => onParams({ workflow, at: "" })}
      />
      <ViewMenu params={params} onParams={onParams} shared={organising.views} />
    </Flow>
  )
}

type NameMenuProps = {
  readonly label: string
  readonly any: string
  readonly names: readonly { readonly name: string; readonly depth: number }[]
  readonly value: string
  onPick(value: string): void
}

function NameMenu({ label, any, names, value, onPick }: NameMenuProps) {
  const isListed = value === "" || names.some((it) => it.name === value)
  const all = isListed ? names : [{ name: value, depth: 0 }, ...names]
  return (
    <ChoiceMenu
      label={label}
      choices={[
        { value: "", label: any, detail: "No filter" },
        ...all.map((it) => ({
          value: it.name,
          label: `${"\u2003".repeat(it.depth)}${visibleLine(it.name)}`,
          detail: `Only ${label === "Label" ? "with this label" : "with this progress"}`,
        })),
      ]}
      value={value}
      onPick={onPick}
    >
      <Text size="sm" {...(value === "" ? { tone: "2" } : {})}>
        {value === "" ? label : visibleLine(value)}
      </Text>
    </ChoiceMenu>
  )
}

const loadAskText = async () => (await import("./dialogs.tsx")).AskTextDialog

type ViewMenuProps = Omit<MenusProps, "data"> & { readonly shared: Organising["views"] }

function ViewMenu({ params, onParams, shared }: ViewMenuProps) {
  // Views of earlier versions are in this browser only.
  const [own, setOwn] = useState(savedViews)
  const views = [...shared.map((it) => ({ name: it.name, params: it.filter })), ...own]
  const write = useViewWrites()
  const [isNaming, setIsNaming] = useState(false)
  const { part: AskText, want } = useLater(loadAskText)
  const shown = filterOf(params)
  const current = views.find((it) => it.params === shown)
  const forget = (view: SavedView) => {
    if (!own.includes(view)) return write({ name: view.name, remove: true })
    const next = own.filter((it) => it !== view)
    setOwn(next)
    keepViews(next)
  }
  const pick = (value: string) => {
    if (value === "keep") want(() => setIsNaming(true))
    else if (value === "forget" && current !== undefined) forget(current)
    else onParams(searchOf(value.slice(VIEW.length)))
  }
  return (
    <>
      <ChoiceMenu
        label="Views"
        choices={viewChoices(views, current, isNarrowed(params))}
        value={`${VIEW}${shown}`}
        onPick={pick}
      >
        <Text size="sm" {...(current === undefined && !params.archived ? { tone: "2" } : {})}>
          {current?.name ?? (params.archived ? "Archive" : "Views")}
        </Text>
      </ChoiceMenu>
      {AskText === undefined || !isNaming ? null : (
        <AskText
          title="Save this view"
          label="Name"
          value=""
          verb="Save"
          description={describeFilter(shown)}
          onGive={(name) => write({ name, filter: shown })}
          onClose={() => setIsNaming(false)}
        />
      )}
    </>
  )
}

function useViewWrites() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const write = useMutation({
    mutationFn: (view: Input<"organise.view">) => client.write("organise.view", view),
    onSuccess: (organising) =>
      queries.setQueryData(keys.operation("organise.show", {}), organising),
    onError: (error: unknown) => toast.fail(toWireError(error)),
  })
  return write.mutate
}

const VIEW = "view "

function viewChoices(
  views: readonly SavedView[],
  current: SavedView | undefined,
  hasFilter: boolean,
): readonly MenuChoice[] {
  const keep = { value: "keep", label: "Save this view", detail: "Under a name, for everyone" }
  const forget = { value: "forget", label: "Delete this view", detail: "Runs are not affected" }
  return [
    ...views.map((it) => ({
      value: `${VIEW}${it.params}`,
      label: visibleLine(it.name),
      detail: describeFilter(it.params),
    })),
    { value: `${VIEW}?archived=yes`, label: "Archive", detail: "Archived runs" },
    { value: VIEW, label: "Everything", detail: "No filter" },
    ...(current === undefined && hasFilter ? [keep] : []),
    ...(current === undefined ? [] : [forget]),
  ]
}

function describeFilter(params: string): string {
  const pairs = [...new URLSearchParams(params)].map(([name, value]) => `${name} ${value}`)
  return pairs.length === 0 ? "No filter" : visibleLine(pairs.join(", "))
}
