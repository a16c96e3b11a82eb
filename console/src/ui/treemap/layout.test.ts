import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import {
  layoutTreemap,
  spotBeside,
  squarify,
  type TreemapItem,
  type TreemapTile,
} from "./layout.ts"

const SIZE = { folder: "", width: 800, height: 600 }
const item = (path: string, weight: number, files = 1): TreemapItem => ({ path, weight, files })
const tilesOf = (items: readonly TreemapItem[], size = SIZE) =>
  layoutTreemap(items, size).filter((it): it is TreemapTile => it.kind === "tile")

const anyItems = fc.uniqueArray(
  fc.record({
    path: fc
      .array(fc.constantFrom("a", "b", "c", "long-name"), { minLength: 1, maxLength: 4 })
      .map((it) => it.join("/")),
    weight: fc.integer({ min: 0, max: 100_000 }),
    files: fc.constant(1),
  }),
  { selector: (it) => it.path, maxLength: 60 },
)

describe("layout of a treemap", () => {
  it("areas of squarify are proportional, inside the rectangle, and do not overlap", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(weights, (all) => {
        const sorted = all.toSorted((a, b) => b - a)
        const total = sorted.reduce((sum, one) => sum + one, 0)
        const rects = squarify(sorted, { x: 10, y: 20, w: 300, h: 200 })
        expect(rects).toHaveLength(sorted.length)
        for (const [at, one] of rects.entries()) {
          expect(one.w * one.h).toBeCloseTo(((sorted[at] ?? 0) / total) * 60_000, 3)
          expect(one.x).toBeGreaterThanOrEqual(10 - 0.001)
          expect(one.y).toBeGreaterThanOrEqual(20 - 0.001)
          expect(one.x + one.w).toBeLessThanOrEqual(310 + 0.001)
          expect(one.y + one.h).toBeLessThanOrEqual(220 + 0.001)
          for (const other of rects.slice(0, at)) {
            const isApart =
              one.x + one.w <= other.x + 0.001 ||
              other.x + other.w <= one.x + 0.001 ||
              one.y + one.h <= other.y + 0.001 ||
              other.y + other.h <= one.y + 0.001
            expect(isApart).toBe(true)
          }
        }
      }),
      withSeed(),
    )
  })

  it("each file with tokens is in exactly one tile unless its folder is too small to draw", () => {
    fc.assert(
      fc.property(anyItems, (items) => {
        const spots = layoutTreemap(items, SIZE)
        const drawn = spots.flatMap((one) => (one.kind === "tile" ? one.items : []))
        expect(new Set(drawn).size).toBe(drawn.length)
        expect(new Set(spots.map((one) => `${one.kind} ${one.key}`)).size).toBe(spots.length)
        for (const one of spots) {
          expect(one.x + one.w).toBeLessThanOrEqual(800.01)
          expect(one.y + one.h).toBeLessThanOrEqual(600.01)
        }
      }),
      withSeed(),
    )
  })

  it("small files of one folder share a tile with their number", () => {
    const many = Array.from({ length: 40 }, (_, i) => item(`src/tiny-${i}.ts`, 1))
    const tiles = tilesOf([item("src/large.ts", 20_000), ...many])
    expect(tiles.map((one) => [one.key, one.files])).toEqual([
      ["src/large.ts", 1],
      ["src/", 40],
    ])
  })

  it("a large folder of folders is replaced by its folders; a zoomed folder has no own frame", () => {
    const shop = [item("packages/cart/a.ts", 500), item("packages/checkout/b.ts", 500)]
    const frames = (folder: string) =>
      layoutTreemap(shop, { ...SIZE, folder }).flatMap((one) =>
        one.kind === "frame" ? [one.name] : [],
      )
    expect(frames("")).toEqual(["packages/cart", "packages/checkout"])
    expect(layoutTreemap(shop.slice(0, 1), { ...SIZE, folder: "packages/cart" })).toMatchObject([
      { kind: "tile", key: "packages/cart/a.ts", label: ["a"], hasWeight: true },
    ])
  })

  it("a label is split at a hyphen, and left out where it does not fit", () => {
    const labels = (width: number, height: number) =>
      tilesOf([item("variant-picker.tsx", 1)], { folder: "", width, height }).map(
        (one) => one.label,
      )
    expect(labels(200, 100)).toEqual([["variant-picker"]])
    expect(labels(70, 100)).toEqual([["variant-", "picker"]])
    expect(labels(30, 100)).toEqual([[]])
    expect(labels(200, 12)).toEqual([[]])
  })

  it("arrow keys move to the neighbour in their direction and stop at the edge", () => {
    const tiles = tilesOf([item("a", 100), item("b", 100), item("c", 100), item("d", 100)])
    const [first] = tiles
    if (first === undefined) throw new Error("no tile")
    const right = spotBeside(tiles, first, "right")
    expect(right?.x).toBeGreaterThan(first.x)
    expect(spotBeside(tiles, first, "left")).toBeUndefined()
    expect(right === undefined ? undefined : spotBeside(tiles, right, "left")?.key).toBe(first.key)
  })
})
