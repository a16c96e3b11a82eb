import { execFileSync } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import {
  DoctorReport,
  GuardTry,
  GuardVerdicts,
  KitDone,
  KitLevels,
  SessionList,
  SessionShow,
} from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"
import { answerGitHook, isGitHook } from "./git-hook.ts"

const { signal } = new AbortController()

async function newApp(temp: { readonly path: string }, name = "project") {
  const [home, project] = [path.join(temp.path, "home"), path.join(temp.path, name)]
  await mkdir(path.join(home, ".claude"), { recursive: true })
  await mkdir(project, { recursive: true })
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: project,
      encoding: "utf8",
    }).trim()
  git("init", "-q", "-b", "main")
  const environment = { PATH: process.env["PATH"], HOME: home }
  const app = await createApp({ directory: project, environment, settings: [], writeLog: () => {} })
  const call = (operation: string, input: object = {}) => app.call(operation, input, { signal })
  return Object.assign(app, { call_: call, home, project, git, environment })
}

test("[KIT-1] kit.init, kit.level and kit.uninstall only plan until `yes` or an earlier install, and doctor.run reports the kit", {
  timeout: 600_000,
}, async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp)
  const ask = app.call_
  const plan = KitDone.parse(await ask("kit.init", { level: 5 }))
  expect([plan.isApplied, plan.next[0]]).toEqual([
    false,
    "Run `qm init --level 5 --yes` to write it.",
  ])
  const shown = KitLevels.parse(await ask("kit.level", { level: 4 }))
  expect([shown.current, shown.done?.isApplied]).toEqual([null, false])
  expect(KitDone.parse(await ask("kit.init", { host: ["claude-code"], yes: true })).level).toBe(2)
  expect(KitLevels.parse(await ask("kit.level", { level: 5 })).current).toBe(5)
  await ask("config.set", { key: "guard.highRiskPaths", value: "none/**, !" })
  const report = DoctorReport.parse(await ask("doctor.run"))
  const kit = report.checks.filter((it) => it.area === "kit").map((it) => it.detail)
  expect(kit).toEqual([
    "level 5, claude-code",
    "from `qm init`",
    "none/** matches no file here",
    expect.stringContaining("! is invalid"),
  ])
  expect(report.hooks.every((it) => it.state === "installed")).toBe(true)
  const bundle = path.join(app.home, ".qm/kit/qm-hook.mjs")
  await writeFile(`${bundle}.other`, "x")
  const settings = await readFile(path.join(app.home, ".claude/settings.json"), "utf8")
  expect(settings).toContain(bundle)
  expect(KitDone.parse(await ask("kit.uninstall")).isApplied).toBe(false)
  expect(KitDone.parse(await ask("kit.uninstall", { yes: true })).isApplied).toBe(true)
  const proof = DoctorReport.parse(await ask("doctor.run", { prove: true }))
  expect(proof.checks.at(-1)?.detail).toContain("nothing to prove")
})

test("[LEDGER-21] session, guard and decision operations return the sessions, verdicts, overrides and decisions recorded before", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp)
  const ask = app.call_
  await writeFile(path.join(app.project, "a.ts"), "export const a = 1\n")
  await ask("guard.simulate", { paths: ["a.ts"] })
  const registered = await ask("session.register", { slug: "one", request: "Why?", session: "s1" })
  expect(registered).toMatchObject({ archived: [], proposal: null })
  const list = SessionList.parse(await ask("session.list"))
  expect(list.live.map((it) => it.session).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "s1",
    "terminal",
  ])
  const shown = SessionShow.parse(await ask("session.show", { session: "terminal" }))
  expect(shown.simulations[0]?.paths).toEqual(["a.ts"])
  const file = list.logged[0]?.file ?? ""
  expect(SessionShow.parse(await ask("session.show", { session: file })).text).toContain("Why?")
  await expect(ask("session.show", { session: "nobody" })).rejects.toMatchObject({
    code: "APP_SESSION_UNKNOWN",
  })
  expect(await ask("session.activity", {})).toMatchObject({ entries: { length: 4 } })
  expect(await ask("guard.override", { paths: ["a.ts", "."], reason: "because" })).toMatchObject({
    paths: ["a.ts", "."],
  })
  const { verdicts } = GuardVerdicts.parse(await ask("guard.verdicts"))
  expect(verdicts).toMatchObject([{ verdict: "override", session: "terminal" }])
  expect(GuardTry.parse(await ask("guard.try", { patterns: "*.ts" })).patterns).toMatchObject([
    { pattern: "*.ts", files: 1 },
  ])
  const parts = { context: "c", decision: "d", consequences: "e" }
  await ask("decision.add", { title: "Cents", ...parts })
  expect(await ask("decision.list")).toMatchObject({ total: 1, memories: [{ title: "Cents" }] })
})

test("[GITHOOKS-1] answerGitHook refuses a bad commit message and a conflicting push, and stages the session index", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp)
  await app.call_("kit.init", { host: ["claude-code"], level: 3, yes: true })
  // The doctor reloads the settings; a command starts with them.
  await app.call_("doctor.run")
  const { git, environment, project } = app
  const answer = (name: string, args: readonly string[] = [], stdin = "") => {
    if (!isGitHook(name)) throw new Error(name)
    return answerGitHook(name, { app, environment, signal, args, stdin })
  }
  const message = path.join(project, ".git", "COMMIT_EDITMSG")
  await writeFile(message, "fixed it\n")
  expect(await answer("commit-msg", [message])).toMatchObject({ code: 65 })
  await writeFile(message, "fix: round once\n")
  expect(await answer("commit-msg", [message])).toEqual({ code: 0, stderr: "" })
  await app.call_("session.register", { slug: "one", request: "Why?" })
  git("add", ".qm/memory/sessions")
  expect(await answer("pre-commit")).toEqual({ code: 0, stderr: "" })
  expect(git("diff", "--cached", "--name-only")).toContain(".qm/memory/SESSIONS.md")
  await writeFile(path.join(project, "a.txt"), "one\n")
  git("add", "-A")
  git("commit", "-qnm", "feat: one")
  git("update-ref", "refs/remotes/origin/main", "HEAD")
  git("remote", "add", "origin", path.join(temp.path, "nowhere"))
  await writeFile(path.join(project, "a.txt"), "theirs\n")
  git("commit", "-qnam", "feat: theirs")
  git("update-ref", "refs/remotes/origin/main", "HEAD")
  git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
  git("checkout", "-qb", "work", "HEAD~1")
  await writeFile(path.join(project, "a.txt"), "ours\n")
  git("commit", "-qnam", "feat: ours")
  const zeros = "0".repeat(40)
  const line = `refs/heads/work ${git("rev-parse", "HEAD")} refs/heads/work ${zeros}\n`
  const pushed = await answer("pre-push", ["origin", "x"], line)
  expect([pushed.code, pushed.stderr]).toEqual([65, expect.stringContaining("a.txt")])
  expect(isGitHook("SessionStart")).toBe(false)
})
