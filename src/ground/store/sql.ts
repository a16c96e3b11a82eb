import { invariant } from "#ground/base"
import { TextUnstorable } from "./errors.ts"

export type Dialect = "sqlite" | "postgres"
export type SqlValue = string | number | bigint | null | Uint8Array

/**
 * SQL with separate values; there is one more text than values. Only the `sql` template creates it,
 * so outside text can become a value but never a statement.
 */
export type Sql = { readonly texts: readonly string[]; readonly values: readonly SqlValue[] }

export function sql(strings: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  invariant(Object.isFrozen(strings) && Array.isArray(strings.raw), "sql is called as a template")
  const texts = [strings[0] ?? ""]
  const values: SqlValue[] = []
  for (const [index, part] of parts.entries()) {
    const after = strings[index + 1] ?? ""
    if (isSql(part)) splice(part, { texts, values })
    else {
      values.push(storable(part))
      texts.push("")
    }
    texts.push(`${texts.pop()}${after}`)
  }
  return keep({ texts, values })
}

export function join(fragments: readonly Sql[], separator: Sql = sql`, `): Sql {
  invariant(fragments.length > 0, "join needs at least one fragment")
  const texts = [""]
  const values: SqlValue[] = []
  for (const [index, fragment] of fragments.entries()) {
    if (index > 0) splice(separator, { texts, values })
    splice(fragment, { texts, values })
  }
  return keep({ texts, values })
}

/** `?` for SQLite, `$1`, `$2`… for Postgres. */
export function render(query: Sql, dialect: Dialect): string {
  invariant(made.has(query), "a query was made by the sql template")
  if (dialect === "sqlite") return query.texts.join("?")
  return query.texts.reduce((text, next, index) => `${text}$${index}${next}`)
}

const made = new WeakSet<object>()

function keep(query: Sql): Sql {
  Object.freeze(query.texts)
  Object.freeze(query.values)
  made.add(query)
  return query
}

function isSql(part: SqlValue | Sql): part is Sql {
  return typeof part === "object" && part !== null && made.has(part)
}

function splice(fragment: Sql, into: { texts: string[]; values: SqlValue[] }): void {
  invariant(made.has(fragment), "a fragment was made by the sql template")
  const [first = "", ...rest] = fragment.texts
  into.texts.push(`${into.texts.pop()}${first}`, ...rest)
  into.values.push(...fragment.values)
}

/**
 * Values that both databases return unchanged. SQLite would store a boolean as 1 and NaN as NULL;
 * Postgres refuses a NUL character; both turn a lone surrogate into U+FFFD.
 */
function storable(value: SqlValue | Sql): SqlValue {
  if (value === null) return value
  if (typeof value === "string") return storableText(value)
  if (typeof value === "number") {
    invariant(Number.isFinite(value), `a bound number is finite, not ${value}`)
    // Negative zero differs between the databases.
    return value === 0 ? 0 : value
  }
  if (typeof value === "bigint") {
    invariant(
      Number.isSafeInteger(Number(value)),
      "a bound bigint is a safe integer: rows give back numbers",
    )
    return value
  }
  invariant(
    value instanceof Uint8Array,
    `a bound value is text, number, bytes or null, not ${describe(value)}`,
  )
  return value
}

function describe(value: unknown): string {
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`
}

function storableText(text: string): string {
  const nulAt = text.indexOf("\0")
  if (nulAt >= 0) throw TextUnstorable({ problem: `a NUL character at position ${nulAt}` })
  if (!text.isWellFormed()) throw TextUnstorable({ problem: "a lone surrogate" })
  return text
}
