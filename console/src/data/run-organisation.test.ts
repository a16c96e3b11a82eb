import { describe, expect, it } from "vitest"
import { labelTree } from "./run-organisation.ts"

describe("labels of runs", () => {
  it("[CONSOLE-100] defined labels are below their parents, other names follow", () => {
    const labels = [
      { name: "api", colour: "blue", parent: "backend" },
      { name: "area", colour: "grey", parent: null },
      { name: "backend", colour: "blue", parent: "area" },
    ] as const
    expect(labelTree([...labels], ["demo", "api"])).toEqual([
      { name: "area", depth: 0 },
      { name: "backend", depth: 1 },
      { name: "api", depth: 2 },
      { name: "demo", depth: 0 },
    ])
    expect(labelTree([], ["a"])).toEqual([{ name: "a", depth: 0 }])
  })
})
