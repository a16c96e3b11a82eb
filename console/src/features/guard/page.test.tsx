import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import type { GuardTry, GuardVerdicts } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { guardParams } from "../../data/paths.ts"
import { failedQuery, renderPage, textOf } from "../../test-page.tsx"
import { aLine, aLog, aSetting, NOW } from "./guard.fixture.ts"
import { GuardPage } from "./page.tsx"
import { countsInput, tryInput, verdictsInput } from "./use-guard.ts"

type GuardPageData = {
  readonly log?: GuardVerdicts
  readonly all?: GuardVerdicts
  readonly tried?: GuardTry
  readonly patterns?: string
  readonly level?: number
  readonly isReadOnly?: boolean
}

function markupOf(address: string, data: GuardPageData): string {
  const queries = new QueryClient()
  const params = guardParams.parse(address)
  const put = (key: readonly unknown[], answer: unknown) => {
    if (answer !== undefined) queries.setQueryData(key, answer)
  }
  put(keys.operation("guard.verdicts", verdictsInput(params)), data.log)
  put(keys.operation("guard.verdicts", countsInput(params)), data.all ?? data.log)
  const { patterns = "", level = 5 } = data
  const set = aSetting("guard.highRiskPaths", { value: patterns })
  const settings = [set, aSetting("kit.level", { value: level })]
  put(keys.operation("config.show", { sources: true }), { settings, files: [], withSources: true })
  const text = params.patterns === "" ? patterns : params.patterns
  put(keys.operation("guard.try", tryInput(text, params.hours)), data.tried)
  if (data.isReadOnly === true) put(keys.session, { readOnly: true })
  return renderPage(queries, <GuardPage now={NOW} params={params} onParams={() => undefined} />)
}

const render = (address: string, data: GuardPageData) => textOf(markupOf(address, data))
const shown = (line = aLine()) => `?at=${line.at}&show=${line.at}`

describe("page Guard", () => {
  it("[CONSOLE-15] the empty page says what it shows and gives the one command", () => {
    const text = render("", { log: aLog([]) })
    expect(text).toContain("This page lists what the hooks of the kit reported")
    expect(text).toContain("$ qm init --host claude-code Copy Show 30 days")
    expect(render("?hours=720", { log: aLog([]) })).not.toContain("Show 30 days")
    expect(render("", {}), "unknown is not empty").not.toContain("qm init")
  })

  it("[CONSOLE-15] no match and no verdict at all have different texts", () => {
    for (const address of ["?rule=risk", "?session=x", "?text=zz", "?verdict=deny&hours=168"]) {
      const text = render(address, { log: aLog([]), all: aLog([aLine()]) })
      expect(text).toMatch(/No verdict of (24 hours|7 days) matches\. Show all/)
    }
  })

  it("the counts at the top include verdicts that are not listed", () => {
    const log = aLog([aLine()], {
      counts: { ...aLog([]).counts, deny: 3, silent: 1_200 },
      isCut: true,
    })
    const text = render("", { log })
    expect(text).toContain("1,203 verdicts in 24 hours, 3 denied")
    expect(text).toMatch(/Reported 3 Denied 3 Silent 1,200/)
    expect(text).toContain("The newest 1 of 1,203 are listed.")
    const narrowed = render("?verdict=deny", { log: aLog([aLine()]), all: log })
    expect(narrowed).toMatch(/Reported 3 Denied 3 Silent 1,200/)
  })

  it("[CONSOLE-71] silent decisions are not listed unless asked for, and counted", () => {
    const all = aLog([], { counts: { ...aLog([]).counts, silent: 12 } })
    const text = render("", { log: aLog([]), all })
    expect(text).toContain(
      "No hook reported anything in 24 hours; 12 verdicts were silent. Show silent verdicts",
    )
    expect(verdictsInput(guardParams.parse(""))).toMatchObject({ reported: true })
    expect(verdictsInput(guardParams.parse("?verdict=silent"))).toMatchObject({ verdict: "silent" })
  })

  it("a verdict shows its text, its rule with its level, and its session", () => {
    const line = aLine({ text: "First line\nSecond line" })
    const html = markupOf(shown(line), { log: aLog([line]) })
    const text = textOf(html)
    expect(text).toContain("Denied by risk")
    expect(text).toMatch(/Message the edit was not made First line Second line/)
    expect(text).toContain("Rule risk from level 5 Before an edit of a high-risk path")
    expect(html).toContain(`href="/sessions?at=${line.session}&amp;show=${line.session}"`)
    expect(text).toContain("Session 5f0c2d1e")
    expect(html).toContain('href="/map?show=src%2Ftariff%2Frounding.ts"')
  })

  it("a verdict that is no longer in the list says so", () => {
    expect(render("?show=1", { log: aLog([aLine()]) })).toContain(
      "This verdict is no longer listed",
    )
  })
})

