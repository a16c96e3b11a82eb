import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { checkRiskPaths, createRiskPaths, MOST_RISK_GLOBS } from "./risk-paths.ts"

const isRisky = (patterns: readonly string[], path: string) =>
  createRiskPaths(patterns).patternFor(path) !== undefined

describe("createRiskPaths: patterns", () => {
  test.for<readonly [string, readonly string[], readonly string[]]>([
    [
      "**/auth/**",
      ["auth/a.ts", "src/auth/a.ts", "src/auth/deep/a.ts", "src/auth/.env"],
      ["auth", "src/auth", "src/author/a.ts", "src/auth.ts", "src/oauth/a.ts"],
    ],
    [
      "src/db/migrations/*",
      ["src/db/migrations/001.sql", "src/db/migrations/.keep"],
      ["src/db/migrations/old/001.sql", "db/migrations/1.sql", "src/db/migrations"],
    ],
    ["*.sql", ["a.sql", "src/db/a.sql", ".sql"], ["a.sqlx", "a.sql/b"]],
    ["/*.sql", ["a.sql"], ["src/a.sql"]],
    ["./src/*.ts", ["src/a.ts"], ["src/b/a.ts", "lib/src/a.ts"]],
    ["src/**", ["src/a", "src/b/c"], ["src", "lib/a"]],
    ["src/**/*.ts", ["src/a.ts", "src/b/c/a.ts"], ["src/a.tsx", "a.ts"]],
    ["src/**/test/**/*.ts", ["src/test/a.ts", "src/a/test/b/c.ts"], ["src/a.ts", "test/a.ts"]],
    ["**", ["a", "a/b"], []],
    ["Dockerfile", ["Dockerfile", "app/Dockerfile", "Dockerfile/x"], ["dockerfile", "Dockerfile2"]],
    ["src/billing", ["src/billing", "src/billing/a/b.ts"], ["lib/src/billing", "src/billing2/a"]],
    ["infra/", ["infra/a", "x/infra/a/b"], ["infra"]],
    ["{api,web}/*.ts", ["api/a.ts", "web/a.ts"], ["app/a.ts", "{api,web}/a.ts"]],
    ["src/{a/b,c}/x", ["src/a/b/x", "src/c/x"], ["src/a/x"]],
    ["v[0-9].ts", ["v1.ts", "a/v9.ts"], ["va.ts", "v10.ts"]],
    ["v[!0-9].ts", ["va.ts"], ["v1.ts", "v/.ts"]],
    ["v?.ts", ["v1.ts", "v😀.ts"], ["v.ts", "v12.ts"]],
    ["app/(auth)/**", ["app/(auth)/page.tsx"], ["app/auth/page.tsx"]],
    ["app/\\[slug\\]/*", ["app/[slug]/page.tsx"], ["app/s/page.tsx"]],
    ["*a*a*b", ["xaxaxb"], ["xaxb"]],
    ["src/*/*/x", ["src/a/b/x"], ["src/a/x", "src//x"]],
  ])("[GUARD-14] %s", ([pattern, fitting, others]) => {
    expect(fitting.filter((path) => !isRisky([pattern], path))).toEqual([])
    expect(others.filter((path) => isRisky([pattern], path))).toEqual([])
  })

  test("[GUARD-14] the last matching pattern decides, and is returned", () => {
    const { patternFor } = createRiskPaths([
      "**/auth/**",
      "!**/auth/docs/**",
      "**/auth/docs/key.md",
    ])
    expect(patternFor("src/auth/a.ts")).toBe("**/auth/**")
    expect(patternFor("src/auth/docs/a.md")).toBeUndefined()
    expect(patternFor("src/auth/docs/key.md")).toBe("**/auth/docs/key.md")
    expect(patternFor("src/a.ts")).toBeUndefined()
    expect(isRisky(["!src/**"], "src/a.ts")).toBe(false)
    expect(isRisky(["!src/**", "src/a.ts"], "src/a.ts")).toBe(true)
  })

  test("[GUARD-14] a plain path matches itself and everything below it, but no sibling", () => {
    const name = fc.stringMatching(/^[a-z.]{1,6}$/).filter((it) => !/^\.{1,2}$/.test(it))
    const path = fc.array(name, { minLength: 2, maxLength: 5 }).map((it) => it.join("/"))
    fc.assert(
      fc.property(path, path, (own, other) => {
        const isBelow = other === own || other.startsWith(`${own}/`)
        expect(isRisky([own], other)).toBe(isBelow)
        expect(isRisky([own], own)).toBe(true)
        expect(isRisky([`**/${own}`], `a/b/${own}`)).toBe(true)
        expect(isRisky([`${own}/**`], `${own}/${other}`)).toBe(true)
      }),
      fcParameters({ numRuns: 500 }),
    )
  })
})

describe("createRiskPaths: costly patterns", () => {
  test.for([
    `${"*a".repeat(500)}b`,
    `${"**/".repeat(300)}b`,
    `${"**/*a*/".repeat(100)}b`,
    `${"{a,b}".repeat(6)}${"*a".repeat(100)}b`,
    `${"{a,b}".repeat(8)}${"*a".repeat(20)}b`,
    `${"{a,b}".repeat(150)}b`,
    "[".repeat(900),
    "{".repeat(900),
    "\\".repeat(901),
  ])("matches in bounded time: %#", { timeout: 600_000 }, (pattern) => {
    const { patternFor } = createRiskPaths([pattern])
    for (const path of ["a".repeat(4_000), "a/".repeat(2_000), `${"aa/".repeat(1_300)}c`]) {
      expect(patternFor(path)).toBeUndefined()
    }
  })

  test("accepts any text as a pattern and as a path", () => {
    const odd = fc.string({ unit: fc.constantFrom(..."a/*?[]{},!\\.-^"), maxLength: 30 })
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 4 }), odd, (patterns, path) => {
        createRiskPaths(patterns).patternFor(path)
        expect(checkRiskPaths(patterns, [path])).toHaveLength(patterns.length)
      }),
      fcParameters({ numRuns: 2_000 }),
    )
  })
})

test("patterns that match no file, or are invalid, are reported with the reason", () => {
  const patterns = ["**/auth/**", "src/oauth/*", "", "../secrets/*", "{a,{b,c}}/*", "!docs/**"]
  expect(checkRiskPaths(patterns, ["src/auth/a.ts", "src/auth/b.ts", "docs/a.md"])).toEqual([
    { kind: "fits", pattern: "**/auth/**", files: 2 },
    { kind: "idle", pattern: "src/oauth/*" },
    { kind: "unusable", pattern: "", why: "it is empty" },
    { kind: "unusable", pattern: "../secrets/*", why: "it contains . or .. as a path component" },
    {
      kind: "unusable",
      pattern: "{a,{b,c}}/*",
      why: "its braces are unclosed, nested or expand to too many patterns",
    },
    { kind: "fits", pattern: "!docs/**", files: 1 },
  ])
  const many = Array.from({ length: MOST_RISK_GLOBS + 1 }, () => "**")
  expect(checkRiskPaths(many, ["a"]).at(-1)?.kind).toBe("unusable")
  const [long] = checkRiskPaths(["a".repeat(1_025)], ["a"])
  expect(long?.kind).toBe("unusable")
})
