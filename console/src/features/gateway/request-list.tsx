import { useMemo, useState } from "react"
import { visibleLine } from "../../base/format.ts"
import type { GatewayShow } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { GatewayParams } from "../../data/paths.ts"
import { CollectionList } from "../../ui/collection/collection.tsx"

import { Group, RowNote, TableHead } from "../../ui/list/list.tsx"

import { type CountsLine, linesOf, type SessionLine, scaleOf } from "./lines.ts"
import { CountsRow, RequestRow } from "./request-row.tsx"
import { MODE_SAYS } from "./words.ts"

type RequestListProps = ParamsProps<GatewayParams> & {
  readonly show: GatewayShow
}

const COLUMNS = {
  full: "32px 40px minmax(0, 1fr) minmax(0, 104px) 52px 44px 48px 48px 48px 72px 48px 56px minmax(72px, 14%)",
  tight: "32px 40px minmax(0, 1fr) 52px 44px 64px 48px 48px",
  narrow: "minmax(0, 1fr) 96px",
  nameSpan: 3,
} as const

export function RequestList({ show, params, onParams }: RequestListProps) {
  const { who, at } = params
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set())
  const lines = useMemo(() => linesOf(show, { who, opened, at }), [show, who, opened, at])
  const scale = useMemo(() => scaleOf(show), [show])
  const turn = ({ key, isOpen, hasPicked }: CountsLine) => {
    setOpened((keys) => turned(keys, key, !isOpen))
    // The selected request stays in the URL, so that closing the detail returns to it.
    if (hasPicked) onParams({ at: key, piece: null, from: null }, "replace")
  }
  if (lines.length === 0) return <RowNote>No listed request matches.</RowNote>
  return (
    <CollectionList
      label="Requests"
      columns={COLUMNS}
      head={<TableHead labels={HEAD} />}
      items={lines}
      keyOf={(it) => it.key}
      isHeading={(it) => it.kind === "session"}
      at={at}
      openKey="gateway.open"
      // An ended session is read from its start.
      sticksToEnd={show.sessions.some((it) => it.isAlive)}
      onMove={(key) => onParams({ at: key, piece: null, from: null }, "replace")}
      onOpen={(line, how) => {
        if (line.kind === "counts") return turn(line)
        const change = { at: line.key === at ? "" : line.key, piece: null, from: null }
        onParams(change, how === "key" ? "replace" : "push")
      }}
      renderItem={(line, option) => {
        if (line.kind === "session") return <SessionHeading line={line} />
        return line.kind === "counts" ? (
          <CountsRow line={line} option={option} />
        ) : (
          <RequestRow line={line} scale={scale} option={option} />
        )
      }}
    />
  )
}

function turned(keys: ReadonlySet<string>, key: string, isOpen: boolean): ReadonlySet<string> {
  const rest = [...keys].filter((it) => it !== key)
  return new Set(isOpen ? [...rest, key] : rest)
}

const HEAD = [
  { text: "#", align: "end" },
  { text: "At", align: "end" },
  { text: "New content" },
  { text: "Model", from: "wide" },
  { text: "Input", align: "end" },
  { text: "Cached", align: "end" },
  { text: "Written", align: "end", from: "wide" },
  { text: "Fresh", align: "end", from: "wide" },
  { text: "Output", align: "end", from: "wide" },
  { text: "Content" },
  { text: "Took", align: "end" },
  { text: "" },
  { text: "Waterfall", from: "wide" },
] as const

function SessionHeading({ line }: { readonly line: SessionLine }) {
  const { title, mode } = line.session
  return (
    <Group
      amongOptions
      name={visibleLine(title)}
      count={line.count}
      sum={MODE_SAYS[mode]}
      sumFrom="wide"
    />
  )
}
