import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import { runId } from "./fake-runs-tables.ts"
import type { Journey } from "./journeys.ts"

/** Ways through Runs, its inbox and Now; `journeys.ts` runs them with the others. */
export const RUNS_JOURNEYS: readonly Journey[] = [
  {
    says: "[CONSOLE-24] keys walk over the runs; Space looks, Enter opens, back leads back",
    path: "/",
    async walk({ page }) {
      await page.keyboard.press("g")
      await page.keyboard.press("r")
      await option(page, /Make quotes and invoices/).waitFor()
      await page.keyboard.press("j")
      await page.waitForURL((url) => url.searchParams.get("at") === runId(31))
      await page.keyboard.press("Space")
      await page.getByText("Waits for you").waitFor()
      await page.keyboard.press("Escape")
      await page.waitForURL((url) => !url.searchParams.has("beside"))
      await page.keyboard.press("Enter")
      await page.waitForURL((url) => url.pathname === `/runs/${runId(31)}`)
      await page.goBack()
      await page.waitForURL((url) => url.searchParams.get("at") === runId(31))
    },
  },
  {
    says: "[CONSOLE-6] of 400 runs only those in sight are drawn; words and status narrow them",
    path: "/runs",
    async walk({ page }) {
      await option(page, /Make quotes and invoices/).waitFor()
      const drawn = await page.getByRole("option").count()
      assert.ok(drawn < 60, `${drawn} rows are drawn`)
      await page.keyboard.press("/")
      await page.keyboard.type("tide feed")
      await page.waitForURL((url) => url.searchParams.get("text") === "tide feed")
      await option(page, /Add a retry with jitter/).waitFor()
      await page.getByRole("button", { name: /^Failed/ }).click()
      await page.waitForURL(/status=failed/)
      assert.equal(await option(page, /Add a retry/).count(), 0)
      await page.reload()
      await page.getByRole("button", { name: /^Failed/, pressed: true }).waitFor()
    },
  },
  {
    says: "[CONSOLE-25] on Now Allow answers the selected question, and keys fall on no other",
    path: "/",
    async walk({ page, server }) {
      const allow = page.getByRole("button", { name: /^Allow/ })
      await page.getByRole("button", { name: /^Deny/ }).waitFor()
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), "BODY")
      // Who waits longest is first; the one that can be read whole in its row is the third.
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      await allow.waitFor()
      await page.keyboard.press("a")
      await page.getByText("Allowed once: npm run db:check").waitFor()
      await allow.waitFor({ state: "detached" })
      await page.getByText("3 running, 2 waiting").waitFor()
      // Another question is the first now: no key may answer it before it was chosen.
      await page.keyboard.press("d")
      await page.keyboard.press("a")
      await page.waitForTimeout(500)
      server.change(({ approvals }) => {
        assert.equal(approvals.filter((it) => it.status !== "open").length, 1)
      })
    },
  },
  {
    says: "[CONSOLE-25] what does not fit its row is opened, there it can be read whole and denied",
    path: "/",
    async walk({ page, server }) {
      await page.getByRole("button", { name: /^Deny/ }).waitFor()
      await page.keyboard.press("j")
      await page.getByRole("link", { name: "Open" }).click()
      await page.waitForURL(/view=approvals&at=ap_2/)
      await page.getByText("git push --force origin HEAD:main").last().waitFor()
      await page.getByLabel(/What it is told/).fill("not by force")
      await page.getByRole("button", { name: /^Deny/ }).click()
      await page.getByText("It was denied by console.").waitFor()
      server.change(({ approvals }) => {
        assert.equal(approvals.find((it) => it.id === "ap_2")?.status, "denied")
      })
    },
  },
  {
    says: "[CONSOLE-25] a question that another window answered says by whom",
    path: "/runs?view=approvals&at=ap_1",
    async walk({ page, server }) {
      await page.getByRole("button", { name: /^Allow once/ }).waitFor()
      server.change(({ approvals }) => {
        const approval = approvals.find((it) => it.id === "ap_1")
        if (approval !== undefined) Object.assign(approval, { status: "denied", answeredBy: "cli" })
      })
      await page.getByText("It was denied by cli.").waitFor()
    },
  },
  {
    says: "[CONSOLE-26] a run is started by keys; a refusal stands beside its field, nothing is lost",
    path: "/",
    async walk({ page }) {
      await page.getByRole("heading", { name: "Now", exact: true }).waitFor()
      await page.keyboard.press("c")
      await page.getByLabel("What shall it do?").waitFor()
      await page.keyboard.press("Control+Enter")
      await page.getByText("Say what it shall do.").waitFor()
      await page.keyboard.type("--help is no flag here")
      await page.getByLabel("Directory").fill("/etc")
      await page.getByRole("button", { name: "Start" }).click()
      await page.getByRole("alert").getByText("outside every known repository").waitFor()
      await page.keyboard.press("Escape")
      await page.waitForURL((url) => !url.searchParams.has("beside"))
      await page.getByRole("button", { name: /New run/ }).click()
      await page.getByLabel("Directory").fill("")
      await page.getByLabel("What shall it do?").press("Control+Enter")
      await page.waitForURL((url) => url.pathname === `/runs/${runId(99)}`)
    },
  },
  {
    says: "[CONSOLE-27] several are archived at once and come back by undo; deleting asks in numbers",
    path: "/runs",
    async walk({ page }) {
      await option(page, /Split allocate/).waitFor()
      for (let i = 0; i < 7; i++) await page.keyboard.press("j")
      await page.keyboard.press("x")
      await page.keyboard.press("j")
      await page.keyboard.press("x")
      await page.keyboard.press(".")
      await page.getByRole("menuitemradio", { name: /^Archive/ }).click()
      await page.getByText("2 runs put away").waitFor()
      await option(page, /Split allocate/).waitFor({ state: "detached" })
      await page.keyboard.press("Control+z")
      await option(page, /Split allocate/).waitFor()
      await page.keyboard.press(".")
      await page.getByRole("menuitemradio", { name: /^Delete/ }).click()
      await page.getByRole("dialog").getByText("This cannot be undone.").waitFor()
      const focused = await page.evaluate(() => document.activeElement?.textContent)
      assert.equal(focused, "Cancel")
    },
  },
  {
    says: "[CONSOLE-28] a file that somebody changed counts once it is trusted; a rule goes and comes",
    path: "/runs?view=permissions",
    async walk({ page }) {
      await page.getByText("2 allowing rules in it do not count").waitFor()
      await page.getByRole("button", { name: "Trust this file" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByText("Bash, command npm run db:check -- --month 2026-09").waitFor()
      await dialog.getByRole("button", { name: "Trust" }).click()
      await page.getByText("not trusted").first().waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Remove" }).last().click()
      await page.getByText("The rule was removed: allow Edit, path src/tariff/**").waitFor()
    },
  },
  {
    says: "[CONSOLE-5] what another window changes about a run is shown without asking",
    path: "/runs",
    async walk({ page, server }) {
      await option(page, /Port the pilotage calendar/).waitFor()
      server.change(({ runs }) => {
        const run = runs.find((it) => it.id === runId(33))
        if (run !== undefined) run.title = "Renamed elsewhere"
      })
      await option(page, /Renamed elsewhere/).waitFor()
    },
  },
]

function option(page: Page, name: RegExp) {
  return page.getByRole("option", { name })
}
