import type { z } from "zod"
import { isRecord } from "#ground/base"
import {
  type ConfigProblem,
  DepthConfig,
  PipelineConfig,
  RepairUnit,
  StageConfig,
  StageScope,
  VerificationConfig,
} from "#ground/contract"
import { type Complaint, crossCheck, readSketch } from "./cross-check.ts"
import { choices, inOrder, type JsonPath, quoted, readJsonText } from "./json-text.ts"

export const CONFIG_FILE = "config.json"

export type ConfigFile = {
  readonly config: PipelineConfig | null
  readonly problems: readonly ConfigProblem[]
}

export function readConfigFile(
  text: string | undefined,
  prompts: ReadonlyMap<string, string>,
  /** Sources listed in the header; undefined if the header is unreadable. */
  sources?: readonly string[],
): ConfigFile {
  if (text === undefined)
    return failed([{ line: 1, path: [], problem: `${CONFIG_FILE} is missing` }])
  const json = readJsonText(text)
  if (json.kind === "broken") return failed(json.problems)

  const value = withoutSchemaKey(json.value)
  const sketch = readSketch(value)
  const stageAt = (index: unknown) =>
    typeof index === "number" ? (sketch.stages[index]?.name ?? null) : null
  const placed = ({ path, problem, line, file }: Complaint): ConfigProblem => ({
    file: file?.name ?? CONFIG_FILE,
    line: file?.line ?? line ?? json.lineOf(path),
    ...whereIn(path, stageAt),
    problem,
  })
  const parsed = PipelineConfig.safeParse(value)
  const issues = parsed.error?.issues.flatMap((it) => inWords(it, value, stageAt)) ?? []
  const complaints = [...json.problems, ...issues, ...crossCheck(sketch, prompts, sources)]
  const problems = inOrder(complaints.map(placed))
  return { config: problems.length === 0 ? (parsed.data ?? null) : null, problems }
}

function failed(wrong: readonly { line: number; path: JsonPath; problem: string }[]): ConfigFile {
  const problems = wrong.map(({ line, problem }) => ({
    file: CONFIG_FILE,
    line,
    stage: null,
    field: "",
    problem: `${CONFIG_FILE}: ${problem}`,
  }))
  return { config: null, problems }
}

/** `$schema` is for editors. */
function withoutSchemaKey(value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "$schema"))
}

type StageAt = (index: unknown) => string | null

function whereIn(path: JsonPath, stageAt: StageAt): { stage: string | null; field: string } {
  const isInStage = path[0] === "stages" && typeof path[1] === "number"
  if (!isInStage) return { stage: null, field: path.join(".") }
  return { stage: stageAt(path[1]), field: path.slice(2).join(".") }
}

type Issue = z.core.$ZodIssue

function inWords(issue: Issue, value: unknown, stageAt: StageAt): readonly Complaint[] {
  const path = issue.path.filter((it) => typeof it !== "symbol")
  const { stage, field } = whereIn(path, stageAt)
  const start = stage === null ? "" : `stage ${quoted(stage)}: `
  if (issue.code === "unrecognized_keys") {
    const knownKeys = knownAt(path)
    return issue.keys.map((key) => ({
      path: [...path, key],
      problem: `${start}${quoted(key)} is not a setting here; ${choices(key, knownKeys)}`,
    }))
  }
  const name = field === "" ? nameOf(path) : `\`${field}\``
  return [{ path, problem: `${start}${name} ${complaint(issue, valueAt(value, path))}` }]
}

function nameOf(path: JsonPath): string {
  return path.length === 0 ? "the config" : `\`${path.join(".")}\``
}

function complaint(issue: Issue, value: unknown): string {
  if (value === undefined) return "is missing"
  switch (issue.code) {
    case "invalid_value":
      return `is ${quoted(value)}; ${choices(wordOf(value), issue.values.map(String))}`
    case "invalid_type":
      return `is ${quoted(value)}; it must be ${TYPES[issue.expected] ?? `of type ${issue.expected}`}`
    case "too_small":
      return `is ${sizeOf(value)}; at least ${issue.minimum}`
    case "too_big":
      return `is ${sizeOf(value)}; at most ${issue.maximum}`
    default:
      return `is ${quoted(value)}: ${issue.message}`
  }
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list in brackets",
  tuple: "a list of two",
  object: "an object in braces",
  record: "an object in braces",
}

function sizeOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === "string" ? `a text of ${value.length} characters` : quoted(value)
}

function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((inner, step) => {
    if (typeof inner !== "object" || inner === null) return undefined
    return Object.entries(inner).find(([name]) => name === String(step))?.[1]
  }, value)
}

function knownAt(path: JsonPath): readonly string[] {
  const [section, , field] = path
  if (section === undefined) return Object.keys(PipelineConfig.shape)
  if (section === "depths") return Object.keys(DepthConfig.shape)
  if (section === "verification") return Object.keys(VerificationConfig.shape)
  if (section === "repairUnits") return Object.keys(RepairUnit.shape)
  return Object.keys(field === "scope" ? StageScope.shape : StageConfig.shape)
}
