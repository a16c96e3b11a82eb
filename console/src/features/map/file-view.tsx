import { visibleLine } from "../../base/format.ts"
import { formatCount, formatExact, type MapShow, type MapSymbol, plural } from "../../contract.ts"
import type { MapTab } from "../../data/paths.ts"
import { Loaded } from "../../ui/collection/collection.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Row, RowNote, type RowOption, TextCell } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Block, Flow, PaneHead, PaneNote } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PickList } from "../../ui/pick-list/pick-list.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TreeCell } from "../../ui/tree-cell/tree-cell.tsx"
import { AddToPackage } from "./add-to-package.tsx"
import type { ViewProps } from "./detail.tsx"
import { useUsers } from "./use-map.ts"
import { placeOf } from "./words.ts"

type ShownFile = Extract<MapShow, { kind: "file" }>
type FileViewProps = ViewProps & { readonly file: ShownFile }

export function FileView({ file, params, onParams, onShow, takesFocus }: FileViewProps) {
  const tabs = tabsOf(file)
  const { tab } = params
  const next = tabs[(tabs.findIndex((it) => it.value === tab) + 1) % tabs.length]
  useKey("map.tab", () => onParams({ tab: next?.value ?? "symbols" }, "replace"))
  return (
    <>
      <Facts file={file} />
      {file.problems.length === 0 ? null : (
        <Notice tone="warn" description={visibleLine(file.problems.join(" "))} />
      )}
      <PaneHead>
        <Facets
          label="File views"
          active={tab}
          facets={tabs}
          onPick={(value) => {
            const picked = tabs.find((it) => it.value === value)?.value
            if (picked !== undefined) onParams({ tab: picked }, "replace")
          }}
        />
      </PaneHead>
      <TabContent key={tab} tab={tab} file={file} takesFocus={takesFocus} onShow={onShow} />
    </>
  )
}

function tabsOf({ symbols, imports, importedBy, changedWith }: ShownFile) {
  return [
    { value: "symbols", label: "Symbols", count: formatExact(symbols.length) },
    { value: "imports", label: "Imports", count: formatExact(imports.length) },
    { value: "importers", label: "Imported by", count: formatExact(importedBy.length) },
    { value: "users", label: "Used in" },
    { value: "changed", label: "Changed with", count: formatExact(changedWith.length) },
  ] as const satisfies readonly { readonly value: MapTab; label: string; count?: string }[]
}

function Facts({ file }: { readonly file: ShownFile }) {
  const { language, fileClass, lines, tokens } = file
  const kind = language === null || language === fileClass ? fileClass : `${language} ${fileClass}`
  return (
    <Block>
      <Flow align="apart" wrap>
        <Text as="p" size="sm" tone="2">
          {visibleLine(kind)}, {plural(lines, "line")}, {plural(tokens, "token")}
        </Text>
        <AddToPackage paths={[file.path]} label="Add to a package" />
      </Flow>
    </Block>
  )
}

type ListProps = { readonly takesFocus: boolean; onShow(show: string): void }
type TabContentProps = ListProps & { readonly tab: MapTab; readonly file: ShownFile }

function TabContent({ tab, file, ...list }: TabContentProps) {
  switch (tab) {
    case "symbols":
      return <Symbols symbols={file.symbols} {...list} />
    case "imports":
      return <Imports imports={file.imports} {...list} />
    case "importers":
      return (
        <Paths
          label="Imported by"
          none="No file of this repository imports it."
          rows={file.importedBy.map((path) => ({ path, description: "" }))}
          {...list}
        />
      )
    case "users":
      return <Users path={file.path} {...list} />
    case "changed":
      return (
        <Paths
          label="Changed with"
          none="No other file changed together with it in the known history."
          rows={file.changedWith.map(({ path, times }) => ({
            path,
            description: plural(times, "time"),
          }))}
          {...list}
        />
      )
    default:
      return tab satisfies never
  }
}

type SymbolsProps = ListProps & { readonly symbols: readonly MapSymbol[] }

const SYMBOL_COLUMNS = {
  full: "minmax(0, 1fr) 72px 88px 88px",
  narrow: "minmax(0, 1fr) max-content",
} as const

function Symbols({ symbols, takesFocus, onShow }: SymbolsProps) {
  if (symbols.length === 0) return <RowNote>No symbols.</RowNote>
  return (
    <PickList
      label="Symbols"
      columns={SYMBOL_COLUMNS}
      lines={symbols}
      keyOf={(it) => `${it.fromLine} ${it.name}`}
      takesFocus={takesFocus}
      isHeading={() => false}
      onOpen={(it) => onShow(placeOf(it))}
      renderLine={(it, option) => <SymbolRow symbol={it} option={option} />}
    />
  )
}

