import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { mapScan, mapShow, mapTree, searchFind } from "./fake-map.ts"

const query = (values: Record<string, string>) => new URLSearchParams(values)

describe("the map of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers is what the contract allows", () => {
    const { output } = OPERATIONS["map.tree"]
    for (const folder of ["", "src", "src/tariff/surcharges", "data"]) {
      expect(output.parse(mapTree(query({ folder }), true)).entries.length).toBeGreaterThan(0)
    }
    OPERATIONS["map.scan"].output.parse(mapScan())
    OPERATIONS["search.find"].output.parse(searchFind(query({ words: "rounding" })))
    for (const what of ["src/tariff/rounding.ts", "src/tariff/rounding.ts#roundLine"]) {
      OPERATIONS["map.show"].output.parse(mapShow(query({ what, hops: "2" })))
    }
  })

  it("[CONSOLE-23] there is nothing scanned, a folder of 10,000 files, and a name nobody knows", () => {
    expect(mapTree(query({}), false).state).toBeNull()
    const many = mapTree(query({ folder: "data/stations", limit: "2000" }), true)
    expect([many.entries.length, many.total]).toEqual([2_000, 10_000])
    expect(mapShow(query({ what: "no/such.ts" }))).toBeUndefined()
  })
})
