import { expect, test } from "vitest"
import { table } from "./layout.ts"

test("[CLI-31] the first column keeps a whole name while other columns can shrink", () => {
  const text = table(
    [
      ["Setting", "Value", "Source"],
      ["context_folding.default_timeout_seconds", "300", "default"],
      ["tokens.window", "64000", "user file /home/ana/.qm/config.json:3"],
    ],
    { width: 80 },
  )
  expect(text.split("\n")).toEqual([
    "Setting                                  Value  Source",
    "context_folding.default_timeout_seconds  300    default",
    "tokens.window                            64000  user file",
    "                                                /home/ana/.qm/config.json:3",
  ])
})

test("[CLI-31] texts of a last column below 16 characters go below their rows", () => {
  const rows = [
    ["Run", "Title"],
    ["run_0mwl44t40fene63xw3d", "Make quotes and invoices agree to the cent"],
  ]
  expect(table(rows, { width: 36 }).split("\n")).toEqual([
    "Run",
    "    Title",
    "run_0mwl44t40fene63xw3d",
    "    Make quotes and invoices agree",
    "    to the cent",
  ])
  expect(table(rows, { width: Number.POSITIVE_INFINITY }).split("\n")).toHaveLength(2)
})

test("[CLI-31] one long text does not move a column of short values", () => {
  const rows = [
    ["Key", "Source"],
    ["agents.maxRunningAtTheSameTime", "default"],
    ["agents.titles", "default"],
    ["agents.window", "user file of this machine"],
  ]
  const [, second] = table(rows, { width: 40 }).split("\n")
  expect(second).toBe("agents.maxRunningAtTheSameTime  default")
})
