import { useState } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatExact } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { RunsFacet, RunsParams } from "../../data/paths.ts"
import { FacetHead, FilterHead, type ListRef } from "../../ui/collection/collection.tsx"
import { ChoiceMenu, type MenuChoice } from "../../ui/menu/menu.tsx"
import { Flow, OnlyRoomy } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useLater } from "../../ui/use-later.ts"
import { namesIn } from "./lines.ts"
import type { RunsData } from "./use-runs.ts"
import {
  filterOf,
  isNarrowed,
  keepViews,
  type SavedView,
  savedViews,
  searchOf,
  withView,
} from "./views.ts"

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
          <OnlyRoomy>
            <NarrowMenus data={data} params={params} onParams={onParams} />
          </OnlyRoomy>
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
  const { labels, workflows } = namesIn(data.all)
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
        names={workflows}
        value={params.workflow}
        onPick={(workflow) => onParams({ workflow, at: "" })}
      />
      <ViewMenu params={params} onParams={onParams} />
    </Flow>
  )
}

type NameMenuProps = {
  readonly label: string
  readonly any: string
  readonly names: readonly string[]
  readonly value: string
  onPick(value: string): void
}

function NameMenu({ label, any, names, value, onPick }: NameMenuProps) {
  const all = value === "" || names.includes(value) ? names : [value, ...names]
  return (
    <ChoiceMenu
      label={label}
      choices={[
        { value: "", label: any, detail: "No filter" },
        ...all.map((it) => ({
          value: it,
          label: visibleLine(it),
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

function ViewMenu({ params, onParams }: Omit<MenusProps, "data">) {
  const [views, setViews] = useState(savedViews)
  const [isNaming, setIsNaming] = useState(false)
  const { part: AskText, want } = useLater(loadAskText)
  const shown = filterOf(params)
  const current = views.find((it) => it.params === shown)
  const keep = (next: typeof views) => {
    setViews(next)
    keepViews(next)
  }
  const pick = (value: string) => {
    if (value === "keep") want(() => setIsNaming(true))
    else if (value === "forget") keep(views.filter((it) => it !== current))
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
          onGive={(name) => keep(withView(views, name, params))}
          onClose={() => setIsNaming(false)}
        />
      )}
    </>
  )
}

const VIEW = "view "

function viewChoices(
  views: readonly SavedView[],
  current: SavedView | undefined,
  hasFilter: boolean,
): readonly MenuChoice[] {
  const keep = { value: "keep", label: "Save this view", detail: "Under a name, in this browser" }
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
