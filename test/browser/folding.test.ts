import { existsSync } from "node:fs"
import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isNight } from "#test/seed"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { payloads } from "./payloads.ts"
import { type BranchStory, SESSION, seedBranches } from "./seed/branches.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let story: BranchStory

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  story = await seedBranches(fixture)
})
afterAll(async () => {
  story[Symbol.dispose]()
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const branch = (page: Page, name: string) => page.getByRole("treeitem", { name })
const memory = (page: Page, name: string) =>
  page.getByRole("listbox", { name: "Memories" }).getByRole("option", { name })
const shown = (id: string) => `at=${id}&show=${id}`

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

describe("Folds page, with branches opened over MCP", () => {
  test("branches of three depths are listed below their session with the numbers that the agent received", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/folds" })
    const { page } = window
    const levels = await Promise.all(
      ["Find out why", "Which callers", "Read everything", "List every tariff"].map((it) =>
        branch(page, it).getAttribute("aria-level"),
      ),
    )
    expect(levels).toEqual(["2", "3", "4", "2"])
    await branch(page, "Find out why").getByText("active", { exact: true }).waitFor()
    await branch(page, "Read everything").getByText("parent returned", { exact: true }).waitFor()

    const { budget_used, tokens_kept_out } = story.nested.returned
    const gauge = branch(page, "Which callers").getByRole("meter").first()
    expect(await gauge.getAttribute("aria-label")).toMatch(
      `at least ${exact(budget_used)} of 8,000 tokens, `,
    )
    const { branches, tokensKeptOut: keptOut } = await fixture.call("fold.list", {})
    expect(branches.map((it) => it.tokensKeptOut)).toEqual(
      expect.arrayContaining([tokens_kept_out, story.away.returned.tokens_kept_out]),
    )
    await page.getByText(`at least ${exact(keptOut)}`, { exact: true }).waitFor()
    expect(Number(story.away.returned.tokens_kept_out)).toBeGreaterThan(2_000)
    expect(window.problems()).toEqual([])
  })

  test("the result of a branch is shown with its evidence and the files out of scope", async () => {
    const { middle, inner } = story.nested
    await using window = await visit(chromium.browser, fixture, { path: `/folds?${shown(middle)}` })
    const { page } = window
    const detail = page.getByRole("region", { name: "The branch" })
    await detail.getByText("One caller", { exact: true }).waitFor()
    await detail.getByText("src/tariff/invoice.ts:5 rounds the sum").waitFor()
    await detail.getByText("1 outside src/tariff/**").waitFor()
    await detail.getByText("out of scope, named").waitFor()
    await detail.getByText("Do quotes of split stays go the same way?").waitFor()
    await detail.getByRole("link", { name: "Half to even, on the line" }).waitFor()

    await page.goto(`${fixture.url}/folds?${shown(inner)}`)
    await detail.getByText("Result when it was ended").waitFor()
    await detail.getByText("Ended automatically: its parent branch ended").waitFor()
    await detail
      .getByText("Two of five files read, divideHalfEven is called from one place.")
      .waitFor()
    expect(window.problems()).toEqual([])
  })

  test("a search in the trail opens the matching step, and the complete result is restored", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/folds?text=quay-19" })
    const { page } = window
    await page.getByRole("option", { name: /quay-19.*List every tariff/ }).click()
    const step = page.getByRole("region", { name: "Text of the step" })
    // The context window got a digest; the complete result is stored under the handle.
    await step.getByText(/kept as rh_[0-9a-f]+/).waitFor()
    await step.getByRole("button", { name: "Copy handle" }).waitFor()
    await page.getByRole("button", { name: /^Restore(?!d)/ }).click()
    await page.getByText(/Trail for a model, [\d,]+ tokens, nothing left out/).waitFor()
    await page.getByText(/^Trail of branch br_/).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("keys move over the tree; Left closes and goes up, Right opens, Enter shows the branch", async () => {
    const { middle, inner } = story.nested
    await using window = await visit(chromium.browser, fixture)
    const { page } = window
    await press(page, "g", "f")
    await branch(page, "Which callers").click()
    await page.waitForURL((url) => url.searchParams.get("at") === middle)
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("show"))
    await press(page, "ArrowLeft")
    await branch(page, "Read everything").waitFor({ state: "detached" })
    expect(await branch(page, "Which callers").getAttribute("aria-expanded")).toBe("false")
    await press(page, "ArrowRight", "ArrowRight")
    await page.waitForURL((url) => url.searchParams.get("at") === inner)
    await press(page, "ArrowLeft", "Enter")
    await page.getByText("Returned to the parent").waitFor()
    await page.reload()
    await page.getByText("One caller", { exact: true }).waitFor()
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("show"))
    expect(window.problems()).toEqual([])
  })

  test("keys move over the trail, a step opens below its row, and Escape closes the step first", async () => {
    const { middle } = story.nested
    await using window = await visit(chromium.browser, fixture, { path: `/folds?${shown(middle)}` })
    const { page } = window
    await page.getByText("One caller", { exact: true }).waitFor()
    await press(page, "t")
    await page.getByRole("listbox", { name: "Steps" }).focus()
    await press(page, "j", "j", "Enter")
    await page.getByRole("region", { name: "Text of the step" }).waitFor()
    await page.waitForURL((url) => url.searchParams.get("step") === "2")
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("step"))
    expect(new URL(page.url()).searchParams.get("show")).toBe(middle)
    await press(page, "u")
    await page.getByText(/^Trail for a model/).waitFor()
    await page.goto(`${fixture.url}/folds?${shown(middle)}`)
    await page.getByRole("link", { name: "Half to even, on the line" }).click()
    await page.waitForURL((url) => url.pathname === "/memory")
    await page.getByText("goes to the even cent").waitFor()
    await page.goBack()
    await page.getByText("One caller", { exact: true }).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("a search without a match says so", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/folds" })
    const { page } = window
    await branch(page, "Which callers").waitFor()
    await press(page, "/")
    await page.keyboard.type("zzz")
    await page.getByText(/No trail of .* matches/).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-5] opened and returned branches appear without a reload", async () => {
    const { outer } = story.nested
    await using window = await visit(chromium.browser, fixture, { path: `/folds?${shown(outer)}` })
    const { page } = window
    const detail = page.getByRole("region", { name: "The branch" })
    await detail.getByText("No progress note yet.").waitFor()
    await page.evaluate("document.body.dataset.sameDocument = 'yes'")
    const other = await story.open("Another sub-task in it", SESSION)
    await branch(page, "Another sub-task").getByText("active", { exact: true }).waitFor()
    await story.returnFrom(other, { message: "Nothing to be found.", session_id: SESSION })
    const message = "The invoice rounds a second time; the quote does not."
    await story.returnFrom(outer, { message, session_id: SESSION })
    await detail.getByText(message).waitFor()
    for (const name of ["Another sub-task", "Find out why"]) {
      await branch(page, name).getByText("returned", { exact: true }).waitFor()
    }
    expect(await page.locator("body[data-same-document]").count()).toBe(1)
    expect(window.problems()).toEqual([])
  })
})

