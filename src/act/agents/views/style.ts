/** The look of the console in one sheet: its colours, light and dark, and nothing fetched. */
export const STYLE = `
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
