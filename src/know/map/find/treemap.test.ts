import { describe, expect, onTestFinished, test } from "vitest"
import { madeTree, NEWEST_COMMIT_MS } from "#test/indexed-tree"
import { MapNameUnknown, MapPathOutside } from "../errors.ts"
import { type AgentReads, mapHandlers } from "../handlers.ts"

const DAY_MS = 86_400_000
const context = { signal: new AbortController().signal }
const fn = (name: string, body = "") => `export function ${name}() {\n  return ${body || "1"}\n}\n`

const SHOP = {
  "packages/cart/src/cart.ts": `import { total } from "../../checkout/src/totals.ts"\n${fn("cart", "total()")}`,
  "packages/cart/src/lines.ts": fn("lines"),
  "packages/checkout/src/machine.ts": `import { cart } from "../../cart/src/cart.ts"\nimport { lines } from "../../cart/src/lines.ts"\nimport { total } from "./totals.ts"\n${fn("machine", "cart() + lines() + total()")}`,
  "packages/checkout/src/totals.ts": `${fn("total")}${fn("unused")}`,
  "apps/shop/main.ts": `import { machine } from "../../packages/checkout/src/machine.ts"\n${fn("main", "machine()")}`,
  "docs/guide.md": "# Guide\n\nHow to pay.\n",
}
const CHECKOUT = "packages/checkout"
const COMMITS = [
  { message: "a", files: ["packages/checkout/src/totals.ts", "packages/cart/src/cart.ts"] },
  {
    message: "b",
    files: ["packages/checkout/src/totals.ts", "packages/checkout/src/machine.ts"],
    daysBefore: 30,
  },
  { message: "c", files: ["packages/checkout/src/totals.ts", "gone.ts"], daysBefore: 91 },
  { message: "d", files: ["docs/guide.md"], daysBefore: 400 },
]
const READS: AgentReads = {
  sinceMs: 5,
  byPath: new Map([
    ["packages/checkout/src/totals.ts", 3],
    ["packages/checkout/src/machine.ts", 1],
  ]),
}

async function openedMap(
  files: Readonly<Record<string, string>> = SHOP,
  given: { commits?: typeof COMMITS; reads?: AgentReads } = { commits: COMMITS, reads: READS },
) {
  const made = await madeTree(files, given.commits)
  onTestFinished(() => made[Symbol.asyncDispose]())
  const { map } = mapHandlers({
    scan: (mode, { signal }) => made.index.scan(made.source, { mode, signal }),
    tree: () => Promise.resolve(made.tree),
    knownTree: () => Promise.resolve(made.tree),
    storedTree: () => Promise.resolve(made.tree),
    search: () => Promise.reject(new Error("searched")),
    redact: async () => (text) => text,
    agentReads: () => Promise.resolve(given.reads),
    write: () => Promise.resolve(),
  })
  return {
    treemap: (folder = "", limit = 1_500) => map.treemap({ folder, limit }, context),
    folder: (folder: string) => map.folder({ folder }, context),
    users: (path: string) => map.users({ path }, context),
    tree: (folder: string) => map.tree({ folder, filter: "", limit: 500, measures: true }, context),
  }
}

