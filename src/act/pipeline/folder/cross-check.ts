import { z } from "zod"
import { formatUsd, isRecord, type JsonRecord } from "#ground/base"
import { DEPTHS } from "#ground/contract"
import { ANY } from "../engine/scope-check.ts"
import { ANY_AGENT } from "../stages/agent.ts"
import { unknownPlaceholders } from "../stages/prompt.ts"
import { ANY_WEB_SOURCE } from "../stages/web.ts"
import { choices, type JsonPath, lineAt, quoted } from "./json-text.ts"

export type Complaint = {
  readonly path: JsonPath
  readonly problem: string
  /** Set where the path is ambiguous: of two equal keys it finds the first. */
  readonly line?: number
  readonly file?: { readonly name: string; readonly line: number }
}

type Prompts = ReadonlyMap<string, string>

export function crossCheck(
  sketch: Sketch,
  prompts: Prompts,
  sources?: readonly string[],
): readonly Complaint[] {
  return [
    ...sketch.stages.flatMap((stage, index) => checkStage({ sketch, stage, index }, prompts)),
    ...sketch.stages.flatMap((stage, index) => checkSources({ sketch, stage, index }, sources)),
    ...checkUnused(sketch, prompts),
    ...checkPauses(sketch),
    ...checkRepairs(sketch),
    ...checkBudgets(sketch),
    ...checkDepths(sketch),
  ]
}

type StagePosition = {
  readonly sketch: Sketch
  readonly stage: StageSketch
  readonly index: number
}

function checkStage(at: StagePosition, prompts: Prompts): readonly Complaint[] {
  const { stage, index } = at
  const start = `stage ${quoted(stage.name ?? String(index + 1))}: `
  const complaints = [
    ...checkName(at),
    ...checkPrompt(at, prompts),
    ...checkKind(stage),
    ...checkBudget(stage.budgetUsd),
  ]
  const schema = schemaProblems(stage.output).map(({ path, problem }) => ({
    path: ["output", ...path],
    problem: `\`output\` ${problem}`,
  }))
  return [...complaints, ...schema, ...checkPasses(stage)].map((it) => ({
    ...it,
    path: ["stages", index, ...it.path],
    problem: `${start}${it.problem}`,
  }))
}

function checkName({ sketch, stage, index }: StagePosition): readonly Complaint[] {
  const first = sketch.stages.findIndex((it) => it.name === stage.name)
  if (stage.name === undefined || first === index) return []
  return [{ path: ["name"], problem: `stage ${first + 1} has the same name` }]
}

const ASKING_KINDS = ["ask", "web", "agent"]

function checkPrompt(
  { sketch, stage, index }: StagePosition,
  prompts: Prompts,
): readonly Complaint[] {
  const { prompt, kind = "" } = stage
  if (prompt === undefined) {
    const problem = `\`prompt\` is missing; kind \`${kind}\` needs a file in prompts/`
    return ASKING_KINDS.includes(kind) ? [{ path: [], problem }] : []
  }
  const text = prompts.get(prompt)
  if (text === undefined) {
    const problem = `\`prompt\` is ${quoted(prompt)}, which is not a file in prompts/`
    const advice =
      prompts.size === 0 ? "the folder has no files" : choices(prompt, [...prompts.keys()])
    return [{ path: ["prompt"], problem: `${problem}; ${advice}` }]
  }
  const before = sketch.stages.slice(0, lastBefore(sketch, index)).flatMap((it) => it.name ?? [])
  return unknownPlaceholders(text, before).map((name) => ({
    path: ["prompt"],
    problem: `{{${name}}} is not an available placeholder`,
    file: { name: `prompts/${prompt}`, line: lineAt(text, placeOf(text, name)) },
  }))
}

/** Names contain letters, digits, underscores and dots; only dots are special in a pattern. */
function placeOf(text: string, name: string): number {
  return text.search(new RegExp(`\\{\\{\\s*${name.replaceAll(".", "\\.")}\\s*\\}\\}`))
}

