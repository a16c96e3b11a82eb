import { describe, expect, test } from "vitest"
import { Guideline } from "#ground/contract"
import { GuidelinesInvalid } from "./errors.ts"
import { adviceFor, appliesTo, listGuidelines, readGuidelines, verdictOf } from "./guidelines.ts"

const guideline = (fields: Readonly<Record<string, unknown>>) =>
  Guideline.parse({
    id: "one",
    title: "One",
    category: "test",
    priority: 100,
    actions: [{ type: "instruction", text: "Do one." }],
    ...fields,
  })

describe("conditions of a guideline", () => {
  const rule = guideline({
    when: {
      agents: ["backend", "web"],
      actions: ["fix"],
      domains: ["billing"],
      paths: ["src/**", "lib/*.ts"],
    },
  })
  const facts = { role: "web", action: "fix", domain: "billing", paths: ["docs/a.md", "lib/a.ts"] }

  test("[PACK-31] apply when all of them match", () => expect(appliesTo(rule, facts)).toBe(true))

  test.for([
    { role: "tester" },
    { action: "test" },
    { domain: "users" },
    { paths: ["docs/a.md"] },
    { role: undefined },
    { paths: undefined },
  ])("[PACK-31] do not apply with %o", (wrong) => {
    expect(appliesTo(rule, { ...facts, ...wrong })).toBe(false)
  })

  test("[PACK-31] without conditions a guideline always applies, a disabled one never", () => {
    expect(appliesTo(guideline({}), {})).toBe(true)
    expect(appliesTo(guideline({ isEnabled: false }), {})).toBe(false)
    expect(appliesTo(guideline({ when: { notAgents: ["web"] } }), { role: "web" })).toBe(false)
    expect(appliesTo(guideline({ when: { notAgents: ["web"] } }), {})).toBe(true)
  })
})

test("[PACK-32] denied tools override allowed ones, and a tool must be allowed by every list", () => {
  const rules = [
    guideline({
      id: "a",
      actions: [{ type: "tool_restriction", allowed: ["Read", "Edit", "Bash"] }],
    }),
    guideline({
      id: "b",
      actions: [{ type: "tool_restriction", allowed: ["Read", "Bash"], denied: ["Bash"] }],
    }),
    guideline({
      id: "c",
      actions: [
        { type: "hitl_gate", reason: "ask" },
        { type: "telemetry", event: "e" },
      ],
    }),
  ]
  expect(verdictOf(rules)).toEqual({
    instructions: [],
    constraints: [],
    allowedTools: ["Read"],
    deniedTools: ["Bash"],
    gates: ["ask"],
  })
  expect(verdictOf([]).allowedTools).toBeNull()
})

test("[PACK-32] instructions have at most 50,000 characters together, by priority", () => {
  const text = (character: string) => [{ type: "instruction", text: character.repeat(9_000) }]
  const rules = "abcdefg"
    .split("")
    .map((id, at) => guideline({ id, priority: at, actions: text(id) }))
  expect(verdictOf(rules).instructions.map((it) => it[0])).toEqual(["g", "f", "e", "d", "c"])
  const one = [{ type: "instruction", text: "x".repeat(10_001) }]
  expect(Guideline.safeParse({ ...guideline({}), actions: one }).success).toBe(false)
})

test("[PACK-32] all advice of a package has at most 50,000 characters together", () => {
  const actionsOf = (id: string) => [
    { type: "constraint", text: `${id}1`.padEnd(9_000, "x") },
    { type: "instruction", text: `${id}2`.padEnd(9_000, "x") },
  ]
  const rules = [1, 2, 3, 4].map((at) =>
    guideline({ id: `g${at}`, priority: at, actions: actionsOf(`g${at}`) }),
  )
  const advice = adviceFor(
    rules.map((it) => ({ ...it, origin: "file" })),
    {},
  )
  expect(advice.map((it) => it.text.slice(0, 3))).toEqual(["g41", "g42", "g31", "g32", "g21"])
  const { instructions, constraints } = verdictOf(rules)
  expect([...instructions, ...constraints]).toHaveLength(5)
})

