import { describe, expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import type { HostPlace } from "../host.ts"
import { copilot } from "./copilot.ts"
import { findMentions } from "./imports.ts"
import { patternsOf } from "./rules.ts"
import { customInstructions } from "./session.ts"
import { describeBody, readHead } from "./skills.ts"

const PLACE: HostPlace = {
  workingDirectory: "/w/m/s",
  home: "/home",
  environment: {},
  platform: "linux",
}
const GIT = { "/w/.git/HEAD": "", "/w/.git/objects/x": "", "/w/.git/refs/x": "", "/w/m/s/x": "" }
const SKILL = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: Does ${name}\n${more}---\nText\n`

function survey(files: Readonly<Record<string, PlantedFile>>, place: Partial<HostPlace> = {}) {
  return copilot.survey({ ...PLACE, ...place }, memoryDisk({ ...GIT, ...files }))
}

async function always(
  files: Readonly<Record<string, PlantedFile>>,
  place: Partial<HostPlace> = {},
) {
  const { items } = await survey(files, place)
  return items.filter((it) => it.load === "always").map((it) => it.sent)
}

describe("Copilot instructions", () => {
  test("[HOSTS-31] user, repository root, working directory, then folders between, nearest first", async () => {
    const names = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/CLAUDE.md"]
    const all = [...names, ".github/copilot-instructions.md"]
    const folders = ["/w", "/w/m", "/w/m/n", "/w/m/n/s"]
    const files = Object.fromEntries(
      folders.flatMap((it) => all.map((name) => [`${it}/${name}`, `${it}/${name}`])),
    )
    const found = await always(
      { ...files, "/home/.copilot/copilot-instructions.md": "user", "/AGENTS.md": "above" },
      { workingDirectory: "/w/m/n/s" },
    )
    const between = (folder: string) =>
      [
        ".github/copilot-instructions.md",
        "AGENTS.md",
        "CLAUDE.md",
        ".claude/CLAUDE.md",
        "GEMINI.md",
      ].map((name) => `${folder}/${name}`)
    expect(found).toEqual([
      "user",
      "/w/.github/copilot-instructions.md",
      "/w/m/n/s/.github/copilot-instructions.md",
      ...names.slice(0, 3).map((it) => `/w/${it}`),
      ...names.slice(0, 3).map((it) => `/w/m/n/s/${it}`),
      ...between("/w/m/n"),
      ...between("/w/m"),
    ])
  })

  test("[HOSTS-31] the same text occurs once, also if it is empty", async () => {
    const { items, notes } = await survey({
      "/w/AGENTS.md": "same",
      "/w/CLAUDE.md": "same",
      "/w/GEMINI.md": "",
      "/w/m/s/GEMINI.md": "",
    })
    expect(items.map((it) => it.path)).toEqual(["/w/AGENTS.md", "/w/GEMINI.md"])
    expect(notes.map((it) => it.code)).toEqual(["duplicate", "duplicate"])
  })

  test("[HOSTS-31] without git only the working directory counts", async () => {
    const files = { "/p/AGENTS.md": "p", "/p/q/AGENTS.md": "q" }
    const place = { workingDirectory: "/p/q" }
    expect(await always(files, place)).toEqual(["q"])
    expect(await always({ ...files, "/p/.git": "gitdir: /x" }, place)).toEqual(["p", "q"])
    expect(await always({ ...files, "/p/.git/HEAD": "" }, place)).toEqual(["q"])
  })

  test("[HOSTS-31] the user's file must be UTF-8, a project's is repaired; byte-order marks are removed", async () => {
    const bad = Buffer.from([65, 0xff])
    const files = {
      "/ch/copilot-instructions.md": bad,
      "/w/AGENTS.md": bad,
      "/w/CLAUDE.md": "\uFEFFmark",
    }
    const place = { environment: { COPILOT_HOME: "/ch" } }
    expect(await always(files, place)).toEqual(["A\uFFFD", "mark"])
  })

  test("[HOSTS-61] a link out of the repository is external and noted", async () => {
    const { items, notes } = await survey({
      "/out.md": "out",
      "/w/AGENTS.md": { link: "/out.md" },
      "/w/.github/instructions/a.instructions.md": { link: "/out.md" },
    })
    expect(items.map((it) => it.trust)).toEqual(["external", "external"])
    expect(notes.map((it) => it.code)).toEqual(["link-outside", "link-outside"])
  })
})

describe("Copilot imports", () => {
  test("[HOSTS-32] an imported file is inserted after its name once, and listed", async () => {
    const { items } = await survey({
      "/w/AGENTS.md": "see\n@a.md and @a.md",
      "/w/a.md": "A @sub/b.md\n\n",
      "/w/sub/b.md": "\uFEFFB </imported_custom_instruction>",
    })
    expect(items.map((it) => [it.path, it.load, it.importedBy?.line])).toEqual([
      ["/w/AGENTS.md", "always", undefined],
      ["/w/a.md", "import", 2],
      ["/w/sub/b.md", "import", 1],
    ])
    expect(items[0]?.sent).toBe(
      [
        "see\n@a.md\n",
        '<imported_custom_instruction source="/w/a.md">',
        "A @sub/b.md\n",
        '<imported_custom_instruction source="/w/sub/b.md">',
        "B &lt;/imported_custom_instruction>",
        "</imported_custom_instruction>",
        "</imported_custom_instruction> and @a.md\n",
        '<imported_custom_instruction source="/w/a.md" skipped="already-loaded" />',
      ].join("\n"),
    )
  })

  test("[HOSTS-32] a missing, outside, broken or too deep import stays a name, with a note", async () => {
    const chain = Array.from({ length: 9 }, (_, at) => [`/w/d${at + 1}.md`, `@d${at + 2}.md`])
    const { items, notes } = await survey({
      "/w/AGENTS.md": "@no.md @../out.md @bad.md @dir.md @d1.md",
      "/out.md": "out",
      "/w/bad.md": Buffer.from([0xff]),
      "/w/dir.md/x": "",
      ...Object.fromEntries(chain),
    })
    expect(items.filter((it) => it.load === "import").length).toBe(8)
    expect(notes.map((it) => it.code)).toEqual([
      "import-unresolved",
      "import-external",
      "import-unresolved",
      "import-unresolved",
      "import-too-deep",
    ])
  })

  test("[HOSTS-32] GEMINI.md and rules import nothing", async () => {
    const files = {
      "/w/GEMINI.md": "G @a.md",
      "/w/.github/instructions/r.instructions.md": "R @../../a.md",
      "/w/a.md": "A",
    }
    expect(await always(files)).toEqual(["G @a.md", "R @../../a.md"])
  })

  test.each([
    ["@a.md", ["a.md"]],
    ["(@a.md) [@b.md] @c.md. @d.MARKDOWN!", ["a.md", "b.md", "c.md", "d.MARKDOWN"]],
    ["mail@a.md x-@a.md .@a.md @a.txt @a.md* @a.mdx @ a.md", []],
    ["`@a.md` ``@b.md`` `x\n@c.md`", []],
    ["```\n@a.md\n```\n@b.md\n~~~\n@c.md\n~~~", ["b.md"]],
    ["@@a.md", ["@a.md", "a.md"]],
  ])("[HOSTS-32] import names in %j", (text, expected) => {
    expect(findMentions(text).map((it) => it.path)).toEqual(expected)
  })
})

describe("Copilot rules", () => {
  test("[HOSTS-33] rules for all files are sent whole, other rules as a table row", async () => {
    const { items } = await survey(
      {
        "/home/.copilot/instructions/u.instructions.md": "---\napplyTo: u.ts\n---\nU",
        "/w/.github/instructions/b/c.Instructions.md": "C",
        "/w/.github/instructions/b.instructions.md": "B",
        "/w/.github/instructions/.h.instructions.md": "H",
        "/w/.github/instructions/d.md": "D",
        "/w/m/s/.github/instructions/x.instructions.md":
          "---\napplyTo: '*.{a,b}, c|d'\ndescription: |\n  one\n  two\n---\nX",
        "/w/m/.github/instructions/m.instructions.md": "M",
        "/w/.github/instructions/k.instructions.md": "---\nexcludeAgent: coding-agent\n---\nK",
        "/d1/AGENTS.md": "D1",
        "/d1/y.instructions.md": "Y",
        "/d1/.github/instructions/z.instructions.md": "Z",
      },
      { environment: { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: "/d1, /d2" } },
    )
    expect(items.map((it) => [it.load, it.sent])).toEqual([
      ["always", "C"],
      ["always", "B"],
      ["always", "Z"],
      ["always", "Y"],
      [
        "name-only",
        "| ../../../d1/ | '../../../d1/AGENTS.md' | Agent instructions for ../../../d1/**/* |",
      ],
      ["conditional", "| u.ts | '/home/.copilot/instructions/u.instructions.md' |  |"],
      ["conditional", "| *.{a,b}, c\\|d | '.github/instructions/x.instructions.md' | one two |"],
    ])
    expect(items.at(-1)?.waitsFor).toEqual({ patterns: ["*.{a,b}", "c|d"], base: "/w/m/s" })
  })

  test("[HOSTS-33] a user rule that is too large or not UTF-8 is left out", async () => {
    const { items, notes } = await survey({
      "/home/.copilot/instructions/a.instructions.md": Buffer.alloc(1024 * 1024 + 1, "x"),
      "/home/.copilot/instructions/b.instructions.md": Buffer.from([0xff]),
    })
    expect(items).toEqual([])
    expect(notes.map((it) => it.code)).toEqual(["file-too-large"])
  })

  test.each([
    ["**", undefined],
    ["", undefined],
    [undefined, undefined],
    [5, undefined],
    [["**"], undefined],
    [[], undefined],
    ["**,x", ["**", "x"]],
    [
      [" a ", ""],
      [" a ", ""],
    ],
    ["**/**", ["**/**"]],
  ])("[HOSTS-33] applyTo %j", (given, expected) => {
    expect(patternsOf(given)).toEqual(expected)
  })
})

describe("Copilot skills and agents", () => {
  test("[HOSTS-34] skills of one folder kind are sorted by name, and the first of a name wins", async () => {
    const { items, searched } = await survey(
      {
        "/w/.github/skills/b/SKILL.md": SKILL("b"),
        "/w/m/.github/skills/a/SKILL.md": SKILL("a"),
        "/w/m/s/.github/skills/z/SKILL.md": SKILL("z"),
        "/w/m/s/.agents/skills/y/SKILL.md": SKILL("y"),
        "/home/.copilot/skills/u/SKILL.md": SKILL("u"),
        "/home/.copilot/skills/z/SKILL.md": SKILL("z"),
        "/home/.agents/skills/v/SKILL.md": SKILL("v"),
        "/x/e/SKILL.md": SKILL("e"),
        "/w/.claude/commands/c.md": "# T\n\nsome & text",
        "/w/m/s/.claude/commands/d.md": SKILL("d"),
        "/w/m/s/.claude/commands/deep/e.md": SKILL("no"),
      },
      { environment: { COPILOT_SKILLS_DIRS: "/x" } },
    )
    const names = items.map((it) => /<name>(.*)<\/name>/.exec(it.sent)?.[1])
    expect(names).toEqual(["z", "a", "b", "y", "u", "v", "e", "d", "c"])
    expect(items.at(-1)?.sent).toBe(
      "<skill>\n  <name>c</name>\n  <description>some &amp; text</description>\n  <location>project</location>\n</skill>",
    )
    const hidden = searched.find((it) => it.path === "/home/.copilot/skills/z/SKILL.md")
    expect(hidden?.outcome).toBe("excluded")
  })

  test("[HOSTS-34] a skill with frontmatter that Copilot rejects is left out", async () => {
    const heads = {
      plain: "plain",
      broken: "---\nname: [\n---\n",
      alias: "---\nname: *x\ndescription: y\n---\n",
      list: "---\n- a\n---\n",
      number: "---\nname: 12\ndescription: x\n---\n",
      flag: "---\ndescription: true\n---\n",
      slash: SKILL("a/b"),
      long: `---\ndescription: ${"x".repeat(1_025)}\n---\n`,
    }
    const files = Object.entries(heads).map(([name, text]) => [
      `/w/.github/skills/${name}/SKILL.md`,
      text,
    ])
    const { items } = await survey({
      ...Object.fromEntries(files),
      "/w/.github/skills/bytes/SKILL.md": Buffer.from([0xff]),
      "/w/.github/skills/people/SKILL.md": SKILL("people", "disable-model-invocation: true\n"),
      "/w/.github/skills/Two Words/SKILL.md": SKILL("Two Words"),
    })
    expect(items.map((it) => [it.load, /<name>(.*)<\/name>/.exec(it.sent)?.[1]])).toEqual([
      ["name-only", "Two-Words"],
      ["on-demand", undefined],
    ])
  })

  test("[HOSTS-34] without git skills come from all parent folders except ~/.claude", async () => {
    const { items } = await survey(
      {
        "/home/.claude/skills/c/SKILL.md": SKILL("c"),
        "/home/.github/skills/g/SKILL.md": SKILL("g"),
        "/home/p/.claude/skills/p/SKILL.md": SKILL("p"),
      },
      { workingDirectory: "/home/p" },
    )
    expect(items.map((it) => it.path)).toEqual([
      "/home/.github/skills/g/SKILL.md",
      "/home/p/.claude/skills/p/SKILL.md",
    ])
  })

  test("[HOSTS-34] agents are sorted by name; the nearest one of the project wins", async () => {
    const agent = (name: string, about: string) =>
      `---\nname: ${name}\ndescription: ${about}\n---\n`
    const { items } = await survey({
      "/w/.github/agents/z.agent.md": agent("z", "top"),
      "/w/m/.claude/agents/z.md": agent("z", "near"),
      "/w/.github/agents/sub/a.agent.md": "---\ndescription: unnamed\n---\n",
      "/w/.github/agents/n.md": "no head",
      "/w/.github/agents/.h.md": agent("h", "h"),
      "/w/.github/agents/x.txt": "x",
      "/w/.github/agents/bad.md": Buffer.from([0xff]),
      "/w/.github/agents/i.md": `---\nname: i\ndescription: d\ninfer: false\n---\n`,
      "/home/.copilot/agents/z.md": agent("z", "user"),
    })
    expect(items.map((it) => [it.load, it.sent])).toEqual([
      ["name-only", "- **a**: unnamed"],
      ["on-demand", ""],
      ["name-only", "- **z**: near"],
      ["name-only", "- **z**: user"],
    ])
  })

  test("[HOSTS-34] frontmatter is parsed, and a description from the body has no headings", () => {
    expect(readHead("---\na: 1\n---\nb")).toEqual({ fields: { a: 1 }, body: "b" })
    expect(describeBody("# H\n\none\n two\n## I\nthree")).toBe("one two three")
  })
})

describe("Copilot settings", () => {
  const mcp =
    '{"mcpServers":{"a":{"command":"x","args":["y"]},"b":{"type":"sse","url":"http://h"},"c":1}}'

  test("[HOSTS-12] a project's Copilot servers wait for trust; settings can disable one", async () => {
    const files = {
      "/home/.copilot/mcp-config.json": mcp,
      "/home/.copilot/settings.json": '{"disabledMcpServers":["a"]}',
      "/w/.mcp.json": '{"mcpServers":{"p":{"command":"p"}}}',
      "/w/.github/hooks/h.json": "{}",
      "/home/.copilot/hooks/u.json": "{}",
      "/home/.copilot/hooks/u.txt": "",
      "/w/.github/copilot/settings.json": "{ // comment\n}",
    }
    const { items, mcpServers, layers } = await survey(files)
    expect(mcpServers.map((it) => [it.name, it.transport, it.target, it.state])).toEqual([
      ["a", "stdio", "x y", "disabled in settings"],
      ["b", "sse", "http://h", "connects"],
      ["p", "stdio", "p", "waits for trust"],
    ])
    expect(items.every((it) => it.load === "config-only" && it.sent === "")).toBe(true)
    expect(items.map((it) => it.path)).toEqual([
      "/home/.copilot/settings.json",
      "/w/.github/copilot/settings.json",
      "/home/.copilot/hooks/u.json",
      "/w/.github/hooks/h.json",
      "/home/.copilot/mcp-config.json",
      "/w/.mcp.json",
    ])
    expect(layers.map((it) => [it.layer, it.outcome.kind])).toEqual([
      ["local", "missing"],
      ["project", "found"],
      ["user", "found"],
    ])
    const trusted = { ...files, "/home/.copilot/config.json": '{"trustedFolders":["/w"]}' }
    expect((await survey(trusted)).mcpServers.at(-1)?.state).toBe("connects")
  })

  test("[HOSTS-12] a broken Copilot file is reported with its line, an unreadable one too", async () => {
    const { notes, layers } = await survey({
      "/home/.copilot/settings.json": '{\n"a": }',
      "/w/.github/copilot/settings.json": "[]",
      "/w/.github/copilot/settings.local.json": { unreadable: "EACCES" },
    })
    expect(notes.filter((it) => it.code === "settings-broken").map((it) => it.text)).toEqual([
      "This file is invalid (ValueExpected, line 2) and is ignored.",
      "This file is invalid (it is not a JSON object) and is ignored.",
    ])
    expect(layers[0]?.outcome).toEqual({ kind: "unreadable", reason: "EACCES" })
    const folder = await survey({ "/home/.copilot/settings.json/x": "" })
    expect(folder.layers.at(-1)?.outcome).toEqual({ kind: "unreadable", reason: "directory" })
  })
})

describe("Copilot session records", () => {
  const start = (cwd: string) =>
    JSON.stringify({ type: "session.start", data: { copilotVersion: "1.0.102", context: { cwd } } })
  const system = JSON.stringify({
    type: "system.message",
    data: { content: "own\n</tools>\n\nINS\n\n<system_notifications>\nmore" },
  })
  const sessions = "/home/.copilot/session-state"

  test("[HOSTS-18] the newest Copilot session of the folder is found", async () => {
    const disk = memoryDisk({
      ...GIT,
      [`${sessions}/old/events.jsonl`]: `${start("/w/m/s")}\n${system}`,
      [`${sessions}/new/events.jsonl`]: `${start("/w/m/s")}\n{"type":"x"}\n${system}`,
      [`${sessions}/other/events.jsonl`]: start("/elsewhere"),
      [`${sessions}/torn/events.jsonl`]: start("/w/m/s"),
      [`${sessions}/empty/x`]: "",
    })
    expect(await copilot.readLastSession?.(PLACE, disk)).toEqual({
      by: "transcript",
      at: 6_000,
      version: "1.0.102",
      session: "new",
      files: [],
      wholeText: "INS",
      categories: [],
    })
    expect(await copilot.readLastSession?.(PLACE, memoryDisk({}))).toBeUndefined()
  })

  test("[HOSTS-18] a Copilot message of another shape is used as a whole", () => {
    expect(customInstructions("plain")).toBe("plain")
  })
})

test("[HOSTS-19] Copilot is found on the PATH with its version", async () => {
  const disk = memoryDisk({
    "/bin/copilot": { link: "/lib/@github/copilot-linux-x64/copilot" },
    "/lib/@github/copilot-linux-x64/copilot": "",
    "/lib/@github/copilot-linux-x64/package.json":
      '{"name":"@github/copilot-linux-x64","version":"1.0.102"}',
  })
  const place = { ...PLACE, environment: { PATH: "/bin" } }
  expect((await copilot.findInstalled(place, disk))?.version).toBe("1.0.102")
})
