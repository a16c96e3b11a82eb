import { describe, expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import type { HostPlace } from "../host.ts"
import { MOST_SESSIONS_LOOKED_AT } from "../limits.ts"
import { codex } from "./codex.ts"
import { readSkillText } from "./skills.ts"

const PLACE: HostPlace = {
  workingDirectory: "/w/s",
  home: "/home",
  environment: {},
  platform: "linux",
}
const GIT = { "/w/.git/HEAD": "ref: refs/heads/main" }
const TRUSTED = '[projects."/w"]\ntrust_level = "trusted"\n'
const SKILL = (name: string) => `---\nname: ${name}\ndescription: Does ${name}\n---\nText\n`

function survey(files: Readonly<Record<string, PlantedFile>>, place: Partial<HostPlace> = {}) {
  return codex.survey({ ...PLACE, ...place }, memoryDisk(files))
}

async function sent(files: Readonly<Record<string, PlantedFile>>, place: Partial<HostPlace> = {}) {
  const { items } = await survey(files, place)
  const wanted = ["user-memory", "parent-directory", "project-root"]
  return items.filter((it) => wanted.includes(it.source)).map((it) => [it.path, it.frame, it.sent])
}

async function outcomeOf(files: Readonly<Record<string, PlantedFile>>, path: string) {
  return (await survey(files)).searched.find((it) => it.path === path)
}

describe("Codex instructions", () => {
  test("[HOSTS-21] the user's file comes first, then one file per folder downward", async () => {
    const files = {
      ...GIT,
      "/AGENTS.md": "above",
      "/home/.codex/AGENTS.md": "\n user \n",
      "/w/AGENTS.md": "root\n",
      "/w/s/AGENTS.md": " below ",
    }
    expect(await sent(files)).toEqual([
      ["/home/.codex/AGENTS.md", "", "user"],
      ["/w/AGENTS.md", "\n\n--- project-doc ---\n\n", "root\n"],
      ["/w/s/AGENTS.md", "\n\n", " below "],
    ])
  })

  test("[HOSTS-21] an override replaces AGENTS.md; only the user's can be blank", async () => {
    const files = {
      ...GIT,
      "/home/.codex/AGENTS.override.md": " ",
      "/home/.codex/AGENTS.md": "user",
      "/w/AGENTS.override.md": "over",
      "/w/AGENTS.md": "root",
      "/w/s/AGENTS.override.md": "",
      "/w/s/AGENTS.md": "below",
    }
    expect((await sent(files)).map(([path]) => path)).toEqual([
      "/home/.codex/AGENTS.md",
      "/w/AGENTS.override.md",
    ])
    expect(await outcomeOf(files, "/w/s/AGENTS.override.md")).toMatchObject({ outcome: "empty" })
  })

  test("[HOSTS-21] custom root markers, fallback names and CODEX_HOME apply", async () => {
    const files = {
      "/ch/config.toml":
        'project_root_markers = ["x"]\nproject_doc_fallback_filenames = ["a/B.md", " C.md "]\n',
      "/ch/AGENTS.md": "user",
      "/w/x": "",
      "/w/C.md": "c",
      "/w/s/.git/HEAD": "",
    }
    const found = await sent(files, { environment: { CODEX_HOME: "/ch" } })
    expect(found.map(([path]) => path)).toEqual(["/ch/AGENTS.md", "/w/C.md"])
  })

  test("[HOSTS-21] one unreadable file leaves out all project files", async () => {
    const files = {
      ...GIT,
      "/w/AGENTS.md": "root",
      "/w/s/AGENTS.md": { unreadable: "EACCES" },
    }
    expect(await sent(files)).toEqual([])
    expect(await outcomeOf(files, "/w/AGENTS.md")).toMatchObject({ outcome: "excluded" })
  })

  test("[HOSTS-21] a pipe is skipped, and an endless file is left out", async () => {
    const pipe = {
      ...GIT,
      "/w/AGENTS.override.md": { unreadable: "it is a FIFO" },
      "/w/AGENTS.md": "a",
    }
    expect((await sent(pipe)).map(([path]) => path)).toEqual(["/w/AGENTS.md"])
    const huge = { ...GIT, "/w/AGENTS.md": Buffer.alloc(17 * 1024 * 1024, "x") }
    expect(await sent(huge)).toEqual([])
    expect((await survey(huge)).notes.map((it) => it.code)).toEqual(["file-too-large"])
  })

  test.each([
    { limit: 10, expected: ["0123456", "abc"], cut: 2 },
    { limit: 7, expected: ["0123456"], cut: 1 },
    { limit: 13, expected: ["0123456", "abcdef"], cut: 0 },
    { limit: 0, expected: [], cut: 2 },
    { limit: -1, expected: ["0123456", "abcdef"], cut: 0 },
  ])(
    "[HOSTS-22] a limit of $limit bytes applies to all files together",
    async ({ limit, expected, cut }) => {
      const files = {
        ...GIT,
        "/home/.codex/config.toml": `project_doc_max_bytes = ${limit}\n`,
        "/w/AGENTS.md": "0123456",
        "/w/s/AGENTS.md": "abcdef",
        ...(limit === 10 ? { "/w/s/t/AGENTS.md": "XYZ" } : {}),
      }
      const workingDirectory = limit === 10 ? "/w/s/t" : "/w/s"
      const { items, notes } = await survey(files, { workingDirectory })
      const texts = items.filter((it) => it.load !== "config-only").map((it) => it.sent)
      expect(texts).toEqual(expected)
      expect(notes.filter((it) => it.code === "file-cut").length).toBe(cut)
      const capped = items.filter((it) => it.load === "startup-capped").map((it) => it.sent)
      expect(capped).toEqual(limit === 10 ? ["abc"] : [])
    },
  )

  test("[HOSTS-61] a link out of the repository is external and noted", async () => {
    const { items, notes } = await survey({
      ...GIT,
      "/out.md": "out",
      "/w/AGENTS.md": { link: "/out.md" },
    })
    expect(items.map((it) => it.trust)).toEqual(["external"])
    expect(notes.map((it) => it.code)).toEqual(["link-outside"])
  })
})

describe("Codex config", () => {
  const project = 'developer_instructions = "project"\n[mcp_servers.p]\ncommand = "run"\n'

  test("[HOSTS-23] a project's config applies only if the project is trusted", async () => {
    const files = { ...GIT, "/w/.codex/config.toml": project, "/home/.codex/config.toml": "" }
    const unknown = await survey(files)
    expect(unknown.items.filter((it) => it.load === "always")).toEqual([])
    expect(unknown.notes.map((it) => it.code)).toEqual(["switched-off"])
    const ofProject = unknown.layers.filter((it) => it.layer === "project")
    expect(ofProject.map((it) => it.outcome.kind)).toEqual(["missing"])
    const known = await survey({ ...files, "/home/.codex/config.toml": TRUSTED })
    expect(known.items.filter((it) => it.load === "always").map((it) => it.sent)).toEqual([
      "project",
    ])
    expect(known.layers.map((it) => [it.layer, it.outcome.kind])).toEqual([
      ["managed", "missing"],
      ["project", "missing"],
      ["project", "found"],
      ["user", "found"],
      ["system", "missing"],
    ])
  })

  test("[HOSTS-23] an untrusted project has no instructions", async () => {
    const config = '[projects."/w"]\ntrust_level = "untrusted"\n'
    const files = { ...GIT, "/home/.codex/config.toml": config, "/w/AGENTS.md": "root" }
    expect(await sent(files)).toEqual([])
  })

  test("[HOSTS-23] a worktree has the trust of its repository", async () => {
    const files = {
      "/main/.git/HEAD": "",
      "/w/.git": "gitdir: /main/.git/worktrees/w\n",
      "/w/.codex/config.toml": project,
      "/home/.codex/config.toml": '[projects."/main"]\ntrust_level = "trusted"\n',
    }
    const { items } = await survey(files)
    expect(items.filter((it) => it.load === "always").map((it) => it.sent)).toEqual(["project"])
  })

  test("[HOSTS-23] a broken config is reported and ignored", async () => {
    const { notes, layers } = await survey({ "/home/.codex/config.toml": "a = \n" })
    expect(notes.map((it) => it.code)).toEqual(["settings-broken"])
    expect(layers.find((it) => it.layer === "user")?.outcome.kind).toBe("broken")
    const unreadable = await survey({ "/home/.codex/config.toml": { unreadable: "EACCES" } })
    expect(unreadable.layers.find((it) => it.layer === "user")?.outcome).toEqual({
      kind: "unreadable",
      reason: "EACCES",
    })
  })

  test("[HOSTS-20] developer instructions and a base prompt are separate items", async () => {
    const { items } = await survey({
      "/home/.codex/config.toml":
        'developer_instructions = " dev "\nmodel_instructions_file = "b.md"\n',
      "/home/.codex/b.md": "\nbase\n",
    })
    expect(items.map((it) => [it.source, it.load, it.sent])).toEqual([
      ["user-settings", "config-only", ""],
      ["model-instructions", "always", "base"],
      ["developer-instructions", "always", " dev "],
    ])
    const none = await survey({
      "/home/.codex/config.toml":
        'developer_instructions = ""\nmodel_instructions_file = "no.md"\n',
    })
    expect(none.items.map((it) => it.source)).toEqual(["user-settings"])
  })

  test("[HOSTS-12] Codex servers have a state, and hooks are config", async () => {
    const { items, mcpServers } = await survey({
      ...GIT,
      "/w/.codex/config.toml": project,
      "/w/s/.codex/hooks.json": "{}",
      "/home/.codex/hooks.json": "{}",
      "/home/.codex/config.toml":
        '[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "x"]\n[mcp_servers.b]\nurl = "http://h"\nenabled = false\n[mcp_servers]\nc = 1\n',
      "/etc/codex/config.toml": '[mcp_servers.a]\ncommand = "other"\n',
    })
    expect(mcpServers.map((it) => [it.name, it.scope, it.transport, it.target, it.state])).toEqual([
      ["p", "project", "stdio", "run", "waits for trust"],
      ["a", "user", "stdio", "npx -y x", "connects"],
      ["b", "user", "http", "http://h", "disabled in the config"],
      ["a", "system", "stdio", "other", "overridden by a stronger config"],
    ])
    const hooks = items.filter((it) => it.source === "hooks")
    expect(hooks.map((it) => [it.path, it.load, it.trust])).toEqual([
      ["/home/.codex/hooks.json", "config-only", "own"],
      ["/w/s/.codex/hooks.json", "config-only", "project"],
    ])
  })

  test("[HOSTS-12] on Windows Codex reads the machine config from another folder", async () => {
    const { layers } = await survey({}, { platform: "win32" })
    expect(layers.at(-1)?.path).toContain("OpenAI")
  })
})

describe("Codex skills", () => {
  test("[HOSTS-25] each skill has a line with a short path, in the host's order", async () => {
    const { items } = await survey({
      ...GIT,
      "/w/.agents/skills/b/SKILL.md": SKILL("b"),
      "/w/.agents/skills/a/SKILL.md": SKILL("a"),
      "/home/.codex/skills/u/SKILL.md": SKILL("u"),
      "/home/.codex/skills/.system/z/SKILL.md": SKILL("z"),
      "/w/.codex/skills/p/SKILL.md": SKILL("p"),
    })
    expect(items.map((it) => it.frame + it.sent)).toEqual([
      "- `r2` = `/home/.codex/skills/.system`\n- z: Does z (file: r2/z/SKILL.md)",
      "- `r3` = `/w/.agents/skills`\n- a: Does a (file: r3/a/SKILL.md)",
      "- b: Does b (file: r3/b/SKILL.md)",
      "- `r0` = `/w/.codex/skills`\n- p: Does p (file: r0/p/SKILL.md)",
      "- `r1` = `/home/.codex/skills`\n- u: Does u (file: r1/u/SKILL.md)",
    ])
    expect(items.map((it) => it.load)).toEqual(Array.from({ length: 5 }, () => "name-only"))
    expect(items[0]?.later).toBe(SKILL("z"))
  })

  test("[HOSTS-25] the machine's skills come after those of Codex itself", async () => {
    const { items } = await survey({
      "/etc/codex/skills/m/SKILL.md": SKILL("m"),
      "/home/.codex/skills/.system/z/SKILL.md": SKILL("z"),
      "/w/s/.agents/skills/p/SKILL.md": SKILL("p"),
    })
    expect(items.map((it) => [it.path, it.scope])).toEqual([
      ["/home/.codex/skills/.system/z/SKILL.md", "user"],
      ["/etc/codex/skills/m/SKILL.md", "managed"],
      ["/w/s/.agents/skills/p/SKILL.md", "project"],
    ])
  })

  test("[HOSTS-25] hidden, too deep and linked files and loops are left out", async () => {
    const { items } = await survey({
      ...GIT,
      "/w/.agents/skills/.h/SKILL.md": SKILL("h"),
      "/w/.agents/skills/1/2/3/4/5/6/SKILL.md": SKILL("six"),
      "/w/.agents/skills/1/2/3/4/5/6/7/SKILL.md": SKILL("seven"),
      "/w/.agents/skills/loop": { link: "/w/.agents/skills" },
      "/w/.agents/skills/file": { link: "/w/.git/HEAD" },
      "/out/SKILL.md": SKILL("out"),
      "/w/.agents/skills/out": { link: "/out" },
      "/w/.agents/skills/l/SKILL.md": { link: "/out/SKILL.md" },
    })
    expect(items.map((it) => [it.path, it.trust])).toEqual([
      ["/w/.agents/skills/out/SKILL.md", "external"],
      ["/w/.agents/skills/1/2/3/4/5/6/SKILL.md", "project"],
    ])
  })

  test("[HOSTS-25] the user's config or the skill itself can hide a skill", async () => {
    const files = {
      ...GIT,
      "/home/.codex/config.toml":
        '[[skills.config]]\npath = "/w/.agents/skills/a/SKILL.md"\nenabled = false\n[[skills.config]]\nname = "b"\nenabled = false\n',
      "/w/.agents/skills/a/SKILL.md": SKILL("a"),
      "/w/.agents/skills/b/SKILL.md": SKILL("b"),
      "/w/.agents/skills/c/SKILL.md": SKILL("c"),
      "/w/.agents/skills/c/agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n",
      "/w/.agents/skills/d/SKILL.md": SKILL("d"),
      "/w/.agents/skills/d/agents/openai.yaml": "policy: [",
      "/w/.agents/skills/e/SKILL.md": "no head",
    }
    const { items, searched } = await survey(files)
    const listed = items.filter((it) => it.source === "skills").map((it) => [it.path, it.load])
    expect(listed).toEqual([
      ["/w/.agents/skills/d/SKILL.md", "name-only"],
      ["/w/.agents/skills/c/SKILL.md", "on-demand"],
    ])
    const excluded = searched.filter((it) => it.outcome === "excluded").map((it) => it.path)
    expect(excluded.length).toBe(3)
    const none = await survey({
      "/home/.codex/config.toml": "[skills]\ninclude_instructions = false\n",
      "/home/.agents/skills/a/SKILL.md": SKILL("a"),
    })
    expect(none.items.map((it) => it.source)).toEqual(["user-settings"])
    const bare = await survey({
      "/home/.codex/config.toml": "[skills]\nbundled = { enabled = false }\n",
      "/home/.codex/skills/.system/z/SKILL.md": SKILL("z"),
    })
    expect(bare.items.map((it) => it.source)).toEqual(["user-settings"])
  })

  test("[HOSTS-64] descriptions share 2 % of the window, one character each in turn", async () => {
    const many = Array.from({ length: 30 }, (_, at) => [
      `/home/.agents/skills/s${at}/SKILL.md`,
      `---\nname: s${at}\ndescription: ${"long ".repeat(200)}\n---\n`,
    ])
    const { items, start } = await survey(Object.fromEntries(many))
    const listing = start?.listing
    expect([listing?.budget, listing?.unit, listing?.skills]).toEqual([5_440, "tokens", 30])
    expect(listing?.shortened).toHaveLength(30)
    const lines = items.filter((it) => it.load === "name-only").map((it) => it.sent)
    const cost = lines.reduce((sum, it) => sum + Math.ceil((it.length + 1) / 4), 0)
    expect(cost).toBe(5_440)
    const lengths = lines.map((it) => it.length - it.indexOf(": "))
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(6)
  })

  test.each([
    ["---\nname: 12\ndescription: 3.40\n---\n", { name: "12", description: "3.40" }],
    ["---\nname: a\ndescription: d\nfoo: [\n---\n", { name: "a", description: "d" }],
    ["---\ndescription: use: often # so\n---\n", { name: "folder", description: "use: often" }],
    ["---\nname: a\ndescription: `t` it's: x\n---", { name: "a", description: "`t` it's: x" }],
    ["---\nname: a\ndescription: |\n  x\n  y\n---\n", { name: "a", description: "x y" }],
    ["---\nname: a\ndescription: 'q\n---\n", undefined],
    ["---\nname: a\nname: b\ndescription: x\n---\n", undefined],
    ["---\nname: *x\ndescription: y\n---\n", undefined],
    ["---\nname: a\ndescription: null\n---\n", undefined],
    ["---\n---\n", undefined],
    ["---\n- list\n---\n", undefined],
    ["\n---\nname: a\ndescription: x\n---\n", undefined],
    [`---\nname: ${"n".repeat(65)}\ndescription: x\n---\n`, undefined],
  ])("[HOSTS-25] frontmatter of a skill: %j", (text, expected) => {
    expect(readSkillText(text, "folder")).toEqual(expected)
  })

  test("[HOSTS-25] a long description is truncated with dots", () => {
    const read = readSkillText(`---\ndescription: ${"é".repeat(1_025)}\n---\n`, "x")
    expect(read?.description).toBe(`${"é".repeat(1_021)}...`)
  })
})

describe("Codex session records", () => {
  const meta = (cwd: string) =>
    JSON.stringify({ type: "session_meta", payload: { id: "t1", cwd, cli_version: "0.166.0" } })
  const message = (text: string) =>
    JSON.stringify({
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ text }, {}] },
    })
  const whole = "# AGENTS.md instructions for /w/s\n\n<INSTRUCTIONS>\nA\n\nB\n</INSTRUCTIONS>"
  const day = "/home/.codex/sessions/2026/11/15"

  test("[HOSTS-18] the newest Codex session of the folder is found", async () => {
    const disk = memoryDisk({
      "/w/s/x": "",
      [`${day}/rollout-1.jsonl`]: `${meta("/w/s")}\n${message("older")}`,
      [`${day}/rollout-2.jsonl`]: `${meta("/w/s")}\n{"type":"other"}\n${message(whole)}\n`,
      [`${day}/rollout-3.jsonl`]: meta("/elsewhere"),
      [`${day}/rollout-4.jsonl`]: "broken",
      [`${day}/notes.txt`]: "",
    })
    const report = await codex.readLastSession?.(PLACE, disk)
    expect(report).toEqual({
      by: "transcript",
      at: 3_000,
      version: "0.166.0",
      session: "t1",
      files: [],
      wholeText: "A\n\nB",
      categories: [],
    })
  })

  test("[HOSTS-18] a Codex session without instructions is reported as such; no session gives no report", async () => {
    const bare = memoryDisk({
      "/w/s/x": "",
      [`${day}/rollout-1.jsonl`]: `{"type":"session_meta","payload":{"cwd":"/w/s"}}\n${message("hello")}`,
    })
    expect(await codex.readLastSession?.(PLACE, bare)).toMatchObject({ wholeText: "" })
    expect(await codex.readLastSession?.(PLACE, memoryDisk({}))).toBeUndefined()
  })

  test("[HOSTS-18] only the newest Codex sessions are read", async () => {
    const names = Array.from({ length: 80 }, (_, at) => `${day}/rollout-${100 + at}.jsonl`)
    const disk = memoryDisk(Object.fromEntries(names.map((it) => [it, meta("/elsewhere")])))
    expect(await codex.readLastSession?.(PLACE, disk)).toBeUndefined()
    expect(disk.reads()).toBeLessThanOrEqual(MOST_SESSIONS_LOOKED_AT)
  })
})

test("[HOSTS-19] Codex is found on the PATH with its version", async () => {
  const disk = memoryDisk({
    "/bin/codex": { link: "/lib/node_modules/@openai/codex/bin/codex.js" },
    "/lib/node_modules/@openai/codex/bin/codex.js": "",
    "/lib/node_modules/@openai/codex/package.json": '{"name":"@openai/codex","version":"0.166.0"}',
  })
  const place = { ...PLACE, environment: { PATH: "/bin" } }
  expect((await codex.findInstalled(place, disk))?.version).toBe("0.166.0")
})
