import { DEPTHS } from "#ground/contract"
import { ANY } from "../engine/gate.ts"
import { ANY_AGENT } from "../stages/agent.ts"
import { unknownPlaceholders } from "../stages/template.ts"
import { ANY_WEB_SOURCE } from "../stages/web.ts"
import { schemaProblems } from "./json-schema.ts"
import type { JsonPath } from "./json-text.ts"
import { choices, lineAt, quoted } from "./problems.ts"
import type { Sketch, StageSketch } from "./sketch.ts"

export type Complaint = {
  readonly path: JsonPath
  readonly problem: string
  /** When the path does not lead there: of two equal keys it finds the first. */
  readonly line?: number
  /** When it stands in another file than the config. */
  readonly file?: { readonly name: string; readonly line: number }
}

type Prompts = ReadonlyMap<string, string>

/** What is wrong between fields that are right each for itself. */
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

type At = { readonly sketch: Sketch; readonly stage: StageSketch; readonly index: number }

function checkStage(at: At, prompts: Prompts): readonly Complaint[] {
  const { stage, index } = at
  const start = `stage ${quoted(stage.name ?? String(index + 1))}: `
  const said = [
    ...checkName(at),
    ...checkPrompt(at, prompts),
    ...checkKind(stage),
    ...checkBudget(stage.budgetUsd),
  ]
  const schema = schemaProblems(stage.output).map(({ path, problem }) => ({
    path: ["output", ...path],
    problem: `\`output\` ${problem}`,
  }))
  return [...said, ...schema, ...checkPasses(stage)].map((it) => ({
    ...it,
    path: ["stages", index, ...it.path],
    problem: `${start}${it.problem}`,
  }))
}

function checkName({ sketch, stage, index }: At): readonly Complaint[] {
  const first = sketch.stages.findIndex((it) => it.name === stage.name)
  if (stage.name === undefined || first === index) return []
  return [{ path: ["name"], problem: `stage ${first + 1} has the same name` }]
}

/** Kinds that ask somebody something. */
const ASKING_KINDS = ["ask", "web", "agent"]

function checkPrompt({ sketch, stage, index }: At, prompts: Prompts): readonly Complaint[] {
  const { prompt, kind = "" } = stage
  if (prompt === undefined) {
    const problem = `\`prompt\` is missing; kind \`${kind}\` needs a file in prompts/`
    return ASKING_KINDS.includes(kind) ? [{ path: [], problem }] : []
  }
  const text = prompts.get(prompt)
  if (text === undefined) {
    const problem = `\`prompt\` is ${quoted(prompt)}, which is no file in prompts/`
    const known = prompts.size === 0 ? "there is none" : choices(prompt, [...prompts.keys()])
    return [{ path: ["prompt"], problem: `${problem}; ${known}` }]
  }
  const before = sketch.stages.slice(0, lastBefore(sketch, index)).flatMap((it) => it.name ?? [])
  return unknownPlaceholders(text, before).map((name) => ({
    path: ["prompt"],
    problem: `{{${name}}} is nothing that a prompt can ask for here`,
    file: { name: `prompts/${prompt}`, line: lineAt(text, placeOf(text, name)) },
  }))
}

/** Names have letters, digits, underscores and dots; only the dots mean something to a pattern. */
function placeOf(text: string, name: string): number {
  return text.search(new RegExp(`\\{\\{\\s*${name.replaceAll(".", "\\.")}\\s*\\}\\}`))
}

/** In a repair unit a stage may see what a later one of the unit said the round before. */
function lastBefore(sketch: Sketch, index: number): number {
  const place = (name: string | undefined) => sketch.stages.findIndex((it) => it.name === name)
  const ends = sketch.repairUnits.flatMap(({ stages: [first, last] }) =>
    place(first) <= index && index <= place(last) ? [place(last) + 1] : [],
  )
  return Math.max(index, ...ends)
}

function checkKind(stage: StageSketch): readonly Complaint[] {
  const { kind, agent, mode, scope } = stage
  if (kind === "retrieve" && !scope.knowledge)
    return [{ path: ["scope"], problem: "kind `retrieve` needs `scope.knowledge` to be true" }]
  if (kind !== "agent") {
    const problem = `is only for kind \`agent\`, not for \`${kind ?? ""}\``
    return [
      ...(agent === undefined ? [] : [{ path: ["agent"], problem: `\`agent\` ${problem}` }]),
      ...(mode === undefined ? [] : [{ path: ["mode"], problem: `\`mode\` ${problem}` }]),
    ]
  }
  const started = agent ?? ANY_AGENT
  if (scope.agents.includes(started)) return []
  return [{ path: ["scope"], problem: `\`scope.agents\` does not have ${quoted(started)}` }]
}

function checkPasses({ passes, output }: StageSketch): readonly Complaint[] {
  if (passes === undefined) return []
  if (output === undefined)
    return [{ path: ["passes"], problem: "`passes` names a field, and there is no `output`" }]
  const names = propertyNames(output)
  if (names.includes(passes)) return []
  const problem = `\`passes\` is ${quoted(passes)}, which \`output\` does not have`
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
    const problem = `\`pauseAfterStages\` has ${quoted(name)}, which is no stage`
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
        problem: `a repair unit names ${quoted(name)}, which is no stage; ${choices(name, names)}`,
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

/** Where the last stage says what it gives, the field must be one of it. */
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
  const problem = `\`feedbackField\` is ${quoted(field)}, which the output of ${quoted(stage.name ?? "")} does not have`
  return [{ path, problem: `${problem}; ${choices(field, names)}` }]
}

/** Cents that come from adding floats are no mistake of the writer. */
const ROUNDING_USD = 1e-6

/** The head says which sources a run may ask at all; its stages ask no others. */
function checkSources({ stage, index }: At, listed?: readonly string[]): readonly Complaint[] {
  if (listed === undefined) return []
  const unlisted = stage.scope.sources.filter(
    (it) => it !== ANY && it !== ANY_WEB_SOURCE && !listed.includes(it),
  )
  return unlisted.map((slug) => ({
    path: ["stages", index, "scope", "sources"],
    problem: `stage ${quoted(stage.name ?? "")}: \`scope.sources\` has ${quoted(slug)}, which \`sources\` in AGENT.md does not list`,
  }))
}

/** Less than nothing is told by the shape of the field. */
function checkBudget(budgetUsd: number | undefined): readonly Complaint[] {
  if (budgetUsd !== 0) return []
  const problem = "`budgetUsd` is 0, so that nothing could be asked; it must be above 0"
  return [{ path: ["budgetUsd"], problem }]
}

function checkBudgets(sketch: Sketch): readonly Complaint[] {
  if (sketch.budgetUsd === 0) return checkBudget(0)
  const whole = sketch.budgetUsd ?? Number.POSITIVE_INFINITY
  const sum = sketch.stages.reduce((total, it) => total + (it.budgetUsd ?? 0), 0)
  if (sum <= whole + ROUNDING_USD) return []
  const problem = `the stages' budgets add up to ${dollars(sum)}; \`budgetUsd\` is ${dollars(whole)}`
  return [{ path: ["budgetUsd"], problem }]
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`
}

function checkDepths(sketch: Sketch): readonly Complaint[] {
  const names = Object.keys(sketch.depths).filter((name) => !DEPTHS.some((it) => it === name))
  return names.map((name) => ({
    path: ["depths", name],
    problem: `${quoted(name)} is no depth; ${choices(name, DEPTHS)}`,
  }))
}
