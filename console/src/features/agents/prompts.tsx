import { visibleLine } from "../../base/format.ts"
import type { AgentShow } from "../../contract.ts"
import { Code } from "../../ui/code/code.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { RowNote } from "../../ui/list/list.tsx"
import { Block } from "../../ui/pane/pane.tsx"

export function Prompts({ prompts }: Pick<AgentShow, "prompts">) {
  if (prompts.length === 0) return <RowNote>It has no prompts.</RowNote>
  return prompts.map(({ file, text }) => (
    <Block
      key={file}
      title={visibleLine(file)}
      aside={<CopyIcon text={text} label={`Copy ${visibleLine(file)}`} />}
    >
      <Code text={text} label={visibleLine(file)} />
    </Block>
  ))
}
