import {
  closeStaticPage,
  formatDuration,
  formatExact,
  openStaticPage,
  plural,
  type StaticFact,
} from "#ground/base"
import type { Message, Run } from "#ground/contract"
import { createEntries, dateTag } from "./html-entries.ts"
import { escapeText } from "./markdown.ts"

type HtmlExport = {
  readonly run: Run
  readonly pages: AsyncIterable<readonly Message[]>
  readonly exportedAt: number
}

/**
 * One page that opens offline: no script, nothing fetched, no text parsed as markup. It comes in
 * chunks; only the contents of open activities are buffered.
 */
export async function* exportHtml({ run, pages, exportedAt }: HtmlExport): AsyncGenerator<string> {
  const entries = createEntries()
  let count = 0
  let chunk = head(run)
  for await (const messages of pages) {
    for (const message of messages) {
      count += 1
      chunk += entries.take(message)
      if (chunk.length < 64 * 1024) continue
      yield chunk
      chunk = ""
    }
  }
  yield `${chunk}${entries.finish()}${foot(count, exportedAt)}`
}

function head(run: Run): string {
  const title = escapeText(run.title)
  return openStaticPage({ title, heading: title, facts: factsOf(run), style: STYLE })
}

function foot(count: number, exportedAt: number): string {
  const when = dateTag(exportedAt)
  return closeStaticPage(`${plural(count, "message")}, exported from Quartermaster ${when}`)
}

function factsOf(run: Run): readonly StaticFact[] {
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

function costText({ cost: { reportedUsd, computedUsd } }: Run): string | undefined {
  const shown = reportedUsd ?? computedUsd
  if (shown === null) return undefined
  const isSame =
    reportedUsd === null || computedUsd === null || dollars(reportedUsd) === dollars(computedUsd)
  return isSame ? dollars(shown) : `${dollars(shown)} (computed: ${dollars(computedUsd)})`
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

const STYLE = `
header,main,footer{max-width:960px}
header{border-bottom:1px solid var(--line)}
.meta{font-variant-numeric:tabular-nums}
pre{margin:8px 0;padding:8px 12px;background:var(--sunken);border:1px solid var(--line);
border-radius:6px;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
pre.plain{font:inherit;background:none;border:0;padding:0}
article{padding:12px 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
article.user{background:var(--accent-tint);border-radius:6px;padding:12px;margin:12px 0;border:0}
article.error{color:var(--bad)}
.line{margin:0;padding:2px 0;border:0;color:var(--text-2);font-size:13px}
.meta{display:flex;gap:8px;font-size:12px}
.who{font-weight:600}
details{margin:4px 0}
details>:not(summary){margin-left:16px}
summary{cursor:pointer;overflow-wrap:anywhere}
summary:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
a{color:var(--accent)}
table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{border:1px solid var(--line);padding:4px 8px;text-align:left}
blockquote{margin:8px 0;padding-left:12px;border-left:2px solid var(--line);color:var(--text-2)}
.added{color:var(--ok);background:var(--ok-tint)}
.removed{color:var(--bad);background:var(--bad-tint)}
.hunk,.file{color:var(--text-2)}
.failed,.denied{color:var(--bad)}
.stopped{color:var(--warn)}
@media print{details{break-inside:avoid}}
`
