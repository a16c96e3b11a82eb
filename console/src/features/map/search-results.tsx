import { useMemo } from "react"
import { visibleLine } from "../../base/format.ts"
import { type FoundFile, formatCount, type SearchFind } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { MapParams } from "../../data/paths.ts"
import { CollectionList, type ListRef } from "../../ui/collection/collection.tsx"
import {
  Cell,
  FigureCell,
  NarrowLine,
  Row,
  type RowOption,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"

import { PaneFoot, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { RankBar } from "../../ui/rank-bar/rank-bar.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TreeCell } from "../../ui/tree-cell/tree-cell.tsx"
import { placeOf } from "./words.ts"

type FoundSymbol = FoundFile["symbols"][number]

export type FoundLine =
  | { readonly kind: "file"; readonly key: string; readonly file: FoundFile }
  | { readonly kind: "symbol"; readonly key: string; readonly symbol: FoundSymbol }

const SYMBOLS_OF_A_FILE = 3

export function foundLines({ files }: SearchFind): readonly FoundLine[] {
  const keys = new Set<string>()
  const markSeen = ({ key }: FoundLine) => !keys.has(key) && keys.add(key) !== undefined
  return files
    .flatMap((file): readonly FoundLine[] => [
      { kind: "file", key: file.path, file },
      ...file.symbols
        .slice(0, SYMBOLS_OF_A_FILE)
        .map((symbol): FoundLine => ({ kind: "symbol", key: placeOf(symbol), symbol })),
    ])
    .filter(markSeen)
}

type FoundProps = ParamsProps<MapParams> & {
  readonly found: SearchFind
  readonly handle: ListRef
}

const COLUMNS = {
  full: "minmax(0, 1.2fr) minmax(0, 1fr) 96px 56px",
  tight: "minmax(0, 1.2fr) minmax(0, 1fr) 64px 56px",
  narrow: "minmax(0, 1fr) 56px 48px",
} as const

export function SearchResults({ found, params, handle, onParams }: FoundProps) {
  const lines = useMemo(() => foundLines(found), [found])
  return (
    <>
      <CollectionList
        ref={handle}
        label="Found"
        columns={COLUMNS}
        wraps
        head={<TableHead labels={FOUND_HEAD} />}
        items={lines}
        keyOf={(it) => it.key}
        at={params.at}
        openKey="map.open"
        onMove={(at) => onParams({ at }, "replace")}
        onOpen={({ key }) => onParams({ at: key, show: key })}
        renderItem={(it, option) =>
          it.kind === "file" ? (
            <FileRow file={it.file} option={option} />
          ) : (
            <SymbolRow symbol={it.symbol} option={option} />
          )
        }
      />
      <PaneFoot>Ordered by {found.signals.map(visibleLine).join(", ")}.</PaneFoot>
    </>
  )
}

const FOUND_HEAD = [
  { text: "Found" },
  { text: "Reason" },
  { text: "Score" },
  { text: "Tokens", align: "end" },
] as const

function FileRow({ file, option }: { readonly file: FoundFile; readonly option: RowOption }) {
  const why = visibleLine(file.reasons.join(", "))
  return (
    <Row wraps option={option}>
      <Stack>
        <Path path={file.path} />
        <NarrowLine onPhone>{why}</NarrowLine>
      </Stack>
      <TextCell from="roomy" size="sm" tone="2" cut title={why}>
        {why}
      </TextCell>
      <Cell>
        <RankBar share={file.score} label="score" />
      </Cell>
      <FigureCell unit="tokens">{formatCount(file.tokens)}</FigureCell>
    </Row>
  )
}

type SymbolRowProps = { readonly symbol: FoundSymbol; readonly option: RowOption }

function SymbolRow({ symbol, option }: SymbolRowProps) {
  const place = `${symbol.kind}, line ${symbol.fromLine}`
  return (
    <Row option={option}>
      <TreeCell depth={1}>
        <Stack>
          <Text mono cut title={visibleLine(symbol.signature)}>
            {visibleLine(symbol.name)}
          </Text>
          <NarrowLine onPhone>{place}</NarrowLine>
        </Stack>
      </TreeCell>
      <TextCell from="roomy" size="sm" tone="3" cut>
        {place}
      </TextCell>
      <Cell>
        <RankBar share={symbol.score} label="score" />
      </Cell>
      <FigureCell unit="tokens" tone="3">
        {formatCount(symbol.tokens)}
      </FigureCell>
    </Row>
  )
}
