import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createMatcher } from "#ground/base"
import { fcParameters } from "#test/seed"
import { createClassifier } from "./classify.ts"
import { isBelow, pathFrom, plainPath } from "./paths.ts"

describe("patterns", () => {
  test.for<[string, string, boolean]>([
    ["*.sql", "a.sql", true],
    ["*.sql", "db/deep/a.sql", true],
    ["*.sql", "a.sql.txt", false],
    ["/*.sql", "db/a.sql", false],
    ["/*.sql", "a.sql", true],
    ["db/migrations", "db/migrations/001/up.sql", true],
    ["db/migrations/", "db/migrations/up.sql", true],
    ["db/migrations", "old/db/migrations/up.sql", false],
    ["**/migrations", "old/db/migrations/up.sql", true],
    ["src/**/auth/*.ts", "src/auth/a.ts", true],
    ["src/**/auth/*.ts", "src/x/y/auth/a.ts", true],
    ["src/**/auth/*.ts", "src/x/auth/deep/a.ts", false],
    ["src/{a,b}/*.{ts,tsx}", "src/b/x.tsx", true],
    ["src/{a,b}/*.{ts,tsx}", "src/c/x.tsx", false],
    ["Dockerfile", "services/api/Dockerfile", true],
    ["Dockerfile", "Dockerfile.dev", false],
    ["fo?.ts", "foo.ts", true],
    ["fo?.ts", "fo/.ts", false],
    ["*", ".env", true],
    ["*~", "a/b~", true],
    ["a.b", "aXb", false],
    ["[a-c].ts", "b.ts", true],
    ["(x|y)+", "(x|y)+", true],
    ["./src", "src/a", true],
    ["**", "any/thing", true],
    ["", "a", false],
  ])("[LEDGER-8] pattern %s, path %s: %s", ([pattern, path, fits]) => {
    expect(createMatcher([pattern])(path)).toBe(fits)
  })

  test("[LEDGER-8] a plain path matches itself and everything below it, and nothing else", () => {
    const name = fc.stringMatching(/^[a-c.]{1,3}$/).filter((it) => !/^\.+$/.test(it))
    const path = fc.array(name, { minLength: 2, maxLength: 4 }).map((it) => it.join("/"))
    fc.assert(
      fc.property(path, path, (pattern, other) => {
        expect(createMatcher([pattern])(other)).toBe(other === pattern || isBelow(other, pattern))
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("[LEDGER-8] every pattern matches in bounded time", () => {
    const slow = [`${"*a".repeat(400)}c`, `${"**/*a/".repeat(100)}c`, "{a,b}".repeat(150)]
    const isMatch = createMatcher(slow)
    expect(isMatch(`${"a".repeat(4_000)}b`)).toBe(false)
    expect(isMatch(`${"a/".repeat(2_000)}b`)).toBe(false)
    expect(createMatcher(["**"])("a".repeat(4_097))).toBe(false)
  })
})

describe("default patterns", () => {
  test.for([
    "src/a.ts",
    "lib/x/y.py",
    "cmd/main.go",
    "package.json",
    "services/api/Dockerfile",
    ".github/workflows/ci.yml",
    "db/schema.sql",
  ])("[LEDGER-9] %s is important", (path) => {
    const { isImportant, isTrackable } = createClassifier()
    expect([isImportant(path), isTrackable(path)]).toEqual([true, true])
  })

  test.for(["node_modules/x/index.js", "dist/a.js", "packages/a/dist/a.js", ".git/config"])(
    "[LEDGER-9] %s is not tracked",
    (path) => {
      const { isImportant, isTrackable } = createClassifier()
      expect([isImportant(path), isTrackable(path)]).toEqual([false, false])
    },
  )

  test.for([".qm/memory/sessions/2026-01-01-01-x.md", "CHANGELOG.md"])(
    "[LEDGER-9] %s is a registration file",
    (path) => {
      const { isImportant, isTrackable, isRegistrationFile } = createClassifier()
      expect([isImportant(path), isTrackable(path), isRegistrationFile(path)]).toEqual([
        false,
        true,
        true,
      ])
    },
  )

  test("[LEDGER-9] a configured list replaces the default list, and the other lists stay", () => {
    const own = createClassifier({ important: ["docs"] })
    expect([own.isImportant("docs/a.md"), own.isImportant("src/a.ts")]).toEqual([true, false])
    expect(own.isTrackable("node_modules/a")).toBe(false)
  })
})

describe("paths", () => {
  test.for<[string, string | undefined]>([
    ["a/b.ts", "a/b.ts"],
    ["./a//b/../c/", "a/c"],
    ["a/..", "."],
    ["..", undefined],
    ["../a", undefined],
    ["..a", "..a"],
    ["/a", undefined],
    ["", undefined],
    ["e\u0301", "\u00E9"],
  ])("[LEDGER-10] %j has one normal form", ([path, plain]) => {
    expect(plainPath(path)).toBe(plain)
  })

  test("[LEDGER-10] paths from hosts are made relative to the root, or are outside", () => {
    expect(pathFrom("/repo", "/repo/src/a.ts")).toBe("src/a.ts")
    expect(pathFrom("/repo", "src/a.ts")).toBe("src/a.ts")
    expect(pathFrom("/repo", "/repository/a.ts")).toBeUndefined()
    expect(pathFrom("/repo", "/repo/../etc/passwd")).toBeUndefined()
    expect(pathFrom("/repo", "/repo")).toBeUndefined()
  })
})
