import { formatUsd } from "#ground/base/format"
import { visibleLine } from "../../base/format.ts"
import type { Status } from "../../base/status.ts"
import {
  formatCount,
  plural,
  type RecipeFolder,
  type Source,
  type StageConfig,
} from "../../contract.ts"

type State = { readonly label: string; readonly mark: Status; readonly tone: "2" | "warn" | "bad" }

export function stateOf({ problems, config, isTrusted }: RecipeFolder): State {
  if (problems.length > 0 || config === null) {
    const count = Math.max(1, problems.length)
    return { label: plural(count, "problem"), mark: "failed", tone: "bad" }
  }
  if (!isTrusted) return { label: "not trusted", mark: "waiting", tone: "warn" }
  return { label: "ready", mark: "done", tone: "2" }
}

export const ORIGINS: Readonly<Record<RecipeFolder["origin"], string>> = {
  shipped: "shipped",
  user: "yours",
  project: "this repository",
}

const KINDS: Readonly<Record<StageConfig["kind"], string>> = {
  ask: "Asks a model once",
  web: "Searches the web through a source",
  tools: "Calls tools of sources",
  retrieve: "Searches the knowledge base",
  verify: "Checks the answer against its sources",
  document: "Writes the document",
  agent: "Starts an agent",
}

/** Asks a model once, prompts/plan.md, medium effort, 12.0k context. */
export function describeStage(stage: StageConfig): string {
  const { kind, prompt, effort, contextTokens, model, connection, agent, mode, optional } = stage
  return [
    agent === undefined ? KINDS[kind] : `Starts ${visibleLine(agent)}`,
    mode === undefined ? "" : `mode ${mode}`,
    prompt === undefined ? "" : visibleLine(prompt),
    model === undefined ? "" : visibleLine(model),
    connection === undefined ? "" : `connection ${visibleLine(connection)}`,
    effort === undefined ? "" : `${effort} effort`,
    contextTokens === undefined ? "" : `${formatCount(contextTokens)} context`,
    optional ? "skipped if its requirements are missing" : "",
  ]
    .filter((it) => it !== "")
    .join(", ")
}

export function describeScope({ scope }: StageConfig): string {
  const { knowledge, sources, agents, paths } = scope
  const parts = [
    knowledge ? "knowledge base" : "",
    ...sources.map((it) => `source ${visibleLine(it)}`),
    ...agents.map((it) => `agent ${visibleLine(it)}`),
    paths.length === 0 ? "" : `files ${paths.map(visibleLine).join(" ")}`,
  ].filter((it) => it !== "")
  return parts.length === 0 ? "only the model" : parts.join(", ")
}

export function formatBudget({ budgetUsd }: StageConfig): string {
  return budgetUsd === undefined ? "" : `at most ${formatUsd(budgetUsd)}`
}

export function pausesAfter({ config }: RecipeFolder, { name, pauseAfter }: StageConfig): boolean {
  if (config === null || config.autoAdvance) return false
  return pauseAfter || config.pauseAfterStages.includes(name)
}

export function describeSource(slug: string, sources: readonly Source[] | undefined): string {
  if (sources === undefined) return ""
  const source = sources.find((it) => it.slug === slug)
  if (source === undefined) return "missing"
  if (!source.isApproved) return "not approved"
  return source.problem === null ? source.health : visibleLine(source.problem)
}
