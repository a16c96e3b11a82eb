import { expect, test } from "vitest"
import { RoleUnknown, RuleInvalid, TargetDenied } from "./errors.ts"
import { filterFiles } from "./filter.ts"
import { foundFile } from "./fit.fixture.ts"
import { denyRule, roleRule } from "./roles.ts"
import { scoreFiles } from "./score.ts"

const SCORING = { scoring: "learned", astWeight: 1, semanticWeight: 1 } as const
const RULES = {
  minRelevance: 0.2,
  isAllowed: () => true,
  isDenied: () => false,
  dropped: new Set<string>(),
}

test("[PACK-10] minus beats plus, and without a plus all is allowed", () => {
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

test("[PACK-10] an unknown role is an error that names the known ones", () => {
  const known = ["implementer", "backend", "frontend", "tester", "reviewer", "any", "web"]
  expect(() => roleRule("web -x/**", "wizard")).toThrow(RoleUnknown({ role: "wizard", known }))
})

test("[PACK-10] a rule that would fit nothing is an error, not a hole", () => {
  expect(() => roleRule("web x/**", "web")).toThrow("no + or -")
  expect(() => denyRule("((((a+)+)+)+)*")).toThrow(
    RuleInvalid.code === "PACK_RULE_INVALID" ? "glob" : "",
  )
})

test("[PACK-11] files that bear secrets, and denied ones, are in no package", () => {
  const files = [".env", "deploy/id_rsa", "gen/a.ts", "src/a.ts"].map((path) =>
    foundFile(path, { share: 1, rank: 0 }),
  )
  const { kept, left } = filterFiles(scoreFiles(files, SCORING), {
    ...RULES,
    isDenied: denyRule("gen/**, x"),
  })
  expect(kept.map((it) => it.file.path)).toEqual(["src/a.ts"])
  expect(left.map((it) => [it.path, it.why, it.detail])).toEqual([
    [".env", "denied", "it is there to hold secrets"],
    ["deploy/id_rsa", "denied", "it is there to hold secrets"],
    ["gen/a.ts", "denied", "pack.deny has it"],
  ])
})

test("[PACK-11] a target that is denied is an error, a denied path of the task is left out", () => {
  const rules = { ...RULES, isDenied: denyRule("gen/**") }
  const target = scoreFiles([foundFile("gen/a.ts", { naming: "target" })], SCORING)
  const path = { path: "gen/a.ts", reason: "pack.deny has it" }
  expect(() => filterFiles(target, rules)).toThrow(TargetDenied(path))
  const named = scoreFiles([foundFile("gen/a.ts", { naming: "task" })], SCORING)
  expect(filterFiles(named, rules).left[0]?.why).toBe("denied")
})

test("[PACK-12] below the least relevance only what is named stays; what is dropped goes", () => {
  const files = [
    foundFile("low.ts", { share: 0.1, rank: 7 }),
    foundFile("named.ts", { share: 0, rank: 8, naming: "task" }),
    foundFile("high.ts", { share: 0.2, rank: 1 }),
    foundFile("dropped.ts", { share: 0.9, rank: 0 }),
  ]
  const rules = { ...RULES, dropped: new Set(["dropped.ts"]) }
  const { kept, left } = filterFiles(scoreFiles(files, SCORING), rules)
  expect(kept.map((it) => it.file.path)).toEqual(["named.ts", "high.ts"])
  expect(left.map((it) => [it.path, it.why])).toEqual([
    ["dropped.ts", "dropped"],
    ["low.ts", "below"],
  ])
})

test("[PACK-11] a comma in braces belongs to its glob, and a plain name is the folder too", () => {
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
  ["/secret/**", "without a /"],
])("[PACK-10] %s is a rule that cannot be used", ([rule = "", wrong]) => {
  expect(() => denyRule(rule)).toThrow(wrong)
  expect(() => denyRule(rule)).toThrow("pack.deny has a rule that cannot be used")
})
