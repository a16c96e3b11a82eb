import { visibleLine } from "../../base/format.ts"
import { formatBytes, formatExact, type KbDocument, type KbStatus, plural } from "../../contract.ts"
import { CollectionList } from "../../ui/collection/collection.tsx"
import { Group, NameCell, NarrowLine, Row, type RowOption, TextCell } from "../../ui/list/list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { ListPaneHandleProps } from "./page.tsx"
import { describeDocument } from "./words.ts"

const COLUMNS = {
  full: "minmax(0, 1fr) minmax(0, 0.8fr) 72px 88px 88px 72px",
  tight: "minmax(0, 1fr) 72px 88px",
  narrow: "minmax(0, 1fr) 40px",
  nameSpan: 2,
  nameSpanTight: 1,
} as const

export function DocumentRows(
  props: ListPaneHandleProps & { readonly lines: readonly KnowledgeLine[] },
) {
  const { lines, params, handle, onParams } = props
  return (
    <CollectionList
      ref={handle}
      label="Documents"
      columns={COLUMNS}
      items={lines}
      keyOf={(it) => it.key}
      isHeading={(it) => it.kind === "folder"}
      at={params.at}
      openKey="knowledge.open"
      onMove={(at) => onParams({ at }, "replace")}
      onOpen={({ key }) => onParams({ at: key, document: key, show: "", add: false })}
      renderItem={(it, option) =>
        it.kind === "folder" ? <FolderRow line={it} /> : <DocumentRow line={it} option={option} />
      }
    />
  )
}

type DocumentLine = Extract<KnowledgeLine, { kind: "document" }>

function FolderRow({ line }: { readonly line: Extract<KnowledgeLine, { kind: "folder" }> }) {
  const { folder, documents, skipped } = line.folder
  const left = skipped === 0 ? "" : `, ${plural(skipped, "file")} skipped`
  return (
    <Group
      amongOptions
      name={`${visibleLine(folder)}${left}`}
      count={documents}
      labels={[
        { text: "Tier", from: "roomy" },
        { text: "Paragraphs", align: "end", from: "roomy" },
        { text: "References", align: "end", from: "wide" },
        { text: "Size", align: "end", from: "wide" },
      ]}
    />
  )
}

function DocumentRow({ line, option }: { line: DocumentLine; option: RowOption }) {
  const { title, path, tier, paragraphs, references, sizeBytes } = line.document
  return (
    <Row option={option}>
      <Stack>
        <NameCell>
          <Text cut title={visibleLine(title)}>
            {visibleLine(title)}
          </Text>
        </NameCell>
        <NarrowLine>{describeDocument(line.document)}</NarrowLine>
      </Stack>
      <TextCell from="wide" size="sm" tone="3" mono cut title={visibleLine(path)}>
        {visibleLine(path)}
      </TextCell>
      <TextCell from="roomy" size="sm" tone="2" cut>
        {tier}
      </TextCell>
      <TextCell from="roomy" size="sm" tone="2" align="end">
        {formatExact(paragraphs)}
      </TextCell>
      <TextCell from="wide" size="sm" tone="2" align="end">
        {formatExact(references)}
      </TextCell>
      <TextCell from="wide" size="sm" tone="3" align="end" cut>
        {formatBytes(sizeBytes)}
      </TextCell>
    </Row>
  )
}

type Folder = KbStatus["folders"][number]

type KnowledgeLine =
  | { readonly kind: "folder"; readonly key: string; readonly folder: Folder }
  | { readonly kind: "document"; readonly key: string; readonly document: KbDocument }

export function linesOf(
  folders: readonly Folder[],
  documents: readonly KbDocument[],
): readonly KnowledgeLine[] {
  const byFolder = Map.groupBy(documents, (it) => it.folder)
  const folderLines = folders.flatMap((folder): KnowledgeLine[] => {
    const own = byFolder.get(folder.folder) ?? []
    if (own.length === 0 && folder.documents > 0) return []
    return [{ kind: "folder", key: `folder ${folder.folder}`, folder }, ...own.map(lineOf)]
  })
  const named = new Set(folders.map((it) => it.folder))
  return [...folderLines, ...documents.filter((it) => !named.has(it.folder)).map(lineOf)]
}

const lineOf = (document: KbDocument): KnowledgeLine => ({
  kind: "document",
  key: document.id,
  document,
})
