import { useRef } from "react"
import { toWireError } from "../../base/errors.ts"
import { type FoldTree, formatExact } from "../../contract.ts"
import type { FoldParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField, FilterField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import type { VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Pane, PaneFoot, PaneHead } from "../../ui/pane/pane.tsx"
import { FoundPane } from "./found.tsx"
import { Summary } from "./summary.tsx"
import { Tree } from "./tree.tsx"
import { sumsOf } from "./tree-lines.ts"
import { useKept, type useTree } from "./use-fold.ts"
import { sayModes } from "./words.ts"

type ListPaneProps = {
  readonly now: number
  readonly tree: ReturnType<typeof useTree>
  readonly params: FoldParams
  onParams(change: Partial<FoldParams>, how?: "push" | "replace"): void
}

/** The figure and the tree, or what the trails have of the words. */
export function ListPane({ now, tree, params, onParams }: ListPaneProps) {
  const handle = useRef<VirtualListHandle>(null)
  const pick = (all: boolean) => onParams({ all, at: "" }, "replace")
  useKey("folds.all", () => pick(!params.all))
  const isSearching = params.text.trim() !== ""
  return (
    <Pane label="Branches">
      <PaneHead
        edge="page"
        actions={
          <ChoiceField
            small
            label="Which branches"
            choices={WHICH}
            value={params.all ? "all" : "hour"}
            onPick={(it) => pick(it === "all")}
          />
        }
      >
        <FilterField
          label="Search the trails"
          value={params.text}
          onChange={(text) => onParams({ text, at: "" }, "replace")}
          onLeave={() => handle.current?.focus()}
        />
      </PaneHead>
      {isSearching ? (
        <FoundPane now={now} params={params} handle={handle} onParams={onParams} />
      ) : (
        <TreePane now={now} tree={tree} params={params} handle={handle} onParams={onParams} />
      )}
    </Pane>
  )
}

const WHICH = [
  { value: "hour", label: "Last hour" },
  { value: "all", label: "All" },
] as const

type TreePaneProps = ListPaneProps & {
  readonly handle: React.RefObject<VirtualListHandle | null>
}

function TreePane({ now, tree, params, handle, onParams }: TreePaneProps) {
  if (tree.data === undefined) {
    if (tree.error === null) return <RowSkeleton rows={10} />
    const retry = () => void tree.refetch()
    return <Failure size="pane" error={toWireError(tree.error)} onRetry={retry} />
  }
  if (tree.data.sessions.length === 0) return <NoBranch params={params} onParams={onParams} />
  return (
    <>
      <Summary sums={sumsOf(tree.data)} />
      <Tree now={now} tree={tree.data} params={params} handle={handle} onParams={onParams} />
      <WaysFoot tree={tree.data} />
    </>
  )
}

/** The room's most of one tree; older ones are found in the trails. */
const MOST_IN_TREE = 2_000

/** What takes the work out of the windows, and where figures are only the least. */
function WaysFoot({ tree }: { readonly tree: FoldTree }) {
  const branches = tree.sessions.flatMap((it) => it.branches)
  const isLowerBound = branches.some((it) => it.isLowerBound)
  return (
    <PaneFoot>
      Ways in force: {sayModes(branches)}.
      {branches.length < MOST_IN_TREE ? "" : ` The newest ${formatExact(MOST_IN_TREE)} are shown.`}
      {isLowerBound ? " ≥ means at least: there only our own tools were counted." : ""}
    </PaneFoot>
  )
}

/** None at all, or none in the last hour: told apart. */
function NoBranch({ params, onParams }: Pick<ListPaneProps, "params" | "onParams">) {
  const kept = useKept(!params.all)
  const count = params.all ? 0 : kept.data?.total
  if (count === undefined && kept.error === null) return <RowSkeleton rows={3} />
  if (count !== undefined && count > 0) {
    return (
      <RowNote>
        No branch was at work in the last hour, {formatExact(count)}{" "}
        {count === 1 ? "is kept." : "are kept."}
        <Button small onPress={() => onParams({ all: true, at: "" })}>
          Show all
        </Button>
      </RowNote>
    )
  }
  return (
    <Empty
      says="A branch is a sub-task that an agent takes out of its window: it works within a budget of tokens and time, and only its result comes back. Give an agent the tools for it, and its branches will be here, with what each kept out."
      command="claude mcp add qm -- qm mcp"
    />
  )
}
