import { useMemo } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatCount, type MapTile, type MapTreemap, plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import type { ParamsProps } from "../../data/params.ts"
import { MAP_COLORS, type MapColor, type MapParams, paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Flow, OnlyWide, PaneHead, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { TreemapSpot, TreemapTile } from "../../ui/treemap/layout.ts"
import { Treemap, TreemapFoot } from "../../ui/treemap/treemap.tsx"
import {
  COLOR_LABELS,
  colorProblem,
  describeMost,
  factsOf,
  isMapColor,
  stepOf,
  stepOfAge,
  usableColor,
  valueOf,
} from "./measures.ts"

type TreemapViewProps = ParamsProps<MapParams> & {
  readonly now: number
  readonly treemap: MapTreemap
}

export function TreemapView({ now, treemap, params, onParams }: TreemapViewProps) {
  const { folder, at } = params
  const color = usableColor(params.color, treemap)
  const tiles = useMemo(() => new Map(treemap.tiles.map((it) => [it.path, it])), [treemap])
  const items = useMemo(
    () => treemap.tiles.map(({ path, tokens, files }) => ({ path, weight: tokens, files })),
    [treemap],
  )
  const most = Math.max(0, ...treemap.tiles.map((it) => valueOf(color, it)))
  const highest = (tile: TreemapTile) =>
    Math.max(0, ...tile.items.map((it) => valueOf(color, tiles.get(it.path) ?? NOTHING)))
  const stepAt = (tile: TreemapTile) =>
    color === "age" ? stepOfAge(highest(tile), now) : stepOf(highest(tile), most)
  const open = (spot: TreemapSpot, how: "press" | "key") => {
    const isFile = spot.kind === "tile" && spot.files === 1
    if (isFile) return onParams({ at: spot.key, show: spot.key })
    const isOwn = spot.key === `${folder}/`
    // Enter opens a folder in the plane; a press shows it beside, where a button opens it.
    if (how === "key" && !isOwn) return onParams({ folder: spot.key.slice(0, -1), at: "" })
    onParams({ at: spot.key, show: spot.key })
  }
  const up = () => {
    const above = parentOf(at === "" ? folder : at.replace(/\/$/, ""))
    if (at !== "" && above !== folder) return onParams({ at: `${above}/` }, "replace")
    if (folder !== "") onParams({ folder: parentOf(folder), at: "" })
    else onParams({ at: "" }, "replace")
  }
  useKey(
    "map.pack",
    tiles.get(at)?.files === 1 ? () => navigate(paths.pack({ pins: [at] })) : undefined,
  )
  const tileOf = (spot: TreemapSpot) => tiles.get(spot.key)
  return (
    <>
      <Tools treemap={treemap} params={params} onParams={onParams} color={color} />
      <Treemap
        label={`Treemap of ${folder || "the repository"} by tokens, coloured by ${COLOR_LABELS[color].toLowerCase()}. The list has the same data.`}
        items={items}
        folder={folder}
        at={at}
        shown={params.show}
        scope="map"
        stepOf={stepAt}
        describe={(spot) => describeSpot(spot, { treemap, now, tile: tileOf(spot) })}
        renderCard={(spot) => <Card spot={spot} tile={tileOf(spot)} treemap={treemap} now={now} />}
        onMove={(key) => onParams({ at: key }, "replace")}
        onOpen={open}
        onUp={up}
      />
      <TreemapFoot
        area="Area is tokens"
        least={color === "age" ? "over a year or unknown" : "0"}
        most={describeMost({ color, most }, treemap, now)}
        scope="map"
      />
    </>
  )
}

const NOTHING = { tokens: 0, rank: 0, changes: 0, changedAt: null, reads: 0 }

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

type SpotFacts = {
  readonly treemap: MapTreemap
  readonly now: number
  readonly tile: MapTile | undefined
}

function describeSpot(spot: TreemapSpot, { treemap, now, tile }: SpotFacts): string {
  if (tile !== undefined && spot.files === 1) {
    const facts = factsOf(tile, treemap, now).map((it) => `${it.name} ${it.value}`)
    return visibleLine(`${spot.key}, ${facts.join(", ")}`)
  }
  const name = spot.kind === "frame" ? "folder" : "small files in"
  return visibleLine(
    `${name} ${spot.key}, ${plural(spot.files, "file")}, ${formatCount(spot.weight)} tokens`,
  )
}

type CardProps = SpotFacts & { readonly spot: TreemapSpot }

function Card({ spot, tile, treemap, now }: CardProps) {
  const isFile = tile !== undefined && spot.files === 1
  const facts = isFile
    ? factsOf(tile, treemap, now)
    : [
        {
          name: spot.kind === "frame" ? "Files" : "Small files",
          value: plural(spot.files, "file"),
        },
        { name: "Tokens", value: formatCount(spot.weight) },
      ]
  return (
    <>
      <Path path={isFile ? spot.key : spot.key.slice(0, -1)} />
      <Values>
        {facts.map((it) => (
          <Value key={it.name} name={it.name}>
            {it.value}
          </Value>
        ))}
      </Values>
    </>
  )
}

type ToolsProps = ParamsProps<MapParams> & {
  readonly treemap: MapTreemap
  readonly color: MapColor
}

function Tools({ treemap, params, onParams, color }: ToolsProps) {
  const pick = (next: MapColor) => onParams({ color: next }, "replace")
  const problem = (it: MapColor) => colorProblem(it, treemap)
  const usable = (it: MapColor) => (problem(it) === undefined ? () => pick(it) : undefined)
  useKey("map.size", usable("size"))
  useKey("map.changes", usable("changes"))
  useKey("map.rank", usable("rank"))
  useKey("map.reads", usable("reads"))
  useKey("map.age", usable("age"))
  const parts = params.folder === "" ? [] : params.folder.split("/")
  return (
    <PaneHead
      edge="page"
      actions={
        <>
          <OnlyWide>
            <Text size="sm" tone="3">
              Colour
            </Text>
          </OnlyWide>
          <ChoiceField
            small
            label="Colour"
            choices={MAP_COLORS.map((it) => ({
              value: it,
              label: COLOR_LABELS[it],
              problem: problem(it),
            }))}
            value={color}
            onPick={(value) => (isMapColor(value) ? pick(value) : undefined)}
          />
        </>
      }
    >
      <Flow>
        <Button variant="ghost" small onPress={() => onParams({ folder: "", at: "" })}>
          Repository
        </Button>
        {parts.map((name, i) => {
          const folder = parts.slice(0, i + 1).join("/")
          return (
            <Button
              key={folder}
              variant="ghost"
              small
              onPress={() => onParams({ folder, at: "", show: `${folder}/` })}
            >
              / {visibleLine(name)}
            </Button>
          )
        })}
      </Flow>
    </PaneHead>
  )
}
