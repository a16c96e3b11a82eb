import axe from "axe-core"
import type { Page } from "playwright-core"

/**
 * The console's audit and its Tab walk are typed against the DOM, which must not enter the engine's
 * program (there `name`, `event` or `close` would silently mean the browser's globals). So they are
 * loaded by path and typed here.
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

/** The axe rules whose result depends on the theme. */
export const RULES_OF_COLOUR = ["color-contrast", "link-in-text-block"]

type AxeRules = { readonly only: readonly string[] } | { readonly without: readonly string[] }

/** Findings that axe rates serious or worse, by all rules, only by some, or without some. */
export async function seriousFindings(page: Page, rules?: AxeRules): Promise<readonly string[]> {
  if (await page.evaluate("!('axe' in window)")) await page.evaluate(axe.source)
  const options = {
    resultTypes: ["violations"],
    // None of the requested rules reads style sheets or media.
    preload: false,
    ...axeSelection(rules),
  }
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then((it) => it.violations)`,
  )) as { id: string; impact: string; nodes: { html: string }[] }[]
  return violations
    .filter((it) => it.impact === "serious" || it.impact === "critical")
    .map((it) => `axe ${it.id} ${it.nodes[0]?.html.slice(0, 160)}`)
}

function axeSelection(rules: AxeRules | undefined) {
  if (rules === undefined) return {}
  if ("only" in rules) return { runOnly: { type: "rule", values: rules.only } }
  return { rules: Object.fromEntries(rules.without.map((it) => [it, { enabled: false }])) }
}
