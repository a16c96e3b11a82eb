import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { OperationInput, OperationName, OperationOutput } from "#ground/contract"
import { OPERATIONS } from "#ground/contract"
import { commit, git, gitWith } from "#test/git"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"

const { signal } = new AbortController()

const TAX = `/** Tax of an amount. */
export function tax(amount: number): number {
  // TODO(ana): round half up
  return Math.round(amount)
}

export function old(amount: string): string {
  return amount
}
`

const LATER = `export function tax(amount: number, rate?: number): number {
    // TODO(ana): round half up
  if (amount < 0) throw new Error("negative")
  return Math.round(amount * (rate ?? 1))
}

export async function fresh(names: string[]): Promise<void> {
  await Promise.all(names)
}
`

const LOCK = {
  packages: {
    "": { dependencies: { used: "^1.0.0", idle: "^1.0.0" } },
    "node_modules/used": { version: "1.0.0", integrity: "sha512-a", license: "MIT" },
    "node_modules/idle": { version: "1.0.0", integrity: "sha512-b", license: "MIT" },
    "node_modules/hidden": { version: "1.0.0", integrity: "sha512-c", license: "MIT" },
  },
}

const key = `ghp_${randomBytes(18).toString("hex")}`

describe.runIf(needs("REPORT-1", "git"))("reports on one repository", () => {
  let root: string
  let app: App
  let close: () => PromiseLike<void>

  beforeAll(async () => {
    const temp = await tempDirectory()
    root = path.join(temp.path, "project")
    mkdirSync(root)
    git(root, "init", "-q", "-b", "main")
    const long = `export function long() {\n${"  step()\n".repeat(70)}}\n`
    commit(root, "feat: first", { "src/tax.ts": TAX, "src/long.ts": long, ".gitignore": "out\n" })
    git(root, "tag", "-a", "v1.2.0", "-m", "v1.2.0")
    git(root, "tag", "v1.10.0-rc", "HEAD")
    commit(root, "fix(tax): round", { "src/tax.ts": TAX.replace("return Math", "return  Math") })
    commit(root, "fix(tax): again", { "src/tax.ts": LATER })
    commit(root, "odd subject", {
      "src/shell.ts":
        'import { used } from "used"\nimport hidden from "hidden"\nexport const run = (a: string) => used(eval(a), hidden)\n',
      "src/long.test.ts": 'import { long } from "./long.ts"\nlong()\n',
      "package-lock.json": JSON.stringify(LOCK),
      "changes/rounding.md": "Amounts are rounded half up.\n",
      "yarn.lock": "x\n",
    })
    const environment = { PATH: process.env["PATH"], QM_HOME: path.join(temp.path, "home") }
    const settings = ["guard.highRiskPaths=src/tax.ts"]
    app = await createApp({ directory: root, environment, settings, writeLog: () => {} })
    close = async () => {
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    }
  })
  afterAll(() => close())

  async function call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
  ): Promise<OperationOutput<Name>>
  async function call(name: OperationName, input: unknown): Promise<unknown> {
    const { output } = OPERATIONS[name]
    return output.parse(await app.call(name, input, { signal }))
  }

  test("[REPORT-2][REPORT-3] debt has the age of marks, long functions and untested hot files", async () => {
    const debt = await call("audit.debt", {})
    const first = git(root, "rev-list", "--max-parents=0", "HEAD")
    expect(debt.markers).toMatchObject([
      { path: "src/tax.ts", line: 2, word: "TODO", text: "round half up", commit: first },
    ])
    expect(debt.markers[0]?.ageDays).toBeGreaterThan(700)
    expect(debt.large).toMatchObject([{ path: "src/long.ts", name: "long", lines: 72 }])
    expect(debt.hotspots).toMatchObject([{ path: "src/tax.ts", commits: 3, tests: 0 }])
    expect(debt.notes).toEqual([])
    const part = await call("audit.debt", { paths: ["src/shell.ts"] })
    expect([part.markerCount, part.large, part.hotspots]).toEqual([0, [], []])
  })

  test("[REPORT-4] deps names unused and undeclared packages, and lock files it cannot read", async () => {
    const deps = await call("audit.deps", {})
    expect(deps.lockFiles).toEqual([
      { path: "package-lock.json", ecosystem: "npm", packages: 3, direct: 2 },
    ])
    expect(deps.findings.map((it) => [it.kind, it.package])).toEqual([
      ["undeclared", "hidden"],
      ["unused", "idle"],
    ])
    expect(deps.notes.join("\n")).toContain("yarn.lock was not read")
  })

  test("[REPORT-5] security finds a secret, a credential file and a risky call, and prints no secret", async () => {
    writeFileSync(path.join(root, "src/key.ts"), `export const key = "${key}"\n`)
    writeFileSync(path.join(root, ".env"), `TOKEN=${key}\n`)
    const security = await call("audit.security", {})
    expect(security.isClean).toBe(false)
    expect(security.findings.map((it) => [it.kind, it.path, it.severity])).toEqual([
      ["secret-file", ".env", "high"],
      ["secret", "src/key.ts", "high"],
      ["risky-call", "src/shell.ts", "high"],
      ["high-risk-untested", "src/tax.ts", "medium"],
    ])
    expect(JSON.stringify(security)).not.toContain(key.slice(4, 20))
    const part = await call("audit.security", { paths: ["src/long.ts"] })
    expect([part.findings, part.isClean]).toEqual([[], true])
    git(root, "clean", "-fdq", "-e", "out")
  })

  test("[REPORT-6] api names removed symbols as breaking and added optional parameters not", async () => {
    const api = await call("audit.api", {})
    expect(api.from).toBe(git(root, "rev-parse", "v1.2.0^{commit}"))
    expect(api.bump).toBe("major")
    expect(api.changes.map((it) => [it.kind, it.symbol, it.isBreaking])).toEqual([
      ["removed", "old", true],
      ["added", "run", false],
      ["added", "fresh", false],
      ["changed", "tax", false],
    ])
    const none = await call("audit.api", { from: "HEAD", to: "HEAD" })
    expect([none.bump, none.changes]).toEqual(["none", []])
    await expect(call("audit.api", { from: "v9" })).rejects.toMatchObject({
      code: "REPORT_COMMIT_UNKNOWN",
    })
  })

  test("[REPORT-7] the test plan lists changed functions with their tests and cases", async () => {
    const plan = await call("audit.tests", { from: "v1.2.0" })
    expect(plan.rows.map((it) => [it.symbol, it.change, it.tests])).toEqual([
      ["run", "added", []],
      ["tax", "changed", []],
      ["fresh", "added", []],
    ])
    expect(plan.rows[1]?.cases).toContainEqual({ kind: "edge", text: "rate absent" })
    expect(plan.rows[1]?.cases.some((it) => it.kind === "failure")).toBe(true)
    expect(plan.uncovered).toBe(3)
    const clean = await call("audit.tests", {})
    expect(clean.rows).toEqual([])
  })

  test("[REPORT-8] changes since the last version tag, with written entries first", async () => {
    const draft = await call("report.changes", {})
    expect([draft.since, draft.commits, draft.bump]).toEqual(["v1.2.0", 3, "patch"])
    expect(draft.unsorted).toEqual(["odd subject"])
    expect(draft.text.split("\n").slice(0, 8)).toEqual([
      "## [Unreleased]",
      "",
      "### Written entries",
      "",
      "- Amounts are rounded half up.",
      "",
      "### Fixed",
      "",
    ])
    const notes = await call("report.changes", { from: "HEAD~1", form: "notes" })
    expect(notes.text).toContain("Since HEAD~1. Suggested version step: patch.")
  })

  test("[REPORT-11][REPORT-13] state and retro read history, board, records and claims", async () => {
    await call("claim.take", { paths: ["src/tax.ts"], session: "one" })
    await call("session.register", { slug: "round", request: "Round", finalState: "tests missing" })
    await call("ticket.new", { title: "Round half up", accept: ["0.5 gives 1"] })
    const state = await call("report.state", {})
    expect(state).toMatchObject({
      branch: "main",
      lastTag: "v1.2.0",
      commitsSinceTag: 3,
      claims: [{ path: "src/tax.ts", session: "one" }],
      next: [{ title: "Round half up" }],
      lastSession: { title: "round", finalState: "tests missing" },
      unreleased: ["changes/rounding.md: Amounts are rounded half up."],
    })
    expect(state.changed.map((it) => it.state)).toContain("untracked")
    gitWith(
      root,
      { env: { GIT_COMMITTER_DATE: `${Math.floor(Date.now() / 1_000)} +0000` } },
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "fix: now",
    )
    const retro = await call("report.retro", { days: 7 })
    expect(retro).toMatchObject({ commits: 1, types: [{ type: "fix", commits: 1 }], sessions: 1 })
  })

  test("[REPORT-9][REPORT-10] week and roadmap plan the tickets that the board calls ready", async () => {
    const ready = await call("ticket.ready", {})
    expect(ready.tickets.map((it) => it.title)).toEqual(["Round half up"])
    const week = await call("report.week", { capacity: 5 })
    expect(week.planned.map((it) => it.title)).toEqual(["Round half up"])
    const roadmap = await call("report.roadmap", {})
    expect(roadmap.text).toContain("## Wave 1: ")
    const users = await call("map.users", { path: "src/long.ts" })
    expect(JSON.stringify(users)).toContain("src/long.test.ts")
  })

  test("[REPORT-12] sign-off applies the checks of an approval and approves nothing", async () => {
    expect(await call("report.signoff", {})).toEqual({ tickets: [], isReady: false })
    await call("ticket.move", { id: "1", lane: "working" })
    await call("ticket.edit", { id: "1", lane: "testing" })
    const [open] = (await call("report.signoff", {})).tickets
    expect(open).toMatchObject({ isReady: false, criteria: 1, criteriaDone: 0 })
    expect(open?.reason).toContain("0.5 gives 1")
    await call("ticket.edit", { id: "1", check: [1] })
    expect((await call("report.signoff", { tickets: ["1"] })).tickets[0]?.reason).toContain(
      "no evidence",
    )
    await call("ticket.evidence", { id: "1", command: ["true"] })
    expect(await call("report.signoff", {})).toMatchObject({
      isReady: true,
      tickets: [{ reason: null, evidence: [{ command: "true", exitCode: 0, isCurrent: true }] }],
    })
    expect((await call("ticket.show", { id: "1" })).ticket.lane).toBe("testing")
  })

  test("[REPORT-1] a path without files and a repository without a lock file are coded errors", async () => {
    await expect(call("audit.debt", { paths: ["nowhere"] })).rejects.toMatchObject({
      code: "REPORT_PATH_UNKNOWN",
    })
    await using temp = await tempDirectory()
    await using other = await createApp({
      directory: temp.path,
      environment: { PATH: process.env["PATH"], QM_HOME: path.join(temp.path, "home") },
      settings: [],
      writeLog: () => {},
    })
    const ask = (name: OperationName) => other.call(name, {}, { signal })
    await expect(ask("audit.deps")).rejects.toMatchObject({ code: "REPORT_LOCK_FILE_MISSING" })
    await expect(ask("audit.api")).rejects.toMatchObject({ code: "REPORT_HISTORY_UNREADABLE" })
    expect(await ask("report.state")).toMatchObject({ branch: null, commit: null })
  })
})
