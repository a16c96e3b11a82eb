import type { SessionsCost, Spend } from "#ground/contract"

type CsvCell = number | string

/** One line for each row of the table; days and weeks have one for each model. */
export function costCsv(cost: SessionsCost): string {
  return linesOf(cost)
    .map((cells) => cells.map(formatCell).join(","))
    .join("\n")
}

const SPEND_HEAD = [
  "calls",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "cache_write_1h_tokens",
  "output_tokens",
  "cost_usd",
  "unpriced_tokens",
] as const

function linesOf(cost: SessionsCost): readonly (readonly CsvCell[])[] {
  const { by, rows, tools } = cost
  switch (by) {
    case "tool":
      return [
        ["tool", "results", "bytes", "tokens_estimated"],
        ...tools.map((it) => [it.tool, it.results, it.bytes, it.tokens]),
      ]
    case "day":
    case "week":
      return [
        [by === "day" ? "day" : "week_from", "model", ...SPEND_HEAD],
        ...rows.flatMap(({ label, models = [] }) =>
          models.map(({ model, spend }) => [label, model, ...spendCells(spend)]),
        ),
      ]
    case "session":
      return [
        ["session", "title", ...SPEND_HEAD],
        ...rows.map(({ key, label, spend }) => [key, label, ...spendCells(spend)]),
      ]
    default:
      return [
        [by, ...SPEND_HEAD, "cost_before_usd"],
        ...rows.map(({ label, spend, change }) => [
          label,
          ...spendCells(spend),
          formatMoney(change?.beforeUsd ?? null),
        ]),
      ]
  }
}

function spendCells({ calls, tokens, usd, unpricedTokens }: Spend): readonly CsvCell[] {
  const { input, cacheRead, cacheWrite, cacheWriteHour, output } = tokens
  return [
    calls,
    input,
    cacheRead,
    cacheWrite,
    cacheWriteHour,
    output,
    formatMoney(usd),
    unpricedTokens,
  ]
}

/** Prices of single tokens have up to 10 decimals, which a sum of floats can still represent. */
const MONEY_DECIMALS = 10

function formatMoney(usd: number | null): string {
  if (usd === null) return "unknown"
  return usd.toFixed(MONEY_DECIMALS).replace(/0{1,8}$/, "")
}

/** A spreadsheet runs a text that begins like this as a formula, also inside quotes. */
const FORMULA = /^[=+\-@\t\r]/

function formatCell(cell: CsvCell): string {
  if (typeof cell === "number") return String(cell)
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
