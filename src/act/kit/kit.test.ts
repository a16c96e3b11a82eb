import { execFileSync } from "node:child_process"
import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { isAppError, processIdentity } from "#ground/base"
import type { KitHost } from "#ground/contract"
import { git } from "#test/git"
import { type KitFixture, kitFixture, NEVER, snapshot } from "#test/kit-fixture"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { HOST_FORMS } from "./hosts/hosts.ts"
import { createKit } from "./kit.ts"

const ALL: readonly KitHost[] = ["claude-code", "codex", "antigravity"]

describe("install", () => {
  test("[KIT-1] a file that cannot be written in one host stops the install before any host is changed", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.userHome, ".gemini/config/hooks.json", "not json")
    const before = await snapshot(temp.path)
    expect(await codeOf(fixture.install(ALL))).toBe("KIT_SETTINGS_INVALID")
    expect(await snapshot(temp.path)).toEqual(before)
  })

  test("[KIT-1] `plan` writes nothing and lists the action for each file", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.userHome, ".claude/settings.json", "{}")
    const before = await snapshot(temp.path)
    const plan = await fixture.kit.plan({ hosts: ["claude-code"], level: 2 }, NEVER)
    expect(await snapshot(temp.path)).toEqual(before)
    expect(plan.changes.map(({ action, host, what }) => [action, host, what])).toEqual([
      ["create", null, "the hook bundle, one file without dependencies"],
      ["create", null, "the location of the qm program"],
      ["create", null, "the location of node and qm, for the plugin"],
      [
        "change",
        "claude-code",
        "hooks on SessionStart, PreToolUse, PostToolUse, Stop, InstructionsLoaded, PreCompact",
      ],
      ["create", null, "enrols this repository; without this file hooks do nothing here"],
    ])
  })

  test("[KIT-1] without an installed host, install is rejected", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    expect(await codeOf(fixture.install([]))).toBe("KIT_NO_HOST")
  })

  test("[KIT-3] a second install changes nothing", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.userHome, ".claude/settings.json", '{"hooks":{"Stop":[]}}')
    await fixture.install(ALL)
    const once = await snapshot(temp.path)
    const times = await timesOf(temp.path)
    const again = await fixture.install(ALL)
    expect(new Set(again.changes.map((it) => it.action))).toEqual(new Set(["keep"]))
    expect(await snapshot(temp.path)).toEqual(once)
    expect(await timesOf(temp.path)).toEqual(times)
  })

  test("[KIT-7] hooks run by absolute paths, without a shell or in single quotes", async () => {
    await using temp = await tempDirectory()
    const home = path.join(temp.path, "it's a $HOME")
    const fixture = await kitFixture(temp.path, { home })
    await fixture.install(ALL)
    const claude = await readJson(fixture.userHome, ".claude/settings.json")
    const [handler] = claude.hooks.Stop[0].hooks
    expect(handler).toMatchObject({ type: "command", command: "/opt/node/bin/node", timeout: 10 })
    expect(handler.args).toEqual([
      expect.stringMatching(/it's a \$HOME\/kit\/qm-hook\.mjs$/),
      "claude-code",
    ])
    const codex = await readJson(fixture.userHome, ".codex/hooks.json")
    const line: string = codex.hooks.Stop[0].hooks[0].command
    const words = execFileSync("/bin/sh", ["-c", `printf '%s\\n' ${line}`])
      .toString()
      .split("\n")
    expect(words.slice(0, 3)).toEqual(["/opt/node/bin/node", handler.args[0], "codex"])
    await fixture.uninstall()
    expect(await exists(path.join(fixture.userHome, ".codex"))).toBe(false)
  })

  test("[KIT-7] every entry has a matcher where the host supports one", () => {
    const program = { kind: "bundle", node: "/n", bundle: "/b" } as const
    for (const host of ALL) {
      const entries = HOST_FORMS[host].entries(7, program)
      const inGroups = entries.filter((it) => "hooks" in it.entry)
      expect(inGroups.every((it) => it.entry["matcher"])).toBe(true)
      expect(new Set(entries.map((it) => it.event)).size).toBe(entries.length)
    }
  })

  test("[KIT-7] a matcher matches the tools of its level and no others", () => {
    const after = HOST_FORMS["claude-code"]
      .entries(4, { kind: "bundle", node: "/n", bundle: "/b" } as const)
      .find((it) => it.event === "PostToolUse")
    const matcher = new RegExp(String(after?.entry["matcher"]))
    const fits = ["Edit", "Write", "NotebookEdit", "Read", "mcp__x__y"].map((it) =>
      matcher.test(it),
    )
    expect(fits).toEqual([true, true, true, true, true])
    expect(["TodoWrite", "MyEdit", "ReadMcp"].some((it) => matcher.test(it))).toBe(false)
  })

  test("[KIT-10] one template is written in each host's format", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const templates = fixture.deps.templates
    await put(templates, "commands/handoff.md", head("handoff", "command", 1))
    await put(templates, "skills/pack.md", head("pack", "skill", 4))
    await fixture.install(ALL, 4)
    const projected = Object.keys(await snapshot(fixture.userHome)).filter((it) =>
      it.endsWith(".md"),
    )
    expect(projected.toSorted()).toEqual([
      ".agents/skills/qm-handoff/SKILL.md",
      ".agents/skills/qm-pack/SKILL.md",
      ".claude/agents/qm-repo-mapper.md",
      ".claude/commands/qm/handoff.md",
      ".claude/skills/qm-pack/SKILL.md",
      ".gemini/antigravity/skills/qm-handoff/SKILL.md",
      ".gemini/antigravity/skills/qm-pack/SKILL.md",
      ".gemini/antigravity/skills/qm-repo-mapper/SKILL.md",
    ])
    const agent = await readFile(
      path.join(fixture.userHome, ".claude/agents/qm-repo-mapper.md"),
      "utf8",
    )
    const toml = path.join(fixture.userHome, ".codex/agents/qm-repo-mapper.toml")
    expect(await readFile(toml, "utf8")).toBe(
      'name = "qm-repo-mapper"\ndescription = "Answers where things are."\n' +
        "developer_instructions = '''\nYou answer questions.\n'''\n",
    )
    expect(agent).toBe(
      '---\nname: "qm-repo-mapper"\ndescription: "Answers where things are."\n' +
        'tools: "Read, Grep"\n---\n\nYou answer questions.\n',
    )
  })

  test("[KIT-10] a generated file that the user wrote or changed is left in place with a warning", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const file = path.join(fixture.userHome, ".claude/agents/qm-repo-mapper.md")
    await put(fixture.userHome, ".claude/agents/qm-repo-mapper.md", "mine")
    const done = await fixture.install(["claude-code"])
    expect(await readFile(file, "utf8")).toBe("mine")
    expect(done.warnings.join()).toContain("another program")
    await fixture.uninstall()
    expect(await readFile(file, "utf8")).toBe("mine")
  })

  test("[KIT-10] an invalid template stops the install", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.deps.templates, "skills/odd.md", "no head")
    expect(await codeOf(fixture.install(["codex"]))).toBe("KIT_TEMPLATE_INVALID")
  })

  test("[KIT-11] the boot file gets a block of at most 40 lines, and text outside it does not change", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.root, "AGENTS.md", "# Theirs\n\nText.\n")
    await fixture.install(["codex"], 7)
    const text = await readFile(path.join(fixture.root, "AGENTS.md"), "utf8")
    expect(text.startsWith("# Theirs\n\nText.\n\n<!-- qm:begin")).toBe(true)
    expect(text.slice(text.indexOf("<!-- qm:begin")).trimEnd().split("\n").length).toBeLessThan(41)
    await put(fixture.root, "AGENTS.md", `before\n${text}after\n`)
    await fixture.install(["codex"], 2)
    const lower = await readFile(path.join(fixture.root, "AGENTS.md"), "utf8")
    expect(lower.startsWith("before\n# Theirs")).toBe(true)
    expect(lower).toContain("after\n")
    expect(lower).not.toContain("qm simulate")
    await fixture.uninstall()
    const left = await readFile(path.join(fixture.root, "AGENTS.md"), "utf8")
    expect(left).toBe("before\n# Theirs\n\nText.\n\nafter\n")
  })

  test("[KIT-11] unpaired block markers are rejected", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.root, "AGENTS.md", "<!-- qm:begin -->\nno end\n")
    expect(await codeOf(fixture.install(["codex"]))).toBe("KIT_BLOCK_DAMAGED")
  })

  test("[KIT-12] files in the repository are listed separately, and the level is written only when it differs", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const plan = await fixture.kit.plan({ hosts: ["codex"], level: 3 }, NEVER)
    const inTree = plan.changes.filter((it) => !path.isAbsolute(it.path)).map((it) => it.path)
    expect(inTree).toEqual(["AGENTS.md", ".qm/config.json"])
    expect(plan.next[0]).toBe(
      "Changed in the repository: AGENTS.md, .qm/config.json. Commit it to share it with your team.",
    )
    const same = await fixture.kit.plan({ hosts: ["claude-code"], level: 2 }, NEVER)
    expect(same.changes.some((it) => it.path === ".qm/config.json")).toBe(false)
  })

  test("[KIT-12] uninstall restores the project's previous level", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const theirs = '// ours\n{ "kit": { "level": 3 } }'
    await put(fixture.root, ".qm/config.json", theirs)
    await fixture.install(["claude-code"], 5)
    expect(await readFile(fixture.deps.configFile, "utf8")).toContain('"level": 5')
    await appendFile(fixture.deps.configFile, "\n// since\n")
    await fixture.uninstall()
    expect(await readFile(fixture.deps.configFile, "utf8")).toBe(`${theirs}\n// since\n`)
  })

  test("[KIT-12] an invalid project config is not changed", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.root, ".qm/config.json", '{"kit": 5}')
    expect(await codeOf(fixture.install(["claude-code"], 5))).toBe("KIT_SETTINGS_INVALID")
  })

  test("[KIT-13] a repository is enrolled once, by a file that only its owner can read", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await fixture.install(["claude-code"], 2)
    const mark = path.join(fixture.stateDirectory, "kit.json")
    const first = await readFile(mark, "utf8")
    expect(JSON.parse(first)).toEqual({ version: 1, enrolledAt: fixture.deps.clock.now() })
    expect((await stat(mark)).mode & 0o777).toBe(0o600)
    const later = await kitFixture(temp.path, { clock: { ...fixture.deps.clock, now: () => 9e12 } })
    await later.install(["claude-code"], 4)
    expect(await readFile(mark, "utf8")).toBe(first)
    await writeFile(mark, '{"version":1,"enrolledAt":5,"more":true}')
    await later.install(["claude-code"], 4)
    expect(await readFile(mark, "utf8")).toContain("more")
    await rm(path.join(later.home, "kit/manifest.json"))
    await later.uninstall()
    expect(await exists(mark)).toBe(false)
  })
})

