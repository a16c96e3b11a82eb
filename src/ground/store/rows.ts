import type { z } from "zod"
import type { DatabaseRow } from "./driver.ts"
import { RowUnexpected } from "./errors.ts"

/** A row that does not parse is never handed on, and its values stay out of the message. */
export function parseRows<Row extends z.ZodType>(
  row: Row,
  found: readonly DatabaseRow[],
): z.output<Row>[] {
  return found.map((it) => {
    const parsed = row.safeParse(it)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const where = issue?.path.join(".") ?? ""
    throw RowUnexpected({ problem: `${where === "" ? "the row" : where}: ${issue?.code}` })
  })
}
