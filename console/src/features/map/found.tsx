import { type RefObject, useMemo } from "react"
import { visibleLine } from "../../base/format.ts"
import { type FoundFile, formatCount, type SearchFind } from "../../contract.ts"
import type { MapParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, Row, type RowOption, TableHead } from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { PaneFoot } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { RankBar } from "../../ui/rank-bar/rank-bar.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Twig } from "../../ui/twig/twig.tsx"
import { placeOf } from "./words.ts"

type FoundSymbol = FoundFile["symbols"][number]

export type FoundLine =
  | { readonly kind: "file"; readonly key: string; readonly file: FoundFile }
  | { readonly kind: "symbol"; readonly key: string; readonly symbol: FoundSymbol }

/** Of each file its best symbols: enough to see why it was found. */
const SYMBOLS_OF_A_FILE = 3

/** Files best first, each with the symbols that speak for it. */
export function foundLines({ files }: SearchFind): readonly FoundLine[] {
  const seen = new Set<string>()
  const markSeen = ({ key }: FoundLine) => !seen.has(key) && seen.add(key) !== undefined
  return files
    .flatMap((file): readonly FoundLine[] => [
      { kind: "file", key: file.path, file },
      ...file.symbols
        .slice(0, SYMBOLS_OF_A_FILE)
        .map((symbol): FoundLine => ({ kind: "symbol", key: placeOf(symbol), symbol })),
    ])
    .filter(markSeen)
}

type FoundProps = {
  readonly found: SearchFind
  readonly params: MapParams
  readonly handle: RefObject<VirtualListHandle | null>
  onParams(change: Partial<MapParams>, how?: "push" | "replace"): void
}

const COLUMNS = {
  full: "minmax(0, 1.2fr) minmax(0, 1fr) 96px 56px",
  tight: "minmax(0, 1.2fr) minmax(0, 1fr) 64px 56px",
  narrow: "minmax(0, 1fr) 56px 48px",
} as const

/** What the words lead to, and why. */
export function Found({ found, params, handle, onParams }: FoundProps) {
  const lines = useMemo(() => foundLines(found), [found])
  const index = lines.findIndex((it) => it.key === params.at)
  const moveTo = (line: FoundLine | undefined) =>
    line === undefined ? undefined : onParams({ at: line.key }, "replace")
  const open = (line: FoundLine) => onParams({ at: line.key, show: line.key })
  const selected = lines[index]
  useKey("list.next", () => moveTo(lines[index + 1]))
  useKey("list.previous", () => moveTo(lines[index < 0 ? lines.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(lines[0]))
  useKey("list.last", () => moveTo(lines.at(-1)))
  useKey("map.open", () => (selected === undefined ? moveTo(lines[0]) : open(selected)))
  const idOf = (line: FoundLine) => `found-${lines.indexOf(line)}`
  return (
    <>
      <VirtualList
        ref={handle}
        label="Found"
        columns={COLUMNS}
        head={<FoundHead />}
        items={lines}
        keyOf={(it) => it.key}
        isGroup={() => false}
        activeIndex={index}
        activeId={selected === undefined ? undefined : idOf(selected)}
        sticksToEnd={false}
        renderItem={(it) => {
          const isSelected = it.key === params.at
          const option = { id: idOf(it), isSelected, onPick: () => open(it) }
          return it.kind === "file" ? (
            <FileRow file={it.file} option={option} />
          ) : (
            <SymbolRow symbol={it.symbol} option={option} />
          )
        }}
      />
      <PaneFoot>The order rests on {found.signals.map(visibleLine).join(", ")}.</PaneFoot>
    </>
  )
}

function FoundHead() {
  return (
    <TableHead
      labels={[
        { text: "Found" },
        { text: "Why" },
        { text: "Score" },
        { text: "Tokens", align: "end" },
      ]}
    />
  )
}

function FileRow({ file, option }: { readonly file: FoundFile; readonly option: RowOption }) {
  const why = visibleLine(file.reasons.join(", "))
  return (
    <Row option={option}>
      <Path path={file.path} />
      <Cell from="roomy">
        <Text as="div" size="sm" tone="2" cut title={why}>
          {why}
        </Text>
      </Cell>
      <Cell>
        <RankBar share={file.score} label="score" />
      </Cell>
      <Cell>
        <Text as="div" mono tone="2" align="end">
          {formatCount(file.tokens)}
        </Text>
      </Cell>
    </Row>
  )
}

type SymbolRowProps = { readonly symbol: FoundSymbol; readonly option: RowOption }

function SymbolRow({ symbol, option }: SymbolRowProps) {
  return (
    <Row option={option}>
      <Twig depth={1}>
        <Text mono cut title={visibleLine(symbol.signature)}>
          {visibleLine(symbol.name)}
        </Text>
      </Twig>
      <Cell from="roomy">
        <Text as="div" size="sm" tone="3" cut>
          {symbol.kind}, line {symbol.fromLine}
        </Text>
      </Cell>
      <Cell>
        <RankBar share={symbol.score} label="score" />
      </Cell>
      <Cell>
        <Text as="div" mono tone="3" align="end">
          {formatCount(symbol.tokens)}
        </Text>
      </Cell>
    </Row>
  )
}