describe("uninstall", () => {
  test("[KIT-4] after uninstalling all hosts at level 7 only backups are left", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.userHome, ".claude/settings.json", '{ "hooks": { "Stop": [] } }')
    await chmod(path.join(fixture.userHome, ".claude"), 0o755)
    const before = await snapshot(temp.path)
    await fixture.install(ALL, 7)
    const done = await fixture.uninstall()
    expect(done).toMatchObject({ level: null, isApplied: true, warnings: [] })
    expect(await snapshot(temp.path)).toEqual(before)
    expect(await readdir(path.join(fixture.home, "kit"))).toEqual(["backups"])
  })

  test("[KIT-4] files and folders that install created are removed", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await fixture.install(ALL, 7)
    await fixture.uninstall()
    expect(await readdir(fixture.userHome)).toEqual([])
    expect(await readdir(fixture.root)).toEqual([".git"])
    expect(await readdir(path.join(fixture.root, ".git"))).toEqual([])
  })

  test("[KIT-5] later edits by the user are kept, and only qm's entries are removed", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const file = path.join(fixture.userHome, ".claude/settings.json")
    await put(fixture.userHome, ".claude/settings.json", '{\n  "model": "a"\n}\n')
    await fixture.install(["claude-code"])
    const settings = await readJson(fixture.userHome, ".claude/settings.json")
    settings.model = "b"
    settings.hooks.Stop.unshift({ hooks: [{ type: "command", command: "mine" }] })
    settings.hooks.PreToolUse[0].hooks.push({ type: "command", command: "mine, too" })
    await writeFile(file, JSON.stringify(settings, null, 4))
    await fixture.uninstall()
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      model: "b",
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: "mine" }] }],
        PreToolUse: [
          {
            matcher: "*",
            hooks: [{ type: "command", command: "mine, too" }],
          },
        ],
      },
    })
  })

  test("[KIT-5] later edits by the user survive a change of level and the uninstall after it", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const file = path.join(fixture.userHome, ".codex/hooks.json")
    await put(fixture.userHome, ".codex/hooks.json", "{}\n")
    await fixture.install(["codex"], 2)
    const changed = (await readFile(file, "utf8")).replace("{", '{\n  "description": "mine",')
    await writeFile(file, changed)
    await fixture.install(["codex"], 5)
    await fixture.uninstall()
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ description: "mine" })
  })

  test("[KIT-5] settings that the user restored by hand are left alone", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.userHome, ".claude/settings.json", '{"a": 1}')
    await fixture.install(["claude-code"])
    await put(fixture.userHome, ".claude/settings.json", '{"a": 1}')
    await rm(path.join(fixture.home, "kit/backups"), { recursive: true })
    await fixture.uninstall()
    expect(await readJson(fixture.userHome, ".claude/settings.json")).toEqual({ a: 1 })
  })

  test("[KIT-5] without its backup, a file is restored by removing qm's entries", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.userHome, ".claude/settings.json", '{"hooks": {}, "a": 1}')
    await fixture.install(["claude-code"])
    await rm(path.join(fixture.home, "kit/backups"), { recursive: true })
    await fixture.uninstall()
    expect(await readJson(fixture.userHome, ".claude/settings.json")).toEqual({ a: 1 })
  })

  test("[KIT-6] the user's own hooks keep their position before qm's", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const own = { matcher: "*", hooks: [{ type: "command", command: "/kit/theirs qm-hook.mjs" }] }
    await put(fixture.userHome, ".codex/hooks.json", JSON.stringify({ hooks: { Stop: [own] } }))
    await fixture.install(["codex"])
    const during = await readJson(fixture.userHome, ".codex/hooks.json")
    expect(during.hooks.Stop[0]).toEqual(own)
    expect(during.hooks.Stop).toHaveLength(2)
  })

  test("[KIT-18] without the manifest, qm's hooks are recognized by their command", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.userHome, ".claude/settings.json", '{"model":"a"}')
    await fixture.install(["claude-code"])
    await rm(path.join(fixture.home, "kit/manifest.json"))
    await fixture.uninstall()
    expect(await readJson(fixture.userHome, ".claude/settings.json")).toEqual({ model: "a" })
  })

  test("[KIT-18] an unreadable manifest stops install and uninstall", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await put(fixture.home, "kit/manifest.json", '{"version":9}')
    expect(await codeOf(fixture.install(["claude-code"]))).toBe("KIT_MANIFEST_INVALID")
  })
})