/** In a repair unit a stage can see the previous round's output of a later stage of the unit. */
function lastBefore(sketch: Sketch, index: number): number {
  const indexOf = (name: string | undefined) => sketch.stages.findIndex((it) => it.name === name)
  const ends = sketch.repairUnits.flatMap(({ stages: [first, last] }) =>
    indexOf(first) <= index && index <= indexOf(last) ? [indexOf(last) + 1] : [],
  )
  return Math.max(index, ...ends)
}

function checkKind(stage: StageSketch): readonly Complaint[] {
  const { kind, agent, mode, scope } = stage
  if (kind === "retrieve" && !scope.knowledge)
    return [{ path: ["scope"], problem: "kind `retrieve` needs `scope.knowledge` to be true" }]
  if (kind === "tools") return checkCalls(stage)
  if (kind !== "agent") {
    const problem = `is only for kind \`agent\`, not for \`${kind ?? ""}\``
    return [
      ...(agent === undefined ? [] : [{ path: ["agent"], problem: `\`agent\` ${problem}` }]),
      ...(mode === undefined ? [] : [{ path: ["mode"], problem: `\`mode\` ${problem}` }]),
    ]
  }
  const started = agent ?? ANY_AGENT
  if (scope.agents.includes(started)) return []
  return [{ path: ["scope"], problem: `\`scope.agents\` does not contain ${quoted(started)}` }]
}

function checkCalls({ calls, prompt, scope }: StageSketch): readonly Complaint[] {
  if (calls.length === 0 && prompt === undefined)
    return [{ path: [], problem: "kind `tools` needs `calls` or a `prompt`" }]
  return calls.flatMap(({ source }, index) =>
    scope.sources.includes(source) || scope.sources.includes(ANY)
      ? []
      : [
          {
            path: ["calls", index, "source"],
            problem: `\`scope.sources\` does not contain ${quoted(source)}`,
          },
        ],
  )
}

function checkPasses({ passes, output }: StageSketch): readonly Complaint[] {
  if (passes === undefined) return []
  if (output === undefined)
    return [{ path: ["passes"], problem: "`passes` names a field, but there is no `output`" }]
  const names = propertyNames(output)
  if (names.includes(passes)) return []
  const problem = `\`passes\` is ${quoted(passes)}, which is not in \`output\``
  return [{ path: ["passes"], problem: `${problem}; ${choices(passes, names)}` }]
}

function propertyNames(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null || !("properties" in schema)) return []
  const { properties } = schema
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : []
}

function checkUnused(sketch: Sketch, prompts: Prompts): readonly Complaint[] {
  const used = new Set(sketch.stages.map((it) => it.prompt))
  const unused = [...prompts.keys()].filter((it) => !used.has(it))
  return unused.map((file) => ({
    path: [],
    problem: `no stage uses prompts/${file}`,
    file: { name: `prompts/${file}`, line: 1 },
  }))
}

function checkPauses(sketch: Sketch): readonly Complaint[] {
  const names = sketch.stages.flatMap((it) => it.name ?? [])
  return sketch.pauseAfterStages.flatMap((name, index) => {
    if (names.includes(name)) return []
    const problem = `\`pauseAfterStages\` has ${quoted(name)}, which is not a stage`
    return [{ path: ["pauseAfterStages", index], problem: `${problem}; ${choices(name, names)}` }]
  })
}

