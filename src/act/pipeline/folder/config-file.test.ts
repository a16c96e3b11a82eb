import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { readConfigFile } from "./config-file.ts"
import { STAGE } from "./recipe.fixture.ts"

const PROMPTS = new Map([["answer.md", "Answer {{query}}.\n"]])

const problemsOf = (config: unknown, prompts = PROMPTS) =>
  readConfigFile(JSON.stringify(config, null, 2), prompts).problems

const said = (config: unknown, prompts = PROMPTS) =>
  problemsOf(config, prompts).map(
    (it) => `${it.file}:${it.line} ${it.stage} ${it.field}: ${it.problem}`,
  )

const stages = (...more: readonly Readonly<Record<string, unknown>>[]) => [STAGE, ...more]
const plain = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  title: name,
  kind: "document",
  ...more,
})

test("[PIPE-42] a problem has file, line, stage, field and a message", () => {
  const text = `{
  // the stages
  "stages": [
    { "name": "answer", "title": "Answer", "kind": "ask", "prompt": "answer.md" },
    {
      "name": "verify",
      "title": "Verify",
      "kind": "verfy"
    }
  ]
}`
  expect(readConfigFile(text, PROMPTS)).toEqual({
    config: null,
    problems: [
      {
        file: "config.json",
        line: 8,
        stage: "verify",
        field: "kind",
        problem:
          "stage `verify`: `kind` is `verfy`; one of ask, web, tools, retrieve, verify, document, agent; did you mean `verify`?",
      },
    ],
  })
})

describe("a config field", () => {
  test.each([
    [{ stages: stages({ name: "b", kind: "document" }) }, "stage `b`: `title` is missing"],
    [{ stages: stages(plain("b", { title: 7 })) }, "stage `b`: `title` is `7`; it must be a text"],
    [
      { stages: stages(plain("b", { pausAfter: true })) },
      "stage `b`: `pausAfter` is not a setting here; one of name, title, kind, prompt, output, pauseAfter, question, model, connection, effort, maxOutputTokens, contextTokens, budgetUsd, optional, calls, agent, mode, passes, scope; did you mean `pauseAfter`?",
    ],
    [
      { stages: stages(plain("b", { maxOutputTokens: 5 })) },
      "stage `b`: `maxOutputTokens` is `5`; at least 16",
    ],
    [
      { stages: stages(plain("b", { scope: { knowlege: true } })) },
      "stage `b`: `knowlege` is not a setting here; one of knowledge, sources, agents, paths; did you mean `knowledge`?",
    ],
    [
      { stages: stages(plain("Bad-Name")) },
      "stage `Bad-Name`: `name` is `Bad-Name`: lowercase letters, digits and underscores",
    ],
    [
      { stages: stages(), verification: { entityGrounding: 80 } },
      "`verification.entityGrounding` is `80`; at most 1",
    ],
    [
      { stages: stages(), verification: { entityGround: 0.8 } },
      "`entityGround` is not a setting here; one of entityGrounding, citationAccuracy, relationPreservation, contradictions; did you mean `entityGrounding`?",
    ],
    [
      { stages: stages(), citationFormat: "{title} [{seite}]" },
      "`citationFormat` is `{title} [{seite}]`: {seite} is not a field; one of citation, title, number, heading, page, path",
    ],
    [
      { stages: stages(), citationFormat: "{title} [§ {number}" },
      "`citationFormat` is `{title} [§ {number}`: a brace or bracket has no partner",
    ],
    [
      { stages: stages(), citationFormat: "see below" },
      "`citationFormat` is `see below`: it names no field, such as {citation}",
    ],
    [
      { stages: stages(), language: "Klingon speech" },
      "`language` is `Klingon speech`: not the tag of a language, such as de or pt-BR",
    ],
    [{ stages: [] }, "`stages` is a list of 0; at least 1"],
    [{ stages: "all" }, "`stages` is `all`; it must be a list in brackets"],
    [{ stages: stages(), budgetUsd: "10" }, "`budgetUsd` is `10`; it must be a number"],
    [
      { stages: stages(), budgetUSD: 10 },
      "`budgetUSD` is not a setting here; one of stages, pauseAfterStages, repairUnits, autoAdvance, pauseOnErrors, budgetUsd, depths, verification, citationFormat, language; did you mean `budgetUsd`?",
    ],
    [
      { stages: stages(), depths: { quick: { subQueries: 3 } } },
      "`depths.quick.paragraphs` is missing",
    ],
    [[], "the config is `[]`; it must be an object in braces"],
  ])("[PIPE-42] %j is reported", (config, problem) => {
    expect(problemsOf(config).map((it) => it.problem)).toContain(problem)
  })

  test("[PIPE-42] a long value is not repeated in the message, because it may contain a secret", () => {
    const long = "x".repeat(200)
    const [problem] = problemsOf({ stages: stages(plain("b", { kind: long })) })
    expect(problem?.problem).toContain("`kind` is a value of 200 characters")
    expect(problem?.problem).not.toContain("xxx")
  })
})