describe.runIf(needs("S6", "git"))("git hooks in the kit", () => {
  test("[KIT-19] git hooks are added at level 3 and removed by a lower level or uninstall", async () => {
    await using temp = await tempDirectory()
    const fixture = await gitFixture(temp.path)
    const hooks = path.join(fixture.root, ".git/hooks")
    await put(fixture.root, ".git/hooks/pre-push", "#!/bin/sh\n# mine\n")
    const before = await snapshot(fixture.root)
    const done = await fixture.install(["claude-code"], 3)
    expect(done.changes.filter((it) => it.what.startsWith("git hook"))).toHaveLength(3)
    expect(await readFile(path.join(hooks, "pre-push"), "utf8")).toContain("/opt/qm/bin/qm")
    await fixture.install(["claude-code"], 2)
    expect(await readFile(path.join(hooks, "pre-push"), "utf8")).toBe("#!/bin/sh\n# mine\n")
    await fixture.install(["claude-code"], 3)
    await fixture.uninstall()
    expect(await snapshot(fixture.root)).toEqual(before)
  })

  test("[KIT-19] [KIT-1] a git hook that cannot be preserved stops the install before it begins", async () => {
    await using temp = await tempDirectory()
    const fixture = await gitFixture(temp.path)
    await mkdir(path.join(fixture.root, ".git/hooks/pre-push"), { recursive: true })
    const before = await snapshot(temp.path)
    expect(await codeOf(fixture.install(["claude-code"], 3))).not.toBe("no error")
    expect(await snapshot(temp.path)).toEqual(before)
  })
})

