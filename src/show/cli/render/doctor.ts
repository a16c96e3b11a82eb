import { plural } from "#ground/base"
import { type DoctorReport } from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { renderHookMatrix } from "./kit.ts"

export function renderDoctor(report: DoctorReport, screen: Screen): string {
  const { paint } = screen
  const marks = { ok: paint.ok("ok"), warn: paint.warn("warn"), fail: paint.bad("fail") }
  const rows = report.checks.map((it) => [marks[it.state], it.name, it.detail])
  const lines = table(rows).split("\n")
  const advised = report.checks.flatMap((it, i) => {
    const advice = it.hint === undefined ? [] : [`      ${paint.accent("→")} ${it.hint}`]
    return [lines[i] ?? "", ...advice]
  })
  const failed = report.checks.filter((it) => it.state === "fail").length
  const warned = report.checks.filter((it) => it.state === "warn").length
  const verdict = report.isHealthy
    ? `Healthy${warned === 0 ? "" : `, ${plural(warned, "warning")}`}.`
    : `${plural(failed, "check")} failed${warned === 0 ? "" : `, ${plural(warned, "warning")}`}.`
  const shown = [...advised, ...renderHookMatrix(report.hooks, screen)]
  return `${shown.join("\n")}\n\n${report.isHealthy ? verdict : paint.bad(verdict)}`
}
