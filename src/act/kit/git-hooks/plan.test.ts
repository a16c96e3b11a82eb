import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { locateRepository } from "#see/repo"
import { git } from "#test/git"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { ownerOf, planGitHooks, planGitHooksRemoval, renderScript } from "./plan.ts"

const OWN = "#!/bin/sh\n# mine, with a sign \u00e4 and no newline at the end\nexit 0"

async function newRepository() {
  const temp = await tempDirectory()
  const root = path.join(temp.path, "project")
  mkdirSync(root)
  git(root, "init", "-q", "-b", "main")
  const hooks = path.join(root, ".git", "hooks")
  const userGit = async (env: Readonly<Record<string, string>> = {}) => ({
    file: execFileSync("sh", ["-c", "command -v git"]).toString().trim(),
    repository: await locateRepository(root),
    environment: { PATH: process.env["PATH"], HOME: temp.path, GIT_CONFIG_NOSYSTEM: "1", ...env },
    signal: new AbortController().signal,
  })
  return Object.assign(temp, {
    root,
    hooks,
    plan: async (qm = "/opt/qm/bin/qm") => planGitHooks(await userGit(), { qm }),
    planWith: async (env: Readonly<Record<string, string>>) =>
      planGitHooks(await userGit(env), { qm: "/opt/qm/bin/qm" }),
    removal: async () => planGitHooksRemoval(await userGit()),
  })
}

function pictureOf(folder: string): Readonly<Record<string, string>> {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return Object.fromEntries(
    names.map((name) => {
      const file = path.join(folder, name)
      const mode = (lstatSync(file).mode & 0o7777).toString(8)
      return [name, `${mode} ${readFileSync(file).toString("hex")}`]
    }),
  )
}

