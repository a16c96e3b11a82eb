import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { processIdentity, systemClock, systemRandom, thisMachine } from "#ground/base"
import type { SyncCheck } from "#ground/contract"
import { createClaims } from "#know/ledger"
import { locateRepository } from "#see/repo"
import { commit, git } from "#test/git"
import { needs } from "#test/needs"
import { CALL, type Clones, twoClones } from "#test/review-room"

const states = ({ checks }: { readonly checks: readonly SyncCheck[] }) =>
  Object.fromEntries(checks.map((it) => [it.name, it.state]))
const named = ({ checks }: { readonly checks: readonly SyncCheck[] }, name: string) =>
  checks.find((it) => it.name === name)

const preflight = async (it: Clones, input: object = {}) =>
  (await it.room()).preflight({ paths: [], days: 14, fetch: true, ...input }, CALL)
const prepr = async (it: Clones, input: object = {}) =>
  (await it.room()).prepr({ fetch: true, ...input }, CALL)

describe.runIf(needs("S5", "git"))("two clones and a bare remote", () => {
  test("[SYNC-1] 1: a clean branch is level with its base, and what needs a program is skipped", async () => {
    await using clones = await twoClones()
    const report = await preflight(clones)
    expect(report).toMatchObject({
      branch: "main",
      upstream: "origin/main",
      base: "origin/main",
      ahead: 0,
      behind: 0,
      files: [],
      others: [],
      pulls: null,
      skipped: 1,
      isReady: true,
    })
    expect(states(report)).toEqual({
      fetch: "passed",
      upstream: "passed",
      divergence: "passed",
      size: "passed",
      others: "passed",
      "pull requests": "skipped",
    })
    expect(named(report, "pull requests")?.detail).toContain(
      "does not contain a host and a repository",
    )
  })

  test("[SYNC-1] 2: commits that only the remote has are fetched and counted", async () => {
    await using clones = await twoClones()
    clones.theyPush("main", { "b.txt": "theirs\n" })
    const before = await preflight(clones, { fetch: false })
    expect([before.behind, named(before, "fetch")?.state]).toEqual([0, "skipped"])
    const report = await preflight(clones)
    expect([report.ahead, report.behind]).toEqual([0, 1])
    expect(states(report)).toMatchObject({ upstream: "warning", divergence: "warning" })
  })

  test("[SYNC-2] 3: a colleague's branch on the same file is named with author and files", async () => {
    await using clones = await twoClones()
    clones.theyPush("billing", { "a.txt": "theirs\n", "other.txt": "x\n" })
    clones.theyPush("unrelated", { "d.txt": "x\n" })
    writeFileSync(path.join(clones.mine, "a.txt"), "uncommitted\n")
    const report = await preflight(clones)
    expect(report.files).toEqual(["a.txt"])
    expect(report.others).toEqual([{ who: "t", where: "billing", files: ["a.txt"] }])
    expect(named(report, "others")).toMatchObject({
      state: "warning",
      items: ["billing: t on a.txt"],
    })
  })

  test("[SYNC-2] 4: a commit of the base, an old branch, a claim and a named path", async () => {
    await using clones = await twoClones()
    clones.theyPush("main", { "src/c.ts": "export const c = 1\n" })
    const { stateDirectory } = await locateRepository(clones.mine)
    const deps = { stateDirectory, clock: systemClock, random: systemRandom }
    const claims = createClaims({ ...deps, machine: thisMachine() })
    await claims.take(["src"], { session: "other-session", process: processIdentity() })
    const report = await preflight(clones, { paths: ["src/c.ts"] })
    expect(report.others).toEqual([
      { who: "t", where: "origin/main", files: ["src/c.ts"] },
      { who: "other-session", where: "claim", files: ["src/c.ts"] },
    ])
    clones.theyPush("old", { "src/c.ts": "export const c = 2\n" })
    const ofToday = { clock: { ...systemClock, now: () => 1_700_000_000_000 + 30 * 86_400_000 } }
    const later = await (await clones.room(clones.mine, ofToday)).preflight(
      { paths: ["src/c.ts"], days: 14, fetch: true },
      CALL,
    )
    expect(later.others.map((it) => it.where)).not.toContain("old")
  })

  test("[SYNC-3] 5: a branch that is ready passes every check that can run", async () => {
    await using clones = await twoClones()
    clones.iCommit("topic", { "a.txt": "mine\n" })
    git(clones.mine, "push", "-q", "origin", "topic")
    const report = await prepr(clones)
    expect(report).toMatchObject({
      branch: "topic",
      ahead: 1,
      behind: 0,
      conflicts: [],
      isReady: true,
      skipped: 2,
    })
    expect(states(report)).toEqual({
      fetch: "passed",
      upstream: "skipped",
      divergence: "passed",
      branch: "passed",
      "working tree": "passed",
      pushed: "passed",
      size: "passed",
      conflicts: "passed",
      duplicates: "skipped",
    })
  })

  test("[SYNC-3] 6: a conflict that is only on the remote is forecast, and nothing is changed", async () => {
    await using clones = await twoClones()
    clones.theyPush("main", { "a.txt": "theirs\n" })
    clones.iCommit("topic", { "a.txt": "mine\n" })
    const report = await prepr(clones)
    expect(report).toMatchObject({ conflicts: ["a.txt"], isReady: false })
    expect(named(report, "conflicts")).toMatchObject({ state: "failed", items: ["a.txt"] })
    expect(named(report, "divergence")?.state).toBe("warning")
    expect(named(report, "pushed")?.detail).toContain("git push -u origin topic")
    expect(git(clones.mine, "status", "--porcelain")).toBe("")
    expect(git(clones.mine, "rev-parse", "--abbrev-ref", "HEAD")).toBe("topic")
  })

  test("[SYNC-3] 7: the base itself, a detached head, no commit and uncommitted files", async () => {
    await using clones = await twoClones()
    expect(named(await prepr(clones), "branch")).toMatchObject({
      state: "failed",
      detail: "main is the branch to merge into; create a branch for the change.",
    })
    git(clones.mine, "checkout", "-q", "-b", "empty")
    writeFileSync(path.join(clones.mine, "new.txt"), "x\n")
    const empty = await prepr(clones)
    expect(named(empty, "branch")?.detail).toBe(
      "The branch has no commit that is not in origin/main.",
    )
    expect(named(empty, "working tree")).toMatchObject({ state: "warning", items: ["new.txt"] })
    git(clones.mine, "checkout", "-q", "--detach")
    expect(states(await prepr(clones))).toMatchObject({
      branch: "failed",
      pushed: "skipped",
      duplicates: "skipped",
    })
  })

  test("[SYNC-3] 8: commits of another clone on the same branch fail, also after a fetch", async () => {
    await using clones = await twoClones()
    clones.iCommit("topic", { "a.txt": "mine\n" })
    git(clones.mine, "push", "-q", "-u", "origin", "topic")
    git(clones.theirs, "fetch", "-q")
    git(clones.theirs, "checkout", "-q", "topic")
    commit(clones.theirs, "feat: also", { "e.txt": "x\n" })
    git(clones.theirs, "push", "-q", "origin", "topic")
    clones.iCommit("topic", { "f.txt": "x\n" })
    const report = await prepr(clones)
    expect(states(report)).toMatchObject({ upstream: "failed", pushed: "failed" })
    expect(report.isReady).toBe(false)
    git(clones.mine, "reset", "-q", "--hard", "HEAD~1")
    expect(states(await prepr(clones))).toMatchObject({ upstream: "warning", pushed: "failed" })
  })

  test("[SYNC-4] 9: an unreachable remote, none, an unknown base and a shallow clone are skipped or refused, never passed", async () => {
    await using clones = await twoClones()
    clones.iCommit("topic", { "a.txt": "mine\n" })
    await expect(prepr(clones, { base: "nowhere" })).rejects.toMatchObject({
      code: "SYNC_BASE_UNKNOWN",
    })
    rmSync(clones.remote, { recursive: true })
    const gone = await prepr(clones)
    expect(named(gone, "fetch")).toMatchObject({
      state: "skipped",
      detail: expect.stringContaining("as last fetched"),
    })
    git(clones.mine, "remote", "remove", "origin")
    const alone = await prepr(clones)
    expect(states(alone)).toMatchObject({
      fetch: "skipped",
      upstream: "skipped",
      divergence: "skipped",
      size: "skipped",
      conflicts: "skipped",
      duplicates: "skipped",
    })
    expect(alone).toMatchObject({ base: null, ahead: null, conflicts: null })
    const folder = path.join(clones.path, "plain")
    mkdirSync(folder)
    const plain = (await clones.room(folder)).prepr({ fetch: true }, CALL)
    await expect(plain).rejects.toMatchObject({ code: "SYNC_NO_GIT" })
    const shallow = path.join(clones.path, "shallow")
    git(clones.path, "clone", "-q", "--depth=1", `file://${clones.theirs}`, shallow)
    const cut = await (await clones.room(shallow)).prepr({ fetch: false }, CALL)
    expect(named(cut, "conflicts")).toMatchObject({
      state: "skipped",
      detail: expect.stringContaining("shallow"),
    })
  })

  test("[SYNC-4] 10: a commit with more than 5,000 files is named, not listed", async () => {
    await using clones = await twoClones()
    clones.iCommit("topic", { "a.txt": "mine\n" })
    const blob = git(clones.mine, "rev-parse", "HEAD:a.txt")
    const lines = Array.from({ length: 5_001 }, (_, n) => `100644 ${blob}\tmany/f${n}.txt\n`)
    execFileSync("git", ["update-index", "--index-info"], {
      cwd: clones.mine,
      input: lines.join(""),
    })
    git(clones.mine, "commit", "-q", "-m", "feat: many")
    git(clones.mine, "config", "core.sparseCheckout", "false")
    const report = await prepr(clones, { fetch: false })
    expect(named(report, "size")).toMatchObject({
      state: "skipped",
      items: [expect.stringMatching(/^[0-9a-f]{12}$/)],
    })
    clones.iCommit("topic", {})
    const small = await preflight(clones, { fetch: false })
    expect(named(small, "size")?.state).toBe("skipped")
  })

  test("[SYNC-5] 11: an open request of the branch fails, one with the same files warns, both from the user's program", async () => {
    await using clones = await twoClones()
    clones.theyPush("same-files", { "a.txt": "theirs\n" })
    clones.theyPush("elsewhere", { "z.txt": "x\n" })
    clones.iCommit("topic", { "a.txt": "mine\n" })
    git(clones.mine, "fetch", "-q", "origin")
    clones.remoteIs("git@gitea.example.test:team/shop.git")
    const pull = (number: number, ref: string) => ({
      number,
      title: `Pull ${number}`,
      html_url: `https://gitea.example.test/team/shop/pulls/${number}`,
      state: "open",
      head: { ref, sha: "0".repeat(40) },
      base: { ref: "main" },
      user: { login: "ann" },
    })
    const login = {
      args: ["logins", "list", "--output", "json"],
      out: '[{"name":"work","url":"https://gitea.example.test"}]',
    }
    const list = [
      "api",
      "--login",
      "work",
      "--method",
      "GET",
      "/repos/team/shop/pulls?state=open&sort=recentupdate&limit=50",
    ]
    clones.script("tea", [
      login,
      { args: list, out: JSON.stringify([pull(4, "same-files"), pull(5, "elsewhere")]) },
    ])
    const similar = await prepr(clones, { fetch: false })
    expect(named(similar, "duplicates")).toMatchObject({
      state: "warning",
      items: ["#4 Pull 4 (same-files)"],
    })
    clones.script("tea", [login, { args: list, out: JSON.stringify([pull(6, "topic")]) }])
    const own = await prepr(clones, { fetch: false })
    expect(named(own, "duplicates")).toMatchObject({
      state: "failed",
      items: [expect.stringContaining("/pulls/6")],
    })
    clones.script("tea", [login, { args: list, err: "HTTP 500", code: 1 }])
    const broken = await prepr(clones, { fetch: false })
    expect(named(broken, "duplicates")).toMatchObject({
      state: "skipped",
      detail: expect.stringContaining("HTTP 500"),
    })
  })

  test("[SYNC-6] [S5] 12: no program that the repository names is started", async () => {
    await using clones = await twoClones()
    const canary = path.join(clones.path, "canary")
    const evil = path.join(clones.path, "evil")
    writeFileSync(evil, `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 })
    for (const name of ["gh", "tea", "git"]) {
      mkdirSync(path.join(clones.mine, "bin"), { recursive: true })
      writeFileSync(path.join(clones.mine, "bin", name), `#!/bin/sh\ntouch '${canary}'\n`)
      chmodSync(path.join(clones.mine, "bin", name), 0o755)
    }
    clones.environment.PATH = `${path.join(clones.mine, "bin")}${path.delimiter}${clones.environment.PATH}`
    clones.theyPush("main", {
      "a.txt": "theirs\n",
      ".gitattributes": "* merge=x filter=x diff=x\n",
    })
    clones.iCommit("topic", { "a.txt": "mine\n" })
    for (const key of [
      "core.fsmonitor",
      "core.sshCommand",
      "core.askPass",
      "core.pager",
      "diff.external",
      "remote.origin.uploadpack",
      "merge.x.driver",
      "filter.x.clean",
      "filter.x.smudge",
      "diff.x.textconv",
      "credential.helper",
    ])
      git(clones.mine, "config", key, evil)
    await preflight(clones)
    expect((await prepr(clones)).conflicts).toEqual(["a.txt"])
    expect(existsSync(canary)).toBe(false)
  })
})
