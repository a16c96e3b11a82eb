import { expect, test } from "vitest"
import type { HookState, KitDone, KitLevels, SessionShow, VerdictLine } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { renderActivity } from "./ledger.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 100 })
const render = (name: string, output: unknown) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""
const HOSTILE = "a\nb\u001b[2J"

const done = (changes: Partial<KitDone> = {}): KitDone => ({
  level: 3,
  isApplied: false,
  changes: [
    {
      path: `/home/ada/${"deep/".repeat(30)}settings.json`,
      action: "change",
      host: "codex",
      what: "hooks",
    },
    { path: HOSTILE, action: "create", host: null, what: HOSTILE },
    { path: "kept", action: "keep", host: null, what: "x" },
  ],
  warnings: [HOSTILE],
  next: ["Run it."],
  ...changes,
})

test("[CLI-23] an install prints each file before it is written, and counts by host afterwards", () => {
  const plan = render("kit.init", done())
  expect(plan).toContain("Level 3: plan for 2 files. Nothing is written yet.")
  expect(plan).toContain("deep/settings.json")
  expect(plan).toContain("1 file up to date.")
  expect(plan).not.toContain("\u001b")
  const applied = render("kit.init", done({ isApplied: true }))
  expect(applied).toContain("qm and this repository  1 file")
  expect(applied).not.toContain("settings.json")
  expect(render("kit.uninstall", done({ level: null, changes: [] }))).toContain(
    "Uninstall: nothing to change.",
  )
})

test("[CLI-23] levels are printed with their cost, and the next step if nothing is installed", () => {
  const levels: KitLevels = {
    current: 2,
    done: done(),
    levels: [
      {
        level: 1,
        adds: "log",
        hooks: [],
        installs: ["handoff"],
        startTokens: 260,
        toolCallMs: null,
      },
      {
        level: 2,
        adds: "ledger",
        hooks: ["boot"],
        installs: [],
        startTokens: 300,
        toolCallMs: 61.2,
      },
    ],
  }
  expect(render("kit.level", levels)).toMatch(/→ +2 +300 tokens +61 ms +ledger/)
  expect(render("kit.level", { ...levels, current: null, done: null })).toContain("`qm init`")
})

test("[CLI-23] the doctor prints hooks by host, with the reason if one did not run", () => {
  const hook = (state: HookState["state"]): HookState => {
    return { host: "codex", hook: "boot", event: "SessionStart", state, at: null, why: null }
  }
  const hooks = [
    { ...hook("fired"), at: 0 },
    hook("installed"),
    hook("not installed"),
    { ...hook("not offered"), why: HOSTILE },
  ]
  const shown = render("doctor.run", { checks: [], hooks, isHealthy: true })
  expect(shown).toMatch(/codex +boot +fired +1970-01-01 00:00 +SessionStart/)
  expect(shown).not.toContain("\u001b")
})

test("[CLI-23] guard.verdicts prints counts and one row for each verdict, guard.try the edits that would have needed a simulation", () => {
  const line = (verdict: VerdictLine["verdict"]): VerdictLine => ({
    at: 0,
    host: "codex",
    event: "before-edit",
    session: HOSTILE,
    tool: "Edit",
    paths: [HOSTILE],
    rule: "risk",
    verdict,
    text: HOSTILE,
    ms: 1,
  })
  const kinds = ["deny", "block", "warn", "override", "silent", "context"] as const
  const counts = { ask: 0, deny: 1, block: 1, warn: 1, override: 1, silent: 1, context: 1 }
  const shown = render("guard.verdicts", { verdicts: kinds.map(line), counts, isCut: true })
  expect(shown.split("\n")[0]).toBe("silent 1, context 1, warn 1, deny 1, block 1, override 1")
  // Headings, one row for each decision, and the note; wrapped lines are indented.
  const rows = shown.split("\n").filter((it) => /^\S/.test(it))
  expect(rows).toHaveLength(2 + kinds.length + 1)
  expect(render("guard.verdicts", { verdicts: [], counts: { ...counts }, isCut: false })).toContain(
    "`qm doctor`",
  )
  const tried = render("guard.try", {
    patterns: [{ pattern: "src/**", edits: 1, files: 2, problem: HOSTILE }],
    looked: 9,
    hits: [{ at: 0, session: "s", host: "codex", path: "a", pattern: "src/**", was: "silent" }],
    isCut: false,
  })
  expect(tried).toContain("1 edit of 9 would have needed a simulation.")
  const override = { id: "ovr_1", paths: ["a"], reason: HOSTILE, until: 0 }
  expect(render("guard.override", override)).toContain("Recorded as ovr_1")
})

test("[CLI-23] sessions, the work of one session, activity and empty lists are printed", () => {
  const live = {
    session: HOSTILE,
    host: "codex",
    startedAt: 0,
    lastAt: 0,
    edits: 2,
    files: 1,
    drifted: 1,
    claims: 1,
    isRegistered: false,
  }
  const logged = [{ file: "f", date: "2026-11-16", title: "t", request: HOSTILE }]
  const list = render("session.list", {
    live: [live, { ...live, drifted: 0, claims: 0, host: null }],
    logged,
    loggedCount: 1,
  })
  expect(list).toContain("1 not registered")
  expect(list).toContain("Session records 1")
  expect(render("session.list", { live: [], logged: [], loggedCount: 0 })).toContain("`qm init`")
  const shown: SessionShow = {
    live,
    files: [{ path: "a", edits: 2, firstAt: 0, lastAt: 0, isImportant: true }],
    outside: [{ path: "a", at: 0 }],
    registered: [{ file: "f", at: 0 }],
    nudges: [],
    simulations: [],
    loaded: [{ path: "CLAUDE.md", kind: "Project", reason: "session_start", parent: null, at: 0 }],
    claims: [],
    text: null,
  }
  expect(render("session.show", shown)).toContain("codex, 2 edits in 1 file")
  expect(render("session.show", { ...shown, live: null })).toContain("Loaded instructions 1")
  expect(render("session.show", { ...shown, text: "# One" })).toBe("  # One")
  const entry = { at: 0, session: "s", kind: "modified", path: "a.ts", tool: "Edit" } as const
  expect(renderActivity(entry, screen)).toContain("edited      a.ts  Edit")
  expect(renderActivity({ ...entry, kind: "nudged", path: null, tool: null }, screen)).toContain(
    "reminded",
  )
  expect(render("decision.list", { memories: [], total: 0, problems: [] })).toContain(
    "qm decision add",
  )
})
