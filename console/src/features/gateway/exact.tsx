import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type GatewayTexts, plural } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { GatewayParams } from "../../data/paths.ts"
import { KindDot } from "../../ui/budget-bar/budget-bar.tsx"
import { Button, IconButton } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { DetailBelow } from "../../ui/detail-below/detail-below.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FilterField } from "../../ui/field/field.tsx"
import { NameCell, Row, RowNote, type RowOption, RowSkeleton } from "../../ui/list/list.tsx"
import { PaneHead, PaneNote } from "../../ui/pane/pane.tsx"
import { PickList } from "../../ui/pick-list/pick-list.tsx"
import { Text } from "../../ui/text/text.tsx"
import { excerptLine, markOf } from "./excerpt-line.ts"
import { PAGE_PIECES, useTexts } from "./use-gateway.ts"
import { formatEstimate, KIND_NAMES, shortName } from "./words.ts"

type Piece = GatewayTexts["pieces"][number]

type ExactProps = ParamsProps<GatewayParams> & {
  readonly hasContent: boolean
}

export function Exact(props: ExactProps) {
  if (!props.hasContent) return <NotStored />
  return <StoredExchange {...props} />
}

function NotStored() {
  return (
    <Empty
      description="The texts of this request were not stored, only its items and their sizes. To store texts from the next start on, with secrets redacted:"
      command="qm config set gateway.content true"
    />
  )
}

function StoredExchange({ params, onParams }: ExactProps) {
  const texts = useTexts(params)
  return (
    <>
      <PaneHead>
        <FilterField
          label="Search this request"
          value={params.find}
          onChange={(find) => onParams({ find, from: null, piece: null }, "replace")}
        />
      </PaneHead>
      {texts.error === null ? null : (
        <Failure
          size="pane"
          error={toWireError(texts.error)}
          onRetry={() => void texts.refetch()}
        />
      )}
      {texts.isPending ? <RowSkeleton rows={6} /> : null}
      {texts.data === undefined ? null : (
        <Pieces texts={texts.data} params={params} onParams={onParams} />
      )}
    </>
  )
}

const COLUMNS = { full: "36px minmax(0, 1fr) 64px" } as const

type PiecesProps = Omit<ExactProps, "hasContent"> & { readonly texts: GatewayTexts }

function Pieces({ texts, params, onParams }: PiecesProps) {
  const { pieces, total } = texts
  const open = pieces.find((it) => it.place === params.piece)
  const close = () => onParams({ piece: null }, "replace")
  if (pieces.length === 0) {
    return <RowNote>{params.find.trim() === "" ? "No items." : "No item matches."}</RowNote>
  }
  return (
    <>
      <PickList
        label="Items of the request"
        columns={COLUMNS}
        lines={pieces}
        keyOf={(it) => String(it.place)}
        isHeading={() => false}
        onOpen={(it) => onParams({ piece: it.place === params.piece ? null : it.place }, "replace")}
        renderLine={(it, option) => (
          <PieceRow
            piece={it}
            find={params.find}
            option={{ ...option, isSelected: option.isSelected || it === open }}
          />
        )}
      />
      <Paging shown={pieces.length} total={total} params={params} onParams={onParams} />
      {open === undefined ? null : (
        <PieceText piece={open} find={params.find.trim()} onClose={close} />
      )}
    </>
  )
}

type PagingProps = Omit<ExactProps, "hasContent"> & {
  readonly shown: number
  readonly total: number
}

function Paging({ shown, total, params, onParams }: PagingProps) {
  const from = params.from ?? 0
  const to = (offset: number) =>
    onParams({ from: offset === 0 ? null : offset, piece: null }, "replace")
  if (shown >= total) return null
  return (
    <PaneHead
      actions={
        <>
          <Button small disabled={from === 0} onPress={() => to(Math.max(0, from - PAGE_PIECES))}>
            Previous
          </Button>
          <Button small disabled={from + shown >= total} onPress={() => to(from + PAGE_PIECES)}>
            Next
          </Button>
        </>
      }
    >
      <Text tone="3" size="sm">
        {formatExact(from + 1)} to {formatExact(from + shown)} of {plural(total, "item")}
      </Text>
    </PaneHead>
  )
}

type PieceRowProps = {
  readonly piece: Piece
  readonly find: string
  readonly option: RowOption
}

function PieceRow({ piece, find, option }: PieceRowProps) {
  const line = visibleLine(excerptLine(piece.text ?? "", find))
  return (
    <Row option={option}>
      <Text as="div" mono tone="3" align="end">
        {formatExact(piece.place + 1)}
      </Text>
      <NameCell>
        <KindDot kind={piece.context} />
        <Text as="div" cut title={visibleLine(piece.name)}>
          {visibleLine(shortName(piece))}{" "}
          <Text tone="3">{piece.text === null ? "not stored" : line}</Text>
        </Text>
      </NameCell>
      <Text as="div" mono tone="2" align="end">
        {formatEstimate(piece.tokens)}
      </Text>
    </Row>
  )
}

type PieceTextProps = { readonly piece: Piece; readonly find: string; onClose(): void }

function PieceText({ piece, find, onClose }: PieceTextProps) {
  const title = `${KIND_NAMES[piece.kind]}, ${visibleLine(shortName(piece))}`
  return (
    <DetailBelow label="Text of the item" onLeave={onClose}>
      <PaneHead
        actions={
          <>
            <CopyIcon text={piece.text ?? ""} label="Copy the text" />
            <IconButton small icon="close" label="Close the text" onPress={onClose} />
          </>
        }
      >
        <Text strong cut title={title}>
          {title}
        </Text>
      </PaneHead>
      {piece.text === null ? (
        <PaneNote>The text of this item was not stored.</PaneNote>
      ) : (
        <Code text={piece.text} label={title} {...(find === "" ? {} : { mark: markOf(find) })} />
      )}
      {piece.isCut ? <PaneNote>Truncated: only this part was stored.</PaneNote> : null}
    </DetailBelow>
  )
}
