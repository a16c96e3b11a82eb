import { useMemo } from "react"
import type { Capture, CaptureDiff, CaptureSettings } from "../../../contract.ts"
import type { PageProps } from "../../../data/params.ts"
import type { CaptureParams } from "../../../data/paths.ts"
import { AdviceDetail, type AdviceLine, adviceLines } from "../advice.tsx"
import { type Line, loadLines } from "../list/lines.ts"
import { biggestLines, changeLines, foundLines, settingsLines } from "../tables.ts"
import { ItemDetail } from "./item-detail.tsx"
import {
  BiggestDetail,
  ChangeDetail,
  GroupDetail,
  ObservedDetail,
  SearchedDetail,
  ServerToolsDetail,
  SettingsDetail,
  UnknownDetail,
} from "./other-details.tsx"

type Sources = {
  readonly capture: Capture | undefined
  readonly diff: CaptureDiff | undefined
  readonly compared: CaptureDiff | undefined
  readonly settings: CaptureSettings | undefined
  readonly params: CaptureParams
}

type SelectedDetailProps = PageProps<CaptureParams> & {
  readonly line: SelectedLine
  readonly capture: Capture
  readonly diff: CaptureDiff | undefined
}

type SelectedLine =
  | Line
  | ReturnType<typeof foundLines>[number]
  | ReturnType<typeof settingsLines>[number]
  | ReturnType<typeof biggestLines>[number]
  | ReturnType<typeof changeLines>[number]
  | AdviceLine

export function useSelected(sources: Sources): SelectedLine | undefined {
  const { capture, diff, compared, settings, params } = sources
  const { tab, at, turned, kind } = params
  const folds = turned.join("\n")
  return useMemo(() => {
    if (capture === undefined || at === "") return undefined
    const lines: Readonly<Record<typeof tab, () => readonly SelectedLine[]>> = {
      loads: () => loadLines(capture, { diff, turned: folds.split("\n"), kind }),
      cuts: () => adviceLines(capture),
      found: () => foundLines(capture),
      settings: () => (settings === undefined ? [] : settingsLines(settings)),
      biggest: () => biggestLines(capture),
      diff: () => (compared === undefined ? [] : changeLines(compared)),
    }
    return lines[tab]().find((it) => it.key === at)
  }, [capture, diff, compared, settings, tab, at, folds, kind])
}

export function SelectedDetail(props: SelectedDetailProps) {
  const { line, params, onParams, capture, diff } = props
  const close = () => onParams({ at: "" })
  const turn = (key: string) => {
    const { turned } = params
    const isTurned = turned.includes(key)
    onParams({ turned: isTurned ? turned.filter((it) => it !== key) : [...turned, key] }, "replace")
  }
  switch (line.kind) {
    case "load":
    case "found":
    case "big": {
      const { item } = line
      if (item === undefined) {
        return line.kind === "found" ? (
          <SearchedDetail searched={line.searched} onClose={close} />
        ) : null
      }
      const server = capture.manifest.start?.servers.find((it) => `<mcp ${it.name}>` === item.path)
      if (server !== undefined) return <ServerToolsDetail server={server} onClose={close} />
      return (
        <ItemDetail
          {...props}
          item={item}
          number={line.kind === "load" ? line.number : null}
          change={diff?.changes.find((it) => it.path === item.path)}
          capture={capture}
          onClose={close}
        />
      )
    }
    case "group":
    case "folder":
      return <GroupDetail line={line} onTurn={() => turn(line.key)} onClose={close} />
    case "searched":
      return <SearchedDetail searched={line.searched} onClose={close} />
    case "unknown":
      return <UnknownDetail line={line} onClose={close} />
    case "advice":
      return <AdviceDetail advice={line.advice} onClose={close} />
    case "observed":
      return <ObservedDetail line={line} onClose={close} />
    case "setting":
    case "server":
    case "layer":
      return <SettingsDetail line={line} onClose={close} />
    case "duplicate":
    case "note":
    case "category":
      return <BiggestDetail line={line} onClose={close} />
    case "change":
      return <ChangeDetail change={line.change} onClose={close} />
    case "heading":
      return null
    default:
      return line satisfies never
  }
}
