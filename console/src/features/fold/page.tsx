import { type FoldTree, formatExact, plural } from "../../contract.ts"
import { useConnectCommand } from "../../data/actions/use-connect-command.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import type { FoldParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import {
  CollectionPage,
  FilterHead,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { Compare } from "../../ui/compare/compare.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { Figure } from "../../ui/figure/figure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail.tsx"
import { FoundPane } from "./search-results.tsx"
import { Tree } from "./tree.tsx"
import { type FoldSums, sumsOf } from "./tree-lines.ts"
import { useKept, useRefreshCounts, useTree } from "./use-fold.ts"
import { describeModes } from "./words.ts"

export function FoldPage({ now, params, onParams }: PageProps<FoldParams>) {
  const tree = useTree(params)
  const { show, step, text } = params
  return (
    <CollectionPage
      name="folds"
      detailPx={480}
      header={<FoldHeader tree={tree.data} />}
      list={<ListPane now={now} tree={tree} params={params} onParams={onParams} />}
      detail={
        show === "" ? null : <Detail key={show} now={now} params={params} onParams={onParams} />
      }
      onLeave={leaveOne(
        onParams,
        [show !== "" && step !== null, { step: null }],
        [show !== "", { show: "", step: null }],
        [text !== "", { text: "", at: "" }],
      )}
    />
  )
}

function FoldHeader({ tree }: { readonly tree: FoldTree | undefined }) {
  const countAgain = useRefreshCounts()
  return (
    <Header
      title="Folds"
      facts={
        tree === undefined || tree.sessions.length === 0 ? null : (
          <Text as="div" tone="3" cut>
            {describeBranches(tree)}
          </Text>
        )
      }
    >
      <Button icon="refresh" keyId="folds.refresh" onPress={countAgain} shrinks>
        Refresh
      </Button>
    </Header>
  )
}

function describeBranches(tree: FoldTree): string {
  const { branches, active } = sumsOf(tree)
  const all = plural(branches, "branch", "branches")
  return active === 0 ? all : `${all}, ${formatExact(active)} active`
}

type ListPaneProps = PageProps<FoldParams> & { readonly tree: ReturnType<typeof useTree> }

function ListPane(props: ListPaneProps) {
  const { params, onParams } = props
  const handle = useListRef()
  const pick = (all: boolean) => onParams({ all, at: "" }, "replace")
  useKey("folds.all", () => pick(!params.all))
  return (
    <Pane label="Branches">
      <FilterHead
        label="Search the trails"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
        actions={
          <ChoiceField
            small
            label="Time range"
            choices={WHICH}
            value={params.all ? "all" : "hour"}
            onPick={(it) => pick(it === "all")}
          />
        }
      />
      {params.text.trim() === "" ? (
        <Loaded query={props.tree} rows={10}>
          {(tree) =>
            tree.sessions.length === 0 ? (
              <NoBranch params={params} onParams={onParams} />
            ) : (
              <>
                <Summary sums={sumsOf(tree)} />
                <Tree {...props} tree={tree} handle={handle} />
                <WaysFoot tree={tree} />
              </>
            )
          }
        </Loaded>
      ) : (
        <FoundPane {...props} handle={handle} />
      )}
    </Pane>
  )
}

const WHICH = [
  { value: "hour", label: "Last hour" },
  { value: "all", label: "All" },
] as const

const MOST_IN_TREE = 2_000

function WaysFoot({ tree }: { readonly tree: FoldTree }) {
  const branches = tree.sessions.flatMap((it) => it.branches)
  const isLowerBound = branches.some((it) => it.isLowerBound)
  return (
    <PaneFoot>
      Fold methods: {describeModes(branches)}.
      {branches.length < MOST_IN_TREE ? "" : ` The newest ${formatExact(MOST_IN_TREE)} are shown.`}
      {isLowerBound
        ? " ≥ means at least: neither hooks nor a gateway counted the host's own tools there."
        : ""}
    </PaneFoot>
  )
}

function NoBranch({ params, onParams }: ParamsProps<FoldParams>) {
  const stored = useKept(!params.all)
  const command = useConnectCommand()
  const count = params.all ? 0 : stored.data?.total
  if (count === undefined && stored.error === null) return <RowSkeleton rows={3} />
  if (count !== undefined && count > 0) {
    return (
      <NoMatch onShowAll={() => onParams({ all: true, at: "" })}>
        No branch was active in the last hour; {formatExact(count)}{" "}
        {count === 1 ? "is stored." : "are stored."}
      </NoMatch>
    )
  }
  return (
    <Empty
      description="A branch is a sub-task outside the agent's window: it works within a budget of tokens and time, and only its result returns. This page lists branches and the tokens that they saved. Connect an agent; the command first shows what it would write:"
      command={command}
    />
  )
}

function Summary({ sums }: { readonly sums: FoldSums }) {
  const { keptOut, seen, returned, isLowerBound } = sums
  const all = seen + keptOut
  const most = Math.max(1, all)
  return (
    <Figure
      value={`${isLowerBound ? "at least " : ""}${formatExact(keptOut)}`}
      description="tokens saved in the windows"
      facts={[{ value: formatExact(returned), description: "tokens returned" }]}
    >
      <Compare
        lines={[
          { name: "In the windows", share: seen / most, figure: formatExact(seen) },
          {
            name: "Without folds",
            share: seen / most,
            gone: keptOut / most,
            figure: formatExact(all),
          },
        ]}
      />
    </Figure>
  )
}
