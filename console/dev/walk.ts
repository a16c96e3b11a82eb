import type { Page } from "playwright-core"

export type Walk = {
  readonly stops: number
  /** Elements that kept the focus when Tab was pressed. */
  readonly traps: readonly string[]
  /** Focusable elements that never got the focus. */
  readonly missed: readonly string[]
}

/** No page has more stops; a longer walk is a loop. */
const MOST_STOPS = 400

export async function walkByTab(page: Page): Promise<Walk> {
  await page.evaluate(() => {
    document.documentElement.tabIndex = -1
    document.documentElement.focus()
    document.documentElement.removeAttribute("tabindex")
    const mark = (it: Element) => {
      const isRadioOff = it instanceof HTMLInputElement && it.type === "radio" && !it.checked
      const canBe = it instanceof HTMLElement && it.tabIndex >= 0 && !it.matches(":disabled")
      return canBe && !isRadioOff && it.checkVisibility({ visibilityProperty: true })
    }
    const selector = "a[href], button, input, select, textarea, [tabindex]"
    for (const it of document.querySelectorAll(selector)) {
      if (mark(it)) it.setAttribute("data-walk", "due")
    }
  })
  const traps: string[] = []
  let stops = 0
  for (; stops < MOST_STOPS; stops++) {
    const before = await current(page)
    await page.keyboard.press("Tab")
    const after = await current(page)
    if (after === "body") break
    if (after === before) traps.push(after)
    if (traps.length > 2) break
  }
  const missed = await page.evaluate(() =>
    [...document.querySelectorAll('[data-walk="due"]')].map((it) => it.outerHTML.slice(0, 120)),
  )
  return { stops, traps, missed }
}

async function current(page: Page): Promise<string> {
  return page.evaluate(() => {
    const it = document.activeElement
    if (it === null || it === document.body) return "body"
    it.setAttribute("data-walk", "seen")
    const all = [...document.querySelectorAll("*")]
    return `${it.tagName.toLowerCase()} ${it.getAttribute("aria-label") ?? it.textContent?.slice(0, 40)} #${all.indexOf(it)}`
  })
}
