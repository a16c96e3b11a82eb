import type { Locator, Page } from "playwright-core"

export type Launch = {
  readonly agent: string
  readonly prompt: string
  readonly mode?: "ask" | "auto"
}

export async function launch(page: Page, { agent, prompt, mode = "ask" }: Launch): Promise<string> {
  await page.keyboard.press("c")
  await page.getByRole("textbox", { name: "Task" }).fill(prompt)
  await page.getByRole("radio", { name: new RegExp(`^${agent}`) }).check()
  await page.getByRole("radiogroup", { name: "Mode" }).getByText(mode, { exact: true }).click()
  await page.getByRole("button", { name: "Start", exact: true }).click()
  await page.waitForURL(/\/runs\/[^/?]+/)
  return /\/runs\/([^/?#]+)/.exec(page.url())?.[1] ?? ""
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Send the next turn" }).fill(text)
  await page.keyboard.press("Control+Enter")
}

export function rows(page: Page, label: string): Locator {
  return page.locator(`[data-entry][aria-label=${JSON.stringify(label)}]`)
}

export async function waitForReply(page: Page, words: string): Promise<void> {
  await rows(page, "The agent").filter({ hasText: words }).last().waitFor()
}

export async function waitForStatus(page: Page, word: string): Promise<void> {
  const words = page.getByText(new RegExp(`^${word}( for you)?$`))
  await words.first().waitFor()
}
