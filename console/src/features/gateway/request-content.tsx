import { useMemo } from "react"
import { visibleLine } from "../../base/format.ts"
import { type GatewayManifest, type WireItem, type WireKind } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { GatewayParams } from "../../data/paths.ts"
import { KindDot } from "../../ui/budget-bar/budget-bar.tsx"
import { Group, NameCell, Row, RowNote, type RowOption } from "../../ui/list/list.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PickList } from "../../ui/pick-list/pick-list.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { formatEstimate, KIND_NAMES, shortName } from "./words.ts"

type HeldProps = ParamsProps<GatewayParams> & {
  readonly manifest: GatewayManifest
}

const COLUMNS = { full: "minmax(0, 1fr) 72px" } as const

export function RequestContent({ manifest, params, onParams }: HeldProps) {
  const lines = useMemo(() => contentLines(manifest), [manifest])
  const open = (line: HeldLine) =>
    line.kind === "heading"
      ? undefined
      : onParams({ tab: "exact", piece: line.place, from: line.place, find: "" }, "replace")
  if (lines.length === 0) return <RowNote>The request could not be parsed.</RowNote>
  return (
    <PickList
      label="Content of the request"
      columns={COLUMNS}
      lines={lines}
      keyOf={(it) => it.key}
      isHeading={(it) => it.kind === "heading"}
      onOpen={open}
      renderLine={(it, option) =>
        it.kind === "heading" ? (
          <Group
            amongOptions
            name={KIND_NAMES[it.of]}
            count={it.count}
            sum={formatEstimate(it.tokens)}
          />
        ) : (
          <ItemRow
            line={it}
            option={{ ...option, isSelected: option.isSelected || it.place === params.piece }}
          />
        )
      }
    />
  )
}

type ItemRowProps = {
  readonly line: Extract<HeldLine, { kind: "item" }>
  readonly option: RowOption
}

function ItemRow({ line, option }: ItemRowProps) {
  const { item, isNew } = line
  const why = visibleLine(line.why)
  return (
    <Row option={option} ghost={item.isDeferred === true}>
      <NameCell>
        <KindDot kind={item.context} outlined={item.isDeferred === true} />
        {item.name.startsWith("/") ? (
          <Path path={item.name} />
        ) : (
          <Text cut title={visibleLine(item.name)}>
            {visibleLine(shortName(item))}
          </Text>
        )}
        {isNew ? <Tag tone="ok">new</Tag> : null}
        {why === "" ? null : (
          <Text cut size="sm" tone="3" title={why}>
            {why}
          </Text>
        )}
        <OnDisk item={item} />
        {item.isDeferred === true ? <Tag>later</Tag> : null}
      </NameCell>
      <Text as="div" mono tone="2" align="end">
        {formatEstimate(item.tokens)}
      </Text>
    </Row>
  )
}

function OnDisk({ item: { isConfirmed } }: { readonly item: WireItem }) {
  if (isConfirmed === undefined) return null
  return isConfirmed ? (
    <span title="Equal to the file on disk">
      <Tag>on disk</Tag>
    </span>
  ) : (
    <span title="No file on disk has this text; it may belong to the item before it">
      <Tag tone="warn">not confirmed</Tag>
    </span>
  )
}

type HeldLine =
  | {
      readonly kind: "heading"
      readonly key: string
      readonly of: WireKind
      readonly count: number
      readonly tokens: number
    }
  | {
      readonly kind: "item"
      readonly key: string
      readonly item: WireItem
      readonly place: number
      readonly isNew: boolean
      /** Why it is there, if it is new and the reason is known. */
      readonly why: string
    }

/** The items of a request by kind, each in request order; new ones are marked. */
export function contentLines({ items, request }: GatewayManifest): readonly HeldLine[] {
  const fresh = newIndexes(items, request.added)
  const kinds = Object.keys(KIND_NAMES)
  return kinds.flatMap((name): readonly HeldLine[] => {
    const own = items.flatMap((item, index) => (item.kind === name ? [{ item, place: index }] : []))
    const first = own[0]
    if (first === undefined) return []
    const tokens = own.reduce((sum, it) => sum + it.item.tokens, 0)
    const of = first.item.kind
    return [
      { kind: "heading", key: `of ${of}`, of, count: own.length, tokens },
      ...own.map(({ item, place }) => ({
        kind: "item" as const,
        key: String(place),
        item,
        place,
        isNew: fresh.has(place),
        why: fresh.has(place) ? (item.why ?? "") : "",
      })),
    ]
  })
}

/** If equal items occur twice, the last one is new, so matches are taken from the end. */
function newIndexes(items: readonly WireItem[], added: readonly WireItem[]): ReadonlySet<number> {
  const due = new Map<string, number>()
  for (const it of added) due.set(identityOf(it), (due.get(identityOf(it)) ?? 0) + 1)
  const places = new Set<number>()
  for (const [index, it] of [...items.entries()].toReversed()) {
    const left = due.get(identityOf(it)) ?? 0
    if (left === 0) continue
    due.set(identityOf(it), left - 1)
    places.add(index)
  }
  return places
}

function identityOf({ kind, name, sha256 }: WireItem): string {
  return `${kind} ${sha256} ${name}`
}
