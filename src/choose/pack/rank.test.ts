import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { PackWeightsInvalid, RoleUnknown, RuleInvalid, TargetDenied } from "./errors.ts"
import { candidateFile } from "./fit.fixture.ts"
import { denyRule, roleRule } from "./rank/path-rules.ts"
import { filterFiles, scoreFiles } from "./rank.ts"

const LEARNED = { scoring: "learned", astWeight: 0.6, semanticWeight: 0.4 } as const
const WEIGHTED = { ...LEARNED, scoring: "weighted" } as const

const scoresOf = (
  files: Parameters<typeof scoreFiles>[0],
  scoring: Parameters<typeof scoreFiles>[1],
) => scoreFiles(files, scoring).map((it) => [it.file.path, it.score, it.source])

test("[PACK-8] named files score 1, definers of a named symbol at least 0.2, others their probability", () => {
  const files = [
    candidateFile("words.ts", { share: 0.7, rank: 1 }),
    candidateFile("defines.ts", { share: 0.1, rank: 9, defines: ["roundLine"] }),
    candidateFile("task.ts", { share: null, naming: "task" }),
    candidateFile("target.ts", { share: 0.2, rank: 5, naming: "target" }),
    candidateFile("uses.ts", { share: 0, rank: 20, uses: ["roundLine"] }),
  ]
  expect(scoresOf(files, LEARNED)).toEqual([
    ["target.ts", 1, "target"],
    ["task.ts", 1, "target"],
    ["defines.ts", 0.2, "both"],
    ["words.ts", 0.7, "semantic"],
    ["uses.ts", 0, "ast"],
  ])
})

test("[PACK-8] a file that a pasted issue names is ordered by its probability, at least 0.3", () => {
  const files = [
    candidateFile("frame.py", { share: 0.01, rank: 8, naming: "task" }),
    candidateFile("best.py", { share: 0.6, rank: 0 }),
    candidateFile("other.py", { share: 0.2, rank: 1 }),
    candidateFile("target.py", { share: 0.1, rank: 5, naming: "target" }),
  ]
  expect(scoresOf(files, { ...LEARNED, isIssue: true })).toEqual([
    ["target.py", 1, "target"],
    ["best.py", 0.6, "semantic"],
    ["frame.py", 0.3, "target"],
    ["other.py", 0.2, "semantic"],
  ])
})

test("[PACK-8] with weights, a missing signal is unknown, not zero", () => {
  const files = [
    candidateFile("words.ts", { share: 0.7 }),
    candidateFile("both.ts", { share: 0.2, uses: ["x"] }),
    candidateFile("structure.ts", { share: null, defines: ["x"] }),
  ]
  expect(scoresOf(files, WEIGHTED)).toEqual([
    ["structure.ts", 0.95, "ast"],
    ["words.ts", 0.7, "semantic"],
    ["both.ts", 0.5 * 0.6 + 0.2 * 0.4, "both"],
  ])
  expect(scoresOf(files, { ...WEIGHTED, semanticWeight: 0 })[2]).toEqual([
    "words.ts",
    0,
    "semantic",
  ])
})

test.for([
  [Number.NaN, 0.4],
  [0.6, Number.NaN],
  [-1, 0.4],
  [0.6, -0.1],
  [0, 0],
  [Number.POSITIVE_INFINITY, 1],
])("[PACK-8] the weights %d and %d are an error", ([astWeight = 0, semanticWeight = 0]) => {
  const scoring = { ...WEIGHTED, astWeight, semanticWeight }
  expect(() => scoreFiles([], scoring)).toThrow(
    PackWeightsInvalid({ ast: astWeight, semantic: semanticWeight }),
  )
})

test("[PACK-9] a file has at most four reasons of at most six words", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "B", "_", "9"), minLength: 2, maxLength: 90 })
  fc.assert(
    fc.property(
      fc.array(name),
      fc.array(name),
      fc.constantFrom("target", "task", undefined),
      (defines, uses, naming) => {
        const reasons = ["matches 'a', 'b' in text", "one", "two", "three"]
        const [scored] = scoreFiles(
          [candidateFile("a.ts", { defines, uses, naming, reasons })],
          LEARNED,
        )
        expect(scored?.reasons.length).toBeLessThanOrEqual(4)
        for (const it of scored?.reasons ?? []) {
          expect(it.split(" ").length).toBeLessThanOrEqual(6)
          expect(it.length).toBeLessThanOrEqual(60)
        }
      },
    ),
    fcParameters({ numRuns: 100 }),
  )
})

const SCORING = { scoring: "learned", astWeight: 1, semanticWeight: 1 } as const
const RULES = {
  minRelevance: 0.2,
  isAllowed: () => true,
  isDenied: () => false,
  dropped: new Set<string>(),
}