async function gitFixture(base: string): Promise<KitFixture> {
  const root = path.join(base, "project")
  await mkdir(root)
  git(root, "init", "-q", "-b", "main")
  await rm(path.join(root, ".git/hooks"), { recursive: true, force: true })
  const file = execFileSync("sh", ["-c", "command -v git"]).toString().trim()
  const environment = { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", HOME: base }
  return kitFixture(base, { git: file, environment })
}

describe("several repositories", () => {
  test("[KIT-8] a host is wired for the highest level, and uninstalling one repository rewires it for the rest", async () => {
    await using temp = await tempDirectory()
    const low = await kitFixture(temp.path, { name: "low" })
    const high = await kitFixture(temp.path, { name: "high" })
    await put(low.userHome, ".claude/settings.json", "{}")
    const before = await snapshot(temp.path)
    await low.install(["claude-code"], 2)
    const alone = await snapshot(path.join(temp.path, "user", ".claude"))
    await high.install(["claude-code", "codex"], 5)
    await low.install(["claude-code"], 2)
    expect(await eventsOf(low)).toContain("UserPromptSubmit")
    expect((await low.kit.installed()).hooks.map((it) => it.host)).not.toContain("codex")
    await high.uninstall()
    expect(await snapshot(path.join(temp.path, "user", ".claude"))).toEqual(alone)
    expect(await exists(path.join(low.userHome, ".codex"))).toBe(false)
    await low.uninstall()
    expect(await snapshot(temp.path)).toEqual(before)
  })

  test("[KIT-8] uninstalling one repository changes nothing for the others and needs no new bundle", async () => {
    await using temp = await tempDirectory()
    const first = await kitFixture(temp.path, { name: "first" })
    const second = await kitFixture(temp.path, { name: "second" })
    await first.install(["claude-code"], 3)
    const alone = await snapshot(first.userHome)
    await second.install(["claude-code"], 3)
    const later = await kitFixture(temp.path, { name: "second", bundle: "a newer one" })
    await later.uninstall()
    expect(await snapshot(first.userHome)).toEqual(alone)
  })

  test("[KIT-8] a deleted repository no longer counts", async () => {
    await using temp = await tempDirectory()
    const gone = await kitFixture(temp.path, { name: "gone" })
    const here = await kitFixture(temp.path, { name: "here" })
    await gone.install(["claude-code"], 7)
    await rm(gone.root, { recursive: true })
    await here.install(["claude-code"], 2)
    expect(await eventsOf(here)).not.toContain("UserPromptSubmit")
  })

  test("[KIT-8] worktrees count as one repository and are uninstalled together", async () => {
    await using temp = await tempDirectory()
    const main = await kitFixture(temp.path)
    const root = path.join(temp.path, "worktree")
    await mkdir(root)
    const repository = { ...main.deps.repository, root }
    const configFile = path.join(root, ".qm/config.json")
    const beside = await kitFixture(temp.path, { repository, configFile })
    const before = await snapshot(temp.path)
    await main.install(["codex"], 3)
    await beside.install(["codex"], 3)
    expect(await exists(path.join(main.root, "AGENTS.md"))).toBe(true)
    expect(await exists(path.join(root, "AGENTS.md"))).toBe(true)
    await main.uninstall()
    expect(await snapshot(temp.path)).toEqual(before)
  })

  test("[KIT-8] a worktree nested in another keeps its block when the outer one changes", async () => {
    await using temp = await tempDirectory()
    const main = await kitFixture(temp.path)
    const root = path.join(main.root, ".claude/worktrees/one")
    await mkdir(root, { recursive: true })
    const repository = { ...main.deps.repository, root }
    const configFile = path.join(root, ".qm/config.json")
    const nested = await kitFixture(temp.path, { repository, configFile })
    await main.install(["codex"], 3)
    await nested.install(["codex"], 3)
    const block = await readFile(path.join(root, "AGENTS.md"), "utf8")
    await main.install(["codex"], 5)
    expect(await readFile(path.join(root, "AGENTS.md"), "utf8")).toBe(block)
    await main.uninstall()
    expect(await exists(path.join(root, "AGENTS.md"))).toBe(false)
  })

  test("each level has its own hooks, and a lower level removes the extra ones", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const seen: Record<number, readonly string[]> = {}
    for (const level of [5, 4, 3, 2, 1]) {
      await fixture.install(["claude-code"], level)
      seen[level] = await eventsOf(fixture)
    }
    const two = ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "InstructionsLoaded"].concat(
      "PreCompact",
    )
    const four = two.toSpliced(3, 0, "SubagentStart")
    const five = four.toSpliced(2, 0, "UserPromptSubmit")
    expect(seen).toEqual({ 1: [], 2: two, 3: two, 4: four, 5: five })
    expect(await exists(path.join(fixture.userHome, ".claude"))).toBe(false)
  })
})