describe.runIf(needs("S6", "git"))("planning git hooks", () => {
  test("[GITHOOKS-1] three hooks are planned, shown and written to the folder that git uses", async () => {
    await using fixture = await newRepository()
    const plan = await fixture.plan()
    expect(plan.warnings).toEqual([])
    expect(plan.changes).toEqual(
      ["pre-commit", "commit-msg", "pre-push"].map((name) => ({
        path: path.join(fixture.hooks, name),
        action: "create",
        host: null,
        what: "git hook: the qm hook",
      })),
    )
    expect(existsSync(path.join(fixture.hooks, "pre-commit"))).toBe(false)
    await plan.write()
    const text = readFileSync(path.join(fixture.hooks, "pre-commit"), "utf8")
    expect(text).toBe(renderScript("pre-commit", { qm: "/opt/qm/bin/qm" }))
    expect(lstatSync(path.join(fixture.hooks, "pre-commit")).mode & 0o777).toBe(0o755)
  })

  test("[GITHOOKS-1] `core.hooksPath` of the repository's own config is used", async () => {
    await using fixture = await newRepository()
    const folder = path.join(fixture.path, "my hooks")
    git(fixture.root, "config", "core.hooksPath", folder)
    await (await fixture.plan()).write()
    expect(readdirSync(folder).toSorted()).toEqual(["commit-msg", "pre-commit", "pre-push"])
    expect(existsSync(path.join(fixture.hooks, "pre-commit"))).toBe(false)
    await (await fixture.removal()).write()
    expect(readdirSync(folder)).toEqual([])
  })

  test("[GITHOOKS-2] hook folders of others are left alone, and the line to add is printed", async () => {
    await using fixture = await newRepository()
    const expectLeft = (plan: Awaited<ReturnType<typeof fixture.plan>>, why: string) => {
      expect(plan.changes).toEqual([])
      expect(plan.warnings).toHaveLength(1)
      expect(plan.warnings[0]).toContain(why)
      expect(plan.warnings[0]).toContain('qm hook pre-commit "$@"')
    }
    git(fixture.root, "config", "core.hooksPath", ".husky/_")
    expectLeft(await fixture.plan(), "belongs to the project")
    git(fixture.root, "config", "--unset", "core.hooksPath")
    const global = path.join(fixture.path, "global")
    writeFileSync(global, "[core]\n\thooksPath = ~/everywhere\n")
    expectLeft(await fixture.planWith({ GIT_CONFIG_GLOBAL: global }), "all your repositories")
    rmSync(fixture.hooks, { recursive: true })
    symlinkSync(fixture.path, fixture.hooks)
    expectLeft(await fixture.plan(), "symbolic link")
    await (await fixture.plan()).write()
    expect(readdirSync(fixture.path).toSorted()).toEqual(["global", "project"])
  })

  test("[GITHOOKS-3] [GITHOOKS-4] [S6] the user's hooks are restored byte for byte, with their modes", async () => {
    await using fixture = await newRepository()
    writeFileSync(path.join(fixture.hooks, "pre-commit"), OWN)
    chmodSync(path.join(fixture.hooks, "pre-commit"), 0o751)
    writeFileSync(
      path.join(fixture.hooks, "commit-msg"),
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0]),
    )
    chmodSync(path.join(fixture.hooks, "commit-msg"), 0o500)
    const before = pictureOf(fixture.hooks)
    await (await fixture.plan()).write()
    const between = pictureOf(fixture.hooks)
    expect(between["pre-commit.qm-kept"]).toBe(before["pre-commit"])
    expect(between["commit-msg.qm-kept"]).toBe(before["commit-msg"])
    expect(between["pre-commit"]).not.toBe(before["pre-commit"])
    const removal = await fixture.removal()
    expect(removal.changes.map((it) => it.action)).toEqual(["restore", "restore", "remove"])
    await removal.write()
    expect(pictureOf(fixture.hooks)).toEqual(before)
  })

  test("[GITHOOKS-4] a hooks folder that qm created is removed with its last hook", async () => {
    await using fixture = await newRepository()
    rmSync(fixture.hooks, { recursive: true })
    await (await fixture.plan()).write()
    expect(existsSync(fixture.hooks)).toBe(true)
    await (await fixture.removal()).write()
    expect(existsSync(fixture.hooks)).toBe(false)
  })

  test("[GITHOOKS-4] a hook that was edited or replaced is left in place with a warning", async () => {
    await using fixture = await newRepository()
    const hook = (name: string) => path.join(fixture.hooks, name)
    writeFileSync(hook("pre-push"), OWN)
    await (await fixture.plan()).write()
    writeFileSync(hook("pre-commit"), `${readFileSync(hook("pre-commit"), "utf8")}echo more\n`)
    writeFileSync(hook("commit-msg"), "#!/bin/sh\nexit 0\n")
    unlinkSync(hook("pre-push"))
    symlinkSync("/nowhere", hook("pre-push"))
    const removal = await fixture.removal()
    expect(removal.changes).toEqual([])
    expect(removal.warnings).toHaveLength(2)
    expect(removal.warnings[0]).toContain("edited since")
    expect(removal.warnings[1]).toContain("no longer the qm hook")
    await removal.write()
    expect(lstatSync(hook("pre-push")).isSymbolicLink()).toBe(true)
    expect(readFileSync(hook("pre-push.qm-kept"), "utf8")).toBe(OWN)
    expect(readFileSync(hook("pre-commit"), "utf8")).toContain("echo more")
    unlinkSync(hook("pre-push"))
    renameSync(hook("pre-push.qm-kept"), hook("pre-push"))
    expect((await fixture.plan()).warnings).toEqual([expect.stringContaining("edited since")])
  })

  test.each([
    ["a link", "KIT_HOOK_NOT_A_FILE", (file: string) => symlinkSync("/nowhere", file)],
    ["a folder", "KIT_HOOK_NOT_A_FILE", (file: string) => mkdirSync(file)],
    ["a pipe", "KIT_HOOK_NOT_A_FILE", (file: string) => void execFileSync("mkfifo", [file])],
    [
      "a kept file",
      "KIT_HOOK_KEPT_EXISTS",
      (file: string) => {
        writeFileSync(file, OWN)
        writeFileSync(`${file}.qm-kept`, OWN)
      },
    ],
  ])("%s at the hook's path is rejected before anything is written", async (_what, code, put) => {
    await using fixture = await newRepository()
    put(path.join(fixture.hooks, "pre-push"))
    const before = readdirSync(fixture.hooks)
    await expect(fixture.plan()).rejects.toMatchObject({ code })
    expect(readdirSync(fixture.hooks)).toEqual(before)
  })

  test("a plan is rejected when the files changed after planning", async () => {
    await using fixture = await newRepository()
    const plan = await fixture.plan()
    writeFileSync(path.join(fixture.hooks, "pre-push"), OWN)
    const before = pictureOf(fixture.hooks)
    await expect(plan.write()).rejects.toMatchObject({ code: "KIT_HOOKS_CHANGED" })
    expect(pictureOf(fixture.hooks)).toEqual(before)
  })

  test("a second install changes nothing, and another qm path rewrites the hooks", async () => {
    await using fixture = await newRepository()
    writeFileSync(path.join(fixture.hooks, "pre-commit"), OWN, { mode: 0o755 })
    await (await fixture.plan()).write()
    const once = pictureOf(fixture.hooks)
    const again = await fixture.plan()
    expect(again.changes.map((it) => it.action)).toEqual(["keep", "keep", "keep"])
    await again.write()
    expect(pictureOf(fixture.hooks)).toEqual(once)
    const moved = await fixture.plan("/elsewhere/it's here/qm")
    expect(moved.changes.map((it) => it.action)).toEqual(["change", "change", "change"])
    await moved.write()
    expect(readFileSync(path.join(fixture.hooks, "pre-commit.qm-kept"), "utf8")).toBe(OWN)
  })

  test("[GITHOOKS-3] an interrupted install is finished or undone by the next run", async () => {
    await using fixture = await newRepository()
    const hook = path.join(fixture.hooks, "pre-commit")
    writeFileSync(hook, OWN, { mode: 0o755 })
    execFileSync("ln", [hook, `${hook}.qm-kept`])
    await (await fixture.removal()).write()
    expect([readFileSync(hook, "utf8"), existsSync(`${hook}.qm-kept`)]).toEqual([OWN, false])
    execFileSync("ln", [hook, `${hook}.qm-kept`])
    await (await fixture.plan()).write()
    expect(readFileSync(`${hook}.qm-kept`, "utf8")).toBe(OWN)
    expect(ownerOf(readFileSync(hook))).toBe("ours")
  })
})

test("[GITHOOKS-4] a qm hook is recognized by its hash, also when the path differs in letter case", () => {
  const text = renderScript("pre-push", { qm: "/home/j\u00fcrgen/qm" })
  const owner = (changed: string) => ownerOf(Buffer.from(changed))
  expect(owner(text)).toBe("ours")
  expect(owner(text.replace("exit 0\n", "exit 1\n"))).toBe("edited")
  expect(owner(text.replace("#!/bin/sh\n", "#!/bin/bash\n"))).toBe("edited")
  expect(owner("#!/bin/sh\nexit 0\n")).toBe("theirs")
})
