import { useMemo } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type GatewayManifest, type WireItem } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { GatewayParams } from "../../data/paths.ts"
import { KindDot } from "../../ui/budget-bar/budget-bar.tsx"
import { Group, NameCell, Row, RowNote, type RowOption } from "../../ui/list/list.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PickList } from "../../ui/pick-list/pick-list.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { type HeldLine, heldLines } from "./held-lines.ts"
import { KIND_NAMES, shortName } from "./words.ts"

type HeldProps = ParamsProps<GatewayParams> & {
  readonly manifest: GatewayManifest
}

const COLUMNS = { full: "minmax(0, 1fr) 64px" } as const

export function Held({ manifest, params, onParams }: HeldProps) {
  const lines = useMemo(() => heldLines(manifest), [manifest])
  const open = (line: HeldLine) =>
    line.kind === "heading"
      ? undefined
      : onParams({ tab: "exact", piece: line.place, from: line.place, find: "" }, "replace")
  if (lines.length === 0) return <RowNote>Nothing of it could be read.</RowNote>
  return (
    <PickList
      label="What it held"
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
            sum={formatExact(it.tokens)}
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
        {formatExact(item.tokens)}
      </Text>
    </Row>
  )
}

/** A file could say that it is another: only what the disk confirms is called so. */
function OnDisk({ item: { isConfirmed } }: { readonly item: WireItem }) {
  if (isConfirmed === undefined) return null
  return isConfirmed ? (
    <span title="The file on the disk says the same">
      <Tag>on disk</Tag>
    </span>
  ) : (
    <span title="No file on the disk says this; it may be part of the text before it">
      <Tag tone="warn">not confirmed</Tag>
    </span>
  )
}
