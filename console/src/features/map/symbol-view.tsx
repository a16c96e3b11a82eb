import { type ReactNode, useMemo } from "react"
import { visibleLine } from "../../base/format.ts"
import { type MapSymbol, plural } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { Graph } from "../../ui/graph/graph.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Group, Row, type RowOption } from "../../ui/list/list.tsx"
import { Block, Flow, PaneNote, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PickList } from "../../ui/pick-list/pick-list.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TreeCell } from "../../ui/tree-cell/tree-cell.tsx"
import type { ViewProps } from "./detail.tsx"
import { graphNodes, type LinkLine, linkLines, type ShownSymbol } from "./link-lines.ts"
import { CONFIDENCE, describeLocation, formatLines, placeOf } from "./words.ts"

type SymbolViewProps = ViewProps & { readonly shown: ShownSymbol }

export function SymbolView({ shown, params, onParams, ...view }: SymbolViewProps) {
  const { symbol, callers, called, isCut } = shown
  const lines = useMemo(() => linkLines(shown), [shown])
  const nodes = graphNodes(shown, (it) => paths.map({ ...params, show: placeOf(it) }))
  const turn = () => onParams({ hops: params.hops === 1 ? 2 : 1 }, "replace")
  useKey("map.hops", turn)
  return (
    <>
      <About symbol={symbol} onShow={view.onShow}>
        <ChoiceField
          label="Distance"
          choices={HOPS}
          value={String(params.hops)}
          onPick={(it) => onParams({ hops: it === "1" ? 1 : 2 }, "replace")}
        />
      </About>
      <PickList
        label="Callers and callees"
        columns={LINK_COLUMNS}
        lines={lines}
        takesFocus={view.takesFocus}
        keyOf={(it) => it.key}
        isHeading={(it) => it.kind === "heading"}
        onOpen={(link) => {
          const show = targetOf(link)
          if (show !== undefined) view.onShow(show)
        }}
        renderLine={(it, option) => <AnyLine line={it} option={option} />}
      />
      {isCut ? <PaneNote>Not all are listed.</PaneNote> : null}
      {callers.length + called.length === 0 ? null : (
        <Graph
          label={`Around ${visibleLine(symbol.name)}`}
          centre={{ label: visibleLine(symbol.name), title: visibleLine(describeLocation(symbol)) }}
          nodes={nodes}
          heads={HEADS}
          onFollow={view.onFollow}
        />
      )}
    </>
  )
}

const HOPS = [
  { value: "1", label: "One hop" },
  { value: "2", label: "Two hops" },
] as const

const HEADS = ["Two hops", "Callers", "", "Callees", "Two hops"] as const

const LINK_COLUMNS = { full: "minmax(0, 1fr) minmax(0, 1fr)" } as const

type AboutProps = {
  readonly symbol: MapSymbol
  onShow(show: string): void
  readonly children: ReactNode
}

function About({ symbol, onShow, children }: AboutProps) {
  const { signature, doc, kind, tokens, path, isExported } = symbol
  return (
    <Block>
      <Stack gap="8">
        <Text as="div" mono wrap>
          {visibleLine(signature)}
        </Text>
        {doc === undefined ? null : (
          <Text as="p" size="sm" tone="2" read wrap>
            {visibleLine(doc)}
          </Text>
        )}
        <Flow align="apart" wrap>
          <Text size="sm" tone="3">
            {isExported ? "exported " : ""}
            {kind}, {formatLines(symbol)}, {plural(tokens, "token")}
          </Text>
          <Flow>
            <Button variant="ghost" onPress={() => onShow(path)}>
              Open the file
            </Button>
            {children}
          </Flow>
        </Flow>
      </Stack>
    </Block>
  )
}

function targetOf(line: LinkLine): string | undefined {
  switch (line.kind) {
    case "heading":
      return undefined
    case "file":
      return line.path
    case "link":
      return placeOf(line.link.symbol)
    case "other":
      return placeOf(line.symbol)
    default:
      return line satisfies never
  }
}

function AnyLine({ line, option }: { readonly line: LinkLine; readonly option: RowOption }) {
  switch (line.kind) {
    case "heading":
      return <Group amongOptions name={line.name} count={line.count} />
    case "file":
      return (
        <Row option={option}>
          <Path path={line.path} />
        </Row>
      )
    case "link": {
      const { symbol, confidence } = line.link
      // Under a callee's file the line of the call would be wrong: it is in the caller's.
      const at = line.side === "caller" ? line.link.line : symbol.fromLine
      const description = `line ${at}, ${CONFIDENCE[confidence]}`
      return <NamedRow symbol={symbol} description={description} depth={1} option={option} />
    }
    case "other":
      return (
        <NamedRow
          symbol={line.symbol}
          description={describeLocation(line.symbol)}
          option={option}
        />
      )
    default:
      return line satisfies never
  }
}

type NamedRowProps = {
  readonly symbol: MapSymbol
  readonly description: string
  readonly depth?: number
  readonly option: RowOption
}

function NamedRow({ symbol, description, depth = 0, option }: NamedRowProps) {
  const owner = symbol.parent === undefined ? "" : `${symbol.parent}.`
  const name = visibleLine(`${owner}${symbol.name}`)
  return (
    <Row option={option}>
      <TreeCell depth={depth}>
        <Text mono cut title={visibleLine(symbol.signature)}>
          {name}
        </Text>
      </TreeCell>
      <Text as="div" size="sm" tone="3" cut title={visibleLine(description)}>
        {visibleLine(description)}
      </Text>
    </Row>
  )
}
