import type { Branch } from "../../contract.ts"
import { Code } from "../../ui/code/code.tsx"
import { CopyButton } from "../../ui/copy/copy.tsx"
import { Block, Flow } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"

/** What it was asked to do, whole; what was secret in it was replaced before it was kept. */
export function Prompt({ branch }: { readonly branch: Branch }) {
  return (
    <>
      <Block>
        <Flow align="apart">
          <Text size="sm" tone="2">
            What the branch was asked to do
          </Text>
          <CopyButton text={branch.prompt} />
        </Flow>
      </Block>
      <Code text={branch.prompt} label="Prompt" />
    </>
  )
}
