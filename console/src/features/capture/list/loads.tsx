import { useMemo } from "react"
import { type Capture, type CaptureDiff, formatExact } from "../../../contract.ts"
import type { ParamsProps } from "../../../data/params.ts"
import type { CaptureParams } from "../../../data/paths.ts"
import { KindDot } from "../../../ui/budget-bar/budget-bar.tsx"
import { FoldGroup, type RowOption, TableHead, VisuallyHidden } from "../../../ui/list/list.tsx"
import type { Axis } from "../../../ui/waterfall/axis.ts"
import { AxisLabels, Fall } from "../../../ui/waterfall/waterfall.tsx"
import { sentenceCase } from "../words.ts"
import { LineList } from "./line-list.tsx"
import { describeFolder, type FolderLine, type Line, type LoadLine, loadLines } from "./lines.ts"
import { RowCells } from "./load-row.tsx"

type LoadsProps = ParamsProps<CaptureParams> & {
  readonly capture: Capture
  readonly diff: CaptureDiff | undefined
  readonly axis: Axis
}

export function Loads({ capture, diff, axis, params, onParams }: LoadsProps) {
  const { turned, kind, at, open } = params
  const lines = useMemo(
    () => loadLines(capture, { diff, turned, kind }),
    // The list from the URL is a new array on each render; compare its text.
    [capture, diff, turned.join("\n"), kind],
  )
  const turn = (key: string) =>
    turned.includes(key) ? turned.filter((it) => it !== key) : [...turned, key]
  const choose = (line: Line, how: "press" | "key") => {
    if (line.kind === "group" || line.kind === "folder") {
      onParams({ turned: turn(line.key) }, "replace")
      return
    }
    const isShown = line.key === at
    if (how === "key") onParams({ open: !open }, "replace")
    else onParams(isShown ? { at: "" } : { at: line.key, open: true })
  }
  const hasMany = capture.manifest.items.length > 99
  return (
    <LineList
      label="Loads"
      columns={hasMany ? MANY_COLUMNS : COLUMNS}
      head={capture.manifest.items.length === 0 ? undefined : <LoadsHead axis={axis} />}
      lines={lines}
      at={at}
      onMove={(line) => onParams({ at: line.key }, "replace")}
      onOpen={choose}
      renderLine={(line, option) => <AnyRow line={line} option={option} axis={axis} />}
    />
  )
}

const COLUMNS = columnsWith("18px")
const MANY_COLUMNS = columnsWith("32px")

function columnsWith(number: string) {
  return {
    full: `${number} minmax(0, 1fr) 100px minmax(172px, 0.5fr) 48px 28px minmax(140px, 0.35fr)`,
    tight: `${number} minmax(120px, 1.4fr) minmax(80px, 1fr) 48px 28px 88px`,
    narrow: "minmax(0, 1fr) 120px",
  } as const
}

function LoadsHead({ axis }: { readonly axis: Axis }) {
  return (
    <TableHead
      labels={[
        { text: "#", align: "end" },
        { text: "Loaded" },
        { text: "Load", from: "wide" },
        { text: "Reason" },
        { text: "Tokens", align: "end" },
        { text: "Seen" },
        { text: "axis", content: <AxisLabels axis={axis} /> },
      ]}
    />
  )
}

type RowProps<Shown extends Line> = {
  readonly line: Shown
  readonly option: RowOption
  readonly axis: Axis
}

function AnyRow({ line, option, axis }: RowProps<Line>) {
  switch (line.kind) {
    case "group":
      return (
        <FoldGroup
          option={option}
          name={line.name}
          count={line.count}
          sum={line.sum}
          isOpen={line.isOpen}
        />
      )
    case "load":
      return <LoadRow line={line} option={option} axis={axis} />
    case "folder":
      return <FolderRow line={line} option={option} axis={axis} />
    case "searched":
      return (
        <PlainRow
          option={option}
          axis={axis}
          path={line.label}
          load={line.searched.outcome}
          reason={line.searched.detail ?? sentenceCase(line.searched.source)}
          tokens={null}
        />
      )
    case "unknown":
      return (
        <PlainRow
          option={option}
          axis={axis}
          path={line.name}
          load="not counted"
          reason={line.reason}
          tokens={null}
        />
      )
    case "observed":
      return (
        <PlainRow
          option={option}
          axis={axis}
          path={line.agreement.label}
          load="observed"
          reason={line.agreement.explanation ?? "Reported by the host only"}
          tokens={line.agreement.tokens ?? null}
        />
      )
    default:
      return line satisfies never
  }
}

function LoadRow({ line, option, axis }: RowProps<LoadLine>) {
  const { item, label, number, start, tokens, observed, delta } = line
  const bar = start === null ? null : { start, tokens, kind: item.kind }
  const isAside = start === null
  return (
    <RowCells
      option={option}
      isGhost={isAside}
      number={number}
      lead={<KindDot kind={item.kind} outlined={isAside} />}
      path={label}
      delta={delta}
      load={isAside && item.load === "always" ? "deferred" : item.load}
      reason={item.reason}
      tokens={formatExact(tokens)}
      observed={observed}
      fall={(bare) => (
        <Fall axis={axis} bar={bar} isHatched={observed === "estimated-only"} bare={bare} />
      )}
    />
  )
}

function FolderRow({ line, option, axis }: RowProps<FolderLine>) {
  const { folder, items, number, start, tokens, observed, delta, isOpen } = line
  const kind = items[0]?.kind ?? "tools"
  return (
    <RowCells
      option={option}
      isGhost={false}
      number={number}
      lead={
        <>
          <KindDot kind={kind} />
          <VisuallyHidden>{isOpen ? "open" : "folded"}</VisuallyHidden>
        </>
      }
      path={folder.label}
      delta={delta}
      fold={isOpen ? "chevron-down" : "chevron-right"}
      load="name-only"
      reason={describeFolder(folder, items.length)}
      tokens={formatExact(tokens)}
      observed={observed}
      fall={(bare) => (
        <Fall
          axis={axis}
          bar={{ start, tokens, kind }}
          isHatched={observed === "estimated-only"}
          bare={bare}
        />
      )}
    />
  )
}

type PlainRowProps = {
  readonly option: RowOption
  readonly axis: Axis
  readonly path: string
  readonly load: string
  readonly reason: string
  readonly tokens: number | null
}

function PlainRow({ option, axis, path, load, reason, tokens }: PlainRowProps) {
  return (
    <RowCells
      option={option}
      isGhost
      number={null}
      lead={<KindDot kind={null} />}
      path={path}
      delta={null}
      load={load}
      reason={reason}
      tokens={tokens === null ? "" : formatExact(tokens)}
      observed={null}
      fall={(bare) => <Fall axis={axis} bar={null} bare={bare} />}
    />
  )
}