describe("[PACK-33] a static file adds guidelines and needs no database", () => {
  const fileOf = (value: unknown) => ({ path: ".qm/guidelines.json", text: JSON.stringify(value) })
  const wrong = (value: unknown) => {
    try {
      readGuidelines(fileOf(value))
      return undefined
    } catch (error) {
      return GuidelinesInvalid.is(error) ? error.data.field : error
    }
  }

  test("[PACK-33] the built-in guideline applies to implementers, never to reviewers", () => {
    const guidelines = readGuidelines(undefined)
    expect(guidelines).toMatchObject([
      {
        id: "context-package-enforcement",
        category: "context_constraint",
        priority: 750,
        isAdvisory: true,
      },
    ])
    const roles = ["backend", "frontend", "implementer", "tester", "reviewer", undefined]
    expect(
      roles.filter((role) => adviceFor(guidelines, { role, action: "fix" }).length > 0),
    ).toEqual(["backend", "frontend", "implementer"])
    const actions = ["implement", "code", "fix", "refactor", "test", "review", undefined]
    expect(
      actions.filter((action) => adviceFor(guidelines, { role: "backend", action }).length > 0),
    ).toEqual(actions.slice(0, 5))
  })

  test("[PACK-33] a guideline with the same name replaces the built-in one, however often it is read", () => {
    const own = guideline({ id: "context-package-enforcement", priority: 1, isEnabled: false })
    const guidelines = readGuidelines(fileOf({ guidelines: [guideline({ priority: 2 }), own] }))
    expect(guidelines.map((it) => [it.id, it.origin])).toEqual([
      ["one", ".qm/guidelines.json"],
      ["context-package-enforcement", ".qm/guidelines.json"],
    ])
    expect(adviceFor(guidelines, { role: "backend", action: "fix" })).toEqual([
      { guideline: "one", text: "Do one." },
    ])
  })

  test("[PACK-33] an invalid file is an error that names the field", () => {
    expect(wrong({ guidelines: [{ ...guideline({}), priority: 1_001 }] })).toBe(
      "guidelines.0.priority",
    )
    expect(wrong({ guidelines: [{ ...guideline({}), color: "red" }] })).toBe("guidelines.0")
    expect(wrong({ guidelines: [guideline({}), guideline({})] })).toBe("guidelines.1.id")
    expect(wrong([])).toBe("the file")
    expect(() => readGuidelines({ path: "g.json", text: "{" })).toThrow("not valid JSON")
  })

  test("[PACK-33] lists the guidelines that may apply to the request", () => {
    const guidelines = readGuidelines(
      fileOf({ guidelines: [guideline({ when: { agents: ["tester"] } })] }),
    )
    const ids = (facts: Parameters<typeof listGuidelines>[1]) =>
      listGuidelines(guidelines, facts).guidelines.map((it) => it.id)
    expect(ids({})).toEqual(["context-package-enforcement", "one"])
    expect(ids({ role: "tester" })).toEqual(["one"])
    expect(ids({ role: "backend" })).toEqual(["context-package-enforcement"])
    expect(ids({ action: "review" })).toEqual(["one"])
    expect(listGuidelines(guidelines, { role: "tester" }).verdict.instructions).toEqual(["Do one."])
  })
})

test("[PACK-33] the field names of the repo-mapper design are accepted", () => {
  const text = JSON.stringify({
    guidelines: [
      {
        id: "original",
        name: "Original",
        description: "As the design writes it.",
        enabled: false,
        category: "context_constraint",
        priority: 750,
        condition: { agents: ["backend"], actions: ["fix"] },
        action: { type: "instruction", instruction: "Stay inside." },
      },
    ],
  })
  const [found] = readGuidelines({ path: "g.json", text }).filter((it) => it.id === "original")
  expect(found).toEqual({
    id: "original",
    title: "Original",
    description: "As the design writes it.",
    isEnabled: false,
    isAdvisory: true,
    category: "context_constraint",
    priority: 750,
    when: { agents: ["backend"], actions: ["fix"] },
    actions: [{ type: "instruction", text: "Stay inside." }],
    origin: "g.json",
  })
})
