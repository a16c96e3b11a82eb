import { type Ref, useMemo } from "react"
import { parseJson } from "#ground/base/json"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type PackBuilt } from "../../contract.ts"
import type { PackTab } from "../../data/paths.ts"
import { IconButton } from "../../ui/button/button.tsx"
import { Lines, type LinesHandle } from "../../ui/lines/lines.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { OnlyAsPage, Pane, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"

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
  const lines = useMemo(() => written && toLines(written.text, tab), [written, tab])
  const match = useMemo(() => (lines === undefined ? undefined : findFile(lines, at)), [lines, at])
  return (
    <Pane label="Preview">
      <PaneHead
        actions={
          <Text size="sm" tone="3">
            {written === undefined ? "" : formatTokens(written.textTokens, props)}
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
      {lines === undefined || match === undefined ? (
        <RowSkeleton rows={12} />
      ) : (
        <Lines
          ref={props.ref}
          label="Package text"
          lines={lines}
          marked={match.marked}
          at={match.at}
          isStrong={(line) => (tab === "summary" || tab === "markdown") && /^#{2,3} /.test(line)}
          onLeave={props.onClose}
        />
      )}
    </Pane>
  )
}

/** The package's JSON is one line, which costs fewer tokens; people read it indented. */
function toLines(text: string, tab: PackTab): readonly string[] {
  const value = tab === "json" ? parseJson(text) : undefined
  return (value === undefined ? text : JSON.stringify(value, null, 2)).split(/\r?\n/)
}

function formatTokens(tokens: number, { tab, summaryMaxTokens }: PreviewProps): string {
  if (tab !== "summary" || summaryMaxTokens === undefined) return `${formatExact(tokens)} tokens`
  return `${formatExact(tokens)} of ${formatExact(summaryMaxTokens)}`
}

export function findFile(
  lines: readonly string[],
  path: string,
): { readonly at: number | null; readonly marked: ReadonlySet<number> } {
  if (path === "") return { at: null, marked: new Set() }
  const shown = visibleLine(path)
  const matches = lines.flatMap((line, i) => (names(line, path) || names(line, shown) ? [i] : []))
  const own = matches.find((i) => isHead(lines[i] ?? ""))
  return { at: own ?? matches[0] ?? null, marked: new Set(matches) }
}

function names(line: string, path: string): boolean {
  for (let i = line.indexOf(path); i >= 0; i = line.indexOf(path, i + 1)) {
    const before = line[i - 1] ?? ""
    const after = line[i + path.length] ?? ""
    if (!IN_A_PATH.test(before) && !IN_A_PATH.test(after)) return true
  }
  return false
}

const IN_A_PATH = /[\w/-]/

function isHead(line: string): boolean {
  return /^(#|<|\s*"path")/.test(line)
}
