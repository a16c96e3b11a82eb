import { plural } from "#ground/base"
import { type ConfigCheck, type ConfigReport, type ConfigSetting } from "#ground/contract"
import { type Screen, table } from "../screen.ts"

export function renderConfig(report: ConfigReport, { paint }: Screen): string {
  const rows = report.settings.map((it) => {
    const isChanged = it.origin !== "default"
    const value = sayValue(it.value)
    const key = isChanged ? paint.bold(it.key) : it.key
    if (!report.withSources) return [key, value, paint.muted(it.description)]
    const hides = it.hides.length === 0 ? "" : paint.muted(`, over ${it.hides.join(", ")}`)
    return [key, value, `${isChanged ? it.origin : paint.muted(it.origin)}${hides}`]
  })
  if (!report.withSources) {
    return `${table(rows)}\n\n${paint.muted("--sources says where each value came from.")}`
  }
  const files = report.files.map((it) => [it.found ? "read" : "not there", it.file])
  const order = "Later layers win: default, user file, project file, environment, --set."
  return `${table(rows)}\n\n${paint.muted(table(files))}\n${paint.muted(order)}`
}

export function renderConfigCheck(check: ConfigCheck, { paint }: Screen): string {
  const seen = check.files.map((it) => [it.found ? "read" : "not there", it.file])
  if (check.isValid) return `${paint.ok("ok")}  nothing is wrong\n\n${paint.muted(table(seen))}`
  const lines = check.problems.map(
    (it) => `${paint.bad("wrong")}  ${it.place}\n       ${it.message}`,
  )
  return `${lines.join("\n")}\n\n${plural(check.problems.length, "problem")}; no file was changed.`
}

/** The setting as it is now, which may still come from a higher layer. */
export function renderSetting(setting: ConfigSetting): string {
  return `${setting.key} is ${sayValue(setting.value)}, from ${setting.origin}.`
}

function sayValue(value: unknown): string {
  if (value === "") return '""'
  return typeof value === "string" ? value : JSON.stringify(value)
}