function SymbolRow({ symbol, option }: { readonly symbol: MapSymbol; readonly option: RowOption }) {
  const signature = visibleLine(symbol.signature)
  return (
    <Row option={option}>
      <TreeCell depth={symbol.parent === undefined ? 0 : 1}>
        <Text mono cut title={signature}>
          {signature}
        </Text>
      </TreeCell>
      <TextCell from="roomy" size="sm" tone="3" cut>
        {symbol.kind}
      </TextCell>
      <Text as="div" size="sm" tone="3" align="end">
        {symbol.fromLine === symbol.toLine
          ? `line ${symbol.fromLine}`
          : `lines ${symbol.fromLine}-${symbol.toLine}`}
      </Text>
      <TextCell from="roomy" size="sm" tone="2" align="end">
        {formatCount(symbol.tokens)} tokens
      </TextCell>
    </Row>
  )
}

type ImportsProps = ListProps & { readonly imports: ShownFile["imports"] }

const IMPORT_COLUMNS = { full: "minmax(0, 1fr) minmax(0, 1.4fr) 56px" } as const

function Imports({ imports, takesFocus, onShow }: ImportsProps) {
  if (imports.length === 0) return <RowNote>No imports.</RowNote>
  return (
    <PickList
      label="Imports"
      columns={IMPORT_COLUMNS}
      lines={imports}
      keyOf={(it) => `${it.line} ${it.specifier}`}
      takesFocus={takesFocus}
      isHeading={() => false}
      onOpen={({ paths: [first] }) => (first === undefined ? undefined : onShow(first))}
      renderLine={({ specifier, paths, line }, option) => (
        <Row option={option} ghost={paths.length === 0}>
          <Text as="div" mono cut title={visibleLine(specifier)}>
            {visibleLine(specifier)}
          </Text>
          <ImportTarget paths={paths} />
          <Text as="div" size="sm" tone="3" align="end">
            line {line}
          </Text>
        </Row>
      )}
    />
  )
}

function ImportTarget({ paths: [first, ...more] }: { readonly paths: readonly string[] }) {
  if (first === undefined) {
    return (
      <Text as="div" tone="3" cut>
        outside the repository
      </Text>
    )
  }
  return more.length === 0 ? (
    <Path path={first} />
  ) : (
    <Flow>
      <Path path={first} />
      <Text size="sm" tone="3">
        and {formatExact(more.length)} more
      </Text>
    </Flow>
  )
}

const USER_COLUMNS = { full: "minmax(0, 1fr) minmax(0, 1fr) 56px" } as const

function Users({ path, takesFocus, onShow }: ListProps & { readonly path: string }) {
  return (
    <Loaded query={useUsers(path)} rows={6}>
      {({ users, isCut }) =>
        users.length === 0 ? (
          <RowNote>No code of another file uses its symbols.</RowNote>
        ) : (
          <>
            <PickList
              label="Used in"
              columns={USER_COLUMNS}
              lines={users}
              keyOf={(it) => `${it.by.path} ${it.line} ${it.name}`}
              takesFocus={takesFocus}
              isHeading={() => false}
              onOpen={(it) => onShow(placeOf(it.by))}
              renderLine={({ by, name, line }, option) => (
                <Row option={option}>
                  <Path path={by.path} />
                  <Text as="div" mono cut title={visibleLine(`${by.name} uses ${name}`)}>
                    {visibleLine(`${by.name} → ${name}`)}
                  </Text>
                  <Text as="div" size="sm" tone="3" align="end">
                    line {line}
                  </Text>
                </Row>
              )}
            />
            {isCut ? <PaneNote>Not all are listed.</PaneNote> : null}
          </>
        )
      }
    </Loaded>
  )
}

type PathsProps = ListProps & {
  readonly label: string
  readonly none: string
  readonly rows: readonly { readonly path: string; readonly description: string }[]
}

const PATH_COLUMNS = { full: "minmax(0, 1fr) 72px" } as const

function Paths({ label, none, rows, takesFocus, onShow }: PathsProps) {
  if (rows.length === 0) return <RowNote>{none}</RowNote>
  return (
    <PickList
      label={label}
      columns={PATH_COLUMNS}
      lines={rows}
      keyOf={(it) => it.path}
      takesFocus={takesFocus}
      isHeading={() => false}
      onOpen={(it) => onShow(it.path)}
      renderLine={({ path, description }, option) => (
        <Row option={option}>
          <Path path={path} />
          <Text as="div" size="sm" tone="3" align="end">
            {description}
          </Text>
        </Row>
      )}
    />
  )
}
