import type { Browser, BrowserContext, Page } from "playwright-core"
import { builtGallery, type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { prepareFirstRun } from "./seed/first-run.ts"
import { CLAUDE } from "./seed/guard.ts"
import { type Seed, seedRepository, TASK } from "./seed/seed.ts"
import { prepareSwarm, runSwarm } from "./seed/swarm.ts"
import { beFailing, beReadOnly, settle, type Visit, type VisitOptions, visit } from "./visit.ts"

/**
 * Data behind a scene: the seeded repository, an empty one, one where agents worked without us, one with a swarm, the seeded one with
 * every operation refused or without writes, or the component gallery instead of the console.
 */
type SceneSetup = "seeded" | "empty" | "first" | "swarm" | "failing" | "read-only" | "gallery"

export type Scene = {
  readonly name: string
  readonly on: SceneSetup
  readonly path: string | ((seed: Seed) => string)
  act?(page: Page): Promise<void>
}

const seeded = (name: string, path: Scene["path"], act?: Scene["act"]): Scene => ({
  name,
  on: "seeded",
  path,
  ...(act === undefined ? {} : { act }),
})
const on = (ground: SceneSetup, name: string, path: Scene["path"]): Scene => ({
  name: `${name}-${ground}`,
  on: ground,
  path,
})

const both = (key: string) => `at=${encodeURIComponent(key)}&show=${encodeURIComponent(key)}`
const ROUNDING = encodeURIComponent("src/tariff/rounding.ts")
const SYMBOL = encodeURIComponent("src/tariff/rounding.ts#roundLine")
const OPEN = "open=src&open=src%2Ftariff"
const PACK = `/pack?task=${encodeURIComponent(TASK)}&budget=4000`
const item = (seed: Seed) => `/capture?at=${encodeURIComponent(seed.captures.file)}`
const wire = ({ gateway }: Seed, seq: number) => `?at=${gateway.folding.id}.${seq}`
const gateway = (seed: Seed) => `/runs/${seed.runs.compacted.id}/gateway`
const denied = ({ guard }: Seed) => `/guard?${both(String(guard.now - 7_000))}`

export const DAY_SCENES: readonly Scene[] = [
  seeded("now", "/"),
  on("empty", "now", "/"),
  on("first", "now", "/"),
  seeded("runs", "/runs"),
  seeded("runs-new", "/runs?beside=new"),
  seeded("approvals", "/runs?view=approvals"),
  seeded("permissions", "/runs?view=permissions"),
  seeded("run", ({ runs }) => `/runs/${runs.tariff.id}`),
  seeded("run-kinds", ({ runs }) => `/runs/${runs.kinds.id}`),
  seeded("capture", (seed) => `${item(seed)}&open=yes`),
  seeded("capture-diff", "/capture?tab=diff"),
  seeded("capture-none", "/capture?host=antigravity"),
  seeded("map", "/map?show=src%2Ftariff%2F"),
  seeded("map-symbol", `/map?view=list&${OPEN}&show=${SYMBOL}`),
  seeded("pack", `${PACK}&at=${ROUNDING}`),
  seeded("folds", "/folds"),
  seeded("folds-over-budget", ({ branches }) => `/folds?${both(branches.nested.inner)}`),
  seeded("memory", "/memory"),
  seeded(
    "memory-cited",
    ({ branches }) => `/memory?text=rounding&${both(branches.memories.cited.id)}`,
  ),
  seeded("gateway", gateway),
  seeded("gateway-request", (seed) => gateway(seed) + wire(seed, 3)),
  seeded("gateway-exact", (seed) => `${gateway(seed)}${wire(seed, 2)}&tab=exact&piece=1`),
  seeded("gateway-headers", (seed) => `${gateway(seed)}${wire(seed, 2)}&tab=headers`),
  seeded("guard", "/guard"),
  seeded("guard-denied", denied),
  seeded("guard-try", "/guard?try=yes&patterns=docs%2F**"),
  on("empty", "guard", "/guard"),
  seeded("sessions", `/sessions?${both(CLAUDE)}`),
  seeded("sessions-search", "/sessions?text=half+even"),
  on("first", "sessions", "/sessions"),
  seeded("session", ({ transcripts }) => `/sessions/${transcripts.long}?call=12`),
  seeded("session-transcript", ({ transcripts }) => `/sessions/${transcripts.long}?tab=transcript`),
  seeded("run-context", ({ runs }) => `/runs/${runs.compacted.id}?chart=yes`),
  seeded("cost", "/cost"),
  on("empty", "cost", "/cost"),
  seeded("claims", "/sessions?tab=claims"),
  on("empty", "claims", "/sessions?tab=claims"),
  seeded("decisions-add", "/memory?kind=decision&add=yes"),
  on("empty", "decisions", "/memory?kind=decision"),
  seeded("pipelines", "/pipelines"),
  seeded("pipelines-new", "/pipelines?add=yes"),
  seeded("pipeline-done", ({ pipelines }) => `/pipelines/${pipelines.done}`),
  seeded("pipeline-paused", ({ pipelines }) => `/pipelines/${pipelines.paused}`),
  seeded(
    "pipeline-compare",
    ({ pipelines: { done, paused } }) => `/pipelines/${done}?compare=yes&other=${paused}`,
  ),
  seeded("agents", "/agents?show=deep-research"),
  seeded("sources", "/sources?at=shipped+demo-web&show=demo-web"),
  seeded("board", ({ board }) => `/board?${both(board.tested)}`),
  seeded("ticket", ({ board }) => `/board/${board.tested}`),
  on("empty", "board", "/board"),
  on("empty", "swarm", "/swarm"),
  seeded("knowledge", "/knowledge?text=arrival"),
  seeded("events", "/events"),
  seeded("event", "/events?at=3"),
  seeded("events-none", "/events?text=nothing+like+this"),
  seeded("settings", "/settings"),
  seeded("setting", "/settings?at=tokens.window"),
  seeded("not-found", "/no/such/page"),
  seeded("palette", "/events", (page) => openPalette(page, "store")),
  seeded("palette-content", "/events", (page) => openPalette(page, "round")),
  seeded("confirm", "/", confirmBackup),
  seeded("help", "/events", openHelp),
]

const EMPTY = [
  "/runs",
  "/runs?view=approvals",
  "/capture",
  "/sessions",
  "/map",
  "/memory",
  "/pack",
  "/folds",
  "/pipelines",
  "/events",
]
const FAILING = [
  "/",
  "/runs",
  "/runs/run_1",
  "/runs/run_1/gateway",
  "/capture",
  "/map",
  "/memory",
  "/guard",
  "/sessions",
  "/sessions/s-1",
  "/cost",
  "/pack",
  PACK,
  "/folds",
  "/pipelines",
  "/pipelines/p-1",
  "/board",
  "/swarm",
  "/recipes",
  "/skills",
  "/sources",
  "/knowledge",
  "/settings",
]
const nameOf = (path: string) => path.split("?", 1)[0]?.replaceAll("/", "-").slice(1) || "now"

export const NIGHT_SCENES: readonly Scene[] = [
  ...EMPTY.map((path) => on("empty", nameOf(path), path)),
  on("empty", "knowledge", "/knowledge"),
  ...FAILING.map((path) => on("failing", nameOf(path), path)),
  on("read-only", "now", "/"),
  on("read-only", "permissions", "/runs?view=permissions"),
  on("read-only", "run", ({ runs }) => `/runs/${runs.tariff.id}`),
  on("read-only", "capture", item),
  on("read-only", "memory", ({ branches }) => `/memory?${both(branches.memories.foreign.id)}`),
  on("read-only", "guard", denied),
  on("read-only", "pack", `${PACK}&at=${ROUNDING}&pane=preview`),
  on("read-only", "pipeline", ({ pipelines }) => `/pipelines/${pipelines.paused}`),
  on("read-only", "settings", "/settings?at=tokens.window"),
  { ...on("empty", "people", "/settings"), act: invitePeople },
  on("gallery", "parts", "/"),
  on("swarm", "parked", "/swarm?at=ws3"),
  { ...on("swarm", "diff", "/swarm?at=ws1&show=diff"), act: seeDiff },
  on("swarm", "plan", "/swarm?show=plan"),
  on("swarm", "now", "/"),
  on("swarm", "board", "/board"),
  { ...on("swarm", "ticket", "/board"), act: openTicket },
  { ...on("swarm", "ticket-run", "/board"), act: openRunOfTicket },
  seeded("ticket-start", ({ board }) => `/board/${board.working}`, startFromTicket),
  seeded("runs-peek", ({ runs }) => `/runs?at=${runs.tariff.id}&beside=peek`),
  seeded("runs-peek-failed", ({ runs }) => `/runs?at=${runs.failed.id}&beside=peek`),
  seeded("runs-nothing", "/runs?text=nothing+at+all"),
  seeded("runs-labels", "/runs", (page) => openMenu(page, "Label")),
  seeded("skills", "/skills?show=pack"),
  seeded("runs-rename", ({ runs }) => `/runs?at=${runs.failed.id}`, pressing("e", "dialog")),
  seeded("run-actions", ({ runs }) => `/runs/${runs.tariff.id}`, pressing(".", "menu")),
  seeded("run-handoff", ({ runs }) => `/runs/${runs.tariff.id}`, pressing("h", "dialog")),
  seeded("run-raw", ({ runs }) => `/runs/${runs.tariff.id}?at=9&raw=yes`),
  seeded("run-long", ({ runs }) => `/runs/${runs.long.id}?at=3000`),
  seeded("run-failed", ({ runs }) => `/runs/${runs.failed.id}`),
  seeded("run-compacted", ({ runs }) => `/runs/${runs.compacted.id}`),
  seeded("run-unknown", "/runs/run_nobody"),
  seeded("capture-closed", item),
  seeded("capture-item-diff", (seed) => `${item(seed)}&view=diff`),
  seeded("capture-raw", (seed) => `${item(seed)}&view=raw`),
  seeded("capture-found", "/capture?tab=found"),
  seeded("capture-settings", "/capture?tab=settings"),
  seeded("capture-biggest", "/capture?tab=biggest"),
  seeded("capture-codex", "/capture?host=codex"),
  seeded("capture-hosts", "/capture", pressing("h", "menu")),
  seeded("capture-history", "/capture", pressing("e", "menu")),
  seeded("map-file", `/map?${OPEN}&at=${ROUNDING}&show=${ROUNDING}`),
  seeded("map-imports", `/map?${OPEN}&show=${ROUNDING}&tab=imports`),
  seeded("map-words", "/map?text=rounding+of+cents"),
  seeded("map-path", "/map?text=rounding&by=path"),
  seeded("map-unknown", "/map?show=no%2Fsuch.ts"),
  seeded("memory-quarantined", ({ branches }) => `/memory?${both(branches.memories.foreign.id)}`),
  seeded("memory-nothing", "/memory?text=zzz"),
  seeded("memory-filtered", "/memory?kind=decision&state=confirmed"),
  seeded("memory-add", "/memory?add=yes"),
  seeded(
    "memory-forget",
    ({ branches }) => `/memory?${both(branches.memories.cited.id)}`,
    pressing("x", "dialog"),
  ),
  seeded("guard-filtered", "/guard?verdict=deny&session=x"),
  seeded("session-files", ({ transcripts }) => `/sessions/${transcripts.long}?tab=files`),
  seeded(
    "session-entry",
    ({ transcripts }) => `/sessions/${transcripts.long}?call=45`,
    async (page) => {
      await page
        .getByRole("link", { name: /result/ })
        .first()
        .click()
      await page
        .getByRole("region", { name: "The line" })
        .getByText(/^Fold turn/)
        .waitFor()
    },
  ),
  seeded("session-ledger", `/sessions/${CLAUDE}?tab=ledger`),
  seeded("cost-agents", "/cost?by=agent"),
  seeded("cost-tools", "/cost?by=tool"),
  seeded("sessions-logged", "/sessions?tab=logged"),
  seeded(
    "claim-release",
    ({ file }) => `/sessions?tab=claims&${both(file.split("/")[0] ?? "")}`,
    pressing("x", "dialog"),
  ),
  seeded("session-unknown", "/sessions?show=nobody"),
  seeded("decision", ({ decision }) => `/memory?kind=decision&${both(decision)}`),
  seeded("pack-chosen", `${PACK}&at=${ROUNDING}&pane=chosen&tab=json`),
  seeded("pack-preview", `${PACK}&at=${ROUNDING}&pane=preview&tab=markdown`),
  seeded("pack-refused", `${PACK}&budget=20`),
  seeded("pack-nothing", "/pack?task=zzz"),
  seeded("pack-start", "/pack"),
  seeded("pack-kept", ({ packs }) => `/pack?id=${packs.second}`),
  seeded("pack-compare", ({ packs }) => `/pack?compare=yes&from=${packs.first}`),
  seeded("folds-branch", ({ branches }) => `/folds?${both(branches.nested.middle)}`),
  seeded("folds-trail", ({ branches }) => `/folds?${both(branches.away.id)}&tab=trail&step=2`),
  seeded("folds-prompt", ({ branches }) => `/folds?${both(branches.nested.outer)}&tab=prompt`),
  seeded("folds-restored", ({ branches }) => `/folds?${both(branches.nested.inner)}&tab=restored`),
  seeded("folds-found", "/folds?text=quay-19"),
  seeded("folds-nothing", "/folds?text=zzz&show=br_nobody"),
  seeded("gateway-none", ({ runs }) => `/runs/${runs.failed.id}/gateway`),
  seeded("gateway-unknown", (seed) => gateway(seed) + wire(seed, 99)),
  seeded("pipelines-untrusted", "/pipelines?add=yes&start=harbour-check"),
  seeded("pipelines-nothing", "/pipelines?text=zzz"),
  seeded("pipeline-left", ({ pipelines }) => `/pipelines/${pipelines.left}`),
  seeded(
    "pipeline-rerun",
    ({ pipelines }) => `/pipelines/${pipelines.done}`,
    pressing("r", "dialog"),
  ),
  seeded("pipeline-unknown", "/pipelines/p-99"),
  seeded("agents-prompts", "/agents?show=deep-research&tab=prompts"),
  seeded("agents-runs", "/agents?show=deep-research&tab=runs"),
  seeded("agents-untrusted", "/agents?show=harbour-check"),
  seeded("agents-unknown", "/agents?show=nobody"),
  seeded("knowledge-start", "/knowledge"),
  seeded("knowledge-add", "/knowledge?add=yes"),
  seeded("knowledge-nothing", "/knowledge?text=zzz&show=kp_nobody"),
  seeded("event-raw", "/events?at=3&view=raw"),
]

export function pathOf({ path }: Scene, seed: Seed): string {
  return typeof path === "string" ? path : path(seed)
}

/** Chromium logs every response above 399 to its console. */
const REFUSED = /status of (4\d\d|503)/

/** Repositories and windows of the scenes: `await using stage = await openStage(browser)`. */
export async function openStage(browser: Browser, options: VisitOptions = {}) {
  await using setup = new AsyncDisposableStack()
  const fixture = setup.use(await startConsole({ backups: 1 }))
  const seed = setup.use(await seedRepository(fixture))
  const stack = setup.move()
  const contexts: ((context: BrowserContext) => void)[] = []
  const windows = new Map<SceneSetup, Promise<Visit>>()
  const worldOn = async (ground: SceneSetup): Promise<ConsoleFixture> => {
    if (ground === "empty") return stack.use(await startConsole({ backups: 0 }))
    if (ground === "first") {
      return stack.use(await startConsole({ backups: 0, prepare: prepareFirstRun }))
    }
    if (ground === "swarm") {
      const own = stack.use(await startConsole({ backups: 0, prepare: prepareSwarm }))
      await runSwarm(own)
      return own
    }
    if (ground === "gallery") {
      return stack.use(await startConsole({ backups: 0, built: builtGallery }))
    }
    return fixture
  }
  const open = async (ground: SceneSetup): Promise<Visit> => {
    const at = await worldOn(ground)
    const by = ground === "gallery" ? "address" : "link"
    const prepare = async (context: BrowserContext) => {
      for (const it of contexts) it(context)
      await PREPARE[ground]?.(context)
    }
    const window = await visit(browser, at, { by, prepare, expects: [REFUSED], ...options })
    return stack.use(window)
  }
  const windowOn = (ground: SceneSetup): Promise<Visit> => {
    const window = windows.get(ground) ?? open(ground)
    windows.set(ground, window)
    return window
  }
  return {
    fixture,
    seed,
    /** Called with each window's context before its first page. */
    onContext: (it: (context: BrowserContext) => void) => void contexts.push(it),
    async enter(scene: Scene): Promise<Page> {
      const { page } = await windowOn(scene.on)
      await page.goto(new URL(pathOf(scene, seed), page.url()).href)
      if (scene.on === "gallery") await page.getByRole("heading", { level: 1 }).waitFor()
      else await settle(page)
      await scene.act?.(page)
      return page
    },
    async problems(): Promise<readonly string[]> {
      return (await Promise.all(windows.values())).flatMap((it) => it.problems())
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const PREPARE: Readonly<Partial<Record<SceneSetup, (context: BrowserContext) => Promise<void>>>> = {
  failing: beFailing,
  "read-only": beReadOnly,
}

async function openMenu(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click()
  await page.getByRole("menu").waitFor()
}

function pressing(key: string, opens: "dialog" | "menu") {
  return async (page: Page): Promise<void> => {
    await page.keyboard.press(key)
    await page.getByRole(opens).waitFor()
  }
}

async function seeDiff(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Diff" }).getByText("shared.txt").first().waitFor()
}

/** With evidence, diff, worktree, run and the state of its pull request. */
async function openTicket(page: Page): Promise<void> {
  await page.getByRole("button", { name: /Apply stacked coupons/ }).click()
  await page.getByRole("region", { name: "The ticket" }).getByRole("link", { name: "Open" }).click()
  await page.getByText("shared.txt").first().waitFor()
  await page.getByRole("button", { name: "Check", exact: true }).click()
  await page.getByText("#12 ").waitFor()
}

async function openRunOfTicket(page: Page): Promise<void> {
  await openTicket(page)
  const facts = page.getByRole("region", { name: "Facts of the ticket" })
  await facts.locator('a[href*="/runs/"]').first().click()
  await page.getByText("Ticket", { exact: true }).waitFor()
  await page.getByText("#12 ").waitFor()
}

/** As a person does it: the agent that was used last, and a key. */
async function startFromTicket(page: Page): Promise<void> {
  await page.evaluate(`localStorage.setItem("qm.launch.agent", "synthetic")`)
  await page.getByRole("button", { name: /^Start run/ }).waitFor()
  await page.keyboard.press("s")
  await page.waitForURL((url) => url.pathname.startsWith("/runs/"))
  await page.getByText("Turn completed").first().waitFor()
}

async function openPalette(page: Page, query: string): Promise<void> {
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox").fill(query)
  await page.getByRole("option").first().waitFor()
}

async function confirmBackup(page: Page): Promise<void> {
  await openPalette(page, "store.backup")
  await page.keyboard.press("Enter")
  await page.keyboard.press("Enter")
  await page.keyboard.type("9")
  await page.keyboard.press("Enter")
  await page.getByText("This operation changes data. Arguments: keep 9").waitFor()
}

async function openHelp(page: Page): Promise<void> {
  await page.keyboard.press("?")
  await page.getByRole("dialog").getByText("Pause or follow").waitFor()
  await page.getByRole("dialog").locator("kbd").first().waitFor()
}

async function invitePeople(page: Page): Promise<void> {
  const people = page.getByRole("region", { name: "People" })
  const name = people.getByLabel("Name of the person")
  for (const person of ["ada", "grace"]) {
    await name.fill(person)
    await name.press("Enter")
    await people
      .getByText(new RegExp(`^${person}`))
      .first()
      .waitFor()
  }
  await people.scrollIntoViewIfNeeded()
}
