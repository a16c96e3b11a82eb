import { plural } from "#ground/base"
import { type Source, type SourceList, type SourceTest } from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { oneLine } from "./lines.ts"

/** Each source with the whole of what it would execute: a person approves what is read here. */
export function renderSources({ sources }: SourceList, screen: Screen): string {
  if (sources.length === 0) {
    return screen.paint.muted("There is no source. One is a folder `.qm/sources/<name>/`.")
  }
  const blocks = sources.map((it) => renderSource(it, screen))
  const isAnyOpen = sources.some((it) => it.health === "unapproved")
  const hint = "`qm source approve <name>` lets one be started, as it is shown here."
  return [...blocks, ...(isAnyOpen ? [screen.paint.muted(hint)] : [])].join("\n\n")
}

export function renderSource(source: Source, { paint, width }: Screen): string {
  const { slug, title, origin, health, command, problem, tools, digest } = source
  return [
    `${paint.bold(slug)}  ${healthOf(health, paint)}  ${paint.muted(`${origin}, ${oneLine(title, 60)}`)}`,
    // Never cut: what stands at the end of a command is executed too.
    ...(command === "" ? [] : [`  ${oneLine(command, command.length * 8)}`]),
    ...(health === "unapproved" ? [paint.muted(`  ${digest}`)] : []),
    ...(problem === null ? [] : [`  ${paint.warn(oneLine(problem, 400))}`]),
    ...(tools === null
      ? []
      : [paint.muted(`  tools: ${oneLine(tools.join(", ") || "none", width - 10)}`)]),
  ].join("\n")
}

export function renderSourceTest(test: SourceTest, screen: Screen): string {
  const { source, durationMs, tools } = test
  const isFine = source.health === "ok" || source.health === "slow"
  const said = isFine
    ? `It answered in ${durationMs} ms with ${plural(tools.length, "tool")}.`
    : `It did not answer; given up after ${durationMs} ms.`
  const rows = tools.map((it) => [
    `  ${oneLine(it.name, 40)}`,
    screen.paint.muted(oneLine(it.description, Math.max(20, screen.width - 46))),
  ])
  const shown = { ...source, tools: null }
  return [renderSource(shown, screen), said, ...(rows.length === 0 ? [] : [table(rows)])].join("\n")
}

function healthOf(health: Source["health"], paint: Screen["paint"]): string {
  switch (health) {
    case "ok":
      return paint.ok(health)
    case "unknown":
      return paint.muted("not asked yet")
    case "slow":
    case "unapproved":
      return paint.warn(health)
    case "dead":
    case "invalid":
      return paint.bad(health)
    default:
      return health satisfies never
  }
}