describe("actions on the page Guard", () => {
  it("[CONSOLE-46] after a denial both ways to continue are offered, and one by a claim links to its holder", () => {
    const text = render(shown(), { log: aLog([aLine()]) })
    expect(text).toContain("$ qm simulate src/tariff/rounding.ts Copy Simulate now")
    expect(text).toContain("$ qm override src/tariff/rounding.ts --reason &quot;&quot; Copy")
    expect(text).toContain("A reason is required.")
    const claimed = aLine({ rule: "concurrency" })
    const html = markupOf(shown(claimed), { log: aLog([claimed]) })
    expect(textOf(html)).not.toContain("qm simulate")
    expect(html).toContain('href="/sessions?tab=claims"')
    const warned = aLine({ verdict: "warn" })
    expect(render(shown(warned), { log: aLog([warned]) })).not.toContain("To continue")
  })

  it("[CONSOLE-46] a read-only page offers the commands and no button", () => {
    const text = render(shown(), { log: aLog([aLine()]), isReadOnly: true })
    expect(text).toContain("qm override src/tariff/rounding.ts")
    expect(text).not.toMatch(/Simulate now|A reason is required/)
  })

  it("a trial shows what each pattern means and which edits it would have stopped", () => {
    const tried: GuardTry = {
      patterns: [
        { pattern: "src/**", edits: 1, files: 12, problem: null },
        { pattern: "[x", edits: 0, files: 0, problem: "no end" },
      ],
      looked: 126,
      hits: [
        {
          at: NOW - 60_000,
          session: "s-1",
          host: "codex",
          path: "src/a.ts",
          pattern: "src/**",
          was: "silent",
        },
      ],
      isCut: false,
    }
    const text = render("?try=yes&patterns=src/**", { log: aLog([]), tried, level: 3 })
    expect(text).toContain("src/** 1 edit, 12 files")
    expect(text).toContain("[x no end")
    expect(text).toMatch(
      /Edits that it would have denied 1 of 126 in 24 hours src\/ a\.ts Silent s-1/,
    )
    expect(text).toContain("is active from level 5; this repository is at level 3")
    expect(text).toContain("qm level 5 activates the rule. Copy")
    expect(text).toContain("Save Applies from level 5.")
    const active = render("?try=yes&patterns=src/**", { log: aLog([]), tried, level: 5 })
    expect(active).toContain("Activate Applies from the next edit.")
  })

  it("a trial starts with the current setting, which cannot be applied again", () => {
    const html = markupOf("?try=yes", { log: aLog([]), patterns: "a/**" })
    expect(html).toContain(">a/**</textarea>")
    expect(textOf(html)).toContain("These patterns are active.")
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Activate</)
    const other = markupOf("?try=yes&patterns=b/**", { log: aLog([]), patterns: "a/**" })
    expect(other).not.toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Activate</)
    const readOnly = { log: aLog([]), patterns: "a/**", isReadOnly: true }
    expect(markupOf("?try=yes&patterns=b/**", readOnly)).toMatch(
      /<button[^>]*disabled=""[^>]*><span[^>]*>Activate</,
    )
  })

  it("[CONSOLE-15] an error says what happened and offers a retry", async () => {
    const queries = await failedQuery(
      keys.operation("guard.verdicts", verdictsInput(guardParams.parse(""))),
    )
    const page = <GuardPage now={NOW} params={guardParams.parse("")} onParams={() => undefined} />
    const html = renderPage(queries, page)
    expect(textOf(html)).toMatch(/The disk is full.*Try again/)
  })

  it("[CONSOLE-22] control and bidirectional characters in sessions, paths and texts are escaped", () => {
    const line = aLine({
      session: "a\u202Eb<img src=x>",
      host: "h\u2066",
      paths: ["docs/\u202Efdp.exe", "a\nb"],
      text: "\u0007<img src=x>\n[a](javascript:alert(1))",
      tool: "\u200Bx",
    })
    const html = markupOf(shown(line), { log: aLog([line]) })
    expect(html).not.toMatch(/[\u202E\u2066\u0007\u200B]|<img|href="javascript/)
    expect(textOf(html), "nothing to paste").not.toContain("$ qm")
  })
})
