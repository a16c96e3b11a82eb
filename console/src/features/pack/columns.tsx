import { useMemo, useRef } from "react"
import type { PackFile, PackForm } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { PackParams } from "../../data/paths.ts"
import { useListRef } from "../../ui/collection/collection.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import type { LinesHandle } from "../../ui/lines/lines.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { TwoColumns } from "../../ui/two-columns/two-columns.tsx"
import type { Change } from "./builder.tsx"
import { Candidates } from "./candidates.tsx"
import { applyChoices, type Choices, chooseForm, moveTo, toggleDrop, togglePin } from "./choices.ts"
import { Chosen } from "./chosen-files.tsx"
import { candidateLines, chosenLines, isFileKey, isGroupKey } from "./lines.ts"
import { NEXT_TAB, Preview } from "./preview.tsx"
import type { PackData } from "./use-pack.ts"

type ColumnsProps = ParamsProps<PackParams> & {
  readonly data: PackData
  readonly isNarrow: boolean
  readonly onChange: Change
}

export function Columns({ data, params, isNarrow, onParams, onChange }: ColumnsProps) {
  const { at, pane, tab, turned } = params
  const preview = useRef<LinesHandle>(null)
  const lists = {
    candidates: useListRef(),
    chosen: useListRef(),
  }
  const { pack, files, candidates, chosen } = useLines(data, params)
  const active = pane === "chosen" ? "chosen" : "candidates"
  const hasFile = isFileKey(at)
  const open = () => (isNarrow ? onParams({ pane: "preview" }) : preview.current?.focus())
  const fold = (key: string) => {
    const next = turned.includes(key) ? turned.filter((it) => it !== key) : [...turned, key]
    onParams({ turned: next, at: key }, "replace")
  }
  const handlers = actionsOn(data.choices, files, onChange)
  const rows = active === "chosen" ? chosen : candidates.lines
  const drop = (path: string) => handlers.drop(path, besides(rows ?? [], path))
  const move = (to: string) => onParams({ at: to }, "replace")
  const backToList = () => {
    if (isNarrow) onParams({ pane: active }, "replace")
    else lists[active].current?.focus()
  }
  useKey("pack.pin", hasFile ? () => handlers.pin(at) : undefined)
  useKey("pack.drop", hasFile ? () => drop(at) : undefined)
  const openGroup = isGroupKey(at) ? () => fold(at) : undefined
  useKey("pack.open", hasFile ? open : openGroup)
  useKey("pack.tab", () => onParams({ tab: NEXT_TAB[tab] }, "replace"))
  useKey("pack.pane", () => onParams({ pane: OTHER[active] }, "replace"))
  useKey("leave", at === "" ? undefined : () => onParams({ at: "" }, "replace"))
  const isPreview = pane === "preview"
  return (
    <Split
      name="pack"
      list={
        <TwoColumns
          active={active === "chosen" ? "second" : "first"}
          tabs={
            <Facets
              label="Columns"
              active={active}
              facets={[
                { value: "candidates", label: "Candidates", count: candidates.count },
                { value: "chosen", label: "Selected", count: files.length },
                ...(isNarrow ? [{ value: "preview", label: "Preview" }] : []),
              ]}
              onPick={(it) =>
                onParams({ pane: paneNamed(it) }, it === "preview" ? "push" : "replace")
              }
            />
          }
          onEnter={(side) => {
            const entered = side === "first" ? "candidates" : "chosen"
            if (entered !== pane) onParams({ pane: entered }, "replace")
          }}
          first={
            <Candidates
              ref={lists.candidates}
              lines={candidates.lines}
              count={candidates.count}
              unlisted={candidates.unlisted}
              at={at}
              isActive={active === "candidates"}
              onMove={move}
              onPick={move}
              onFold={fold}
              onTick={(path, isIn) =>
                isIn || handlers.isDropped(path) ? handlers.drop(path) : handlers.pin(path)
              }
            />
          }
          second={
            <Chosen
              ref={lists.chosen}
              lines={chosen}
              files={files}
              choices={data.choices}
              emptyReason={pack?.emptyReason ?? null}
              at={at}
              isActive={active === "chosen"}
              onMove={move}
              onPin={handlers.pin}
              onDrop={drop}
              onForm={handlers.form}
              onPlace={handlers.place}
            />
          }
        />
      }
      detail={
        isNarrow && !isPreview ? null : (
          <Preview
            ref={preview}
            written={data.written}
            tab={tab}
            at={hasFile ? at : ""}
            summaryMaxTokens={data.summaryMaxTokens}
            onTab={(it) => onParams({ tab: it }, "replace")}
            onClose={backToList}
          />
        )
      }
    />
  )
}

const OTHER = { candidates: "chosen", chosen: "candidates" } as const

function paneNamed(value: string): PackParams["pane"] {
  return value === "chosen" || value === "preview" ? value : "candidates"
}

function useLines({ shown, choices, minRelevance }: PackData, { turned, kind }: PackParams) {
  const pack = shown?.pack
  const folds = turned.join("\n")
  return useMemo(() => {
    if (pack === undefined)
      return { pack, files: NO_FILES, candidates: NO_CANDIDATES, chosen: undefined }
    const files = applyChoices(pack.files, choices)
    const lines = candidateLines(pack, {
      files,
      drops: choices.drops,
      turned: folds.split("\n"),
      minRelevance,
    })
    return {
      pack,
      files,
      candidates: {
        lines,
        count: pack.files.length + pack.leftCount,
        unlisted: pack.leftCount - pack.left.length,
      },
      chosen: chosenLines({ files, records: pack.records }, kind),
    }
  }, [pack, choices, folds, kind, minRelevance])
}

const NO_FILES: readonly PackFile[] = []
const NO_CANDIDATES = { lines: undefined, count: 0, unlisted: 0 }

function besides(rows: readonly { kind: string; key: string }[], path: string): string | undefined {
  const index = rows.findIndex((it) => it.key === path)
  const kind = rows[index]?.kind
  const next = [rows[index + 1], rows[index - 1]].find((it) => it?.kind === kind)
  return next?.key
}

function actionsOn(choices: Choices, files: readonly PackFile[], onChange: Change) {
  const paths = () => files.map((it) => it.path)
  return {
    pin: (path: string) => onChange(togglePin(choices, path)),
    drop: (path: string, neighbour?: string) => {
      const isTakenBack = choices.drops.includes(path)
      const goes = neighbour === undefined || isTakenBack ? {} : { at: neighbour }
      onChange(toggleDrop(choices, path), goes)
    },
    form: (path: string, form: PackForm) => onChange(chooseForm(choices, path, form)),
    place: (path: string, to: number) => onChange(moveTo(choices, paths(), { path, to })),
    isDropped: (path: string) => choices.drops.includes(path),
  }
}
