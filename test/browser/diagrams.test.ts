import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { runsOf } from "./seed/runs.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let runs: ReturnType<typeof runsOf>

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole()])
  runs = runsOf(fixture)
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const END = { event: "turn.ended", outcome: "completed" }
/** The browser loads 3 MB of script before the first diagram. */
const FIRST_MS = 120_000

const KINDS = {
  flowchart: "flowchart LR\n  cart[Cart total] -->|rounds| tax{Tax?} --> done((Done))",
  sequence: "sequenceDiagram\n  Ada->>Tide: how high?\n  Tide-->>Ada: 3 m",
  class: "classDiagram\n  Animal <|-- Duck\n  Animal : +int age",
  state: "stateDiagram-v2\n  [*] --> Still\n  Still --> [*]",
  er: "erDiagram\n  CUSTOMER ||--o{ ORDER : places",
  gantt: "gantt\n  dateFormat YYYY-MM-DD\n  section A\n  First :a1, 2026-01-01, 30d",
  pie: 'pie title Pets\n  "Dogs" : 386\n  "Cats" : 85',
  journey: "journey\n  title Day\n  section Go\n    Make tea: 5: Me",
  mindmap: "mindmap\n  root((ideas))\n    one\n    two",
  gitGraph: "gitGraph\n  commit\n  branch side\n  commit\n  checkout main\n  merge side",
}

const INVALID = "flowchart LR\n  a --> [ broken"

describe("diagrams in the console", () => {
  test("[CONSOLE-32] ten kinds of diagram are drawn as images in one frame, and an invalid diagram shows its error", async () => {
    const sources = Object.values(KINDS)
    const { id } = await runs.play("Draw", [...[...sources, INVALID].map(diagram), END])
    await using window = await visit(chromium.browser, fixture, { path: `/runs/${id}`, ...HIGH })
    const { page, problems } = window
    await page.getByText("Diagram error: Parse error on line 2").waitFor({ timeout: FIRST_MS })
    await page.getByText("a --> [ broken").last().waitFor()
    await expect
      .poll(() => picturesOf(page), { timeout: FIRST_MS })
      .toEqual(sources.map((alt) => ({ alt, isShown: true, scheme: "data:image/svg+xml" })))
    expect(await page.locator("iframe").count()).toBe(1)
    await page.getByRole("button", { name: "Show the source" }).first().click()
    await page.getByText("cart[Cart total]").waitFor()
    expect(problems()).toEqual([])
  })

  test("[CONSOLE-32] a run without a diagram has no frame and loads no diagram library", async () => {
    const { id } = await runs.play("Say", [
      { event: "message", type: "assistant", text: "```ts\nx\n```" },
      END,
    ])
    await using window = await visit(chromium.browser, fixture, { path: `/runs/${id}`, ...HIGH })
    await window.page.locator("figure").waitFor()
    expect(await window.page.locator("iframe").count()).toBe(0)
    expect(window.page.frames().length).toBe(1)
  })

  test("[CONSOLE-32] a diagram without a response times out, forged responses are ignored, and the next diagram is drawn", async () => {
    const hung = await runs.play("Draw", [diagram(KINDS.flowchart), END])
    await using window = await visit(chromium.browser, fixture, HIGH)
    const { page } = window
    await page.route("**/diagram.html", (it) => it.fulfill(SILENT), { times: 1 })
    await page.evaluate(FORGE)
    await page.evaluate(`(() => { ${GO}; return go("/runs/${hung.id}") })()`)
    await page.getByText("Diagram error: The layout takes longer than 5 seconds").waitFor()
    expect(await page.locator("iframe").count()).toBe(0)
    const next = await runs.play("Draw", [diagram(KINDS.sequence), END])
    await page.evaluate(`(() => { ${GO}; return go("/runs/${next.id}") })()`)
    await page.locator("img[alt*=sequence]").waitFor({ timeout: FIRST_MS })
    expect(await page.locator("iframe").count()).toBe(1)
  })

  test("[S3] a page of another origin cannot frame the diagram page", async () => {
    await using stranger = await serveStranger()
    const context = await chromium.browser.newContext()
    const page = await context.newPage()
    await page.goto(stranger.url)
    const heard = await page.evaluate(FRAME(`${fixture.url}/diagram.html`))
    const framed = page.frames().map((it) => it.url())
    await context.close()
    expect(heard).toBe("nothing")
    expect(framed).toEqual([`${stranger.url}/`, "chrome-error://chromewebdata/"])
  })
})

const SILENT = {
  contentType: "text/html",
  headers: { "content-security-policy": "sandbox allow-scripts; frame-ancestors 'self'" },
  body: `<script>parent.postMessage({ kind: "ready" }, "*")</script>`,
}

/** Another window than the frame sends forged responses in the right format. */
const FORGE = `void setInterval(() => {
  for (const id of [1, 2, 3]) {
    postMessage({ kind: "drawn", id, svg: "<svg/>", width: 1, height: 1 }, "*")
  }
}, 50)`

/** Navigates like the back button: the console follows its address without a reload. */
const GO = `const go = (address) => new Promise((done) => {
  history.pushState(null, "", address)
  dispatchEvent(new PopStateEvent("popstate"))
  setTimeout(done)
})`

/** Collects the messages of a framed page: the diagram page would report that it is ready. */
const FRAME = (address: string) => `new Promise((done) => {
  addEventListener("message", (it) => done(it.data.kind))
  const frame = document.createElement("iframe")
  frame.src = ${JSON.stringify(address)}
  frame.onload = () => setTimeout(() => done("nothing"), 500)
  document.body.append(frame)
})`

async function serveStranger() {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<body></body>")
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const HIGH = { viewport: { width: 1440, height: 8_000 } }

const diagram = (source: string) => ({
  event: "message",
  type: "assistant",
  text: `\`\`\`mermaid\n${source}\n\`\`\``,
})

async function picturesOf(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll("figure img")].map((it) => ({
    alt: it.alt,
    isShown: it.naturalWidth > 100 && it.naturalHeight > 100,
    scheme: it.src.split(";")[0],
  }))`)
}
