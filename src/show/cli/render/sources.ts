import { plural } from "#ground/base"
import type {
  CredentialRequest,
  CredentialRequests,
  Credentials,
  credentialOperations,
  Source,
  SourceAdded,
  SourceAnswer,
  SourceList,
  SourceLogin,
  SourceLogout,
  SourceTemplate,
  SourceTemplates,
  SourceTest,
  SourceTools,
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
    ...loginLines(source, paint),
    ...(source.isOn === undefined ? [] : [`  ${source.isOn ? "on" : "off"} in this session`]),
    ...(health === "unapproved" ? [paint.muted(`  ${digest}`)] : []),
    ...(problem === null ? [] : [`  ${paint.warn(rowText(problem))}`]),
    ...(tools === null ? [] : [paint.muted(`  tools: ${rowText(tools.join(", ") || "none")}`)]),
  ].join("\n")
}

function loginLines({ slug, login, isApproved }: Source, paint: Screen["paint"]): string[] {
  if (login === null || !isApproved) return []
  if (login !== "needed") return [paint.muted(`  ${login}`)]
  return [paint.warn(`  Sign in with \`qm source login ${slug}\`.`)]
}

function renderTools({ tools, notes }: SourceTools, screen: Screen): string {
  const { paint } = screen
  const rows = tools.map((it) => [
    it.source,
    rowText(it.name),
    paint.muted(rowText(it.description)),
  ])
  const list =
    rows.length === 0
      ? paint.muted("No tools.")
      : listing(["Source", "Tool", "Description"], rows, screen)
  return [list, ...notes.map((it) => paint.warn(rowText(it)))].join("\n")
}

/** The text as it is, so that it can be piped; what would control a terminal is escaped. */
function renderAnswer({ text, isTruncated }: SourceAnswer, { paint }: Screen): string {
  return isTruncated ? `${text}\n${paint.warn("(truncated)")}` : text
}

function renderLogin({ source, url }: SourceLogin, screen: Screen): string {
  const { paint } = screen
  if (url !== null) return `Sign in on this page:\n${url}`
  return source.login === "signed in"
    ? `${paint.ok("Signed in")} to ${source.slug}. Test it with \`qm source test ${source.slug}\`.`
    : `Not signed in to ${source.slug}.`
}

function renderLogout({ source, isRevoked }: SourceLogout): string {
  const how = isRevoked
    ? "Its tokens are revoked and deleted."
    : "Its tokens are deleted here; the server did not confirm that they are void."
  return `Signed out of ${source.slug}. ${how}`
}

function renderTemplates({ templates }: SourceTemplates, screen: Screen): string {
  const [only, ...others] = templates
  if (only !== undefined && others.length === 0) return renderTemplate(only, screen)
  const rows = templates.map((it) => [it.slug, screen.paint.muted(rowText(it.description))])
  return [
    listing(["Template", "Description"], rows, screen),
    "",
    screen.paint.muted("Show a guide with `qm source templates brave-search`."),
  ].join("\n")
}

function renderTemplate(template: SourceTemplate, screen: Screen): string {
  const { title, description, values, guide } = template
  const { paint } = screen
  const rows = values.map((it) => [it.name, it.description, paint.muted(it.example)])
  return [
    `${paint.bold(title)}  ${paint.muted(description)}`,
    ...(rows.length === 0 ? [] : ["", listing(["Value", "Meaning", "Example"], rows, screen)]),
    "",
    guide,
  ].join("\n")
}

function renderAdded({ kind, name, file, next }: SourceAdded, { paint }: Screen): string {
  const steps = next.map((it) => `  ${it}`)
  return [`${paint.ok("Added")} the ${kind} ${name} in ${rowText(file)}. Next:`, ...steps].join(
    "\n",
  )
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

function renderRequests({ requests }: CredentialRequests, screen: Screen): string {
  const { paint } = screen
  if (requests.length === 0) return paint.muted("No agent waits for a credential.")
  const rows = requests.map((it) => [
    it.id,
    it.name,
    rowText(it.client),
    paint.muted(rowText(it.reason)),
  ])
  return [
    listing(["Request", "Credential", "Agent", "Reason"], rows, screen),
    "",
    paint.muted(`Answer with \`qm credential give ${requests[0]?.id}\` or \`deny\`.`),
  ].join("\n")
}

function renderRequest({ id, name, status }: CredentialRequest): string {
  return status === "given"
    ? `Stored ${name}, encrypted. The agent sees that it is set, not its value.`
    : `Request ${id} for ${name} is ${status}.`
}

export const credentialRenderers: Renderers<typeof credentialOperations> = {
  deny: renderRequest,
  give: renderRequest,
  requests: renderRequests,
  list: renderCredentials,
  remove: renderCredentials,
  set: renderCredentials,
}

// Not wrapped: the command must stay one line, so that no part of it looks like a line of qm.
const isVerbatim = () => true

export const sourceRenderers: Renderers<typeof sourceOperations> = {
  approve: { text: renderSource, isVerbatim },
  call: { text: renderAnswer, isVerbatim, isGood: ({ isError }) => !isError },
  login: { text: renderLogin, isVerbatim },
  logout: renderLogout,
  switch: { text: renderSource, isVerbatim },
  add: { text: renderAdded, isVerbatim },
  templates: renderTemplates,
  tools: renderTools,
  list: { text: renderSources, isVerbatim },
  test: {
    text: renderSourceTest,
    isVerbatim,
    isGood: ({ source }) => source.health === "ok" || source.health === "slow",
  },
}
