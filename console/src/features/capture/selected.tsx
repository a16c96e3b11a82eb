import { useMemo } from "react"
import type { Capture, CaptureDiff, CaptureSettings } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import type { CaptureParams } from "../../data/paths.ts"
import { ItemDetail } from "./item-detail.tsx"
import { type Line, loadLines } from "./lines.ts"
import {
  BiggestDetail,
  ChangeDetail,
  GroupDetail,
  ObservedDetail,
  SearchedDetail,
  SettingsDetail,
} from "./other-details.tsx"
import { biggestLines, changeLines, foundLines, settingsLines } from "./tables.ts"

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

export function useSelected(sources: Sources): SelectedLine | undefined {
  const { capture, diff, compared, settings, params } = sources
  const { tab, at, turned, kind } = params
  const folds = turned.join("\n")
  return useMemo(() => {
    if (capture === undefined || at === "") return undefined
    const lines: Readonly<Record<typeof tab, () => readonly SelectedLine[]>> = {
      loads: () => loadLines(capture, { diff, turned: folds.split("\n"), kind }),
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