test("[PIPE-42] all problems are reported at once, also those between fields", () => {
  const config = {
    stages: [{ ...STAGE, kind: "aks", prompt: "anser.md" }, plain("answer")],
    pauseAfterStages: ["anwser"],
    repairUnits: [{ stages: ["answer", "gone"], maxIterations: 99 }],
    budgetUsd: "1",
    depths: { quik: {} },
  }
  expect(said(config)).toMatchInlineSnapshot(`
    [
      "config.json:6 answer kind: stage \`answer\`: \`kind\` is \`aks\`; one of ask, web, tools, retrieve, verify, document, agent; did you mean \`ask\`?",
      "config.json:7 answer prompt: stage \`answer\`: \`prompt\` is \`anser.md\`, which is not a file in prompts/; one of answer.md; did you mean \`answer.md\`?",
      "config.json:10 answer name: stage \`answer\`: stage 1 has the same name",
      "config.json:16 null pauseAfterStages.0: \`pauseAfterStages\` has \`anwser\`, which is not a stage; one of answer; did you mean \`answer\`?",
      "config.json:20 null repairUnits.0.stages: a repair unit names \`gone\`, which is not a stage; one of answer",
      "config.json:24 null repairUnits.0.maxIterations: \`repairUnits.0.maxIterations\` is \`99\`; at most 10",
      "config.json:27 null budgetUsd: \`budgetUsd\` is \`1\`; it must be a number",
      "config.json:29 null depths.quik.subQueries: \`depths.quik.subQueries\` is missing",
      "config.json:29 null depths.quik.paragraphs: \`depths.quik.paragraphs\` is missing",
      "config.json:29 null depths.quik.repairs: \`depths.quik.repairs\` is missing",
      "config.json:29 null depths.quik.contextTokens: \`depths.quik.contextTokens\` is missing",
      "config.json:29 null depths.quik.web: \`depths.quik.web\` is missing",
      "config.json:29 null depths.quik: \`quik\` is not a depth; one of quick, standard, deep; did you mean \`quick\`?",
      "prompts/answer.md:1 null : no stage uses prompts/answer.md",
    ]
  `)
})

test.each([
  ["", "config.json: invalid JSON: value expected"],
  ["{", "config.json: invalid JSON: close brace expected"],
  ['{ "stages": [] "x": 1 }', "config.json: invalid JSON: comma expected"],
  ["[".repeat(100_000), "config.json: it is nested deeper than 64 levels"],
])("[PIPE-42] invalid JSON is one problem: %#", (text, problem) => {
  expect(readConfigFile(text, PROMPTS).problems.map((it) => it.problem)).toEqual([problem])
})

test("[PIPE-42] a duplicate key is reported, because its first value would be lost", () => {
  const text = `{ "stages": [${JSON.stringify(STAGE)}],\n"budgetUsd": 1,\n"budgetUsd": 2 }`
  expect(readConfigFile(text, PROMPTS).problems).toMatchObject([
    { line: 3, field: "budgetUsd", problem: "`budgetUsd` occurs twice" },
  ])
})

test("[PIPE-42] a missing config is reported as a problem", () => {
  expect(readConfigFile(undefined, PROMPTS).problems).toMatchObject([
    { file: "config.json", line: 1, problem: "config.json: config.json is missing" },
  ])
})

/** Any code units, including lone surrogates; fast-check's own generator takes 2 s to set up. */
const anyText = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units))

test("[PIPE-42] any JSON and any text is read without an exception", () => {
  const texts = fc.oneof(fc.json({ maxDepth: 5 }), anyText)
  const nearly = fc.json({ maxDepth: 4 }).map((it) => `{"stages":[${it}],"depths":${it}}`)
  fc.assert(
    fc.property(fc.oneof(texts, nearly), (text) => {
      const { config, problems } = readConfigFile(text, PROMPTS)
      expect(config === null).toBe(problems.length > 0)
      expect(problems.every((it) => it.line >= 1 && it.problem !== "")).toBe(true)
    }),
    fcParameters({ numRuns: 200 }),
  )
})

