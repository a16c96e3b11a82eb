import { plural } from "#ground/base"
import type {
  Credentials,
  credentialOperations,
  Source,
  SourceList,
  SourceTest,
  sourceOperations,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { listing, rowText, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

/** Shows the full command of each source, because the user approves what is shown. */
function renderSources({ sources }: SourceList, screen: Screen): string {
  if (sources.length === 0) {
    return screen.paint.muted("No sources. A source is a folder `.qm/sources/<name>/`.")
  }
  const blocks = sources.map((it) => renderSource(it, screen))
  const open = sources.find((it) => it.health === "unapproved")
  const hint = `Approve a source as shown here with \`qm source approve ${open?.slug ?? ""}\`.`
  return [...blocks, ...(open === undefined ? [] : [screen.paint.muted(hint)])].join("\n\n")
}

function renderSource(source: Source, { paint }: Screen): string {
  const { slug, title, origin, health, command, problem, tools, digest } = source
  return [
    `${paint.bold(slug)}  ${healthOf(health, paint)}  ${paint.muted(`${origin}, ${rowText(title)}`)}`,
    // Never truncated: the end of a command is executed too.
    ...(command === "" ? [] : [`  ${rowText(command)}`]),
    ...(health === "unapproved" ? [paint.muted(`  ${digest}`)] : []),
    ...(problem === null ? [] : [`  ${paint.warn(rowText(problem))}`]),
    ...(tools === null ? [] : [paint.muted(`  tools: ${rowText(tools.join(", ") || "none")}`)]),
  ].join("\n")
}

function renderSourceTest(test: SourceTest, screen: Screen): string {
  const { source, durationMs, tools } = test
  const isFine = source.health === "ok" || source.health === "slow"
  const outcome = isFine
    ? `Answered in ${durationMs} ms with ${plural(tools.length, "tool")}.`
    : `No answer after ${durationMs} ms.`
  const rows = tools.map((it) => [
    `  ${rowText(it.name)}`,
    screen.paint.muted(rowText(it.description)),
  ])
  const shown = { ...source, tools: null }
  return [
    renderSource(shown, screen),
    outcome,
    ...(rows.length === 0 ? [] : [listing(["  Tool", "Description"], rows, screen)]),
  ].join("\n")
}

function healthOf(health: Source["health"], paint: Screen["paint"]): string {
  switch (health) {
    case "ok":
      return paint.ok(health)
    case "unknown":
      return paint.muted("not tested")
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

function renderCredentials(stored: Credentials, screen: Screen): string {
  const { paint } = screen
  const { credentials, keptBy, warning } = stored
  if (credentials.length === 0) {
    return paint.muted(
      "No credentials. Store one, encrypted, such as `qm credential set anthropic`.",
    )
  }
  const rows = credentials.map((it) => [it.name, paint.muted(timeText(it.setAt))])
  return [
    listing(["Credential", "Stored (UTC)"], rows, screen),
    "",
    paint.muted(`Encrypted; the key comes from the ${keptBy}.`),
    ...(warning === null ? [] : [`${paint.warn("warn")}  ${rowText(warning)}`]),
  ].join("\n")
}

export const credentialRenderers: Renderers<typeof credentialOperations> = {
  list: renderCredentials,
  remove: renderCredentials,
  set: renderCredentials,
}

// Not wrapped: the command must stay one line, so that no part of it looks like a line of qm.
const isVerbatim = () => true

export const sourceRenderers: Renderers<typeof sourceOperations> = {
  approve: { text: renderSource, isVerbatim },
  list: { text: renderSources, isVerbatim },
  test: {
    text: renderSourceTest,
    isVerbatim,
    isGood: ({ source }) => source.health === "ok" || source.health === "slow",
  },
}
