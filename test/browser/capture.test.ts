import { randomBytes } from "node:crypto"
import { chmod } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { writeFiles } from "./seed/harbour.ts"
import { beReadOnly, settle, visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([
    launchChromium(),
    startConsole({ prepare: installClaude }),
  ])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

/** A package with the host's name whose program prints nothing. */
async function installClaude({ parent }: { readonly parent: string }) {
  const folder = path.join(parent, "programs")
  await writeFiles(folder, {
    "package.json": '{ "name": "@anthropic-ai/claude-code", "version": "2.1.0" }',
    claude: "#!/bin/sh\nexit 1\n",
  })
  await chmod(path.join(folder, "claude"), 0o755)
  return { PATH: `${folder}:${process.env["PATH"] ?? ""}` }
}

/** Random, so it belongs to no provider. */
const secret = `sk-ant-api03-${randomBytes(48).toString("base64url")}`

const write = (file: string, text: string) => writeFiles(fixture.project, { [file]: text })

describe("Capture page with a real server", () => {
  test("[CONSOLE-15] the empty page leads to a capture and to the text that an agent loads", async () => {
    await write("CLAUDE.md", `# Tideline\n\n@docs/money.md\n\nFEED_KEY=${secret}\n`)
    await write("docs/money.md", "# Money\n\nAmounts are integers.\n")
    await using window = await visit(chromium.browser, fixture, { path: "/capture" })
    const { page } = window
    await page.getByRole("button", { name: "Capture now" }).click()
    await page
      .getByRole("option", { name: /CLAUDE\.md/ })
      .first()
      .waitFor()
    await page.getByRole("option", { name: /money\.md.*Imported by/ }).waitFor()
    await page.getByRole("option", { name: /Project root memory/ }).click()
    await page.getByText("# Tideline").waitFor()
    await page.getByText("[redacted: ").waitFor()
    expect(await page.content(), "the secret is in no byte of the page").not.toContain(secret)
    expect(await page.getByText(/NaN|undefined|\[object/).count(), "a value without words").toBe(0)
    await page.reload()
    await page.getByText("# Tideline").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("changes since the previous capture are shown in the row and in the diff", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/capture" })
    const { page } = window
    await page.getByRole("option", { name: /money\.md/ }).waitFor()
    await write("docs/money.md", "# Money\n\nAmounts are integers.\nRounding lives in one place.\n")
    await page.keyboard.press("r")
    await page.getByRole("button", { name: /^1 change since/ }).waitFor()
    await page.keyboard.press("d")
    await page.getByRole("option", { name: /money\.md/ }).click()
    await page.getByText("Rounding lives in one place.").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-5] a capture taken by another process appears without a reload", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/capture" })
    const { page } = window
    await page.getByRole("option", { name: /money\.md/ }).waitFor()
    await write("CLAUDE.local.md", "# Mine\n")
    await fixture.qm(["capture"])
    await page
      .getByRole("option", { name: /CLAUDE\.local\.md/ })
      .first()
      .waitFor()
    expect(window.problems()).toEqual([])
  })

  test.each([
    ["claude-code", "Claude Code"],
    ["codex", "Codex"],
    ["copilot", "Copilot CLI"],
    ["gemini", "Gemini CLI"],
    ["antigravity", "Antigravity"],
  ])("every tab shows the server's data for %s", async (host, name) => {
    await fixture.qm(["capture", "--host", host])
    await using window = await visit(chromium.browser, fixture)
    const { page } = window
    for (const tab of ["found", "settings", "biggest", "diff"]) {
      const address = `/capture?host=${host}&tab=${tab}`
      await page.goto(`${fixture.url}${address}`)
      await settle(page)
      await page.getByRole("button", { name: `Host: ${name}` }).waitFor()
      await page.getByText("tokens before the first prompt").waitFor()
      expect(await page.getByText(/NaN|undefined|\[object/).count(), address).toBe(0)
      expect(window.problems(), address).toEqual([])
    }
  })

  test("arrow keys move over the loads and request no text until one is opened", async () => {
    await using window = await visit(chromium.browser, fixture)
    const { page } = window
    const texts: string[] = []
    page.on("request", (it) => it.url().includes("/api/capture/text") && texts.push(it.url()))
    await page.keyboard.press("g")
    await page.keyboard.press("c")
    await page.getByRole("option", { name: /money\.md/ }).waitFor()
    const memory = path.join(fixture.project, "CLAUDE.md")
    const isThere = () => new URL(page.url()).searchParams.get("at") === memory
    for (let i = 0; i < 30 && !isThere(); i++) await page.keyboard.press("ArrowDown")
    await page.getByRole("button", { name: "Show the text" }).waitFor()
    expect([isThere(), texts]).toEqual([true, []])
    await page.keyboard.press("Enter")
    await page.getByText("[redacted: ").waitFor()
    expect(texts).toHaveLength(1)
    await page.keyboard.press("Escape")
    await page.waitForURL((url) => !url.searchParams.has("at"))
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-3] the state of the capture page survives a reload, and Back returns to it", async () => {
    const file = encodeURIComponent(path.join(fixture.project, "CLAUDE.md"))
    const address = `/capture?host=claude-code&at=${file}&view=raw`
    await using window = await visit(chromium.browser, fixture, { path: address })
    const { page } = window
    await page.getByText('"sha256"').waitFor()
    await page.reload()
    await page.getByText('"sha256"').waitFor()
    await page.getByRole("button", { name: /^Found/ }).click()
    await page
      .getByRole("option", { name: /managed-settings/ })
      .first()
      .waitFor()
    await page.keyboard.press("e")
    await page.getByRole("menuitemradio").nth(1).click()
    await page.waitForURL((url) => url.searchParams.has("id"))
    await page.goBack()
    await page.waitForURL((url) => !url.searchParams.has("id"))
    await page.goBack()
    await page.getByText('"sha256"').waitFor()
    expect(window.problems()).toEqual([])
  })

  test("Enter opens a folder of names, and a click opens a group", async () => {
    const skill = (name: string) => `---\nname: ${name}\ndescription: Work out ${name}\n---\n`
    await write(".claude/skills/tariff/SKILL.md", skill("tariff"))
    await write(".claude/skills/berth/SKILL.md", skill("berth"))
    await fixture.call("capture.take", { host: "claude-code" })
    await using window = await visit(chromium.browser, fixture, { path: "/capture" })
    const { page } = window
    const inside = page.getByRole("option", { name: /berth\/SKILL.md/ })
    await page.getByRole("option", { name: /Descriptions of 2 skills/ }).waitFor()
    const isThere = () => new URL(page.url()).searchParams.get("at")?.startsWith("folder:") === true
    for (let i = 0; i < 40 && !isThere(); i++) await page.keyboard.press("j")
    const before = await inside.count()
    await page.keyboard.press("Enter")
    await expect.poll(() => inside.count()).toBe(before + 1)
    const missing = page.getByRole("option", { name: /managed-settings\.json/ })
    expect(await missing.count()).toBe(0)
    await page.getByRole("option", { name: /^Searched, not found/ }).click()
    await page.waitForURL(/turned=/)
    await missing.waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-19] the host is started only after confirmation, and trust is confirmed separately", async () => {
    await fixture.call("capture.take", { host: "claude-code" })
    await using window = await visit(chromium.browser, fixture, { path: "/capture" })
    const { page } = window
    const takes: string[] = []
    page.on("request", (it) => it.method() === "POST" && takes.push(it.postData() ?? ""))
    // The key works once the list of hosts has loaded, which draws the button.
    const query = page.getByRole("button", { name: "Query the host" }).first()
    await expect.poll(() => query.isEnabled()).toBe(true)
    await page.keyboard.press("a")
    await page.getByText("No model is called and no message is sent.").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(takes).toEqual([])
    await page.keyboard.press("a")
    await page.getByRole("dialog").getByRole("button", { name: "Query the host" }).click()
    await page.getByText("does not trust this folder").waitFor()
    expect(takes[0]).toMatch(/"observe":true,"trust":false/)
    await page.getByRole("button", { name: "Query anyway" }).click()
    await page.getByRole("dialog").getByText("If you continue, it reads the settings").waitFor()
    expect(takes).toHaveLength(1)
    await page.getByRole("dialog").getByRole("button", { name: "Query anyway" }).click()
    await expect.poll(() => takes[1]).toMatch(/"observe":true,"trust":true/)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-12] a read-only console takes no capture", async () => {
    const options = { path: "/capture", prepare: beReadOnly }
    await using window = await visit(chromium.browser, fixture, options)
    for (const name of ["Capture again", "Query the host"]) {
      const button = window.page.getByRole("button", { name }).first()
      await expect.poll(() => button.isDisabled()).toBe(true)
    }
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-22] a hostile name is displayed literally", async () => {
    await write(".claude/rules/\u202Egpj.exe.md", "# Rule\n")
    await using window = await visit(chromium.browser, fixture, { path: "/capture" })
    const { page } = window
    await page.getByRole("option", { name: /money\.md/ }).waitFor()
    await page.keyboard.press("r")
    await page.getByText("\\u{202e}gpj.exe.md").first().waitFor()
    expect(await page.content()).not.toContain("\u202E")
    expect(window.problems()).toEqual([])
  })
})
