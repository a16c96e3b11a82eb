import { plural } from "#ground/base"
import {
  type AgentFolder,
  type AgentList,
  type AgentShow,
  type AgentValidate,
  type ConfigProblem,
  type StageConfig,
} from "#ground/contract"
import type { Paint } from "../paint.ts"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { oneLine, section } from "./lines.ts"
import { sayMoney, sayPipelineStatus } from "./pipelines.ts"

const MOST_RUNS = 10

export function renderAgentFolders({ agents }: AgentList, { paint, width }: Screen): string {
  return table(
    agents.map((it) => [
      it.slug,
      paint.muted(it.origin),
      sayState(it, paint),
      oneLine(it.description, Math.max(20, width - 50)),
    ]),
  )
}

function sayState(agent: AgentFolder, paint: Paint): string {
  if (agent.problems.length > 0) return paint.bad(plural(agent.problems.length, "problem"))
  return agent.isTrusted
    ? plural(agent.config?.stages.length ?? 0, "stage")
    : paint.warn("not trusted")
}

export function renderAgentFolder(agent: AgentFolder, screen: Screen): string {
  const { paint, width } = screen
  const { config } = agent
  const rows = (config?.stages ?? []).map((it) => [
    it.name,
    it.kind,
    it.pauseAfter || config?.pauseAfterStages.includes(it.name) === true ? "pauses" : "",
    it.budgetUsd === undefined ? "" : `$${it.budgetUsd.toFixed(2)}`,
    oneLine(it.title, 30),
    paint.muted(oneLine(sayScope(it), Math.max(20, width - 62))),
  ])
  return [
    `${paint.bold(oneLine(agent.name, width - 30))} ${paint.muted(`${agent.slug}, ${agent.origin}, ${agent.digest.slice(0, 12)}`)}`,
    oneLine(agent.description, width),
    ...(agent.isTrusted
      ? []
      : [
          "",
          paint.warn(
            `Not trusted: read its folder, then \`qm agent trust ${agent.slug} --digest ${agent.digest}\`.`,
          ),
        ]),
    ...problemLines(agent.problems, paint),
    ...(config?.autoAdvance === true ? ["", paint.warn("It never pauses.")] : []),
    ...section("Stages", rows, { screen, most: 30 }),
    ...(agent.sources.length === 0 ? [] : ["", `Sources: ${agent.sources.join(", ")}`]),
    paint.muted(agent.folder),
  ].join("\n")
}

/** What it may use, which is what a person trusts it with. */
function sayScope({ kind, agent, mode, scope }: StageConfig): string {
  const own = kind === "agent" ? [`starts ${agent ?? "an agent"}, mode ${mode ?? "plan"}`] : []
  const paths = scope.paths.length === 0 ? "any file" : scope.paths.join(" ")
  return [
    ...own,
    ...(kind === "agent" ? [`may change ${paths}`] : []),
    ...(scope.knowledge ? ["documents"] : []),
    ...(scope.sources.length === 0 ? [] : [`asks ${scope.sources.join(" ")}`]),
  ].join(", ")
}

export function renderAgentShow({ agent, runs }: AgentShow, screen: Screen): string {
  const { paint, width } = screen
  const rows = runs.map((it) => [
    it.id,
    sayPipelineStatus(it.status, paint),
    sayMoney(it.cost),
    sayTime(it.createdAt),
    oneLine(it.query, Math.max(20, width - 60)),
  ])
  return [
    renderAgentFolder(agent, screen),
    ...section("Runs", rows, { screen, most: MOST_RUNS }),
  ].join("\n")
}

/** Each problem where an editor finds it. */
export function renderAgentValidate({ agents }: AgentValidate, { paint }: Screen): string {
  const lines = agents.flatMap((it) =>
    it.problems.length === 0
      ? [
          `${paint.ok("✓")} ${it.slug} ${paint.muted(plural(it.config?.stages.length ?? 0, "stage"))}`,
        ]
      : [`${paint.bad("✗")} ${it.slug}`, ...problemLines(it.problems, paint)],
  )
  return lines.length === 0 ? paint.muted("No agent is here.") : lines.join("\n")
}

function problemLines(problems: readonly ConfigProblem[], paint: Paint): readonly string[] {
  return problems.map((it) => {
    const where = it.stage === null ? it.field : `stage ${it.stage}, ${it.field}`
    return `  ${paint.accent(`${it.file}:${it.line}`)} ${where}: ${it.problem}`
  })
}
