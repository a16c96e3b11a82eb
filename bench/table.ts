import type { Row } from "./frame.ts"

export function renderTable(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const render = (line: readonly string[]) =>
    line.map((cell, column) => align(cell, column, widths[column] ?? 0)).join("  ")
  return lines.map((line) => `  ${render(line).trimEnd()}\n`).join("")
}

const HEAD = ["what", "measured", "against", "floor", "ratio", "bar", "holds"]
const FIGURES = new Set(["measured", "floor", "ratio"])

function cellsOf(row: Row): string[] {
  return [
    row.what,
    `${formatFigure(row.measured)} ${row.unit}`,
    row.against,
    `${formatFigure(row.floor)} ${row.unit}`,
    Number.isFinite(row.ratio) ? `${formatFigure(row.ratio)} ×` : "",
    row.bar,
    row.holds === null ? "" : HOLDS[`${row.holds}`],
  ]
}

const HOLDS = { true: "yes", false: "no" }

function align(cell: string, column: number, width: number): string {
  return FIGURES.has(HEAD[column] ?? "") ? cell.padStart(width) : cell.padEnd(width)
}

/** Three significant digits: 0.123, 1.23, 12.3, 123, 12,345. */
export function formatFigure(figure: number): string {
  if (figure === 0 || !Number.isFinite(figure)) return String(figure)
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(figure))))
  const [whole = "", fraction] = figure.toFixed(Math.min(digits, 6)).split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}
