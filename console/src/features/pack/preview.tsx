import { type Ref, useMemo } from "react"
import { formatExact, type PackBuilt } from "../../contract.ts"
import type { PackTab } from "../../data/paths.ts"
import { IconButton } from "../../ui/button/button.tsx"
import { Lines, type LinesHandle } from "../../ui/lines/lines.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { OnlyAsPage, Pane, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { findFile } from "./text.ts"

const TABS = [
  { value: "summary", label: "Summary" },
  { value: "markdown", label: "Markdown" },
  { value: "xml", label: "XML" },
  { value: "json", label: "JSON" },
] as const satisfies readonly { readonly value: PackTab; readonly label: string }[]

export const NEXT_TAB: Readonly<Record<PackTab, PackTab>> = {
  summary: "markdown",
  markdown: "xml",
  xml: "json",
  json: "summary",
}

type PreviewProps = {
  readonly written: Pick<PackBuilt, "text" | "textTokens"> | undefined
  readonly tab: PackTab
  readonly at: string
  readonly summaryMaxTokens: number | undefined
  readonly ref: Ref<LinesHandle>
  onTab(tab: PackTab): void
  onClose(): void
}

export function Preview(props: PreviewProps) {
  const { written, tab, at, onTab } = props
  const lines = useMemo(() => written?.text.split(/\r?\n/), [written])
  const found = useMemo(() => (lines === undefined ? undefined : findFile(lines, at)), [lines, at])
  return (
    <Pane label="Preview">
      <PaneHead
        actions={
          <Text size="sm" tone="3">
            {written === undefined ? "" : sayTokens(written.textTokens, props)}
          </Text>
        }
      >
        <OnlyAsPage>
          <IconButton small icon="back" label="Back to the lists" onPress={props.onClose} />
        </OnlyAsPage>
        <Facets
          label="Format"
          active={tab}
          facets={TABS}
          onPick={(value) => {
            const picked = TABS.find((it) => it.value === value)?.value
            if (picked !== undefined) onTab(picked)
          }}
        />
      </PaneHead>
      {lines === undefined || found === undefined ? (
        <RowSkeleton rows={12} />
      ) : (
        <Lines
          ref={props.ref}
          label="What is sent"
          lines={lines}
          marked={found.marked}
          at={found.at}
          isStrong={(line) => (tab === "summary" || tab === "markdown") && /^#{2,3} /.test(line)}
          onLeave={props.onClose}
        />
      )}
    </Pane>
  )
}

function sayTokens(tokens: number, { tab, summaryMaxTokens }: PreviewProps): string {
  if (tab !== "summary" || summaryMaxTokens === undefined) return `${formatExact(tokens)} tokens`
  return `${formatExact(tokens)} of ${formatExact(summaryMaxTokens)}`
}
