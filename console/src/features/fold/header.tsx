import type { FoldTree } from "../../contract.ts"
import { formatExact, plural } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { sumsOf } from "./tree-lines.ts"
import { useCountAgain } from "./use-fold.ts"

export function FoldHeader({ tree }: { readonly tree: FoldTree | undefined }) {
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
