import { expect, test } from "vitest"
import { aFound } from "../items.fixture.ts"
import { findIdleRules } from "./idle-rules.ts"

const waiting = (...patterns: string[]) => [
  aFound("/x/.claude/rules/r.md", { load: "conditional", waitsFor: { patterns, base: "/x" } }),
]
const files = async () => ["src/tariff/rounding.ts", "docs/a.md", ".github/ci.yml"]

test.each([
  ["src/**/*.ts"],
  ["*.ts"],
  ["rounding.ts"],
  ["src"],
  ["./src/"],
  ["/docs/*.md"],
  [".github/*.yml"],
  ["src/{tariff,money}/*"],
])("[CAPTURE-11] %s is assumed to match", async (pattern) => {
  expect(await findIdleRules(waiting(pattern), files)).toEqual([])
})

test("[CAPTURE-11] a rule that matches no file is noted if the file list is complete", async () => {
  expect(await findIdleRules(waiting("*.rs", "crates/**"), files)).toEqual([
    {
      code: "rule-never-matches",
      path: "/x/.claude/rules/r.md",
      text: "This rule never loads: its paths (*.rs, crates/**) match no file in x.",
    },
  ])
  expect(await findIdleRules(waiting("*.rs"), async () => undefined)).toEqual([])
  expect(await findIdleRules([aFound("/x/CLAUDE.md")], files)).toEqual([])
})

test("[CAPTURE-11] a pattern with unbounded search is answered or assumed to match", async () => {
  const long = async () => [`${"a".repeat(200)}.md`]
  expect(await findIdleRules(waiting(`${"*a".repeat(16)}b`), long)).toHaveLength(1)
  for (const pattern of ["a".repeat(70_000), "{a,b}".repeat(40)]) {
    expect(await findIdleRules(waiting(pattern), long)).toEqual([])
  }
})
