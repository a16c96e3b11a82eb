import type { Browser } from "playwright-core"
import { auditPage } from "./audit.ts"

/** A page with one fault of each kind. */
const FAULTY = `<!doctype html><html lang="en"><body>
  <p id="contrast">too pale</p>
  <div id="row" data-row><span>too</span><span>high</span></div>
  <div id="cells" data-row><span>one long cell</span><span>two</span></div>
  <div id="cut">this sentence leaves its box without saying so</div>
  <div id="wide">wide</div></body></html>`

const FAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "#contrast": { color: "#999", backgroundColor: "#fff" },
  "#row": { height: "10px", fontSize: "20px", lineHeight: "30px" },
  "#cells": { display: "grid", gridTemplateColumns: "20px 60px", whiteSpace: "nowrap" },
  "#cells span": { width: "80px" },
  "#cut": { width: "60px", overflow: "hidden", whiteSpace: "nowrap" },
  "#wide": { width: "3000px" },
}

const RULES = ["contrast", "row-height", "overlap", "cut", "sideways"] as const

/** An audit that cannot fail says nothing: what it does not see of the faults is returned. */
export async function unseenFaults(browser: Browser): Promise<readonly string[]> {
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } })
  await page.setContent(FAULTY)
  await page.evaluate((faults) => {
    for (const [selector, styles] of Object.entries(faults)) {
      for (const element of document.querySelectorAll<HTMLElement>(selector)) {
        Object.assign(element.style, styles)
      }
    }
  }, FAULTS)
  const { findings } = await auditPage(page)
  await page.close()
  return RULES.filter((rule) => findings.every((it) => it.rule !== rule))
}
