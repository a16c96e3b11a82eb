import { type FoldTree, formatExact, plural } from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import type { FoldParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail.tsx"
import { ListPane } from "./list-pane.tsx"
import { sumsOf } from "./tree-lines.ts"
import { useCountAgain, useTree } from "./use-fold.ts"

/** Sub-tasks by session: what each used, what came back, and what never reached the window. */
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
  const countAgain = useCountAgain()
  return (
    <Header
      title="Folds"
      facts={
        tree === undefined || tree.sessions.length === 0 ? null : (
          <OnlyWide>
            <Text as="div" tone="3" cut>
              {sayBranches(tree)}
            </Text>
          </OnlyWide>
        )
      }
    >
      <Button icon="refresh" keyId="folds.refresh" onPress={countAgain} shrinks>
        Count again
      </Button>
    </Header>
  )
}

function sayBranches(tree: FoldTree): string {
  const { branches, active } = sumsOf(tree)
  const all = plural(branches, "branch", "branches")
  return active === 0 ? all : `${all}, ${formatExact(active)} active`
}
