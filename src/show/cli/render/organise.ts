import type { Organising, organiseOperations } from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { rowText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderOrganising(it: Organising, { paint, width }: Screen): string {
  const states = it.states.map((one) => [
    "",
    rowText(one.name),
    paint.muted(one.colour),
    paint.muted(one.isEnd ? "end" : ""),
  ])
  const labels = it.labels.map((one) => [
    "",
    rowText(one.name),
    paint.muted(one.colour),
    paint.muted(one.parent === null ? "" : `below ${rowText(one.parent)}`),
  ])
  const views = it.views.map((one) => ["", rowText(one.name), paint.muted(rowText(one.filter))])
  return [
    paint.bold("Workflow"),
    table(states, { width }),
    "",
    paint.bold("Labels"),
    labels.length === 0
      ? "  none; define one with `qm organise label bug`"
      : table(labels, { width }),
    "",
    paint.bold("Views"),
    views.length === 0 ? "  none; save one on the Runs page" : table(views, { width }),
  ].join("\n")
}

export const organiseRenderers: Renderers<typeof organiseOperations> = {
  show: renderOrganising,
  state: renderOrganising,
  label: renderOrganising,
  view: renderOrganising,
}
