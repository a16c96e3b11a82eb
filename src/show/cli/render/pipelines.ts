import { formatDuration, plural } from "#ground/base"
import type {
  ConfigProblem,
  PipelineCompare,
  PipelineDocument,
  PipelineLine,
  PipelineList,
  PipelinePause,
  PipelineRun,
  PipelineShow,
  PipelineStage,
  PipelineStatus,
  PipelineSummary,
  pipelineOperations,
  RecipeFolder,
  RecipeList,
  RecipeShow,
  RecipeValidate,
  recipeOperations,
  StageConfig,
} from "#ground/contract"
import { layOutProse } from "../live-run/prose.ts"
import { table } from "../terminal/layout.ts"
import type { Paint, Screen } from "../terminal/screen.ts"
import { listing, quoted, rowText, section, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const NONE =
  'No pipeline runs yet. List the recipes with `qm recipe`.\nStart one with `qm pipeline run deep-research "How do we round prices?"`.'

function renderPipelines({ runs }: PipelineList, screen: Screen): string {
  const { paint } = screen
  if (runs.length === 0) return paint.muted(NONE)
  return listing(
    ["Run", "State", "Recipe", "Stages", "Cost", "Started (UTC)", "Question"],
    runs.map((it) => [
      it.id,
      pipelineStatusText(it.status, paint),
      it.agent,
      placeText(it),
      moneyText(it.cost),
      timeText(it.createdAt),
      rowText(it.query),
    ]),
    screen,
  )
}

function placeText({ stagesDone, stagesTotal }: PipelineLine): string {
  return `${stagesDone} of ${stagesTotal}`
}

function modelsText({ provider, connections = {} }: PipelineRun): string {
  const named = Object.entries(connections).map(([name, it]) => `${name} (${it.model})`)
  return [provider, ...named].map((it) => rowText(it)).join(", ")
}

export function renderPipelineRun(run: PipelineRun, screen: Screen): string {
  const { paint, width } = screen
  return [
    `${paint.bold(rowText(run.query, width - 24))}  ${paint.muted(`${run.agent} ${run.id}`)}`,
    `${pipelineStatusText(run.status, paint)}${whyText(run)}, ${run.depth}, ${moneyText(run.cost)}, ${modelsText(run)}`,
    "",
    listing(
      ["", "Stage", "Time", "Cost", "Result"],
      run.stages.map((it) => stageRow(it, screen)),
      screen,
    ),
    ...repairsText(run, paint),
    ...(run.error === null ? [] : ["", paint.bad(run.error.message), paint.muted(run.error.hint)]),
    ...(run.pause === null ? [] : ["", ...pauseCard(run.pause, screen)]),
    ...nextText(run, paint),
  ].join("\n")
}

function renderPipelineShow({ run }: PipelineShow, screen: Screen): string {
  return renderPipelineRun(run, screen)
}

function whyText({ reason }: PipelineRun): string {
  return reason === null || reason === "" ? "" : ` (${rowText(reason)})`
}

function stageRow(stage: PipelineStage, { paint }: Screen): readonly string[] {
  const time =
    stage.startedAt === null || stage.endedAt === null
      ? ""
      : formatDuration(stage.endedAt - stage.startedAt)
  const rounds = stage.rounds > 1 ? `round ${stage.rounds}` : ""
  return [
    STAGE_SIGNS[stage.status](paint),
    stage.title,
    paint.muted([rounds, time].filter((it) => it !== "").join(", ")),
    stage.cost.spentUsd === 0 && stage.cost.budgetUsd === null ? "" : moneyText(stage.cost),
    rowText(stage.summary ?? ""),
  ]
}

type StatusMark = (paint: Paint) => string
const STAGE_SIGNS: Readonly<Record<PipelineStage["status"], StatusMark>> = {
  waiting: (paint) => paint.muted("○"),
  running: (paint) => paint.accent("◐"),
  done: (paint) => paint.ok("●"),
  failed: (paint) => paint.bad("✗"),
  skipped: (paint) => paint.muted("–"),
  paused: (paint) => paint.warn("‖"),
}

function repairsText({ repairs, stages }: PipelineRun, paint: Paint): readonly string[] {
  const used = repairs.filter((it) => it.used > 0)
  const rounds = used.map(({ first, last, used: count, most }) => {
    const names = `${stages[first]?.title ?? ""} to ${stages[last]?.title ?? ""}`
    return `${names}: repair ${count} of at most ${most}`
  })
  return rounds.length === 0 ? [] : ["", ...rounds.map((it) => paint.muted(it))]
}

export function pauseCard(pause: PipelinePause, { paint, width }: Screen): readonly string[] {
  const lines = pause.lines.map(
    (it, i) =>
      `${String(i + 1).padStart(4)}  ${rowText(it.text)}${it.note === "" ? "" : paint.muted(`  ${rowText(it.note)}`)}`,
  )
  const choices = pause.choices.map((it) => [
    "",
    paint.bold(it.key),
    it.word,
    paint.muted(rowText(it.consequence)),
  ])
  return [
    `${paint.warn("‖")} ${paint.bold(rowText(pause.question))}`,
    ...lines,
    "",
    table(choices, { width }),
  ]
}

function nextText({ id, status, hasDocument }: PipelineRun, paint: Paint): readonly string[] {
  if (status === "paused") {
    return [
      "",
      paint.muted(
        `Answer with \`qm pipeline resume ${id}\`, \`qm pipeline amend ${id} "Shorter"\``,
      ),
      paint.muted(`or \`qm pipeline say ${id} 3\`.`),
    ]
  }
  if (status === "interrupted") {
    return ["", paint.muted(`Its process ended. Resume it with \`qm pipeline resume ${id}\`.`)]
  }
  return hasDocument
    ? ["", paint.muted(`Print its document with \`qm pipeline document ${id}\`.`)]
    : []
}

function moneyText({ spentUsd, budgetUsd, unknownCalls }: PipelineLine["cost"]): string {
  const spent = `$${spentUsd.toFixed(2)}`
  const of = budgetUsd === null ? "" : ` of $${budgetUsd.toFixed(2)}`
  return `${spent}${of}${unknownCalls === 0 ? "" : `, ${plural(unknownCalls, "call")} of unknown cost`}`
}

function pipelineStatusText(status: PipelineStatus, paint: Paint): string {
  return STATUS_PAINTS[status](paint)
}

const STATUS_PAINTS: Readonly<Record<PipelineStatus, StatusMark>> = {
  running: (paint) => paint.accent("◐ running"),
  paused: (paint) => paint.warn("‖ paused"),
  interrupted: (paint) => paint.warn("◌ interrupted"),
  completed: (paint) => paint.ok("● completed"),
  breakout: () => "○ ended early",
  stopped: () => "○ stopped",
  failed: (paint) => paint.bad("✗ failed"),
  "over-budget": (paint) => paint.bad("✗ over budget"),
}

function renderPipelineDocument(document: PipelineDocument, screen: Screen): string {
  const { paint, width } = screen
  const { isPartial, note } = document
  const partial = isPartial ? [paint.warn(`Partial document: ${rowText(note ?? "")}.`), ""] : []
  return [...partial, ...layOutProse(document.markdown, width, paint)].join("\n")
}

function renderPipelineSummary(summary: PipelineSummary, { paint }: Screen): string {
  return [
    `${paint.bold(rowText(summary.query))} ${paint.muted(`${summary.agent} ${summary.run}, ${summary.exitReason}`)}`,
    "",
    quoted(summary.longer),
  ].join("\n")
}

function renderPipelineCompare(compare: PipelineCompare, screen: Screen): string {
  const { paint } = screen
  const side = (it: PipelineCompare["stages"][number]["left"]) =>
    it === null ? "not reached" : rowText(`$${it.usd.toFixed(2)} ${it.summary ?? ""}`)
  const rows = compare.stages.map((it) => [
    it.isSame ? paint.muted("=") : paint.warn("≠"),
    it.title,
    it.isSame ? paint.muted(side(it.left)) : side(it.left),
    it.isSame ? paint.muted("the same") : side(it.right),
  ])
  const { left, right } = compare
  return [
    table(
      [
        ["", "", paint.bold(left.id), paint.bold(right.id)],
        [
          "",
          "Status",
          pipelineStatusText(left.status, paint),
          pipelineStatusText(right.status, paint),
        ],
        ["", "Cost", moneyText(left.cost), moneyText(right.cost)],
        ...rows,
      ],
      screen,
    ),
  ].join("\n")
}

const MOST_RUNS = 10

function renderRecipeFolders({ recipes }: RecipeList, screen: Screen): string {
  const { paint } = screen
  return listing(
    ["Recipe", "Origin", "State", "Description"],
    recipes.map((it) => [
      it.slug,
      paint.muted(it.origin),
      folderStateText(it, paint),
      rowText(it.description),
    ]),
    screen,
  )
}

function folderStateText(recipe: RecipeFolder, paint: Paint): string {
  if (recipe.problems.length > 0) return paint.bad(plural(recipe.problems.length, "problem"))
  return recipe.isTrusted
    ? plural(recipe.config?.stages.length ?? 0, "stage")
    : paint.warn("not trusted")
}

function renderRecipeFolder(recipe: RecipeFolder, screen: Screen): string {
  const { paint, width } = screen
  const { config } = recipe
  const rows = (config?.stages ?? []).map((it) => [
    it.name,
    it.kind,
    it.pauseAfter || config?.pauseAfterStages.includes(it.name) === true ? "pauses" : "",
    it.budgetUsd === undefined ? "" : `$${it.budgetUsd.toFixed(2)}`,
    rowText(it.title),
    paint.muted(rowText(scopeText(it))),
  ])
  return [
    `${paint.bold(rowText(recipe.name, width - 30))} ${paint.muted(`${recipe.slug}, ${recipe.origin}, ${recipe.digest.slice(0, 12)}`)}`,
    rowText(recipe.description),
    ...(recipe.isTrusted
      ? []
      : [
          "",
          paint.warn(
            `Not trusted. Read its folder, then run \`qm recipe trust ${recipe.slug} --digest ${recipe.digest}\`.`,
          ),
        ]),
    ...problemLines(recipe.problems, paint),
    ...(config?.autoAdvance === true ? ["", paint.warn("This recipe never pauses.")] : []),
    ...section("Stages", rows, {
      screen,
      most: 30,
      headings: ["Name", "Kind", "Pause", "Budget", "Title", "Scope"],
    }),
    ...(recipe.sources.length === 0 ? [] : ["", `Sources: ${recipe.sources.join(", ")}`]),
    paint.muted(recipe.folder),
  ].join("\n")
}

function scopeText({ kind, agent, mode, scope }: StageConfig): string {
  const own = kind === "agent" ? [`starts ${agent ?? "an agent"}, mode ${mode ?? "plan"}`] : []
  const paths = scope.paths.length === 0 ? "any file" : scope.paths.join(" ")
  return [
    ...own,
    ...(kind === "agent" ? [`may change ${paths}`] : []),
    ...(scope.knowledge ? ["documents"] : []),
    ...(scope.sources.length === 0 ? [] : [`asks ${scope.sources.join(" ")}`]),
  ].join(", ")
}

function renderRecipeShow({ recipe, runs }: RecipeShow, screen: Screen): string {
  const { paint } = screen
  const rows = runs.map((it) => [
    it.id,
    pipelineStatusText(it.status, paint),
    moneyText(it.cost),
    timeText(it.createdAt),
    rowText(it.query),
  ])
  return [
    renderRecipeFolder(recipe, screen),
    ...section("Runs", rows, {
      screen,
      most: MOST_RUNS,
      headings: ["Run", "Status", "Cost", "Started (UTC)", "Query"],
    }),
  ].join("\n")
}

function renderRecipeValidate({ recipes }: RecipeValidate, { paint }: Screen): string {
  const lines = recipes.flatMap((it) =>
    it.problems.length === 0
      ? [
          `${paint.ok("✓")} ${it.slug} ${paint.muted(plural(it.config?.stages.length ?? 0, "stage"))}`,
        ]
      : [`${paint.bad("✗")} ${it.slug}`, ...problemLines(it.problems, paint)],
  )
  return lines.length === 0 ? paint.muted("No recipes.") : lines.join("\n")
}

function problemLines(problems: readonly ConfigProblem[], paint: Paint): readonly string[] {
  return problems.map((problem) => {
    const where =
      problem.stage === null ? problem.field : `stage ${problem.stage}, ${problem.field}`
    return `  ${paint.accent(`${problem.file}:${problem.line}`)} ${where}: ${problem.problem}`
  })
}

export const recipeRenderers: Renderers<typeof recipeOperations> = {
  list: renderRecipeFolders,
  new: renderRecipeFolder,
  show: renderRecipeShow,
  trust: renderRecipeFolder,
  validate: { text: renderRecipeValidate, isGood: (it) => it.isValid },
}

export const pipelineRenderers: Renderers<typeof pipelineOperations> = {
  compare: renderPipelineCompare,
  document: renderPipelineDocument,
  list: renderPipelines,
  show: renderPipelineShow,
  stop: renderPipelineRun,
  summary: renderPipelineSummary,
}