describe("map.treemap", () => {
  test("[MAP-53] a tile has the commits of 90 days before the newest, its place and agent reads", async () => {
    const { tiles, period, readsSince, ranked } = await (await openedMap()).treemap()
    expect(tiles.find((it) => it.path.endsWith("totals.ts"))).toMatchObject({
      files: 1,
      changes: 2,
      changedAt: NEWEST_COMMIT_MS,
      reads: 3,
      place: expect.any(Number),
    })
    expect(tiles.find((it) => it.path === "docs/guide.md")).toMatchObject({
      changes: 0,
      changedAt: NEWEST_COMMIT_MS - 400 * DAY_MS,
      place: null,
      reads: 0,
    })
    expect(period).toEqual({ days: 90, endsAt: NEWEST_COMMIT_MS, commits: 2 })
    expect([readsSince, ranked]).toEqual([5, 4])
  })

  test("[MAP-53] without history and stored runs both are null, never 0", async () => {
    const { tiles, period, readsSince } = await (await openedMap(SHOP, {})).treemap(CHECKOUT)
    expect([period, readsSince]).toEqual([null, null])
    expect(tiles.map((it) => [it.changes, it.reads])).toEqual([
      [null, null],
      [null, null],
    ])
  })

  test("[MAP-53] over the limit small files share the tile of a folder, and sums stay", async () => {
    const names = Array.from({ length: 200 }, (_, at) => `f${at}`)
    const files = Object.fromEntries(
      names.map((it, at) => [`a${at % 10}/b${at % 40}/${it}.ts`, fn(it)]),
    )
    const map = await openedMap(files, {})
    const all = await map.treemap()
    expect(all.tiles).toHaveLength(200)
    for (const limit of [1, 2, 30, 60, 199]) {
      const { tiles, tokens } = await map.treemap("", limit)
      expect(tiles.length).toBeLessThanOrEqual(limit)
      expect(tiles.reduce((sum, it) => sum + it.tokens, 0)).toBe(tokens)
      expect(tiles.reduce((sum, it) => sum + it.files, 0)).toBe(200)
      expect(tokens).toBe(all.tokens)
    }
  })

  test("[MAP-53] rejects a missing folder and one outside the repository", async () => {
    const map = await openedMap()
    await expect(map.treemap("packages/chekout")).rejects.toSatisfy(MapNameUnknown.is)
    await expect(map.treemap("../x")).rejects.toSatisfy(MapPathOutside.is)
  })

  test("[MAP-46] measures of a folder count a commit once and sum reads", async () => {
    const { entries, measured } = await (await openedMap()).tree("packages")
    expect(entries.map((it) => [it.path, it.measures?.changes, it.measures?.reads])).toEqual([
      ["packages/cart", 1, 0],
      ["packages/checkout", 2, 4],
    ])
    expect(measured).toMatchObject({ readsSince: 5, period: { days: 90 } })
  })
})

describe("map.folder", () => {
  test("[MAP-54] names folders that use it and that it uses, by importing files; both is a cycle", async () => {
    const folder = await (await openedMap()).folder(`${CHECKOUT}/`)
    expect(folder).toMatchObject({
      folder: CHECKOUT,
      files: 2,
      measures: { changes: 2, reads: 4 },
      usedBy: [
        { folder: "apps/shop", files: 1, paths: ["apps/shop/main.ts"] },
        { folder: "packages/cart", files: 1, paths: ["packages/cart/src/cart.ts"] },
      ],
      dependsOn: [
        { folder: "packages/cart", files: 1, paths: ["packages/checkout/src/machine.ts"] },
      ],
      changedWith: [{ path: "packages/cart/src/cart.ts", times: 1 }],
    })
    expect(folder.symbols.map((it) => [it.symbol.name, it.files])).toEqual([
      ["total", 2],
      ["machine", 1],
    ])
  })

  test("[MAP-54] the root has no neighbours; an unknown folder is an error", async () => {
    const map = await openedMap()
    expect(await map.folder("")).toMatchObject({ files: 6, usedBy: [], dependsOn: [] })
    await expect(map.folder("packages/none")).rejects.toSatisfy(MapNameUnknown.is)
  })
})

test("[MAP-55] map.users lists uses in other files with the used symbol and the line", async () => {
  const map = await openedMap()
  const { users, isCut } = await map.users("packages/checkout/src/totals.ts")
  expect(users.map((it) => [it.name, it.by.path, it.by.name, it.line])).toEqual([
    ["total", "packages/cart/src/cart.ts", "cart", 3],
    ["total", "packages/checkout/src/machine.ts", "machine", 5],
  ])
  expect(isCut).toBe(false)
  expect((await map.users("docs/guide.md")).users).toEqual([])
})
