import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { createMatcher, parseGlob } from "./glob.ts"

const fits = (pattern: string, path: string) => {
  const glob = parseGlob(pattern)
  return glob.kind === "usable" && glob.fits(path)
}

describe("path patterns", () => {
  test.for<readonly [string, readonly string[], readonly string[]]>([
    ["*.sql", ["a.sql", "db/a.sql", ".sql"], ["a.sqlx", "a.sql/b"]],
    ["/*.sql", ["a.sql"], ["db/a.sql"]],
    ["*.d.ts", ["a.d.ts", "x/a.d.ts"], ["a.ts", "ad.ts"]],
    ["db/migrations", ["db/migrations", "db/migrations/1/up.sql"], ["old/db/migrations/a"]],
    ["db/migrations/", ["db/migrations/up.sql"], ["db/migrations"]],
    ["**/a/b", ["a/b", "x/y/a/b", "a/b/c"], ["b", "x/b", "ab/b"]],
    ["src/**", ["src/a", "src/b/c"], ["src", "lib/a"]],
    ["**/auth/**", ["auth/a", "x/auth/deep/a"], ["auth", "oauth/a"]],
    ["a[!0-9]\\*", ["ab*"], ["a1*", "abc"]],
    ["(x|y)+", ["(x|y)+"], ["x", "xy"]],
    ["{node_modules,dist}", ["node_modules/a/b", "x/dist/c", "dist"], ["mydist/a"]],
    ["*.ts/", ["a.ts/b", "x/a.ts/b/c"], ["a.ts"]],
    ["**", ["a", "a/b"], []],
  ])("[BASE-26] %s", ([pattern, those, others]) => {
    const isMatch = createMatcher([pattern])
    expect(those.filter((it) => !fits(pattern, it) || !isMatch(it))).toEqual([])
    expect(others.filter((it) => fits(pattern, it) || isMatch(it))).toEqual([])
  })

  test("[BASE-26] indexed lookup and direct matching give the same result", () => {
    const part = fc.constantFrom(
      "a",
      "b",
      ".c",
      "*",
      "*.a",
      "*.b",
      "**",
      "a?",
      "{a,b}",
      "[ab]",
      "b.a",
    )
    const pattern = fc
      .tuple(fc.constantFrom("", "/", ".."), fc.array(part, { minLength: 1, maxLength: 4 }))
      .chain(([start, parts]) =>
        fc.constantFrom("", "/").map((end) => start + parts.join("/") + end),
      )
    const name = fc.constantFrom("a", "b", ".c", "b.a", "ab", "x.b", ".a")
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((it) => it.join("/"))
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 4 }), fc.array(path), (patterns, paths) => {
        const isMatch = createMatcher(patterns)
        for (const it of paths) {
          expect([it, isMatch(it)]).toEqual([it, patterns.some((one) => fits(one, it))])
        }
      }),
      fcParameters({ numRuns: 2_000 }),
    )
  })

  test("[BASE-26] matching is bounded, and an unusable pattern matches nothing", () => {
    const slow = [`${"*a".repeat(400)}c`, `${"**/*a/".repeat(100)}c`, "{a,b}".repeat(150), ""]
    const isMatch = createMatcher(slow)
    expect(isMatch(`${"a".repeat(4_000)}b`)).toBe(false)
    expect(isMatch(`${"a/".repeat(2_000)}b`)).toBe(false)
    expect(createMatcher(["**"])("a".repeat(4_097))).toBe(false)
    expect(parseGlob("{a,b}".repeat(150)).kind).toBe("unusable")
    expect(parseGlob(`${"{a,b}".repeat(8)}${"c".repeat(100)}`).kind).toBe("unusable")
    expect(parseGlob(`{${"a,".repeat(200)}b}`).kind).toBe("usable")
  })
})
