import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, test } from "vitest"
import {
  DoctorReport,
  GuardTry,
  GuardVerdicts,
  KitDone,
  KitLevels,
  SessionList,
  SessionShow,
} from "#ground/contract"
import { LAUNCHER, newUser } from "#test/qm"

type User = Awaited<ReturnType<typeof newUser>>

async function personWithClaude(): Promise<User> {
  const user = await newUser()
  execFileSync("git", ["init", "-q", user.project])
  await mkdir(path.join(user.home, ".claude"))
  await writeFile(settingsOf(user), OWN_SETTINGS)
  return user
}

const settingsOf = (user: User) => path.join(user.home, ".claude", "settings.json")
const OWN_SETTINGS = `{
  // mine
  "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] },
  "model": "opus"
}`

async function json(user: User, args: readonly string[]): Promise<unknown> {
  const { stdout, stderr, code } = await user.qm([...args, "--json"])
  expect([args, code, stderr]).toEqual([args, 0, ""])
  return JSON.parse(stdout)
}

type Settings = {
  readonly hooks: Readonly<
    Record<string, readonly { hooks: readonly { command: string; args: readonly string[] }[] }[]>
  >
}

/** Starts the hooks of the settings for an event, as the host would. */
async function fire(user: User, event: string, payload: object): Promise<string> {
  const bare = (await readFile(settingsOf(user), "utf8")).replace("// mine", "")
  const settings: Settings = JSON.parse(bare)
  const entry = settings.hooks[event]?.at(-1)?.hooks[0]
  if (entry === undefined) throw new Error(`no hook for ${event}`)
  const child = spawn(entry.command, [...entry.args], {
    cwd: user.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: user.home },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const ended = new Promise((resolve) => child.on("close", resolve))
  const base = { session_id: "one/../1", cwd: user.project, hook_event_name: event }
  child.stdin.end(JSON.stringify({ ...base, ...payload }))
  const [stdout, code] = await Promise.all([text(child.stdout), ended])
  expect(code).toBe(0)
  return stdout
}

const edit = (user: User, name: string) => ({
  tool_name: "Write",
  tool_input: { file_path: path.join(user.project, name), content: "x" },
  tool_response: { filePath: path.join(user.project, name) },
})

describe("the kit from the command line", () => {
  test("[KIT-1] init previews its changes, writes them with --yes, and uninstall restores the files", async () => {
    await using user = await personWithClaude()
    const plan = KitDone.parse(await json(user, ["init"]))
    expect(plan.isApplied).toBe(false)
    expect(plan.changes.map((it) => it.path)).toContainEqual(settingsOf(user))
    expect(await readFile(settingsOf(user), "utf8")).toBe(OWN_SETTINGS)
    const done = KitDone.parse(await json(user, ["init", "--yes"]))
    expect([done.isApplied, done.level]).toEqual([true, 2])
    const written = await readFile(settingsOf(user), "utf8")
    expect(written).toContain("// mine")
    expect(written).toContain('"command": "true"')
    const again = KitDone.parse(await json(user, ["init", "--yes"]))
    expect(again.changes.filter((it) => it.action !== "keep")).toEqual([])
    const lowered = KitDone.parse(await json(user, ["uninstall", "--yes"]))
    expect(lowered.isApplied).toBe(true)
    expect(await readFile(settingsOf(user), "utf8")).toBe(OWN_SETTINGS)
  })

  test("[KIT-1] outside of a repository init prints the next step and writes nothing", async () => {
    await using user = await newUser()
    const refused = await user.qm(["init", "--yes", "--host", "claude-code"])
    expect([refused.code, refused.stdout]).toEqual([1, ""])
    expect(refused.stderr).toContain("APP_KIT_NEEDS_GIT")
  })

  test("[APP-34] without qm on the PATH, the output says how to put it there", async () => {
    await using user = await personWithClaude()
    const folders = (process.env["PATH"] ?? "").split(path.delimiter)
    const without = folders.filter((it) => !existsSync(path.join(it, "qm")))
    const bin = path.join(user.path, "bin")
    await mkdir(bin)
    await symlink(LAUNCHER, path.join(bin, "qm"))
    const nextWith = async (searched: readonly string[]) => {
      const PATH = searched.join(path.delimiter)
      const { stdout } = await user.qm(["init", "--json"], { env: { PATH } })
      return KitDone.parse(JSON.parse(stdout)).next.join("\n")
    }
    expect(await nextWith(without)).toContain("Put qm on your PATH")
    expect(await nextWith([bin, ...without])).not.toContain("Put qm on your PATH")
  })

  test("[KIT-1] a level is set and shown with its cost, and an unknown level is refused", async () => {
    await using user = await personWithClaude()
    await user.qm(["init", "--yes"])
    const { current, levels, done } = KitLevels.parse(await json(user, ["level", "3"]))
    expect([current, done?.isApplied, levels.map((it) => it.level)]).toEqual([
      3,
      true,
      [1, 2, 3, 4, 5, 6, 7],
    ])
    expect(levels.find((it) => it.level === 3)?.hooks).toContain("concurrency")
    for (const wrong of ["0", "8", "x", "2.5"]) {
      const refused = await user.qm(["level", wrong])
      expect([wrong, refused.code, refused.stdout]).toEqual([wrong, 1, ""])
      expect(refused.stderr).toMatch(/\[[A-Z_]+\]/)
    }
    expect(KitLevels.parse(await json(user, ["level"])).current).toBe(3)
  })

  test("[KIT-12] a new team member gets the team's level and keeps the chosen hosts; the doctor reports differences", async () => {
    await using user = await personWithClaude()
    await mkdir(path.dirname(user.projectConfig))
    await writeFile(user.projectConfig, '{ "kit": { "level": 5 } }')
    await mkdir(path.join(user.home, ".codex"))
    expect(KitDone.parse(await json(user, ["init", "--host", "codex", "--yes"])).level).toBe(5)
    const again = KitDone.parse(await json(user, ["init"]))
    expect(again.changes.filter((it) => it.host === "claude-code")).toEqual([])
    await writeFile(user.projectConfig, '{ "kit": { "level": 3 } }')
    const told = await user.qm(["doctor"])
    expect(told.stdout).toContain("level 5 is installed, the settings say 3")
    const tried = await user.qm(["hook", "SessionStart", "--host", "codex"])
    expect(tried.code).toBe(0)
    const { verdicts } = GuardVerdicts.parse(await json(user, ["guard"]))
    expect(verdicts[0]?.host).toBe("codex by hand")
    const { hooks } = DoctorReport.parse(await json(user, ["doctor"]))
    expect(hooks.filter((it) => it.state === "fired")).toEqual([])
  })

  test("[HOOKS-1] hook events appear in the log, the sessions and the watch", async () => {
    await using user = await personWithClaude()
    await user.qm(["init", "--yes"])
    await fire(user, "SessionStart", { source: "startup" })
    for (const name of ["a.ts", "b.ts"]) {
      await writeFile(path.join(user.project, name), "x")
      await fire(user, "PostToolUse", edit(user, name))
    }
    const nudge = JSON.parse(await fire(user, "Stop", { stop_hook_active: false }))
    expect(nudge.decision).toBe("block")
    expect(nudge.reason).toContain("qm sessions register")
    expect(await fire(user, "Stop", { stop_hook_active: false })).toBe("")

    const { live } = SessionList.parse(await json(user, ["session"]))
    expect(live).toMatchObject([
      { session: "one/../1", host: "claude-code", files: 2, drifted: 2, isRegistered: false },
    ])
    const shown = SessionShow.parse(await json(user, ["session", "show", "one/../1"]))
    expect(shown.files.map((it) => it.path)).toEqual(["a.ts", "b.ts"])
    const { verdicts, counts } = GuardVerdicts.parse(await json(user, ["guard"]))
    expect(verdicts[1]).toMatchObject({ event: "stop", rule: "drift", verdict: "block" })
    expect(counts.block).toBe(1)
    const tried = GuardTry.parse(await json(user, ["guard", "try", "a.*, none/**"]))
    expect(tried.hits.map((it) => it.path)).toEqual(["a.ts"])
    expect(tried.patterns).toMatchObject([
      { pattern: "a.*", edits: 1, files: 1 },
      { pattern: "none/**", edits: 0, files: 0 },
    ])
    const watched = await user.qm(["watch", "--json"])
    const kinds = watched.stdout
      .trim()
      .split("\n")
      .map((it) => JSON.parse(it).kind)
    expect(kinds).toEqual(["opened", "modified", "modified", "nudged"])
    expect((await user.qm(["watch"])).stdout).toContain("a.ts")
    const unknown = await user.qm(["session", "show", "nobody"])
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining("APP_SESSION_UNKNOWN"),
    ])
  })

  test("[CLI-25] watch follows until Ctrl-C and then exits with 0", async () => {
    await using user = await personWithClaude()
    await user.qm(["init", "--yes"])
    const child = spawn(LAUNCHER, ["watch", "--follow", "--json"], {
      cwd: user.project,
      env: { PATH: process.env["PATH"] ?? "", HOME: user.home },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const ended = new Promise((resolve) => child.on("close", resolve))
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => (output += part))
    const stderr = text(child.stderr)
    await writeFile(path.join(user.project, "a.ts"), "x")
    // `watch` reports only edits after its start, which has no visible end.
    while (output === "") await fire(user, "PostToolUse", edit(user, "a.ts"))
    expect(output).toContain('"session":"one/../1"')
    child.kill("SIGINT")
    expect([await ended, await stderr]).toEqual([0, ""])
  })

  test("[MEMORY-1] a decision is written, listed and shown", async () => {
    await using user = await personWithClaude()
    const added = await user.qm([
      "decision",
      "add",
      "Money is integers",
      "Amounts are cents.",
      "--context",
      "Floats round.",
    ])
    expect(added.code).toBe(0)
    const list = await user.qm(["decision"])
    expect(list.stdout).toContain("Money is integers")
    const [id = ""] = /mem_\w+/.exec(list.stdout) ?? []
    expect((await user.qm(["decision", "show", id])).stdout).toContain("Floats round.")
  })
})