function checkRepairs(sketch: Sketch): readonly Complaint[] {
  const names = sketch.stages.map((it) => it.name ?? "")
  const ends = sketch.repairUnits.map((unit) => unit.stages.map((name) => names.indexOf(name)))
  return sketch.repairUnits.flatMap((unit, index): readonly Complaint[] => {
    const path = ["repairUnits", index, "stages"]
    const unknown = unit.stages.filter((name) => !names.includes(name))
    if (unknown.length > 0) {
      return unknown.map((name) => ({
        path,
        problem: `a repair unit names ${quoted(name)}, which is not a stage; ${choices(name, names)}`,
      }))
    }
    const [first = 0, last = 0] = ends[index] ?? []
    const span = `\`${unit.stages.join("` to `")}\``
    if (first > last) return [{ path, problem: `the repair unit ${span} is in the wrong order` }]
    const isShared = ends.slice(0, index).some(([from = 0, to = 0]) => from <= last && first <= to)
    if (isShared) return [{ path, problem: `the repair unit ${span} overlaps another one` }]
    return checkFeedback({ sketch, index, last })
  })
}

function checkFeedback(unit: {
  readonly sketch: Sketch
  readonly index: number
  readonly last: number
}): readonly Complaint[] {
  const { sketch, index, last } = unit
  const field = sketch.repairUnits[index]?.feedbackField
  const stage = sketch.stages[last]
  if (field === undefined || stage?.output === undefined) return []
  const names = propertyNames(stage.output)
  if (names.includes(field)) return []
  const path = ["repairUnits", index, "feedbackField"]
  const problem = `\`feedbackField\` is ${quoted(field)}, which is not in the output of ${quoted(stage.name ?? "")}`
  return [{ path, problem: `${problem}; ${choices(field, names)}` }]
}

/** Tolerance for rounding errors of floats. */
const ROUNDING_USD = 1e-6

function checkSources(
  { stage, index }: StagePosition,
  listed?: readonly string[],
): readonly Complaint[] {
  if (listed === undefined) return []
  const unlisted = stage.scope.sources.filter(
    (it) => it !== ANY && it !== ANY_WEB_SOURCE && !listed.includes(it),
  )
  return unlisted.map((slug) => ({
    path: ["stages", index, "scope", "sources"],
    problem: `stage ${quoted(stage.name ?? "")}: \`scope.sources\` has ${quoted(slug)}, which \`sources\` in RECIPE.md does not list`,
  }))
}

/** The schema already rejects negative values. */
function checkBudget(budgetUsd: number | undefined): readonly Complaint[] {
  if (budgetUsd !== 0) return []
  const problem = "`budgetUsd` is 0; it must be above 0"
  return [{ path: ["budgetUsd"], problem }]
}

function checkBudgets(sketch: Sketch): readonly Complaint[] {
  if (sketch.budgetUsd === 0) return checkBudget(0)
  const whole = sketch.budgetUsd ?? Number.POSITIVE_INFINITY
  const sum = sketch.stages.reduce((total, it) => total + (it.budgetUsd ?? 0), 0)
  if (sum <= whole + ROUNDING_USD) return []
  const problem = `the stages' budgets add up to ${formatUsd(sum)}; \`budgetUsd\` is ${formatUsd(whole)}`
  return [{ path: ["budgetUsd"], problem }]
}

function checkDepths(sketch: Sketch): readonly Complaint[] {
  const names = Object.keys(sketch.depths).filter((name) => !DEPTHS.some((it) => it === name))
  return names.map((name) => ({
    path: ["depths", name],
    problem: `${quoted(name)} is not a depth; ${choices(name, DEPTHS)}`,
  }))
}

/**
 * A lenient reading of a config: a problem in one field does not hide problems between the others.
 */
const text = z.string().optional().catch(undefined)
const texts = z.array(z.string().catch("")).catch([])

const StageSketch = z.object({
  name: text,
  kind: text,
  prompt: text,
  output: z.unknown().optional(),
  calls: z.array(z.object({ source: z.string().catch("") }).catch({ source: "" })).catch([]),
  agent: text,
  mode: text,
  passes: text,
  budgetUsd: z.number().optional().catch(undefined),
  scope: z
    .object({ knowledge: z.boolean().catch(false), sources: texts, agents: texts })
    .catch({ knowledge: false, sources: [], agents: [] }),
})
type StageSketch = z.infer<typeof StageSketch>