describe("Memory page, with memories of a user and of agents", () => {
  test("source, stale citation and quarantine are shown, and a search explains its matches", async () => {
    const { cited } = story.memories
    await using window = await visit(chromium.browser, fixture, { path: "/memory" })
    const { page } = window
    await memory(page, "Half to even").getByText("a user", { exact: true }).waitFor()
    await memory(page, "Half to even").getByText("confirmed", { exact: true }).waitFor()
    await memory(page, "Invoices round").getByText("an agent", { exact: true }).waitFor()
    await memory(page, "Invoices round").getByText("1 citation changed", { exact: true }).waitFor()
    await memory(page, "Cache the harbour").getByText("quarantined", { exact: true }).waitFor()

    await page.goto(`${fixture.url}/memory?text=rounding&${shown(cited.id)}`)
    const why = memory(page, "Invoices round").getByText(/matches 'rounding'.*cites src\/tariff/)
    await why.waitFor()
    const detail = page.getByRole("region", { name: "The memory" })
    await detail.getByText("Stale: the cited code has changed").waitFor()
    await detail.getByText("changed", { exact: true }).waitFor()
    await detail.getByText("as cited").waitFor()
    expect(await memory(page, "Cache the harbour").count()).toBe(0)
    expect(window.problems()).toEqual([])
  })

  test("confirming a memory lifts quarantine and staleness in the console and for the command line", async () => {
    const { cited, foreign } = story.memories
    await using window = await visit(chromium.browser, fixture, {
      path: `/memory?${shown(foreign.id)}`,
    })
    const { page } = window
    const detail = page.getByRole("region", { name: "The memory" })
    await detail.getByText("Quarantined: based on").waitFor()
    await page.keyboard.press("a")
    await detail.getByText("Quarantined: based on").waitFor({ state: "detached" })
    await memory(page, "Cache the harbour").getByText("confirmed", { exact: true }).waitFor()
    await page.goto(`${fixture.url}/memory?${shown(cited.id)}`)
    await detail.getByText("changed", { exact: true }).waitFor()
    await detail.getByRole("button", { name: /^Confirm/ }).click()
    await detail.getByText("changed", { exact: true }).waitFor({ state: "detached" })
    await detail.getByText("as cited").nth(1).waitFor()
    const { stdout } = await fixture.qm(["memory", "--state", "confirmed", "--json"])
    expect(stdout).toContain(cited.id)
    expect(stdout).toContain(foreign.id)
    expect(window.problems()).toEqual([])
  })

  test("kind, state and text filter the list and are part of the address", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/memory" })
    const { page } = window
    await memory(page, "Half to even").waitFor()
    await press(page, "t", "t")
    await page.waitForURL((url) => url.searchParams.get("state") === "confirmed")
    await page.getByRole("button", { name: "Kind" }).click()
    await page.getByRole("menuitemradio", { name: "decision" }).click()
    await memory(page, "Invoices round").waitFor({ state: "detached" })
    await memory(page, "Half to even").waitFor()
    await page.reload()
    await memory(page, "Half to even").waitFor()
    expect(await memory(page, "Invoices round").count()).toBe(0)
    expect(window.problems()).toEqual([])
  })

  test("a memory is added with the form, an invalid field shows its error, and undo removes the memory", async () => {
    const expects = [/status of 400/]
    await using window = await visit(chromium.browser, fixture, { path: "/memory", expects })
    const { page } = window
    await memory(page, "Half to even").waitFor()
    await press(page, "c")
    await page.getByLabel("Title").fill("Quotes are rounded like invoices")
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("add"))
    await press(page, "c")
    expect(await page.getByLabel("Title").inputValue()).toBe("Quotes are rounded like invoices")
    await page.keyboard.press("Control+Enter")
    await page.getByText("A text is required.").waitFor()
    await page.getByLabel("Text", { exact: true }).fill("Both on the line.")
    await page.getByLabel("Cited code").fill("no/such.ts")
    await page.keyboard.press("Control+Enter")
    await page.getByText("which is not in the repository").waitFor()
    await page.getByLabel("Cited code").fill("src/tariff/quote.ts")
    await page.keyboard.press("Control+Enter")
    await memory(page, "Quotes are rounded").waitFor()
    await page.getByText("Both on the line.").waitFor()
    await press(page, "u")
    await page.getByText(/^Rating saved, confidence is now/).waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await memory(page, "Quotes are rounded").waitFor({ state: "detached" })

    await page.goto(`${fixture.url}/memory?add=yes`)
    await page.getByLabel("Title").fill("Half to even, on the line")
    await page
      .getByLabel("Text", { exact: true })
      .fill("Rounding happens once, on the line, and goes to the even cent.")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByText("Duplicate of an existing memory").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("forgetting a memory asks once and deletes its file", async () => {
    const { foreign } = story.memories
    const file = path.join(fixture.project, foreign.file)
    expect(existsSync(file)).toBe(true)
    await using window = await visit(chromium.browser, fixture, {
      path: `/memory?${shown(foreign.id)}`,
    })
    const { page } = window
    await page.getByRole("button", { name: /^Forget/ }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText(foreign.file).waitFor()
    await press(page, "Enter")
    await dialog.waitFor({ state: "detached" })
    expect(existsSync(file), "Enter is no yes: Cancel has the focus").toBe(true)
    await press(page, "x")
    await dialog.getByRole("button", { name: "Forget" }).click()
    await page.getByText(`Forgotten, ${foreign.file} is deleted`).waitFor()
    await memory(page, "Cache the harbour").waitFor({ state: "detached" })
    expect(existsSync(file)).toBe(false)
    expect(window.problems()).toEqual([])
  })
})

describe("data of a hostile agent", () => {
  const PAYLOADS = payloads(isNight() ? 60 : 4)
  const SENTINEL = `Object.defineProperty(window, "__pwn", {
    set: (value) => reportProblem("pwned: " + value),
  })`

  test("[S4] descriptions, prompts, sessions, results and memories are text in Folds and Memory", async () => {
    const ids = await Promise.all(PAYLOADS.map(leaveHostile))
    await using window = await visit(chromium.browser, fixture, {
      path: "/folds",
      initScript: SENTINEL,
    })
    const { page } = window
    for (const { branchId, memoryId } of ids) {
      await page.goto(`${fixture.url}/folds?${shown(branchId)}`)
      const detail = page.getByRole("region", { name: "The branch" })
      await detail.getByText("Open questions").waitFor()
      for (const [tab, text] of TABS) {
        await detail.getByText(tab).click()
        await detail.getByText(text).first().waitFor()
      }
      expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
      await page.goto(`${fixture.url}/memory?text=hostile&${shown(memoryId)}`)
      await page.getByRole("region", { name: "The memory" }).getByText("Details").waitFor()
      await memory(page, "hostile").first().waitFor()
      expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
    }
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(window.problems()).toEqual([])
  })

  const LOADS_SOMETHING = "img, iframe, object, embed, base, form"
  const TABS = [
    [/^Trail/, "Opened"],
    [/^Prompt/, /As it says/],
    [/^Restored/, /Trail for a model/],
  ] as const

  async function leaveHostile(payload: string, at: number) {
    const session_id = `${at} ${payload}`.slice(0, 200)
    const branchId = await story.open(`hostile ${payload}`.slice(0, 500), session_id)
    await story.returnFrom(branchId, {
      message: `hostile\n\n${payload}\n\n- ${payload}\n\n| a |\n|---|\n| ${payload} |`,
      evidence: [payload],
      files: [payload],
      open_questions: [payload],
      session_id,
    })
    const recorded = await story.record({
      kind: "pitfall",
      title: `hostile ${at} ${payload}`.slice(0, 100),
      description: payload.slice(0, 200),
      body: `hostile\n\n${payload}\n\n[x](${payload}) ![x](${payload})\n\n\`\`\`html\n${payload}\n\`\`\``,
      session_id,
    })
    return { branchId, memoryId: String(recorded.fields["id"]) }
  }
})

function exact(figure: unknown): string {
  return Number(figure).toLocaleString("en")
}
