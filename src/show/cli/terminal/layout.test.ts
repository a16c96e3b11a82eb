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

test("[CLI-31] a setting of 51 characters stays whole at 80 columns", () => {
  const key = "context_folding.max_concurrent_branches_per_session"
  const rows = [
    ["Setting", "Value", "Meaning"],
    [key, "10", "Maximum number of branches that one session may have open at the same time"],
  ]
  expect(table(rows, { width: 80 })).toContain(`${key}  10`)
})

test("[CLI-31] a word that is too long breaks after a separator, not inside a name", () => {
  const rows = [["added", "src/berth/split-stay.ts#splitStay", "build,target,.venv,__pycache__"]]
  const lines = table(rows, { width: 60 }).split("\n")
  expect(lines.map((it) => it.trim().split(/ {2,}/))).toEqual([
    ["added", "src/berth/split-stay.ts#", "build,target,.venv,"],
    ["splitStay", "__pycache__"],
  ])
})
