import { visibleLine } from "../../base/format.ts"
import { type KbStatus, plural } from "../../contract.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import { KNOWLEDGE_TIERS, type KnowledgeParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import {
  CollectionPage,
  FacetHead,
  FilterHead,
  type ListRef,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Pane, PaneFoot } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { AddForm } from "./add-form.tsx"
import { Document } from "./document.tsx"
import { DocumentRows, linesOf } from "./document-rows.tsx"
import { Paragraph } from "./paragraph.tsx"
import { FoundPane } from "./search-results.tsx"
import { useDocuments, useFolders, useStatus } from "./use-knowledge.ts"
import { describeSearchMethod, describeTotals, TIERS } from "./words.ts"

export function KnowledgePage({ now, params, onParams }: PageProps<KnowledgeParams>) {
  const isReadOnly = useReadOnly()
  const { data: status } = useStatus()
  const { add, show, document, text } = params
  return (
    <CollectionPage
      name="knowledge"
      detailPx={480}
      header={
        <Header
          title="Knowledge"
          facts={
            status === undefined ? null : (
              <Text tone="3">{plural(status.documents, "document")}</Text>
            )
          }
        >
          <Button
            icon="plus"
            keyId="knowledge.add"
            disabled={isReadOnly}
            shrinks
            onPress={() => onParams({ add: !add })}
          >
            Add a folder
          </Button>
        </Header>
      }
      list={<ListPane isReadOnly={isReadOnly} params={params} onParams={onParams} />}
      detail={besideOf({ now, params, onParams }, isReadOnly)}
      onLeave={leaveOne(
        onParams,
        [add, { add: false }],
        [show !== "", { show: "" }],
        [document !== "", { document: "" }],
        [text !== "", { text: "", at: "" }],
      )}
    />
  )
}

function besideOf({ now, params, onParams }: PageProps<KnowledgeParams>, isReadOnly: boolean) {
  const { add, show, document } = params
  if (add) {
    return <AddForm isReadOnly={isReadOnly} onClose={() => onParams({ add: false }, "replace")} />
  }
  if (show !== "") {
    return <Paragraph key={show} id={show} onClose={() => onParams({ show: "" })} />
  }
  if (document === "") return null
  return (
    <Document
      key={document}
      id={document}
      now={now}
      isReadOnly={isReadOnly}
      onParams={(text) => onParams({ text, at: "" })}
      onClose={() => onParams({ document: "" })}
    />
  )
}

type ListPaneProps = ParamsProps<KnowledgeParams> & { readonly isReadOnly: boolean }

function ListPane(props: ListPaneProps) {
  const handle = useListRef()
  const status = useStatus()
  const isSearching = props.params.text.trim() !== ""
  const isEmpty = status.data?.folders.length === 0 && status.data.documents === 0
  return (
    <Pane label="Knowledge">
      <Filters {...props} handle={handle} />
      {status.data === undefined ? null : <Stale {...props} status={status.data} />}
      {isSearching ? (
        <FoundPane {...props} handle={handle} />
      ) : (
        <Loaded query={status} rows={8}>
          {(data) =>
            isEmpty ? (
              <NothingRead {...props} />
            ) : (
              <Documents {...props} status={data} handle={handle} />
            )
          }
        </Loaded>
      )}
      {status.data === undefined || isEmpty ? null : <Foot status={status.data} />}
    </Pane>
  )
}

export type ListPaneHandleProps = ListPaneProps & { readonly handle: ListRef }

function Filters({ params, handle, onParams }: ListPaneHandleProps) {
  const isSearching = params.text.trim() !== ""
  const turnHops = () => onParams({ hops: !params.hops, at: "" }, "replace")
  useKey("knowledge.hops", isSearching ? turnHops : undefined)
  return (
    <>
      <FilterHead
        label="Search the paragraphs"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
        actions={
          isSearching ? (
            <Button variant="ghost" small pressed={params.hops} onPress={turnHops}>
              Follow references
            </Button>
          ) : undefined
        }
      />
      <FacetHead
        label="Tier"
        facets={[{ value: "" as const, label: "All tiers" }, ...TIER_FACETS]}
        active={params.tier ?? ""}
        onPick={(tier) => onParams({ tier: tier === "" ? null : tier, at: "" }, "replace")}
      />
    </>
  )
}

const TIER_FACETS = KNOWLEDGE_TIERS.map((value) => ({ value, label: TIERS[value].label }))

function Stale({ status, isReadOnly }: ListPaneProps & { readonly status: KbStatus }) {
  const { add } = useFolders()
  const stale = status.folders.find((it) => it.isStale)
  if (stale === undefined) return null
  const others = status.folders.filter((it) => it.isStale).length - 1
  const more = others === 0 ? "" : ` So did files of ${plural(others, "other folder")}.`
  return (
    <Notice
      tone="warn"
      description={`Files of ${visibleLine(stale.folder)} changed since they were indexed.${more}`}
    >
      <Button
        small
        disabled={isReadOnly || add.isPending}
        onPress={() => add.mutate({ path: stale.folder, tier: stale.tier })}
      >
        {add.isPending ? "Indexing" : "Index again"}
      </Button>
    </Notice>
  )
}

function Documents({ status, ...props }: ListPaneHandleProps & { readonly status: KbStatus }) {
  const { params, onParams } = props
  return (
    <Loaded query={useDocuments(params)} rows={8}>
      {({ documents }) => {
        const lines = linesOf(status.folders, documents)
        return lines.length === 0 ? (
          <NoMatch onShowAll={() => onParams({ tier: null }, "replace")}>
            No document has this tier.
          </NoMatch>
        ) : (
          <DocumentRows {...props} lines={lines} />
        )
      }}
    </Loaded>
  )
}

function NothingRead({ isReadOnly, onParams }: ListPaneProps) {
  return (
    <Empty description="This page lists documents, split into paragraphs that can be found, cited and checked: Markdown, HTML and text. Index the first folder:">
      <CommandLine command="qm kb add docs">
        {isReadOnly ? null : (
          <Button variant="primary" small onPress={() => onParams({ add: true })}>
            Add a folder
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

function Foot({ status }: { readonly status: KbStatus }) {
  const lost = status.unresolved.length
  const nowhere = lost === 0 ? "" : `, ${lost} broken`
  return (
    <PaneFoot>
      {describeTotals(status)}
      {nowhere}. {describeSearchMethod(status.by)}.
    </PaneFoot>
  )
}