describe("status", () => {
  test("[KIT-14] the status of each hook in each host says whether it is installed, and why not", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const nothing = { level: null, hosts: [], hooks: [], tampered: [], sources: [] }
    expect(await fixture.kit.installed()).toEqual(nothing)
    await fixture.install(ALL, 3)
    const installed = await fixture.kit.installed()
    const words = installed.hooks.map((it) => `${it.host} ${it.hook}: ${it.state}`)
    expect(words).toHaveLength(45)
    expect(words).toEqual(
      expect.arrayContaining([
        "claude-code boot: installed",
        "claude-code risk: not installed",
        "codex loaded: not offered",
        "codex concurrency: installed",
        "antigravity concurrency: not offered",
        "antigravity track: installed",
      ]),
    )
    expect(installed).toMatchObject({ level: 3, tampered: [] })
  })

  test("[KIT-14] a changed bundle or entry is reported and rewritten", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await fixture.install(["claude-code"], 3)
    const bundle = await bundleOf(fixture)
    expect((await stat(bundle)).mode & 0o777).toBe(0o500)
    await chmod(bundle, 0o700)
    await writeFile(bundle, "steal()")
    const file = path.join(fixture.userHome, ".claude/settings.json")
    await writeFile(file, (await readFile(file, "utf8")).replace('"*"', '"Bash"'))
    const { tampered, hooks } = await fixture.kit.installed()
    expect(tampered).toHaveLength(2)
    expect(hooks.find((it) => it.hook === "drift")?.state).toBe("not installed")
    const done = await fixture.install(["claude-code"], 3)
    expect(done.warnings.join()).toContain("rewritten")
    expect((await fixture.kit.installed()).tampered).toEqual([])
  })

  test("[KIT-14] a bundle with a wrong hash is not installed", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const bundle = async () => ({ bytes: Buffer.from("x"), hash: "0".repeat(64), pluginCode: "" })
    const kit = createKit({ ...fixture.deps, bundle })
    const planned = kit.plan({ hosts: ["codex"], level: 2 }, NEVER)
    expect(await codeOf(planned)).toBe("KIT_BUNDLE_INVALID")
    expect(await readdir(fixture.userHome)).toEqual([])
  })

  test("[KIT-14] a new bundle replaces the old one at the same path, so no host asks for a new review", async () => {
    await using temp = await tempDirectory()
    const settings: string[] = []
    for (const bundle of ["one", "two"]) {
      const fixture = await kitFixture(temp.path, { bundle })
      await fixture.install(["codex"], 2)
      settings.push(await readFile(path.join(fixture.userHome, ".codex/hooks.json"), "utf8"))
    }
    expect(settings[1]).toBe(settings[0])
    const fixture = await kitFixture(temp.path, { bundle: "two" })
    expect(await readFile(path.join(fixture.home, "kit/qm-hook.mjs"), "utf8")).toBe("two")
    await fixture.uninstall()
    expect(await readdir(fixture.userHome)).toEqual([])
  })

  test("[KIT-15] a plan is rejected when the files changed after planning", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const plan = await fixture.kit.plan({ hosts: ["claude-code"], level: 2 }, NEVER)
    await put(fixture.userHome, ".claude/settings.json", '{"new": true}')
    expect(await codeOf(fixture.kit.apply(plan, NEVER))).toBe("KIT_PLAN_STALE")
    expect(await readdir(path.join(fixture.userHome, ".claude"))).toEqual(["settings.json"])
  })

  test("[KIT-15] one installer runs at a time, and the lock of a dead process is taken over", async () => {
    await using temp = await tempDirectory()
    const clock = { ...(await kitFixture(temp.path)).deps.clock, sleep: async () => {} }
    const fixture = await kitFixture(temp.path, { clock })
    const lock = path.join(fixture.home, "kit", "install.lock")
    await put(fixture.home, "kit/install.lock", JSON.stringify(processIdentity()))
    expect(await codeOf(fixture.install(["claude-code"], 2))).toBe("KIT_INSTALLER_BUSY")
    await writeFile(lock, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "1.x" }))
    await fixture.install(["claude-code"], 2)
    expect(await exists(lock)).toBe(false)
  })

  test("the table of levels counts the tokens that each level adds to a context window", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const table = await fixture.kit.levelTable({ measure: false, signal: NEVER })
    expect(table.map((it) => it.level)).toEqual([1, 2, 3, 4, 5, 6, 7])
    const tokens = table.map((it) => it.startTokens)
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b))
    expect(tokens[0]).toBeGreaterThan(0)
    expect(table[3]?.startTokens).toBeGreaterThan(table[2]?.startTokens ?? 0)
    expect(table.every((it) => it.toolCallMs === null)).toBe(true)
    expect(table[6]?.hooks).toEqual(table[4]?.hooks)
  })

  test("with `measure`, the hooks of an edit are timed as real processes, with the start of the runtime", async () => {
    await using temp = await tempDirectory()
    const seen = path.join(temp.path, "seen")
    await put(temp.path, "node", `#!/bin/sh\necho "$2 $(cat)" >> '${seen}'\n`)
    await chmod(path.join(temp.path, "node"), 0o755)
    // By this clock each hook takes 30 ms.
    let calls = 0
    let nowMs = 0
    const monotonicMs = () => {
      nowMs += [0, 30][calls++ % 2] ?? 0
      return nowMs
    }
    const clock = { ...(await kitFixture(temp.path)).deps.clock, monotonicMs }
    const runtime = { node: path.join(temp.path, "node"), qm: "/opt/qm", main: "/opt/qm.mjs" }
    const fixture = await kitFixture(temp.path, { clock, runtime })
    const table = await fixture.kit.levelTable({ measure: true, signal: NEVER })
    expect(table.map((it) => it.toolCallMs)).toEqual([0, 30, 60, 60, 60, 60, 60])
    const lines = (await readFile(seen, "utf8")).trim().split("\n")
    const hooks = lines.flatMap((it) => /"hook_event_name":"(\w+)"/.exec(it)?.[1] ?? [])
    expect(new Set(hooks)).toEqual(new Set(["PreToolUse", "PostToolUse"]))
    expect(hooks).toHaveLength(lines.length)
  })

  test("hosts are detected by their program or their folder", async () => {
    await using temp = await tempDirectory()
    const bin = path.join(temp.path, "bin")
    await put(bin, "agy", "#!/bin/sh\n")
    const fixture = await kitFixture(temp.path, { environment: { PATH: bin } })
    await mkdir(path.join(fixture.userHome, ".codex"))
    await mkdir(path.join(fixture.userHome, ".gemini"))
    expect(await fixture.kit.hostsFound()).toEqual(["codex", "antigravity"])
  })

  test("a host folder that the user configured is used", async () => {
    await using temp = await tempDirectory()
    const folder = path.join(temp.path, "elsewhere")
    await mkdir(folder)
    const fixture = await kitFixture(temp.path, { environment: { CLAUDE_CONFIG_DIR: folder } })
    await fixture.install(["claude-code"], 2)
    expect(await readdir(folder)).toEqual(["settings.json"])
    await fixture.uninstall()
    expect(await readdir(folder)).toEqual([])
  })
})

