import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { join, render, type Sql, type SqlValue, sql } from "./sql.ts"

test("[STORE-1] placeholders are numbered for Postgres and question marks for SQLite", () => {
  const query = sql`SELECT ${1}, ${"two"} FROM t WHERE a = ${null}`
  expect(render(query, "postgres")).toBe("SELECT $1, $2 FROM t WHERE a = $3")
  expect(render(query, "sqlite")).toBe("SELECT ?, ? FROM t WHERE a = ?")
  expect(query.values).toEqual([1, "two", null])
})

test("[STORE-1] fragments nest and join with continuous numbers", () => {
  const where = join([sql`a = ${1}`, sql`b IN (${join([sql`${2}`, sql`${3}`])})`], sql` AND `)
  const query = sql`SELECT * FROM t WHERE ${where} LIMIT ${4}`
  expect(render(query, "postgres")).toBe("SELECT * FROM t WHERE a = $1 AND b IN ($2, $3) LIMIT $4")
  expect(query.values).toEqual([1, 2, 3, 4])
})

test("[STORE-1] the SQL text comes from the template only, whatever the values are", () => {
  const value = fc.oneof(
    fc.string().filter((it) => !it.includes("\0")),
    fc.integer(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), (values) => {
      const query = join(values.map((it) => sql`(${it})`))
      expect(render(query, "sqlite")).toBe(values.map(() => "(?)").join(", "))
      expect(query.values).toEqual(values)
    }),
    fcParameters({ numRuns: 300 }),
  )
})

test("[STORE-1] only the template makes SQL", () => {
  const forged: Sql = { texts: ["DROP TABLE notes"], values: [] }
  expect(() => render(forged, "sqlite")).toThrow(/made by the sql template/)
  expect(() => sql`SELECT ${forged}`).toThrow(/bound value is/)
  expect(() => join([forged])).toThrow(/made by the sql template/)
  const strings = Object.assign(["DROP TABLE notes"], { raw: ["DROP TABLE notes"] })
  expect(() => sql(strings as unknown as TemplateStringsArray)).toThrow(/as a template/)
  expect(() => join([])).toThrow(/at least one/)
})

test("[STORE-16] a value that a database would silently change is refused", () => {
  const refused = [undefined, true, Number.NaN, Number.POSITIVE_INFINITY, {}, [], 2n ** 60n]
  for (const [index, value] of refused.entries()) {
    expect(() => sql`${value as SqlValue}`, `value ${index}`).toThrow(/invariant broken/)
  }
  expect(sql`${-0}`.values).toEqual([0])
  expect(sql`${5n}`.values).toEqual([5n])
})
