import { expect, test } from "vitest"
import type { Swarm, Worktree } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()
const screen = createScreen({ isColored: false, columns: 100 })
const render = (name: string, output: unknown) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""

const worktree: Worktree = {
  name: "quotes",
  path: "/w/quotes",
  branch: "qm/quotes",
  state: "ready",
  baseRef: "main",
  baseCommit: "c0",
  ticket: "T-1",
  firstPort: 4_300,
  ports: 10,
  copied: [".env"],
  setup: { command: "npm ci", exitCode: 1, durationMs: 1_200, tail: "no lock file" },
  createdAt: 1,
  uncommitted: 2,
  ahead: 1,
  behind: 3,
  sessions: ["s-1"],
}

test("[CLI-23] worktrees are printed with state, changes, ports and conflicts", () => {
  const other = { ...worktree, name: "bare", state: "failed", firstPort: null, setup: null }
  const list = render("worktree.list", { worktrees: [worktree, other], folder: "/w" })
  expect(list).toContain("quotes")
  expect(list).toContain("4300")
  expect(render("worktree.list", { worktrees: [], folder: "/w" })).toContain("qm worktree new")
  const created = render("worktree.new", {
    worktree: { ...worktree, state: "failed" },
    skipped: [{ path: ".env.local", reason: "it is a link" }],
    claimed: ["src/a.ts"],
    heldByOthers: [{ path: "src/b.ts", session: "s-2" }],
  })
  for (const part of ["npm ci: exit code 1", "it is a link", "src/a.ts", "s-2"]) {
    expect(created).toContain(part)
  }
  const opened = render("worktree.open", { worktree, environment: { QM_WORKTREE: "quotes" } })
  expect(opened).toContain("cd /w/quotes\nexport QM_WORKTREE=quotes")
  const check = { name: "quotes", tree: "t", changed: ["src/a.ts"], behind: 3 }
  const others = [{ with: "bare", conflicts: ["src/a.ts"] }]
  const forecast = render("worktree.check", {
    ...check,
    base: { with: "main", conflicts: [] },
    others,
  })
  expect(forecast).toContain("conflicts in src/a.ts")
  expect(render("worktree.check", { ...check, base: null, others: [] })).toContain(
    "the base is gone",
  )
  const removed = {
    name: "quotes",
    path: "/w/quotes",
    keptBranch: "qm/quotes",
    rescue: "refs/qm/1",
  }
  expect(render("worktree.remove", removed)).toContain("refs/qm/1")
})

test("[CLI-23] a swarm is printed with its workstreams, diffs and conflicts", () => {
  const ticket = { id: "T-1", title: "Round quotes", touch: ["src/a.ts"], tests: [], from: "card" }
  const conflicts = [{ workstream: "ws1", with: "ws2", files: ["src/a.ts"] }]
  const plan = render("swarm.plan", {
    workstreams: [{ name: "ws1", agent: "codex", tickets: [ticket] }],
    left: [
      { id: "T-2", title: "Other", reason: "no files are known for it; add paths to the ticket" },
    ],
    conflicts,
    model: null,
    tier: "medium",
    budgetUsd: 5,
  })
  for (const part of ["Round quotes", "add paths", "Likely conflicts"]) {
    expect(plan).toContain(part)
  }
  const stream = {
    name: "ws1",
    state: "parked",
    agent: "codex",
    tickets: [ticket],
    current: 0,
    attempt: 1,
    worktree: "quotes",
    path: "/w/quotes",
    branch: "qm/quotes",
    runs: ["run_1"],
    feedback: null,
    reason: null,
    costUsd: 0.4,
    lastActivityAt: 1,
    evidence: null,
  }
  const swarm = {
    id: "sw_1",
    createdAt: 1,
    baseRef: "main",
    baseCommit: "c0",
    model: null,
    tier: "medium",
    budgetUsd: 5,
    workstreams: [
      stream,
      { ...stream, name: "ws2", state: "failed", reason: "the run failed" },
      { ...stream, name: "ws3", state: "starting" },
    ],
  } as unknown as Swarm
  const shown = render("swarm.run", swarm)
  expect(shown).toContain("the run failed")
  const files = [{ path: "src/a.ts", added: 3, removed: 1 }]
  const review = render("swarm.review", {
    swarm,
    isDriven: false,
    diffs: [
      { workstream: "ws1", files, commits: 1, evidence: "passed", problem: null },
      { workstream: "ws2", files: [], commits: 0, evidence: "none", problem: "its folder is gone" },
    ],
    conflicts,
  })
  for (const part of ["+3", "-1", "Conflicts", "ws2: its folder is gone", "qm swarm run"])
    expect(review).toContain(part)
  const none = { swarm: null, isDriven: false, diffs: [], conflicts: [] }
  expect(render("swarm.review", none)).toContain("qm swarm plan")
  const diff = { name: "quotes", from: "worktree", against: "main", text: "+a\n-b\n", isCut: true }
  expect(render("worktree.diff", diff)).toContain("+a")
  expect(render("worktree.diff", { ...diff, from: "none", text: "" })).toContain("No changes")
})
