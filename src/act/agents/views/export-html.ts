import { formatDuration, formatExact, plural } from "#ground/base"
import { type Message, type Run } from "#ground/contract"
import { createEntries } from "./entries.ts"
import { escapeText } from "./escape.ts"
import { CHUNK_CHARACTERS } from "./limits.ts"
import { dateTag } from "./pieces.ts"
import { STYLE } from "./style.ts"

export type HtmlExport = {
  readonly run: Run
  /** All messages in their order, some at a time. */
  readonly pages: AsyncIterable<readonly Message[]>
  readonly exportedAt: number
}

/**
 * A run as one page that opens offline: no script, nothing fetched, and no word of anyone taken
 * for markup. It comes in chunks, and only what belongs to open activities waits.
 */
export async function* exportHtml({ run, pages, exportedAt }: HtmlExport): AsyncGenerator<string> {
  const entries = createEntries()
  let count = 0
  let chunk = head(run)
  for await (const messages of pages) {
    for (const message of messages) {
      count += 1
      chunk += entries.take(message)
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield chunk
      chunk = ""
    }
  }
  yield `${chunk}${entries.finish()}${foot(count, exportedAt)}`
}

/** Stricter than a page without script needs: should one ever slip in, it would not run. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

function head(run: Run): string {
  const title = escapeText(run.title)
  const facts = factsOf(run).map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>${facts.join("")}</dl>
</header>
<main>
`
}

function foot(count: number, exportedAt: number): string {
  const when = dateTag(exportedAt)
  return `</main>
<footer>${plural(count, "message")}, exported from Quartermaster ${when}</footer>
</body>
</html>
`
}

type Fact = readonly [name: string, value: string]

/** What is known of the run; what is not has no row. */
function factsOf(run: Run): readonly Fact[] {
  const { startedAt, endedAt, error } = run
  const took = startedAt === null || endedAt === null ? undefined : endedAt - startedAt
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Agent", escapeText(run.type)],
    ["Model", run.model === null ? undefined : escapeText(run.model)],
    ["Status", escapeText(run.status)],
    ["Error", error === null ? undefined : escapeText(error)],
    ["Mode", escapeText(run.mode)],
    ["Cost", costText(run)],
    ["Tokens", tokensText(run)],
    ["Turns", formatExact(run.turns)],
    ["Directory", escapeText(run.cwd)],
    ["Started", startedAt === null ? undefined : dateTag(startedAt)],
    ["Ended", endedAt === null ? undefined : dateTag(endedAt)],
    ["Took", took === undefined || took < 0 ? undefined : formatDuration(took)],
    ["Labels", run.labels.length === 0 ? undefined : escapeText(run.labels.join(", "))],
  ]
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
}

/** The provider's figure, and ours beside it where it differs. */
function costText({ cost: { reportedUsd, computedUsd } }: Run): string | undefined {
  const shown = reportedUsd ?? computedUsd
  if (shown === null) return undefined
  const isSame =
    reportedUsd === null || computedUsd === null || dollars(reportedUsd) === dollars(computedUsd)
  return isSame ? dollars(shown) : `${dollars(shown)} (by our prices ${dollars(computedUsd)})`
}

function dollars(value: number): string {
  return `$${value.toFixed(4)}`
}

function tokensText({ cost: { usage } }: Run): string | undefined {
  const { input, output, cacheRead, cacheWrite } = usage
  if (input + output + cacheRead + cacheWrite === 0) return undefined
  const cached = cacheRead + cacheWrite
  const rest = cached === 0 ? "" : `, ${formatExact(cached)} cached`
  return `${formatExact(input)} in, ${formatExact(output)} out${rest}`
}
