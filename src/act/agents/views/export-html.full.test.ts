import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import axe from "axe-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { visible } from "#ground/base"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { launchChromium } from "../../../../test/browser/chromium.ts"
import { payloads } from "../../../../test/browser/payloads.ts"
import { everywhere, messages, pageOf } from "./export-html.fixture.ts"

const PAYLOADS = payloads(300)

let chromium: Awaited<ReturnType<typeof launchChromium>>

async function open(html: string, colorScheme: "light" | "dark" = "light") {
  const folder = await tempDirectory()
  const file = join(folder.path, "run.html")
  await writeFile(file, html)
  const context = await chromium.browser.newContext({ colorScheme, offline: true })
  const page = await context.newPage()
  const address = pathToFileURL(file).href
  const problems: string[] = []
  page.on("request", (it) => {
    if (it.url() !== address) problems.push(`request ${it.url()}`)
  })
  page.on("dialog", (it) => {
    problems.push(`dialog ${it.message()}`)
    it.dismiss().catch(() => undefined)
  })
  page.on("pageerror", (it) => problems.push(`error ${it.message}`))
  page.on("console", (it) => problems.push(`console ${it.text()}`))
  await page.goto(address)
  return {
    page,
    problems,
    async [Symbol.asyncDispose]() {
      await context.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe.runIf(needs("AGENTS-66", "full mode"))("the exported page in a browser", () => {
  beforeAll(async () => {
    chromium = await launchChromium()
  })
  afterAll(async () => {
    await chromium[Symbol.asyncDispose]()
  })

  test.each(["with its policy", "without it"])(
    "[AGENTS-66] 300 hostile texts are shown as text, %s",
    async (which) => {
      const all = PAYLOADS.flatMap((it) => everywhere(it).all)
      const whole = await pageOf(all, everywhere(PAYLOADS.join(" ")).run)
      // The policy is a second defence: the page must be safe without it.
      const html = which === "without it" ? whole.replace(/<meta http-equiv[^>]*>/, "") : whole
      await using opened = await open(html)
      const { page, problems } = opened
      await page.evaluate("new Promise((done) => setTimeout(done, 100))")
      expect(await page.evaluate("typeof window.__pwn")).toBe("undefined")
      expect(problems).toEqual([])
      const tags: string[] = await page.evaluate(
        `[...new Set([...document.querySelectorAll("*")].map((it) => it.localName))].sort()`,
      )
      const none = ["script", "img", "svg", "iframe", "object", "embed", "form", "input", "base"]
      expect(tags.filter((it) => none.includes(it) || it.includes(":"))).toEqual([])
      const attributes: string[] = await page.evaluate(
        `[...new Set([...document.body.querySelectorAll("*")].flatMap((it) => it.getAttributeNames()))].sort()`,
      )
      expect(attributes).toEqual(["class", "datetime", "href", "open", "rel", "title"])
      const text: string = await page.evaluate("document.body.textContent")
      expect(PAYLOADS.filter((it) => !text.includes(visible(it)))).toEqual([])
    },
    60_000,
  )

  test.each(["light", "dark"] as const)(
    "the page is readable in the %s colour scheme",
    async (scheme) => {
      await using opened = await open(await pageOf(ordinary()), scheme)
      const { page, problems } = opened
      await page.evaluate(
        `document.querySelectorAll("details").forEach((it) => { it.open = true })`,
      )
      await page.evaluate(axe.source)
      const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
        "axe.run().then((it) => it.violations)",
      )
      expect(found.map((it) => `${it.id} ${it.nodes[0]?.html}`)).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      const isSideways = await page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth",
      )
      expect(isSideways).toBe(false)
      expect(problems).toEqual([])
    },
  )
})

function ordinary() {
  const started = (activityId: string, rest: object) => ({
    event: "activity.started",
    activityId,
    title: "Edit src/total.ts",
    input: '{"file_path":"src/total.ts"}',
    ...rest,
  })
  const diff =
    "--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1 +1,2 @@\n-old line\n+new line\n+other\n"
  return messages(
    {
      type: "user",
      role: "user",
      content: "Fix the total.",
      metadata: { parts: [{ label: "date" }] },
    },
    {
      content: "Session s started",
      event: { event: "session.started", sessionId: "s", cwd: "/w" },
    },
    { type: "context", role: "system", content: `# CLAUDE.md\n\n${"x".repeat(300)}`, raw: "{}" },
    { content: "Turn started", event: { event: "turn.started" } },
    {
      type: "assistant",
      role: "assistant",
      content:
        "I **look**, see [the page](https://example.test/).\n\n| a | b |\n|---|---|\n| `1` | 2 |\n\n> quoted\n\n1. one\n2. two",
      event: { event: "message", type: "assistant", text: "" },
    },
    { type: "tool", event: started("a", { kind: "agent", tool: "Agent" }) },
    {
      type: "tool",
      event: started("e", { kind: "edit", tool: "Edit", parentId: "a", path: "src/total.ts" }),
    },
    {
      content: "Edit src/total.ts",
      event: {
        event: "approval.requested",
        approvalId: "q",
        activityId: "e",
        tool: "Edit",
        title: "Edit",
        input: "",
      },
    },
    {
      content: "Allowed by person",
      event: { event: "approval.resolved", approvalId: "q", decision: "allow", by: "person" },
    },
    { type: "tool", event: { event: "activity.ended", activityId: "e", outcome: "done", diff } },
    {
      type: "tool",
      content: "denied",
      event: { event: "activity.ended", activityId: "a", outcome: "denied" },
    },
    { type: "error", content: "The model did not answer." },
    { type: "response", content: "All done.", event: { event: "turn.ended", outcome: "stopped" } },
  )
}
