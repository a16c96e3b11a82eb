import { plural } from "#ground/base"
import type {
  Credentials,
  credentialOperations,
  Source,
  SourceList,
  SourceTest,
  sourceOperations,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { rowText, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

/** Each source with the whole of what it would execute: a person approves what is read here. */
function renderSources({ sources }: SourceList, screen: Screen): string {
  if (sources.length === 0) {
    return screen.paint.muted("There is no source. One is a folder `.qm/sources/<name>/`.")
  }
  const blocks = sources.map((it) => renderSource(it, screen))
  const isAnyOpen = sources.some((it) => it.health === "unapproved")
  const hint = "`qm source approve <name>` lets one be started, as it is shown here."
  return [...blocks, ...(isAnyOpen ? [screen.paint.muted(hint)] : [])].join("\n\n")
}

function renderSource(source: Source, { paint, width }: Screen): string {
  const { slug, title, origin, health, command, problem, tools, digest } = source
  return [
    `${paint.bold(slug)}  ${healthOf(health, paint)}  ${paint.muted(`${origin}, ${rowText(title, 60)}`)}`,
    // Never cut: what stands at the end of a command is executed too.
    ...(command === "" ? [] : [`  ${rowText(command, command.length * 8)}`]),
    ...(health === "unapproved" ? [paint.muted(`  ${digest}`)] : []),
    ...(problem === null ? [] : [`  ${paint.warn(rowText(problem, 400))}`]),
    ...(tools === null
      ? []
      : [paint.muted(`  tools: ${rowText(tools.join(", ") || "none", width - 10)}`)]),
  ].join("\n")
}

function renderSourceTest(test: SourceTest, screen: Screen): string {
  const { source, durationMs, tools } = test
  const isFine = source.health === "ok" || source.health === "slow"
  const said = isFine
    ? `It answered in ${durationMs} ms with ${plural(tools.length, "tool")}.`
    : `It did not answer; given up after ${durationMs} ms.`
  const rows = tools.map((it) => [
    `  ${rowText(it.name, 40)}`,
    screen.paint.muted(rowText(it.description, Math.max(20, screen.width - 46))),
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

/** Names and times; there is nothing else to show. */
function renderCredentials(kept: Credentials, { paint }: Screen): string {
  const { credentials, keptBy, warning } = kept
  if (credentials.length === 0) {
    return paint.muted("No credential is set. `qm credential set <name>` keeps one, encrypted.")
  }
  const rows = credentials.map((it) => [it.name, paint.muted(`set ${timeText(it.setAt)}`)])
  return [
    table(rows),
    "",
    paint.muted(`Encrypted; the key comes from the ${keptBy}.`),
    ...(warning === null ? [] : [`${paint.warn("warn")}  ${rowText(warning, 400)}`]),
  ].join("\n")
}

export const credentialRenderers: Renderers<typeof credentialOperations> = {
  list: renderCredentials,
  remove: renderCredentials,
  set: renderCredentials,
}

export const sourceRenderers: Renderers<typeof sourceOperations> = {
  approve: renderSource,
  list: renderSources,
  test: {
    text: renderSourceTest,
    isGood: ({ source }) => source.health === "ok" || source.health === "slow",
  },
}