test("[PACK-10] minus patterns override plus patterns, and without a plus pattern all paths are allowed", () => {
  const setting = "tester +test/** +docs/** -test/private/**; web -server/**"
  const may = (role: string, path: string) => roleRule(setting, role)(path)
  expect(may("tester", "test/a.ts")).toBe(true)
  expect(may("tester", "test/private/a.ts")).toBe(false)
  expect(may("tester", "src/a.ts")).toBe(false)
  expect(may("web", "src/a.ts")).toBe(true)
  expect(may("web", "server/a.ts")).toBe(false)
  expect(may("any", "server/a.ts")).toBe(true)
  expect(roleRule(setting, undefined)("server/a.ts")).toBe(true)
})

test("[PACK-10] an unknown role is an error that lists the known ones", () => {
  const known = ["implementer", "backend", "frontend", "tester", "reviewer", "any", "web"]
  expect(() => roleRule("web -x/**", "wizard")).toThrow(RoleUnknown({ role: "wizard", known }))
})

test("[PACK-10] a role pattern that can match nothing is an error", () => {
  expect(() => roleRule("web x/**", "web")).toThrow("missing + or -")
  expect(() => denyRule("((((a+)+)+)+)*")).toThrow(
    RuleInvalid.code === "PACK_RULE_INVALID" ? "glob" : "",
  )
})

test("[PACK-11] files with secrets, and denied files, are in no package", () => {
  const files = [".env", "deploy/id_rsa", "gen/a.ts", "src/a.ts"].map((path) =>
    candidateFile(path, { share: 1, rank: 0 }),
  )
  const { kept, left } = filterFiles(scoreFiles(files, SCORING), {
    ...RULES,
    isDenied: denyRule("gen/**, x"),
  })
  expect(kept.map((it) => it.file.path)).toEqual(["src/a.ts"])
  expect(left.map((it) => [it.path, it.why, it.detail])).toEqual([
    [".env", "denied", "it usually contains secrets"],
    ["deploy/id_rsa", "denied", "it usually contains secrets"],
    ["gen/a.ts", "denied", "listed in pack.deny"],
  ])
})

test("[PACK-11] a denied target is an error; a denied path in the task is left out", () => {
  const rules = { ...RULES, isDenied: denyRule("gen/**") }
  const target = scoreFiles([candidateFile("gen/a.ts", { naming: "target" })], SCORING)
  const path = { path: "gen/a.ts", reason: "listed in pack.deny" }
  expect(() => filterFiles(target, rules)).toThrow(TargetDenied(path))
  const named = scoreFiles([candidateFile("gen/a.ts", { naming: "task" })], SCORING)
  expect(filterFiles(named, rules).left[0]?.why).toBe("denied")
})

test("[PACK-12] below the minimum relevance only named files stay; dropped files are left out", () => {
  const files = [
    candidateFile("low.ts", { share: 0.1, rank: 7 }),
    candidateFile("named.ts", { share: 0, rank: 8, naming: "task" }),
    candidateFile("high.ts", { share: 0.2, rank: 1 }),
    candidateFile("dropped.ts", { share: 0.9, rank: 0 }),
  ]
  const rules = { ...RULES, dropped: new Set(["dropped.ts"]) }
  const { kept, left } = filterFiles(scoreFiles(files, SCORING), rules)
  expect(kept.map((it) => it.file.path)).toEqual(["named.ts", "high.ts"])
  expect(left.map((it) => [it.path, it.why])).toEqual([
    ["dropped.ts", "dropped"],
    ["low.ts", "below"],
  ])
})

test("[PACK-11] a comma in braces belongs to its glob, and a plain name also matches the folder", () => {
  const isDenied = denyRule("src/{keys,vault}/**, secret,gen/\ndocs/[id].md")
  const denied = [
    "src/keys/a.ts",
    "src/vault/a.ts",
    "secret",
    "secret/deep/a.ts",
    "gen/a.ts",
    "docs/[id].md",
  ]
  const allowed = ["src/a.ts", "vault}/a", "secrets/a.ts", "my/secret", "general.ts"]
  expect(denied.filter(isDenied)).toEqual(denied)
  expect(allowed.filter(isDenied)).toEqual([])
})

test.for([
  ["src/{keys,vault/**", "braces"],
  ["src/keys},vault/**", "braces"],
  ["/secret/**", "remove the leading /"],
])("[PACK-10] %s is an invalid role pattern", ([rule = "", wrong]) => {
  expect(() => denyRule(rule)).toThrow(wrong)
  expect(() => denyRule(rule)).toThrow("pack.deny has an invalid rule")
})