async function put(folder: string, name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), text)
}

async function readJson(folder: string, name: string) {
  return JSON.parse(await readFile(path.join(folder, name), "utf8"))
}

async function eventsOf(fixture: KitFixture): Promise<readonly string[]> {
  const file = path.join(fixture.userHome, ".claude/settings.json")
  if (!(await exists(file))) return []
  return Object.keys(JSON.parse(await readFile(file, "utf8")).hooks)
}

async function bundleOf({ home }: KitFixture): Promise<string> {
  const names = await readdir(path.join(home, "kit"), { recursive: true })
  return path.join(home, "kit", names.find((it) => it.endsWith("qm-hook.mjs")) ?? "")
}

async function timesOf(folder: string): Promise<readonly number[]> {
  const files = Object.keys(await snapshot(folder)).toSorted()
  const looked = await Promise.all(files.map((it) => stat(path.join(folder, it))))
  return looked.filter((it) => it.isFile()).map((it) => it.mtimeMs)
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined
}

function head(name: string, kind: string, level: number): string {
  return `---\nname: ${name}\ndescription: What ${name} does.\nkind: ${kind}\nlevel: ${level}\n---\n\nBody.\n`
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return "no error"
  } catch (error) {
    if (isAppError(error)) return error.code
    throw error
  }
}
