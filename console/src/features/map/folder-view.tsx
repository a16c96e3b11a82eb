import { visibleLine } from "../../base/format.ts"
import {
  formatCount,
  formatExact,
  type MapFolder,
  type NeighbourFolder,
  plural,
} from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Graph } from "../../ui/graph/graph.tsx"
import type { GraphNode } from "../../ui/graph/layout.ts"
import { Row, Rows, TextCell } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Block, Flow, PaneScroll, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Text } from "../../ui/text/text.tsx"
import { AddToPackage } from "./add-to-package.tsx"
import type { ViewProps } from "./detail.tsx"
import { factsOf } from "./measures.ts"
import { placeOf } from "./words.ts"

/** A package can pin files only, so a folder with more than `MOST_FILES` adds its largest ones. */
function describeAdding(files: number): string {
  if (files === 1) return "Add its file to a package"
  return files <= MOST_FILES
    ? `Add its ${files} files to a package`
    : `Add its ${MOST_FILES} largest files to a package`
}

type FolderViewProps = ViewProps & { readonly shown: MapFolder; readonly now: number }

const MOST_FILES = 10

export function FolderView({ shown, now, params, onParams, onFollow }: FolderViewProps) {
  const { folder, files, tokens, measures, largest, symbols, changedWith, period } = shown
  const hrefOf = (show: string) => paths.map({ ...params, show })
  const isZoomed = params.folder === folder
  return (
    <PaneScroll>
      <Block>
        <Values>
          <Value name="Files">{formatExact(files)}</Value>
          {factsOf({ ...measures, tokens }, shown, now).map((it) => (
            <Value key={it.name} name={it.name}>
              {it.value}
            </Value>
          ))}
        </Values>
      </Block>
      <Block>
        <Flow wrap>
          {isZoomed ? null : (
            <Button
              small
              variant="primary"
              onPress={() => onParams({ folder, at: "", text: "", view: "treemap" })}
            >
              Open folder in the treemap
            </Button>
          )}
          <AddToPackage
            paths={largest.slice(0, MOST_FILES).map((it) => it.path)}
            label={describeAdding(files)}
          />
        </Flow>
      </Block>
      <Neighbours shown={shown} hrefOf={hrefOf} onFollow={onFollow} />
      <Block title="Largest files" aside={period === null ? "tokens" : "changes, tokens"}>
        <Rows columns={period === null ? FILE_COLUMNS_WITHOUT_HISTORY : FILE_COLUMNS}>
          {largest.slice(0, MOST_FILES).map((it) => (
            <Row key={it.path} href={hrefOf(it.path)}>
              <Path path={below(it.path, folder)} />
              {period === null ? null : (
                <TextCell mono tone="2" align="end">
                  {it.changes === null ? "" : formatExact(it.changes)}
                </TextCell>
              )}
              <TextCell mono align="end">
                {formatCount(it.tokens)}
              </TextCell>
            </Row>
          ))}
        </Rows>
      </Block>
      {symbols.length === 0 ? null : (
        <Block title="Top symbols" aside="used in other files">
          <Rows columns={SYMBOL_COLUMNS}>
            {symbols.map(({ symbol, files: users }) => (
              <Row key={placeOf(symbol)} href={hrefOf(placeOf(symbol))}>
                <Text mono cut title={visibleLine(symbol.signature)}>
                  {visibleLine(symbol.name)}
                </Text>
                <TextCell size="sm" tone="3">
                  {symbol.kind}
                </TextCell>
                <TextCell size="sm" tone="2" align="end">
                  {plural(users, "file")}
                </TextCell>
              </Row>
            ))}
          </Rows>
        </Block>
      )}
      {changedWith.length === 0 || period === null ? null : (
        <Block title="Changes with" aside="commits of the known history">
          <Rows columns={CHANGED_COLUMNS}>
            {changedWith.map((it) => (
              <Row key={it.path} href={hrefOf(it.path)}>
                <Path path={it.path} />
                <TextCell size="sm" tone="2" align="end">
                  {plural(it.times, "time")}
                </TextCell>
              </Row>
            ))}
          </Rows>
        </Block>
      )}
    </PaneScroll>
  )
}

const FILE_COLUMNS = { full: "minmax(0, 1fr) 40px 56px" } as const
const FILE_COLUMNS_WITHOUT_HISTORY = { full: "minmax(0, 1fr) 56px" } as const
const SYMBOL_COLUMNS = { full: "minmax(0, 1fr) 72px 64px" } as const
const CHANGED_COLUMNS = { full: "minmax(0, 1fr) 72px" } as const

function below(path: string, folder: string): string {
  return folder === "" ? path : path.slice(folder.length + 1)
}

type NeighboursProps = {
  readonly shown: MapFolder
  hrefOf(show: string): string
  onFollow(id: string): void
}

function Neighbours({ shown, hrefOf, onFollow }: NeighboursProps) {
  const { folder, usedBy, dependsOn } = shown
  if (folder === "") return null
  if (usedBy.length + dependsOn.length === 0) {
    return (
      <Block title="Imports between folders">
        <Text as="p" size="sm" tone="3">
          This folder imports from no other folder, and no other folder imports from it.
        </Text>
      </Block>
    )
  }
  const cycles = cyclesOf(shown)
  return (
    <>
      <Block title="Imports between folders" aside="importing files">
        <Graph
          isInside
          label={`Folders around ${visibleLine(folder)}`}
          centre={{ label: nameOf(folder), title: visibleLine(folder) }}
          nodes={folderNodes(shown, hrefOf)}
          heads={["", "Used by", "", "Depends on", ""]}
          onFollow={onFollow}
        />
      </Block>
      {cycles.map((it) => (
        <Notice key={it.folder} tone="warn" description={it.sentence} />
      ))}
    </>
  )
}

type Cycle = { readonly folder: string; readonly sentence: string }

export function cyclesOf({
  folder,
  usedBy,
  dependsOn,
}: Pick<MapFolder, "folder" | "usedBy" | "dependsOn">): readonly Cycle[] {
  const importers = new Map(usedBy.map((it) => [it.folder, it.files]))
  return dependsOn.flatMap((other) => {
    const back = importers.get(other.folder)
    if (back === undefined) return []
    const sentence = `Cycle: ${importing(back)} in ${rootName(other.folder)} import ${folder}, and ${importing(other.files)} import back.`
    return [{ folder: other.folder, sentence: visibleLine(sentence) }]
  })
}

const importing = (files: number) => plural(files, "file")
const rootName = (folder: string) => folder || "the root folder"

export function folderNodes(
  { usedBy, dependsOn }: Pick<MapFolder, "usedBy" | "dependsOn">,
  hrefOf: (show: string) => string,
): readonly GraphNode[] {
  const both = new Set(usedBy.map((it) => it.folder)).intersection(
    new Set(dependsOn.map((it) => it.folder)),
  )
  const nodeOf = (it: NeighbourFolder, side: GraphNode["side"]): GraphNode => ({
    id: `${it.folder}/`,
    label: nameOf(it.folder),
    title: visibleLine(`${rootName(it.folder)}, ${plural(it.files, "importing file")}`),
    href: hrefOf(`${it.folder}/`),
    side,
    hops: 1,
    via: null,
    isSure: true,
    count: it.files,
    ...(both.has(it.folder) ? { tone: "warn" as const } : {}),
  })
  return [
    ...usedBy.map((it) => nodeOf(it, "before")),
    ...dependsOn.map((it) => nodeOf(it, "after")),
  ]
}

function nameOf(folder: string): string {
  return visibleLine(folder.slice(folder.lastIndexOf("/") + 1)) || "root"
}
