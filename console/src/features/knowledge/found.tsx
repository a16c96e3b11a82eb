import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { type KbHit, plural } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, Row, RowNote, type RowOption, RowSkeleton } from "../../ui/list/list.tsx"
import { VirtualList } from "../../ui/list/virtual-list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { Handled } from "./list-pane.tsx"
import { useFound } from "./use-knowledge.ts"
import { sayWhy } from "./words.ts"

const COLUMNS = {
  full: "minmax(0, 1fr) 200px",
  tight: "minmax(0, 1fr)",
  narrow: "minmax(0, 1fr)",
} as const

/** Paragraphs that answer the words, the best first, each with why it was found. */
export function FoundPane({ params, handle, onParams }: Handled) {
  const { data, error, refetch } = useFound(params)
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <RowSkeleton rows={6} />
  if (data.hits.length === 0) {
    return (
      <RowNote>
        No paragraph answers these words, of {plural(data.documents, "document")}.
        <Button small onPress={() => onParams({ text: "", tier: null, at: "" }, "replace")}>
          Show all
        </Button>
      </RowNote>
    )
  }
  return <HitRows hits={data.hits} {...{ params, handle, onParams }} />
}

type HitRowsProps = Omit<Handled, "isReadOnly"> & { readonly hits: readonly KbHit[] }

function HitRows({ hits, params, handle, onParams }: HitRowsProps) {
  const index = hits.findIndex((it) => it.paragraph.id === params.at)
  const selected = hits[index]
  const moveTo = (hit: KbHit | undefined) =>
    hit === undefined ? undefined : onParams({ at: hit.paragraph.id }, "replace")
  const open = ({ paragraph: { id } }: KbHit) => onParams({ at: id, show: id, add: false })
  useKey("list.next", () => moveTo(hits[index + 1]))
  useKey("list.previous", () => moveTo(hits[index < 0 ? hits.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(hits[0]))
  useKey("list.last", () => moveTo(hits.at(-1)))
  useKey("knowledge.open", () => (selected === undefined ? moveTo(hits[0]) : open(selected)))
  const idOf = (hit: KbHit) => `hit-${hits.indexOf(hit)}`
  return (
    <VirtualList
      ref={handle}
      label="Paragraphs"
      columns={COLUMNS}
      items={hits}
      keyOf={(it) => it.paragraph.id}
      isGroup={() => false}
      lines={2}
      activeIndex={index}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={false}
      renderItem={(it) => (
        <HitRow
          hit={it}
          option={{ id: idOf(it), isSelected: it === selected, onPick: () => open(it) }}
        />
      )}
    />
  )
}

function HitRow({ hit, option }: { readonly hit: KbHit; readonly option: RowOption }) {
  const { paragraph } = hit
  const text = visibleLine(paragraph.text.replaceAll(/\s+/g, " "))
  const why = sayWhy(hit)
  const citation = visibleLine(paragraph.citation)
  return (
    <Row option={option} lines={2}>
      <Stack>
        <Cell lead>
          <Text as="div" cut title={text}>
            {text}
          </Text>
        </Cell>
        <Text as="div" size="sm" tone="2" cut title={why}>
          {why}
        </Text>
      </Stack>
      <Cell from="wide">
        <Text as="div" size="sm" tone="3" align="end" cut title={citation}>
          {citation}
        </Text>
      </Cell>
    </Row>
  )
}
