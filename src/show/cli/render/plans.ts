import { plural } from "#ground/base"
import type { Plan, PlanList, PlanState, PlanText, planOperations } from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { rowText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderPlans({ plans, problems }: PlanList, screen: Screen): string {
  const { paint, width } = screen
  const rows = plans.map((it) => [
    it.id,
    statusText(it, screen),
    `${done(it)}/${it.steps.length}`,
    rowText(it.title),
  ])
  const broken = problems.map((it) => paint.warn(rowText(`${it.file}: ${it.problem}`)))
  if (rows.length === 0 && broken.length === 0) {
    return "No plans. Agents submit them with the tool submit_plan (`qm mcp --tools core,work`)."
  }
  const waiting = plans.filter((it) => it.status === "waiting").length
  const next =
    waiting === 0
      ? []
      : ["", paint.muted(`${plural(waiting, "plan")} waiting: qm plan approve <id>`)]
  return [table(rows, { width }), ...broken, ...next].join("\n")
}

const done = (plan: Plan): number => plan.steps.filter((it) => it.isDone).length

function statusText({ status }: Plan, { paint }: Screen): string {
  if (status === "waiting") return paint.warn(status)
  return status === "rejected" ? paint.bad(status) : paint.ok(status)
}

function renderPlan(plan: Plan | PlanText, screen: Screen): string {
  const { paint } = screen
  const steps = plan.steps.map(
    (it) => `  ${it.isDone ? paint.ok("✓") : " "} ${it.number}. ${rowText(it.text)}`,
  )
  const feedback = plan.feedback === null ? [] : [`Feedback: ${rowText(plan.feedback)}`]
  return [
    `${paint.bold(rowText(plan.title))} ${paint.muted(plan.id)}`,
    `${statusText(plan, screen)}${plan.answeredBy === null ? "" : ` by ${rowText(plan.answeredBy)}`}, ${plan.file}`,
    ...feedback,
    ...steps,
    ...nextOf(plan, screen),
  ].join("\n")
}

function nextOf({ id, status }: Plan, { paint }: Screen): readonly string[] {
  if (status === "waiting") {
    return [
      "",
      paint.muted(`qm plan approve ${id}`),
      paint.muted(`qm plan reject ${id} --feedback "…"`),
    ]
  }
  return []
}

function renderState({ session, entries }: PlanState, { width }: Screen): string {
  if (entries.length === 0) return `Session ${rowText(session)} has no notes.`
  return table(
    entries.map((it) => [it.key, rowText(it.value)]),
    { width },
  )
}

export const planRenderers: Renderers<typeof planOperations> = {
  list: renderPlans,
  show: renderPlan,
  submit: renderPlan,
  tick: renderPlan,
  answer: renderPlan,
  archive: renderPlan,
  state: renderState,
}
