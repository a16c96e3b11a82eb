import axe from "axe-core"
import type { Page } from "playwright-core"

/**
 * The console's own audit and its walk by Tab. They are typed against the DOM, which must not enter
 * the engine's program (there `name`, `event` or `close` would silently mean the browser's), so
 * they are loaded by address and typed here.
 */
const { auditPage } = (await load("audit.ts")) as { auditPage(page: Page): Promise<Audit> }
const { walkByTab } = (await load("walk.ts")) as { walkByTab(page: Page): Promise<Walk> }

export { auditPage, walkByTab }

export type Audit = {
  readonly findings: readonly { rule: string; where: string; says: string }[]
  readonly texts: number
  readonly rows: number
  readonly lowestContrast: number
}

export type Walk = {
  readonly stops: number
  readonly traps: readonly string[]
  readonly missed: readonly string[]
}

function load(file: string): Promise<unknown> {
  return import(new URL(`../../console/dev/${file}`, import.meta.url).href)
}

/** What axe calls serious or worse, in the page as it stands. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const violations = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations)",
  )) as { id: string; impact: string; nodes: { html: string }[] }[]
  return violations
    .filter((it) => it.impact === "serious" || it.impact === "critical")
    .map((it) => `axe ${it.id} ${it.nodes[0]?.html.slice(0, 160)}`)
}
