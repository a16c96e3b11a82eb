import { toWireError } from "../../base/errors.ts"
import { formatMoment, formatWhen, visibleLine } from "../../base/format.ts"
import { formatBytes, formatExact, type KbDocument, type KbStatus } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import {
  Block,
  DetailHead,
  Flow,
  Pane,
  PaneScroll,
  Stack,
  Value,
  Values,
} from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useDocuments, useFolders, useStatus } from "./use-knowledge.ts"
import { TIERS } from "./words.ts"

type DocumentProps = {
  readonly id: string
  readonly now: number
  readonly isReadOnly: boolean
  onParams(text: string): void
  onClose(): void
}

export function Document({ id, now, isReadOnly, onParams, onClose }: DocumentProps) {
  const { data, error, isPending, refetch } = useDocuments({ tier: null })
  const status = useStatus()
  const document = data?.documents.find((it) => it.id === id)
  useKey("panel.right", onClose)
  return (
    <Pane label="The document">
      <DetailHead back="Back to the list" onClose={onClose}>
        <Text as="h2" strong cut>
          {visibleLine(document?.title ?? id)}
        </Text>
      </DetailHead>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {isPending ? <RowSkeleton rows={6} /> : null}
      {data !== undefined && document === undefined ? (
        <RowNote>This document no longer exists.</RowNote>
      ) : null}
      {document === undefined ? null : (
        <PaneScroll>
          <About
            document={document}
            now={now}
            isReadOnly={isReadOnly}
            onParams={() => onParams(document.title)}
          />
          <Nowhere document={document} status={status.data} />
        </PaneScroll>
      )}
    </Pane>
  )
}

type AboutProps = Pick<DocumentProps, "now" | "isReadOnly"> & {
  readonly document: KbDocument
  onParams(): void
}

function About({ document, now, isReadOnly, onParams }: AboutProps) {
  const { path, folder, tier, format, paragraphs, references, sizeBytes, updatedAt } = document
  const { remove } = useFolders()
  return (
    <Block>
      <Stack gap="8">
        <Values>
          <Value name="File" wrap>
            <Text mono>{visibleLine(path)}</Text>
          </Value>
          <Value name="Folder" wrap>
            <Text mono>{visibleLine(folder)}</Text>
          </Value>
          <Value name="Tier" wrap>
            {TIERS[tier].label}, {TIERS[tier].description}
          </Value>
          <Value name="Format">
            {format}, {formatBytes(sizeBytes)}
          </Value>
          <Value name="Paragraphs">{formatExact(paragraphs)}</Value>
          <Value name="References">{formatExact(references)}</Value>
          <Value name="Indexed" title={formatMoment(updatedAt)}>
            {formatWhen(updatedAt, now)}
          </Value>
        </Values>
        <Flow wrap>
          <Button small icon="search" onPress={onParams}>
            Search for its title
          </Button>
          <Button
            small
            variant="danger"
            disabled={isReadOnly || remove.isPending}
            onPress={() => remove.mutate({ path: folder, tier })}
          >
            Remove its folder
          </Button>
        </Flow>
      </Stack>
    </Block>
  )
}

type NowhereProps = { readonly document: KbDocument; readonly status: KbStatus | undefined }

function Nowhere({ document, status }: NowhereProps) {
  const lost = (status?.unresolved ?? []).filter((it) =>
    [document.id, document.path, document.title].includes(it.document),
  )
  if (lost.length === 0) return null
  return (
    <Block title="Broken references" aside={formatExact(lost.length)}>
      <Stack>
        {lost.map(({ text }, i) => (
          <Text key={`${i} ${text}`} as="div" size="sm" tone="2" wrap>
            {visibleLine(text)}
          </Text>
        ))}
      </Stack>
    </Block>
  )
}