describe("config fields that depend on each other", () => {
  const schema = (more: Readonly<Record<string, unknown>>) => ({
    stages: [{ ...STAGE, output: { type: "object", ...more } }],
  })
  test.each<[string, unknown, string[]]>([
    [
      "two stages with the same name",
      { stages: stages(plain("answer")) },
      ["config.json:10 answer name: stage `answer`: stage 1 has the same name"],
    ],
    [
      "a pause after an unknown stage",
      { stages: stages(), pauseAfterStages: ["anser"] },
      [
        "config.json:11 null pauseAfterStages.0: `pauseAfterStages` has `anser`, which is not a stage; one of answer; did you mean `answer`?",
      ],
    ],
    [
      "a repair unit in the wrong order",
      { stages: stages(plain("b")), repairUnits: [{ stages: ["b", "answer"], maxIterations: 1 }] },
      [
        "config.json:17 null repairUnits.0.stages: the repair unit `b` to `answer` is in the wrong order",
      ],
    ],
    [
      "repair units that overlap",
      {
        stages: stages(plain("b"), plain("c")),
        repairUnits: [
          { stages: ["answer", "b"], maxIterations: 1 },
          { stages: ["b", "c"], maxIterations: 1 },
        ],
      },
      ["config.json:29 null repairUnits.1.stages: the repair unit `b` to `c` overlaps another one"],
    ],
    [
      "a missing prompt",
      { stages: [{ ...STAGE, prompt: "../answer.md" }] },
      [
        "config.json:7 answer prompt: stage `answer`: `prompt` is `../answer.md`, which is not a file in prompts/; one of answer.md; did you mean `answer.md`?",
        "prompts/answer.md:1 null : no stage uses prompts/answer.md",
      ],
    ],
    [
      "an ask stage without a prompt",
      { stages: stages({ name: "b", title: "B", kind: "ask" }) },
      ["config.json:9 b : stage `b`: `prompt` is missing; kind `ask` needs a file in prompts/"],
    ],
    [
      "stage budgets above the run's budget",
      {
        stages: stages(plain("b", { budgetUsd: 2 }), plain("c", { budgetUsd: 1.5 })),
        budgetUsd: 3,
      },
      ["config.json:22 null budgetUsd: the stages' budgets add up to $3.50; `budgetUsd` is $3.00"],
    ],
    [
      "an agent outside the scope",
      { stages: [{ ...STAGE, kind: "agent", agent: "codex", scope: { agents: ["claude"] } }] },
      ["config.json:9 answer scope: stage `answer`: `scope.agents` does not contain `codex`"],
    ],
    [
      "an agent setting on a stage of another kind",
      { stages: [{ ...STAGE, agent: "codex", mode: "plan" }] },
      [
        "config.json:8 answer agent: stage `answer`: `agent` is only for kind `agent`, not for `ask`",
        "config.json:9 answer mode: stage `answer`: `mode` is only for kind `agent`, not for `ask`",
      ],
    ],
    [
      "a tools stage without calls",
      { stages: stages(plain("b", { kind: "tools" })) },
      ["config.json:9 b : stage `b`: kind `tools` needs `calls` or a `prompt`"],
    ],
    [
      "a tools stage that calls a source outside its scope",
      { stages: stages(plain("b", { kind: "tools", calls: [{ source: "crm", tool: "find" }] })) },
      ["config.json:15 b calls.0.source: stage `b`: `scope.sources` does not contain `crm`"],
    ],
    [
      "a retrieve stage without knowledge in its scope",
      { stages: stages(plain("b", { kind: "retrieve" })) },
      ["config.json:9 b scope: stage `b`: kind `retrieve` needs `scope.knowledge` to be true"],
    ],
    [
      "a `passes` field missing from the output",
      {
        stages: [
          {
            ...STAGE,
            passes: "pased",
            output: { type: "object", properties: { passed: { type: "boolean" } } },
          },
        ],
      },
      [
        "config.json:8 answer passes: stage `answer`: `passes` is `pased`, which is not in `output`; one of passed; did you mean `passed`?",
      ],
    ],
    [
      "a `passes` field without an output",
      { stages: [{ ...STAGE, passes: "passed" }] },
      [
        "config.json:8 answer passes: stage `answer`: `passes` names a field, but there is no `output`",
      ],
    ],
    [
      "an unsupported schema keyword",
      schema({ properties: { a: { type: "strng" }, b: { $ref: "#" } } }),
      [
        "config.json:12 answer output.properties.a.type: stage `answer`: `output` has the type `strng`; one of object, array, string, number, integer, boolean, null; did you mean `string`?",
        "config.json:15 answer output.properties.b.$ref: stage `answer`: `output` has `$ref`, which is not a supported schema keyword; one of type, title, description, properties, required, additionalProperties, items, enum, const, anyOf, minimum, maximum, minItems, maxItems, minLength, maxLength, default",
      ],
    ],
    [
      "a required field that is not a property",
      schema({ properties: { a: { type: "string" } }, required: ["b"] }),
      [
        "config.json:15 answer output.required: stage `answer`: `output` requires `b`, which is not in its `properties`",
      ],
    ],
    [
      "an output that is not an object",
      { stages: [{ ...STAGE, output: { type: "string" } }] },
      [
        "config.json:8 answer output: stage `answer`: `output` must be of type `object`, because providers return nothing else",
      ],
    ],
    [
      "an unknown depth",
      {
        stages: stages(),
        depths: {
          quik: { subQueries: 1, paragraphs: 1, repairs: 0, contextTokens: 500, web: false },
        },
      },
      [
        "config.json:11 null depths.quik: `quik` is not a depth; one of quick, standard, deep; did you mean `quick`?",
      ],
    ],
  ])("[PIPE-42] %s: reported", (_, config, problems) => {
    expect(said(config)).toEqual(problems)
  })

  test("[PIPE-42] an unknown placeholder in a prompt is reported with its line", () => {
    const prompts = new Map([
      ["answer.md", "Answer {{query}}\nafter {{outputs.later}} and {{quer}}"],
      ["later.md", "{{outputs.answer}}"],
    ])
    const later = { ...STAGE, name: "later", prompt: "later.md" }
    expect(said({ stages: stages(later) }, prompts)).toEqual([
      "prompts/answer.md:2 answer prompt: stage `answer`: {{outputs.later}} is not an available placeholder",
      "prompts/answer.md:2 answer prompt: stage `answer`: {{quer}} is not an available placeholder",
    ])
    const repairUnits = [{ stages: ["answer", "later"], maxIterations: 1 }]
    expect(said({ stages: stages(later), repairUnits }, prompts)).toHaveLength(1)
  })

  test("[PIPE-42] a budget of 0 is reported, for a stage and for a run", () => {
    expect(said({ stages: [{ ...STAGE, budgetUsd: 0 }] })).toEqual([
      "config.json:8 answer budgetUsd: stage `answer`: `budgetUsd` is 0; it must be above 0",
    ])
    expect(said({ stages: stages(), budgetUsd: 0 })).toEqual([
      "config.json:10 null budgetUsd: `budgetUsd` is 0; it must be above 0",
    ])
  })

  test("[PIPE-42] a unit's feedback field must be in the output of its last stage", () => {
    const output = { type: "object", properties: { advice: { type: "string" } } }
    const of = (feedbackField: string) => ({
      stages: [{ ...STAGE, output }],
      repairUnits: [{ stages: ["answer", "answer"], maxIterations: 1, feedbackField }],
    })
    expect(said(of("advice"))).toEqual([])
    expect(said(of("advise")).join()).toContain(
      "`feedbackField` is `advise`, which is not in the output of `answer`; one of advice; did you mean `advice`?",
    )
  })

  test("[PIPE-35] a stage's sources must be listed in the header, except for web search", () => {
    const of = (...sources: string[]) =>
      readConfigFile(JSON.stringify({ stages: [{ ...STAGE, scope: { sources } }] }), PROMPTS, [
        "archive",
      ]).problems.map((it) => it.problem)
    expect(of("archive", "web-search", "*")).toEqual([])
    expect(of("other")).toEqual([
      "stage `answer`: `scope.sources` has `other`, which `sources` in RECIPE.md does not list",
    ])
  })

  test("[PIPE-42] rounding errors of fractions of a cent are not reported", () => {
    const budgets = [0.1, 0.2, 0.7]
    const each = budgets.map((budgetUsd, index) => plain(`b${index}`, { budgetUsd }))
    expect(problemsOf({ stages: stages(...each), budgetUsd: 1 })).toEqual([])
  })
})
