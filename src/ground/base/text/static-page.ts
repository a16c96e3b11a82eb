/** If a script ever got into the page, it would not run. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** All texts are markup: the caller has escaped them. */
type StaticPage = {
  readonly title: string
  readonly heading: string
  readonly facts: readonly StaticFact[]
  /** Rules of this page, after those that all pages share. */
  readonly style: string
}

export type StaticFact = readonly [name: string, value: string]

/** One HTML page that opens offline, without script and request, up to its content. */
export function openStaticPage({ title, heading, facts, style }: StaticPage): string {
  const pairs = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}${style}</style>
</head>
<body>
<header>
<h1>${heading}</h1>
<dl>${pairs.join("")}</dl>
</header>
<main>
`
}

export function closeStaticPage(footer: string): string {
  return `</main>
<footer>${footer}</footer>
</body>
</html>
`
}

/** Colours of the console's two default themes, and what each page has: facts, times, code, print. */
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
header,main,footer{margin:0 auto;padding:16px 24px}
h1{margin:0 0 8px;font-size:20px;font-weight:600;overflow-wrap:anywhere}
dl{display:flex;flex-wrap:wrap;gap:4px 24px;margin:0}
dl div{display:flex;gap:6px;min-width:0}
dd{margin:0;overflow-wrap:anywhere}
dt,time,.quiet,footer{color:var(--text-2)}
time,dd,table{font-variant-numeric:tabular-nums}
pre,code{font:12.5px/1.5 ui-monospace,Menlo,Consolas,monospace}
`
