import { existsSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { z } from "zod"
import { OVERALL_PERCENT, ROOM_PERCENT } from "./bars.ts"

/**
 * Coverage may only rise; this tolerance covers random variation, such as the branch that a race
 * takes.
 */
const TOLERANCE_PERCENT = 0.3

const FLOOR_FILE = "scripts/coverage-floor.json"
const SUMMARY_FILE = "coverage/coverage-summary.json"

const Floor = z.object({ lines: z.number() })
const Lines = z.object({ total: z.number(), covered: z.number() })
const Summary = z.record(z.string(), z.object({ lines: Lines }))

export function reportCoverage(root: string): boolean {
  const files = readLines(root)
  if (files === undefined) {
    process.stdout.write("Q1 not measured: the run failed before coverage was written\n")
    return false
  }
  const rows = [
    ...wingsOf(files).map((wing) => measure(files, `src/${wing}`, undefined)),
    ...Object.entries(ROOM_PERCENT).map(([room, bar]) => measure(files, room, bar)),
    measure(files, "src", OVERALL_PERCENT),
  ].filter((row) => row.total > 0)
  for (const row of rows) process.stdout.write(`${describe(row)}\n`)
  const overall = rows.at(-1)?.percent ?? 0
  return keepsFloor(root, overall) && rows.every(holds)
}

type FileLines = z.infer<typeof Lines> & { readonly path: string }
type Row = { folder: string; total: number; percent: number; bar: number | undefined }

function readLines(root: string): readonly FileLines[] | undefined {
  const file = join(root, SUMMARY_FILE)
  if (!existsSync(file)) return undefined
  const { total: _, ...files } = Summary.parse(JSON.parse(readFileSync(file, "utf8")))
  return Object.entries(files).map(([path, { lines }]) => ({
    ...lines,
    path: relative(root, path),
  }))
}

function wingsOf(files: readonly FileLines[]): readonly string[] {
  return [...new Set(files.map((it) => it.path.split("/")[1] ?? ""))]
}

function measure(files: readonly FileLines[], folder: string, bar: number | undefined): Row {
  const inside = files.filter((it) => it.path.startsWith(`${folder}/`))
  const total = inside.reduce((sum, it) => sum + it.total, 0)
  const covered = inside.reduce((sum, it) => sum + it.covered, 0)
  return { folder, total, percent: total === 0 ? 0 : (covered / total) * 100, bar }
}

function holds(row: Row): boolean {
  return row.bar === undefined || row.percent >= row.bar
}

function describe(row: Row): string {
  const percent = `${row.percent.toFixed(1)} %`.padStart(8)
  const verdict = holds(row) ? "holds" : "MISSED"
  const bar = row.bar === undefined ? "" : `  bar ${row.bar} %  ${verdict}`
  return `Q1 ${row.folder.padEnd(22)}${percent}${bar}`
}

function keepsFloor(root: string, percent: number): boolean {
  const floor = Floor.parse(JSON.parse(readFileSync(join(root, FLOOR_FILE), "utf8"))).lines
  const measured = Math.floor(percent * 10) / 10
  if (percent < floor - TOLERANCE_PERCENT) {
    process.stdout.write(
      `Q1 floor MISSED: ${percent.toFixed(1)} % of lines, last measured ${floor} %. ` +
        `Test the added code; only if tested code was deleted, lower ${FLOOR_FILE}.\n`,
    )
    return false
  }
  if (percent > floor + TOLERANCE_PERCENT) {
    process.stdout.write(`Q1 floor may rise: set "lines" in ${FLOOR_FILE} to ${measured}\n`)
  }
  return true
}
