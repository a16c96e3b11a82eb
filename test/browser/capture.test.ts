import { randomBytes } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { settle, visit } from "./visit.ts"
import { startWorld, type World } from "./world.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let world: World

beforeAll(async () => {
  ;[chromium, world] = await Promise.all([launchChromium(), startWorld()])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** Of no provider, and of this run only. */
const secret = `sk-ant-api03-${randomBytes(48).toString("base64url")}`

const write = async (file: string, text: string) => {
  const target = path.join(world.project, file)
  await mkdir(path.dirname(target), { recursive: true })
  await writeFile(target, text)
}

describe("the page Capture over the real server", () => {
  test("[CONSOLE-15] from nothing captured to the text that an agent would see", async () => {
    await write("CLAUDE.md", `# Tideline\n\n@docs/money.md\n\nFEED_KEY=${secret}\n`)
    await write("docs/money.md", "# Money\n\nAmounts are integers.\n")
    await using window = await visit(chromium.browser, world, { path: "/capture" })
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

  test("[CONSOLE-20] what changed since the capture before is at its row and in the diff", async () => {
    await using window = await visit(chromium.browser, world, { path: "/capture" })
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

  test("[CONSOLE-5] a capture that another process takes appears without a reload", async () => {
    await using window = await visit(chromium.browser, world, { path: "/capture" })
    const { page } = window
    await page.getByRole("option", { name: /money\.md/ }).waitFor()
    await write("CLAUDE.local.md", "# Mine\n")
    await world.qm(["capture"])
    await page
      .getByRole("option", { name: /CLAUDE\.local\.md/ })
      .first()
      .waitFor()
    expect(window.problems()).toEqual([])
  })

  test.each(["claude-code", "codex", "copilot", "gemini", "antigravity"])(
    "[CONSOLE-18] every tab shows what the server knows of %s",
    async (host) => {
      await world.qm(["capture", "--host", host])
      await using window = await visit(chromium.browser, world)
      const { page } = window
      for (const tab of ["found", "settings", "biggest", "diff"]) {
        const address = `/capture?host=${host}&tab=${tab}`
        await page.goto(`${world.url}${address}`)
        await settle(page)
        await page.getByRole("button", { name: `Host: ${host}` }).waitFor()
        await page.getByText("tokens in the window before the first word").waitFor()
        expect(await page.getByText(/NaN|undefined|\[object/).count(), address).toBe(0)
        expect(window.problems(), address).toEqual([])
      }
    },
  )

  test("[CONSOLE-22] a hostile name is drawn as what it is", async () => {
    await write(".claude/rules/\u202Egpj.exe.md", "# Rule\n")
    await using window = await visit(chromium.browser, world, { path: "/capture" })
    const { page } = window
    await page.getByRole("option", { name: /money\.md/ }).waitFor()
    await page.keyboard.press("r")
    await page.getByText("\\u{202e}gpj.exe.md").first().waitFor()
    expect(await page.content()).not.toContain("\u202E")
    expect(window.problems()).toEqual([])
  })
})
