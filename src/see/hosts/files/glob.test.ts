import fc from "fast-check"
import picomatch from "picomatch"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { globMatcher, isUsableGlob } from "./glob.ts"

const LONG_PATHS = [
  "a".repeat(4_096),
  `${"a/".repeat(2_047)}a`,
  `${"a".repeat(2_047)}/${"a".repeat(2_048)}`,
  `${"a".repeat(1_364)}/${"a".repeat(1_364)}/${"a".repeat(1_364)}`,
  `${`${"a".repeat(63)}/`.repeat(63)}${"a".repeat(63)}`,
]

const COSTLY = [
  `${"*a".repeat(30)}b`,
  `${"*a".repeat(400)}b`,
  `${"**/a/".repeat(12)}b`,
  `${"**/*a*a/".repeat(20)}b`,
  `${"{a,aa}".repeat(60)}b`,
  `${"{a,aa}*".repeat(6)}b`,
  `${"{a*,*a}/".repeat(6)}**/**/b`,
  `${"[a]+".repeat(8)}b`,
  "*a*a*b",
  "[a]+[a]+[a]+b",
  "*a*/*a*/*b",
  "*a*/*a*/*a*b",
  "**/*a*/*b",
  "[^/][a]+[^/][a][a]+[[:alpha:]]+b",
  "[a]*{a,aa}{a,*}[^/]**b",
  "{*a/,*a}*a*b",
  `${"!(c)a".repeat(8)}b`,
  "@(a|aa)(a|a)[a]*{a,aa}[a]+{a,aa}[a]?b",
  "+(a|aa)b",
  "*(a|a)b",
  "@(a|+(a|a))b",
  "!(*(a|a))b",
  "(a+)+b",
  "{a,a}+b",
  "({a,a})+b",
  "(?:a|a)*b",
  "{{a,a},{a,a}}*{a,{a,a}}b",
  "a".repeat(70_000),
  `${"(".repeat(500)}a`,
  `${"{".repeat(500)}a`,
  "[".repeat(900),
]

test.each(COSTLY)(
  "a pattern that could search without limit is bounded: %#",
  (pattern) => {
    const isMatch = globMatcher(pattern, { dot: true })
    for (const path of LONG_PATHS) expect(isMatch(path)).toBe(false)
  },
  5_000,
)

test("common patterns are usable and match like picomatch", () => {
  const names = [
    "src/a.ts",
    "src/x/a.test.ts",
    "a.ts",
    ".env",
    "docs/.x/y.md",
    "lib/a b.js",
    "x/y/z",
  ]
  const patterns = [
    "**/*.ts",
    "src/**/*.{ts,tsx}",
    "**/src/**/*.test.*",
    "**/a*b*c*/**",
    "*.{js,jsx,ts,tsx,css}",
    "{src,lib}/**",
    "{src/x,lib}/**/*.{ts,js}",
    "[a-c].ts",
    "!src/**",
    "@(src|lib)/**",
    "app/(group)/*.tsx",
    "**/x/**/*a*t*s*",
    "**",
    "*",
    "./src/*.ts",
  ]
  for (const pattern of patterns) {
    expect(isUsableGlob(pattern), pattern).toBe(true)
    const found = names.filter(globMatcher(pattern, { dot: true }))
    expect(found, pattern).toEqual(
      names.filter((it) => picomatch.isMatch(it, pattern, { dot: true })),
    )
  }
})

test("patterns matched without picomatch give the same results as picomatch", () => {
  const part = fc.constantFrom(
    "**",
    "*",
    "a",
    "*a*",
    "*a*b*",
    "?*a?*",
    ".a*",
    "{a,*b}",
    "a.b",
    "b**a*",
  )
  const globs = fc.array(part, { minLength: 3, maxLength: 6 }).map((it) => it.join("/"))
  const name = fc.constantFrom("a", "b", "ab", "aab", ".a", "a.b", "bba", "abab")
  const paths = fc.array(name, { minLength: 1, maxLength: 6 }).map((it) => it.join("/"))
  const property = fc.property(globs, paths, fc.boolean(), (glob, path, dot) => {
    const isSaid = picomatch.isMatch(path, glob, { dot })
    expect(globMatcher(glob, { dot })(path)).toBe(isSaid && isUsableGlob(glob))
  })
  fc.assert(property, fcParameters({ numRuns: 5_000 }))
})

test("[HOSTS-60] no pattern makes a matcher throw", () => {
  const glob = fc.string({ unit: fc.constantFrom(..."ab*?/{},()[]!+@|\\.^$-"), maxLength: 40 })
  const property = fc.property(glob, (it) => {
    expect(typeof globMatcher(it)("aab/ab.a")).toBe("boolean")
    if (!isUsableGlob(it)) expect(globMatcher(it)("aab/ab.a")).toBe(false)
  })
  fc.assert(property, fcParameters({ numRuns: 2_000 }))
})