const Sketch = z.object({
  stages: z.array(StageSketch.catch(StageSketch.parse({}))).catch([]),
  pauseAfterStages: texts,
  repairUnits: z
    .array(z.object({ stages: texts, feedbackField: text }).catch({ stages: [] }))
    .catch([]),
  budgetUsd: z.number().optional().catch(undefined),
  depths: z.record(z.string(), z.unknown()).catch({}),
})
export type Sketch = z.infer<typeof Sketch>

export function readSketch(value: unknown): Sketch {
  return Sketch.catch(Sketch.parse({})).parse(value)
}

type PathProblem = { readonly path: JsonPath; readonly problem: string }

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]

/**
 * Keywords that every provider's structured output and our own validator support. `pattern` is
 * excluded, because it could run forever on an answer, and `$ref`, because it could be cyclic.
 */
const WORDS =
  `type title description properties required additionalProperties items enum const anyOf minimum
  maximum minItems maxItems minLength maxLength default`.split(/\s+/)

function schemaProblems(schema: unknown): readonly PathProblem[] {
  if (schema === undefined) return []
  const wrong = wordProblems(schema, [])
  if (wrong.length > 0) return wrong
  if (typeOf(schema) !== "object")
    return [
      { path: [], problem: "must be of type `object`, because providers return nothing else" },
    ]
  return compileProblems(schema)
}

function wordProblems(schema: unknown, path: JsonPath): readonly PathProblem[] {
  if (!isRecord(schema)) return [{ path, problem: `has ${quoted(schema)} in place of a schema` }]
  const unknown = Object.keys(schema).filter((it) => !WORDS.includes(it))
  const named = unknown.map((keyword) => ({
    path: [...path, keyword],
    problem: `has ${quoted(keyword)}, which is not a supported schema keyword; ${choices(keyword, WORDS)}`,
  }))
  return [...named, ...typeProblems(schema, path), ...innerProblems(schema, path)]
}

function typeProblems(schema: JsonRecord, path: JsonPath): readonly PathProblem[] {
  const type = schema.type
  const types = Array.isArray(type) ? type : [type]
  const wrong = types.filter((it) => it !== undefined && !TYPES.some((valid) => valid === it))
  const named = wrong.map((it) => ({
    path: [...path, "type"],
    problem: `has the type ${quoted(it)}; ${choices(typeof it === "string" ? it : "", TYPES)}`,
  }))
  const names = isRecord(schema.properties) ? Object.keys(schema.properties) : undefined
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const missing = required.filter((it) => names && !names.some((name) => name === it))
  const lacking = missing.map((it) => ({
    path: [...path, "required"],
    problem: `requires ${quoted(it)}, which is not in its \`properties\``,
  }))
  return [...named, ...lacking]
}

function innerProblems(schema: JsonRecord, path: JsonPath): readonly PathProblem[] {
  const { properties, items, anyOf, additionalProperties: more } = schema
  const inner = (value: unknown, ...steps: JsonPath) => wordProblems(value, [...path, ...steps])
  const ofProperties = isRecord(properties) ? Object.entries(properties) : []
  return [
    ...ofProperties.flatMap(([name, value]) => inner(value, "properties", name)),
    ...(properties === undefined || isRecord(properties) ? [] : inner(properties, "properties")),
    ...(items === undefined ? [] : inner(items, "items")),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((it, index) => inner(it, "anyOf", index)) : []),
    ...(more === undefined || typeof more === "boolean" ? [] : inner(more, "additionalProperties")),
  ]
}

/** Remaining problems: values of a wrong type, such as text for `minItems`. */
function compileProblems(schema: unknown): readonly PathProblem[] {
  try {
    z.fromJSONSchema(z.record(z.string(), z.unknown()).parse(schema))
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ path: [], problem: `is not a valid JSON schema: ${reason}` }]
  }
}

function typeOf(schema: unknown): unknown {
  return isRecord(schema) ? schema.type : undefined
}
