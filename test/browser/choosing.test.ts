import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { payloads } from "./payloads.ts"
import { visit } from "./visit.ts"
import { startWorld, type World } from "./world.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let world: World

/** Payloads that fit into one name of a file, and into a string of a program. */
const NAMES = payloads(300)
  .filter((it) => !it.includes("/") && !it.includes("\0") && Buffer.byteLength(it) < 200)
  .slice(0, 40)

beforeAll(async () => {
  ;[chromium, world] = await Promise.all([launchChromium(), startWorld()])
  await write({
    "src/tariff/rounding.ts":
      "/** Rounds one line. */\nexport function roundLine(amount: number) {\n  return halfUp(amount)\n}\n\nfunction halfUp(value: number) {\n  return Math.floor(value + 0.5)\n}\n",
    "src/tariff/invoice.ts":
      'import { roundLine } from "./rounding.ts"\n\nexport function invoiceTotal(lines: number[]) {\n  return lines.map((it) => roundLine(it))\n}\n',
    ...Object.fromEntries(
      NAMES.map((it, at) => [
        `hostile/${it}.ts`,
        `/** rounding ${it.replaceAll("*/", "")} */\nexport const rounding${at} = ${JSON.stringify(it)}\n`,
      ]),
    ),
  })
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(world.project, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

test("[CONSOLE-36] a repository that nobody scanned is scanned from the page, and its structure read", async () => {
  await using window = await visit(chromium.browser, world, { path: "/map" })
  const { page } = window
  await page.getByText("qm map", { exact: true }).waitFor()
  await page.getByRole("button", { name: "Scan" }).first().click()
  await page.getByRole("treeitem", { name: /^src/ }).waitFor()
  await page.goto(`${world.url}/map?show=${encodeURIComponent("roundLine")}`)
  const links = page.getByRole("listbox", { name: "Callers and called" })
  await links.getByText("invoiceTotal").waitFor()
  await links.getByText("halfUp").waitFor()
  expect(window.problems()).toEqual([])
})

test("[CONSOLE-38] a task becomes a package, which is kept and found again", async () => {
  await using window = await visit(chromium.browser, world, { path: "/pack" })
  const { page } = window
  await page.getByRole("textbox", { name: "Task" }).fill("fix roundLine of the invoice")
  await page.keyboard.press("Enter")
  await page.getByText("src/tariff/rounding.ts").or(page.getByText("rounding.ts")).first().waitFor()
  await page
    .getByText(/named in the task|defines roundLine/i)
    .first()
    .waitFor()
  await page.getByRole("button", { name: /^Keep/ }).click()
  await page.getByText("The package was kept").waitFor()
  await page.goto(`${world.url}/pack`)
  await page.getByText("fix roundLine of the invoice").first().waitFor()
  expect(window.problems()).toEqual([])
})

test("[S4] names, comments and texts of a hostile repository are text in Map and Pack", async () => {
  const sentinel = `Object.defineProperty(window, "__pwn", {
    set: (value) => reportProblem("pwned: " + value),
  })`
  await using window = await visit(chromium.browser, world, {
    path: "/map?open=hostile",
    initScript: sentinel,
    expects: [/status of 4\d\d/],
  })
  const { page } = window
  await page
    .getByRole("treeitem", { name: /hostile/ })
    .first()
    .waitFor()
  for (const name of NAMES.filter((_, at) => at % (process.env["QM_NIGHT"] ? 1 : 5) === 0)) {
    const file = `hostile/${name}.ts`
    await page.goto(`${world.url}/map?show=${encodeURIComponent(file)}`)
    await page
      .getByText(/^export const rounding/)
      .first()
      .waitFor()
    const pinned = `task=${encodeURIComponent(`rounding ${name}`)}&pin=${encodeURIComponent(file)}`
    await page.goto(`${world.url}/pack?${pinned}&tab=markdown`)
    await page
      .getByText(/tokens, \d+ files?/)
      .first()
      .waitFor()
  }
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
  expect(window.problems()).toEqual([])
  expect(await page.locator("img, iframe, object, embed, base, form").count()).toBe(0)
})
