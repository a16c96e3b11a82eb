import { formatDuration, formatExact, plural } from "#ground/base"
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

/** If a script ever got into the page, it would not run. */
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
:root{color-scheme:light dark;
--canvas:oklch(0.985 0.002 265);--surface:oklch(1 0 265);--sunken:oklch(0.965 0.003 265);
--line:oklch(0.915 0.004 265);--text:oklch(0.24 0.012 265);--text-2:oklch(0.46 0.014 265);
--accent:oklch(0.53 0.19 274);--accent-tint:oklch(0.955 0.018 274);
--ok:oklch(0.46 0.125 152);--bad:oklch(0.5 0.19 25);--warn:oklch(0.5 0.11 72);
--ok-tint:oklch(0.955 0.032 152);--bad-tint:oklch(0.955 0.022 20)}
@media (prefers-color-scheme:dark){:root{
--canvas:oklch(0.175 0.006 265);--surface:oklch(0.205 0.007 265);--sunken:oklch(0.155 0.006 265);
--line:oklch(0.285 0.008 265);--text:oklch(0.93 0.006 265);--text-2:oklch(0.73 0.012 265);
--accent:oklch(0.7 0.15 274);--accent-tint:oklch(0.28 0.055 274);
--ok:oklch(0.76 0.15 152);--bad:oklch(0.71 0.16 25);--warn:oklch(0.8 0.13 80);
--ok-tint:oklch(0.255 0.032 152);--bad-tint:oklch(0.255 0.035 22)}}
*{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--text);font:14px/1.5 ui-sans-serif,system-ui,sans-serif}
header,main,footer{max-width:960px;margin:0 auto;padding:16px 24px}
header{border-bottom:1px solid var(--line)}
h1{margin:0 0 8px;font-size:20px;font-weight:600;overflow-wrap:anywhere}
dl{display:flex;flex-wrap:wrap;gap:4px 24px;margin:0}
dl div{display:flex;gap:6px}
dt,time,.quiet,footer{color:var(--text-2)}
dd{margin:0;overflow-wrap:anywhere}
time,dd,.meta{font-variant-numeric:tabular-nums}
pre,code{font:12.5px/1.5 ui-monospace,Menlo,Consolas,monospace}
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
