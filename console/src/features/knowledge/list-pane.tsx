import { useMemo, useRef } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { type KbStatus, plural } from "../../contract.ts"
import { KNOWLEDGE_TIERS, type KnowledgeParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FilterField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import type { VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Pane, PaneFoot, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { DocumentRows } from "./document-rows.tsx"
import { FoundPane } from "./found.tsx"
import { linesOf } from "./lines.ts"
import { useDocuments, useFolders, useStatus } from "./use-knowledge.ts"
import { sayBy, sayWhole, TIERS } from "./words.ts"

export type ListPaneProps = {
  readonly isReadOnly: boolean
  readonly params: KnowledgeParams
  onParams(change: Partial<KnowledgeParams>, how?: "push" | "replace"): void
}

/** Folders with their documents, or the paragraphs that answer the words. */
export function ListPane(props: ListPaneProps) {
  const { params } = props
  const handle = useRef<VirtualListHandle>(null)
  const status = useStatus()
  const isSearching = params.text.trim() !== ""
  const isEmpty = status.data?.folders.length === 0 && status.data.documents === 0
  return (
    <Pane label="Knowledge">
      <Filters {...props} handle={handle} />
      {status.data === undefined ? null : <Stale {...props} status={status.data} />}
      {isSearching ? <FoundPane {...props} handle={handle} /> : null}
      {isSearching ? null : (
        <>
          {status.error === null ? null : (
            <Failure
              size="pane"
              error={toWireError(status.error)}
              onRetry={() => void status.refetch()}
            />
          )}
          {status.isPending ? <RowSkeleton rows={8} /> : null}
          {isEmpty ? <NothingRead {...props} /> : null}
          {status.data === undefined || isEmpty ? null : (
            <Documents {...props} status={status.data} handle={handle} />
          )}
        </>
      )}
      {status.data === undefined || isEmpty ? null : <Foot status={status.data} />}
    </Pane>
  )
}

export type Handled = ListPaneProps & {
  readonly handle: React.RefObject<VirtualListHandle | null>
}

function Filters({ params, handle, onParams }: Handled) {
  const isSearching = params.text.trim() !== ""
  const turnHops = () => onParams({ hops: !params.hops, at: "" }, "replace")
  useKey("knowledge.hops", isSearching ? turnHops : undefined)
  return (
    <>
      <PaneHead
        edge="page"
        actions={
          isSearching ? (
            <Button look="ghost" small pressed={params.hops} onPress={turnHops}>
              Follow references
            </Button>
          ) : undefined
        }
      >
        <FilterField
          label="Search the paragraphs"
          value={params.text}
          onChange={(text) => onParams({ text, at: "" }, "replace")}
          onLeave={() => handle.current?.focus()}
        />
      </PaneHead>
      <PaneHead edge="page">
        <Facets
          label="Tier"
          facets={[{ value: "", label: "All tiers" }, ...TIER_FACETS]}
          active={params.tier ?? ""}
          onPick={(value) =>
            onParams(
              { tier: KNOWLEDGE_TIERS.find((it) => it === value) ?? null, at: "" },
              "replace",
            )
          }
        />
      </PaneHead>
    </>
  )
}

const TIER_FACETS = KNOWLEDGE_TIERS.map((value) => ({ value, label: TIERS[value].label }))

/** Files that were changed since: named, with the way to read them again. */
function Stale({ status, isReadOnly }: ListPaneProps & { readonly status: KbStatus }) {
  const { add } = useFolders()
  const stale = status.folders.find((it) => it.isStale)
  if (stale === undefined) return null
  const others = status.folders.filter((it) => it.isStale).length - 1
  const more = others === 0 ? "" : ` And of ${plural(others, "folder")} more.`
  return (
    <Notice
      tone="warn"
      says={`Files of ${visibleLine(stale.folder)} were changed since they were read.${more}`}
    >
      <Button
        small
        disabled={isReadOnly || add.isPending}
        onPress={() => add.mutate({ path: stale.folder, tier: stale.tier })}
      >
        {add.isPending ? "Reading" : "Read again"}
      </Button>
    </Notice>
  )
}

function Documents({ status, ...props }: Handled & { readonly status: KbStatus }) {
  const { params, onParams } = props
  const { data, error, isPending, refetch } = useDocuments(params)
  const documents = data?.documents
  const lines = useMemo(
    () => (documents === undefined ? [] : linesOf(status.folders, documents)),
    [status.folders, documents],
  )
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (isPending) return <RowSkeleton rows={8} />
  if (lines.length === 0) {
    return (
      <RowNote>
        No document is of this tier.
        <Button small onPress={() => onParams({ tier: null }, "replace")}>
          Show all
        </Button>
      </RowNote>
    )
  }
  return <DocumentRows {...props} lines={lines} />
}

function NothingRead({ isReadOnly, onParams }: ListPaneProps) {
  return (
    <Empty says="Documents that people wrote will be here, cut into paragraphs that can be found, cited and checked: markdown, html and text.">
      <CommandLine command="qm kb add docs">
        {isReadOnly ? null : (
          <Button look="primary" small onPress={() => onParams({ add: true })}>
            Add a folder
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

function Foot({ status }: { readonly status: KbStatus }) {
  const lost = status.unresolved.length
  const nowhere = lost === 0 ? "" : `, ${lost} of them ${lost === 1 ? "leads" : "lead"} nowhere`
  return (
    <PaneFoot>
      {sayWhole(status)}
      {nowhere}. {sayBy(status.by)}.
    </PaneFoot>
  )
}
