import { describe, expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import type { HostItem, HostPlace } from "../../host.ts"
import { survey } from "../claude-code.ts"

const PLACE: HostPlace = {
  workingDirectory: "/w/p",
  home: "/home/u",
  environment: {},
  platform: "linux",
}

type Files = Readonly<Record<string, PlantedFile>>

const surveyOf = (files: Files, place: Partial<HostPlace> = {}) =>
  survey({ ...PLACE, ...place }, memoryDisk({ "/w/p/.keep": "", ...files }))

async function instructionsOf(files: Files, place: Partial<HostPlace> = {}) {
  const { items } = await surveyOf(files, place)
  return items.filter((it) => it.frame !== "" || it.load === "conditional")
}

const paths = (items: readonly HostItem[]) => items.map((it) => it.path)
const json = (value: unknown) => JSON.stringify(value)
const allowed = (folder: string) =>
  json({ projects: { [folder]: { hasClaudeMdExternalIncludesApproved: true } } })

describe("instruction files", () => {
  test("[HOSTS-2] four files per folder, from the outermost folder to the working directory", async () => {
    const found = await instructionsOf({
      "/CLAUDE.md": "never",
      "/w/CLAUDE.local.md": "2",
      "/w/CLAUDE.md": "1",
      "/w/p/CLAUDE.local.md": "6",
      "/w/p/.claude/rules/r.md": "5",
      "/w/p/.claude/CLAUDE.md": "4",
      "/w/p/CLAUDE.md": "3",
      "/w/p/sub/CLAUDE.md": "below",
      "/home/u/.claude/CLAUDE.md": "0",
    })
    expect(found.map((it) => [it.path, it.sent, it.source, it.priority, it.scope])).toEqual([
      ["/home/u/.claude/CLAUDE.md", "0", "global-user", 1, "user"],
      ["/w/CLAUDE.md", "1", "parent-directory", 2, "project"],
      ["/w/CLAUDE.local.md", "2", "local-memory", 2, "local"],
      ["/w/p/CLAUDE.md", "3", "project-root", 100, "project"],
      ["/w/p/.claude/CLAUDE.md", "4", "project-root", 100, "project"],
      ["/w/p/.claude/rules/r.md", "5", "rules", 100, "project"],
      ["/w/p/CLAUDE.local.md", "6", "local-memory", 100, "local"],
    ])
    expect(found[1]?.frame).toBe(
      "Contents of /w/CLAUDE.md (project instructions, checked into the codebase):\n\n",
    )
    expect(found[1]?.reason).toBe("Parent directory (1 level up)")
  })

  test("[HOSTS-2] managed files of the platform's folder come first", async () => {
    const files = (managed: string) => ({
      [`${managed}/CLAUDE.md`]: "managed",
      [`${managed}/.claude/rules/r.md`]: "rule",
      [`${managed}/managed-settings.json`]: json({ claudeMd: " text " }),
      [`${managed}/managed-settings.d/1.json`]: json({ x: 1 }),
      "/w/p/CLAUDE.md": "p",
    })
    const mac = "/Library/Application Support/ClaudeCode"
    for (const [platform, managed] of [
      ["linux", "/etc/claude-code"],
      ["darwin", mac],
    ] as const) {
      const found = await instructionsOf(files(managed), { platform })
      expect(found.map((it) => [it.path, it.sent, it.trust])).toEqual([
        [`${managed}/CLAUDE.md`, "managed", "own"],
        ["<managed-settings>", "text", "own"],
        [`${managed}/.claude/rules/r.md`, "rule", "own"],
        ["/w/p/CLAUDE.md", "p", "project"],
      ])
    }
    const { searched } = await surveyOf({}, { platform: "win32" })
    expect(searched.some((it) => it.path.includes("Program Files"))).toBe(true)
  })

  test("[HOSTS-2] priorities of very deep parent folders stay distinct and ordered", async () => {
    const deep = `/${Array.from({ length: 150 }, (_, it) => `d${it}`).join("/")}`
    const found = await instructionsOf(
      { "/d0/CLAUDE.md": "a", "/d0/d1/CLAUDE.md": "b", [`${deep}/CLAUDE.md`]: "z" },
      { workingDirectory: deep },
    )
    const numbers = found.map((it) => it.priority)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(new Set(numbers).size).toBe(3)
    expect(found[0]?.reason).toBe("Parent directory (149 levels up)")
  })

  test("[HOSTS-2] in a worktree inside its repository the outer tree contributes only its local file", async () => {
    const files = {
      "/w/.git/HEAD": "ref",
      "/w/.git/worktrees/t/gitdir": "/w/trees/t/.git\n",
      "/w/.git/worktrees/t/commondir": "../..\n",
      "/w/trees/t/.git": "gitdir: /w/.git/worktrees/t\n",
      "/w/CLAUDE.md": "main",
      "/w/CLAUDE.local.md": "main local",
      "/w/trees/t/CLAUDE.md": "tree",
      "/w/.claude/skills/s/SKILL.md": "# Skill of main",
      "/home/u/.claude/projects/-w/memory/MEMORY.md": "memory of main",
    }
    const { items } = await surveyOf(files, { workingDirectory: "/w/trees/t" })
    expect(paths(items)).toEqual([
      "/w/CLAUDE.local.md",
      "/w/trees/t/CLAUDE.md",
      "/home/u/.claude/projects/-w/memory/MEMORY.md",
      "/w/.claude/skills/s/SKILL.md",
    ])
    // A folder that does not point back is not a worktree: it could belong to anyone.
    const forged = { ...files, "/w/.git/worktrees/t/gitdir": "/elsewhere/.git\n" }
    const plain = await instructionsOf(forged, { workingDirectory: "/w/trees/t" })
    expect(paths(plain)).toContain("/w/CLAUDE.md")
    const broken = { ...files, "/w/trees/t/.git": "nonsense" }
    expect(paths(await instructionsOf(broken, { workingDirectory: "/w/trees/t" }))).toContain(
      "/w/CLAUDE.md",
    )
  })

  test("[HOSTS-2] CLAUDE_CONFIG_DIR moves the user's files and the host's state", async () => {
    const environment = { CLAUDE_CONFIG_DIR: "/cfg" }
    const { items, searched } = await surveyOf(
      { "/cfg/CLAUDE.md": "c", "/home/u/.claude/CLAUDE.md": "old" },
      { environment },
    )
    expect(paths(items)).toEqual(["/cfg/CLAUDE.md"])
    const looked = paths2(searched)
    expect(looked).toContain("/cfg/.claude.json")
    expect(looked).not.toContain("/home/u/.claude.json")
  })
})

const paths2 = (searched: readonly { readonly path: string }[]) => searched.map((it) => it.path)

describe("rules", () => {
  test("[HOSTS-3] rules come in disk order, also from subfolders, and only Markdown files", async () => {
    const found = await instructionsOf({
      "/w/p/.claude/rules/z.md": "z",
      "/w/p/.claude/rules/deep/.x.md": "x",
      "/w/p/.claude/rules/a.md": "a",
      "/w/p/.claude/rules/t.txt": "t",
    })
    expect(found.map((it) => it.sent)).toEqual(["z", "x", "a"])
  })

  test("[HOSTS-3] a rule with `paths` loads on demand; its imports load at the start", async () => {
    const found = await instructionsOf({
      "/w/.claude/rules/a.md": "---\npaths: src/**, lib/*.{js,ts}\n---\nwaits @../../p/x.md",
      "/w/p/x.md": "x",
      "/home/u/.claude/rules/u.md": "---\npaths: [docs]\n---\nuser waits",
      "/w/.claude/rules/b.md": '---\npaths: ["**"]\n---\nalways',
    })
    expect(found.map((it) => [it.path, it.load, it.sent, it.later, it.waitsFor])).toEqual([
      [
        "/home/u/.claude/rules/u.md",
        "conditional",
        "",
        "user waits",
        { patterns: ["docs"], base: "/w/p" },
      ],
      [
        "/w/.claude/rules/a.md",
        "conditional",
        "",
        "waits @../../p/x.md",
        { patterns: ["src", "lib/*.js", "lib/*.ts"], base: "/w" },
      ],
      ["/w/p/x.md", "import", "x", "", undefined],
      ["/w/.claude/rules/b.md", "always", "always", "", undefined],
    ])
  })

  test("[HOSTS-3] rules are identified by real path; a link out of the working directory needs approval", async () => {
    const files = {
      "/out/o.md": "o",
      "/w/p/in.md": "in",
      "/w/p/.claude/rules/o.md": { link: "/out/o.md" },
      "/w/p/.claude/rules/in.md": { link: "../../in.md" },
      "/w/p/.claude/rules/folder": { link: "/out" },
      "/w/p/.claude/rules/gone.md": { link: "/nowhere" },
      "/w/.claude": { link: "/other" },
      "/other/rules/q.md": "q",
    }
    const { items, notes, searched } = await surveyOf(files)
    expect(paths(items)).toEqual(["/w/p/in.md"])
    expect(notes.map((it) => [it.code, it.path])).toEqual([
      ["link-outside", "/w/.claude/rules"],
      ["link-outside", "/w/p/.claude/rules/o.md"],
      ["link-outside", "/w/p/.claude/rules/folder"],
    ])
    expect(searched.find((it) => it.path === "/w/p/.claude/rules/o.md")?.outcome).toBe("excluded")
    const free = await instructionsOf({ ...files, "/home/u/.claude.json": allowed("/w/p") })
    expect(free.map((it) => [it.path, it.trust])).toEqual([
      ["/other/rules/q.md", "external"],
      ["/out/o.md", "external"],
      ["/w/p/in.md", "project"],
    ])
  })

  test("[HOSTS-3] circular links end", async () => {
    const found = await instructionsOf({
      "/w/p/.claude/rules/a.md": "a",
      "/w/p/.claude/rules/again": { link: "." },
      "/w/p/.claude/rules/sub/back": { link: ".." },
    })
    expect(found.map((it) => it.sent)).toEqual(["a"])
  })
})

describe("imports", () => {
  test("[HOSTS-4] an import follows its importer and has the line that names it", async () => {
    const found = await instructionsOf({
      "/w/p/CLAUDE.md": "first\n- see @docs/a.md\n@b.md",
      "/w/p/docs/a.md": "a @more.md",
      "/w/p/docs/more.md": "more",
      "/w/p/b.md": "b",
    })
    expect(found.map((it) => [it.path, it.load, it.importedBy, it.source])).toEqual([
      ["/w/p/CLAUDE.md", "always", undefined, "project-root"],
      ["/w/p/docs/a.md", "import", { path: "/w/p/CLAUDE.md", line: 2 }, "import"],
      ["/w/p/docs/more.md", "import", { path: "/w/p/docs/a.md", line: 1 }, "import"],
      ["/w/p/b.md", "import", { path: "/w/p/CLAUDE.md", line: 3 }, "import"],
    ])
    expect(found[1]?.reason).toBe("Imported by CLAUDE.md")
  })

  test("[HOSTS-4] imports stop after four hops, with a note", async () => {
    const chain = Object.fromEntries(
      [1, 2, 3, 4, 5].map((it) => [`/w/p/d${it}.md`, `${it} @d${it + 1}.md`]),
    )
    const { items, notes } = await surveyOf({ "/w/p/CLAUDE.md": "@d1.md", ...chain })
    expect(items.map((it) => it.path).at(-1)).toBe("/w/p/d4.md")
    expect(notes).toEqual([
      expect.objectContaining({ code: "import-too-deep", path: "/w/p/d4.md", line: 1 }),
    ])
  })

  test("[HOSTS-4] a project's imports stay in the working directory unless the user allowed more", async () => {
    const files = {
      "/w/CLAUDE.md": "parent @side.md @p/in.md",
      "/w/side.md": "side",
      "/w/p/in.md": "in",
      "/w/p/hop.md": { link: "/w/side.md" },
      "/w/p/CLAUDE.md": "p\n@hop.md @~/h.md @gone.md @scope/pkg @.",
      "/home/u/h.md": "h",
    }
    const { items, notes } = await surveyOf(files)
    expect(paths(items)).toEqual(["/w/CLAUDE.md", "/w/p/in.md", "/w/p/CLAUDE.md"])
    expect(notes.map((it) => [it.code, it.path, it.line])).toEqual([
      ["import-external", "/w/CLAUDE.md", 1],
      ["import-external", "/w/p/CLAUDE.md", 2],
      ["import-external", "/w/p/CLAUDE.md", 2],
      ["import-unresolved", "/w/p/CLAUDE.md", 2],
    ])
    const free = await instructionsOf({ ...files, "/home/u/.claude.json": allowed("/w/p") })
    expect(free.map((it) => [it.path, it.trust])).toEqual([
      ["/w/CLAUDE.md", "project"],
      ["/w/side.md", "external"],
      ["/w/p/in.md", "project"],
      ["/w/p/CLAUDE.md", "project"],
      ["/home/u/h.md", "external"],
    ])
    const user = { ...files, "/home/u/.claude/CLAUDE.md": "u @/w/side.md" }
    expect(paths(await instructionsOf(user)).slice(0, 2)).toEqual([
      "/home/u/.claude/CLAUDE.md",
      "/w/side.md",
    ])
  })

  test("[HOSTS-4] imports are found in plain text only and load only text files", async () => {
    const found = await instructionsOf({
      "/w/p/CLAUDE.md": [
        "`@code.md` (@paren.md) @comma.md, @hash.md#x @with\\ space.md @pic.png @noending",
        "",
        "```\n@fence.md\n```",
        "",
        "<!-- @comment.md --> @behind.md",
        "",
        "**@bold.md** > @@two.md @/ x@mail.md @%odd.md ~~@struck.md~~",
        "",
        "| a | b |\n|---|---|\n| @cell.md | x |",
      ].join("\n"),
      ...Object.fromEntries(
        "code paren comma hash fence comment behind bold two mail odd struck cell"
          .split(" ")
          .map((name) => [`/w/p/${name}.md`, name]),
      ),
      "/w/p/with space.md": "space",
      "/w/p/pic.png": "png",
      "/w/p/noending": "none",
    })
    expect(found.slice(1).map((it) => it.sent)).toEqual([
      "hash",
      "space",
      "none",
      "behind",
      "bold",
      "cell",
    ])
  })
})

test("[HOSTS-5] a file occurs once, by path and by real path; the first one wins", async () => {
  const { items } = await surveyOf({
    "/w/p/CLAUDE.md": { link: "AGENTS.md" },
    "/w/p/AGENTS.md": "a @b.md @b.md @CLAUDE.md",
    "/w/p/b.md": "b @AGENTS.md",
    "/w/p/.claude/CLAUDE.md": { link: "../CLAUDE.md" },
    "/w/p/CLAUDE.local.md": { link: "b.md" },
  })
  expect(paths(items)).toEqual(["/w/p/CLAUDE.md", "/w/p/b.md"])
})

describe("AGENTS.md", () => {
  const mode = (instructionFiles: string) =>
    json({ pluginConfigs: { "cc-plugin-agents-md@builtin": { options: { instructionFiles } } } })
  const files = {
    "/w/AGENTS.md": "w",
    "/w/.claude/rules/r.md": "rule of w",
    "/w/p/AGENTS.md": "p @x.md",
    "/w/p/x.md": "x",
    "/w/p/.claude/AGENTS.md": "p dot",
    "/home/u/.claude/CLAUDE.md": "user",
    "/home/u/.claude/projects/-w-p/memory/MEMORY.md": "memory",
  }

  test("[HOSTS-6] AGENTS.md is used where a project has no CLAUDE.md with content", async () => {
    const found = await instructionsOf({ ...files, "/w/p/CLAUDE.md": " \n" })
    expect(found.map((it) => [it.sent, it.source])).toEqual([
      ["user", "global-user"],
      ["rule of w", "rules"],
      ["w", "agents-md"],
      ["p @x.md", "agents-md"],
      ["x", "import"],
      ["p dot", "agents-md"],
      ["memory", "auto-memory"],
    ])
    for (const name of ["/w/CLAUDE.md", "/w/p/.claude/CLAUDE.md", "/w/CLAUDE.local.md"]) {
      const some = await instructionsOf({ ...files, [name]: "mine" })
      expect(some.some((it) => it.source === "agents-md")).toBe(false)
    }
  })

  test("[HOSTS-6] the user can load AGENTS.md in addition, never, or only managed files", async () => {
    const own = { ...files, "/w/p/CLAUDE.md": "claude", "/w/CLAUDE.md": "p dot" }
    const settings = "/home/u/.claude/settings.json"
    const both = await instructionsOf({ ...own, [settings]: mode("claude-md-and-agents-md") })
    expect(both.map((it) => it.sent)).toEqual([
      "user",
      "p dot",
      "rule of w",
      "w",
      "claude",
      "p @x.md",
      "x",
      "memory",
    ])
    const sent = async (more: Files) => (await instructionsOf(more)).map((it) => it.sent)
    expect(await sent({ ...files, [settings]: mode("claude-md") })).not.toContain("w")
    const off = json({ enabledPlugins: { "cc-plugin-agents-md@builtin": false } })
    expect(await sent({ ...files, "/w/p/.claude/settings.json": off })).not.toContain("w")
    expect(await sent({ ...own, [settings]: mode("managed-only") })).toEqual(["memory"])
    // A project cannot decide this.
    const asked = { ...own, "/w/p/.claude/settings.json": mode("claude-md-and-agents-md") }
    expect(await sent(asked)).not.toContain("w")
  })

  test("[HOSTS-6] without other project files AGENTS.md comes before memory, or last", async () => {
    const alone = await instructionsOf({ "/w/p/AGENTS.md": "a", "/home/u/.claude/CLAUDE.md": "u" })
    expect(alone.map((it) => it.sent)).toEqual(["u", "a"])
    const { "/w/.claude/rules/r.md": _, ...noRule } = files
    expect((await instructionsOf(noRule)).map((it) => it.sent).at(-1)).toBe("memory")
  })
})

describe("files that are left out", () => {
  test("[HOSTS-9] claudeMdExcludes of all settings apply, except to managed files", async () => {
    const { items, searched } = await surveyOf({
      "/etc/claude-code/CLAUDE.md": "managed",
      "/w/CLAUDE.md": "w",
      "/w/p/CLAUDE.md": "p",
      "/w/p/.claude/rules/drop.md": "drop",
      "/w/p/.claude/rules/named.md": { link: "../../other.md" },
      "/w/p/other.md": "other",
      "/w/p/CLAUDE.local.md": "local @.x/hid.md",
      "/w/p/.x/hid.md": "hidden",
      "/link": { link: "/w" },
      "/home/u/.claude/settings.json": json({ claudeMdExcludes: ["/link/CLAUDE.md", ""] }),
      "/w/p/.claude/settings.json": json({ claudeMdExcludes: ["**/{drop,hid,named}.md"] }),
      "/w/p/.claude/settings.local.json": json({ claudeMdExcludes: ["/etc/**", 7] }),
    })
    const sent = items.filter((it) => it.frame !== "").map((it) => it.sent)
    expect(sent).toEqual(["managed", "p", "local @.x/hid.md"])
    const out = searched.filter((it) => it.outcome === "excluded").map((it) => it.path)
    expect(out).toEqual([
      "/w/CLAUDE.md",
      "/w/p/.claude/rules/drop.md",
      "/w/p/.claude/rules/named.md",
      "/w/p/.x/hid.md",
    ])
  })

  test("[HOSTS-9] Read deny rules apply to the project's files only", async () => {
    const settings = (deny: readonly string[]) => json({ permissions: { deny } })
    const files = {
      "/w/CLAUDE.md": "w",
      "/w/p/CLAUDE.md": "p @sub/x.md",
      "/w/p/sub/x.md": "x",
      "/w/p/CLAUDE.local.md": "local",
      "/home/u/.claude/CLAUDE.md": "user",
    }
    const sent = async (deny: readonly string[], file = "/w/p/.claude/settings.json") =>
      (await instructionsOf({ ...files, [file]: settings(deny) })).map((it) => it.sent)
    expect(await sent(["Bash(ls)", "Edit"])).toHaveLength(5)
    expect(await sent(["Read"])).toEqual(["user"])
    expect(await sent(["Read(CLAUDE.md)"])).toEqual(["user", "w", "local"])
    expect(await sent(["Read(./sub/)"])).not.toContain("x")
    expect(await sent(["Read(//w/CLAUDE.md)"])).not.toContain("w")
    expect(await sent(["Read(/CLAUDE.local.md)"])).not.toContain("local")
    expect(await sent(["Read(/CLAUDE.md)"], "/home/u/.claude/settings.json")).toHaveLength(5)
    expect(await sent(["Read(~/.claude/CLAUDE.md)"])).toHaveLength(5)
  })

  test("[HOSTS-9] a switch in the environment or in the env of settings applies", async () => {
    const name = "CLAUDE_CODE_DISABLE_CLAUDE_MDS"
    const files = { "/w/p/CLAUDE.md": "p" }
    for (const value of ["1", "true", "Yes"]) {
      expect(await instructionsOf(files, { environment: { [name]: value } })).toEqual([])
    }
    expect(await instructionsOf(files, { environment: { [name]: "0" } })).toHaveLength(1)
    const env = json({ env: { [name]: "1", other: 3 } })
    const { items, notes } = await surveyOf({ ...files, "/home/u/.claude/settings.json": env })
    expect(items.filter((it) => it.frame !== "")).toEqual([])
    expect(notes.map((it) => it.code)).toEqual(["switched-off"])
  })

  test("[HOSTS-9] large files, empty files, folders and missing files are left out", async () => {
    const { items, searched, notes } = await surveyOf({
      "/w/CLAUDE.md": Buffer.alloc(4_194_305, "x"),
      "/w/.claude/CLAUDE.md": { dir: true },
      "/w/CLAUDE.local.md": { link: "/nowhere" },
      "/w/p/CLAUDE.md": { unreadable: "EACCES" },
      "/w/p/.claude/CLAUDE.md": "<!-- nothing -->",
      "/w/p/CLAUDE.local.md": "",
    })
    expect(items).toEqual([])
    const outcomes = new Map(searched.map((it) => [it.path, it.outcome]))
    expect(
      [
        "/w/CLAUDE.md",
        "/w/.claude/CLAUDE.md",
        "/w/CLAUDE.local.md",
        "/w/p/CLAUDE.md",
        "/w/p/.claude/CLAUDE.md",
        "/w/p/CLAUDE.local.md",
      ].map((it) => outcomes.get(it)),
    ).toEqual(["excluded", "unreadable", "missing", "unreadable", "empty", "empty"])
    expect(notes.map((it) => it.code)).toEqual(["file-too-large", "file-unreadable"])
  })
})

test("[HOSTS-61] a file that a link brings in from outside the repository is external", async () => {
  const found = await instructionsOf({
    "/w/.git": { dir: true },
    "/secrets/key.md": "key",
    "/w/p/CLAUDE.md": { link: "/secrets/key.md" },
    "/w/shared.md": "shared",
    "/w/p/CLAUDE.local.md": { link: "../shared.md" },
    "/w/p/.claude/CLAUDE.md": { link: "/home/u/.claude/mine.md" },
    "/home/u/.claude/mine.md": "mine",
    "/home/u/.claude/CLAUDE.md": { link: "/dotfiles/claude.md" },
    "/dotfiles/claude.md": "dotfiles",
  })
  expect(found.map((it) => [it.path, it.trust])).toEqual([
    ["/home/u/.claude/CLAUDE.md", "own"],
    ["/w/p/CLAUDE.md", "external"],
    ["/w/p/.claude/CLAUDE.md", "external"],
    ["/w/p/CLAUDE.local.md", "project"],
  ])
})
