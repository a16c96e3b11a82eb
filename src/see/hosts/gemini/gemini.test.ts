import { describe, expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import type { HostPlace } from "../host.ts"
import { gemini } from "./gemini.ts"
import { findMentions } from "./imports.ts"
import { readHead } from "./listings.ts"

const PLACE: HostPlace = {
  workingDirectory: "/w/s",
  home: "/home",
  environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  platform: "linux",
}
const GIT = { "/w/.git/HEAD": "", "/w/s/x": "" }
const SKILL = (name: string, about = `Does ${name}`) =>
  `---\nname: ${name}\ndescription: ${about}\n---\nText\n`

function survey(files: Readonly<Record<string, PlantedFile>>, place: Partial<HostPlace> = {}) {
  return gemini.survey({ ...PLACE, ...place }, memoryDisk({ ...GIT, ...files }))
}

async function always(
  files: Readonly<Record<string, PlantedFile>>,
  place: Partial<HostPlace> = {},
) {
  const { items } = await survey(files, place)
  return items.filter((it) => it.load === "always").map((it) => [it.path, it.sent])
}

describe("Gemini instructions", () => {
  test("[HOSTS-41] the user's files, then the project's by path, each between two marker lines", async () => {
    const { items } = await survey(
      {
        "/GEMINI.md": "above",
        "/home/.gemini/GEMINI.md": " user\n",
        "/w/GEMINI.md": "root",
        "/w/A/GEMINI.md": "a",
        "/w/A/z/GEMINI.md": "z",
        "/w/A/z/below/GEMINI.md": "below",
      },
      { workingDirectory: "/w/A/z" },
    )
    expect(items.map((it) => [it.path, it.sent])).toEqual([
      ["/home/.gemini/GEMINI.md", "user"],
      ["/w/A/GEMINI.md", "a"],
      ["/w/A/z/GEMINI.md", "z"],
      ["/w/GEMINI.md", "root"],
    ])
    expect(items[0]?.frame).toBe(
      "--- Context from: /home/.gemini/GEMINI.md ---\n\n--- End of Context from: /home/.gemini/GEMINI.md ---",
    )
  })

  test("[HOSTS-41] names from the settings are added to GEMINI.md, and root markers end the walk", async () => {
    const settings = {
      context: { fileName: [" A.md ", ""], memoryBoundaryMarkers: ["x.toml", "/a", "../b"] },
    }
    const found = await always({
      "/home/.gemini/settings.json": JSON.stringify(settings),
      "/w/x.toml": "",
      "/w/A.md": "a",
      "/w/s/GEMINI.md": "g",
      "/w/s/.git/HEAD": "",
    })
    expect(found.map(([path]) => path)).toEqual(["/w/A.md", "/w/s/GEMINI.md"])
  })

  test("[HOSTS-41] without a marker only the working directory counts", async () => {
    const files = { "/p/GEMINI.md": "p", "/p/q/GEMINI.md": "q" }
    expect(await always(files, { workingDirectory: "/p/q" })).toEqual([["/p/q/GEMINI.md", "q"]])
  })

  test("[HOSTS-41] the same real file counts once; blank files and folders are left out", async () => {
    const { items, searched } = await survey({
      "/home/.gemini/GEMINI.md": { link: "/w/GEMINI.md" },
      "/w/GEMINI.md": "root",
      "/w/s/GEMINI.md": " \n",
    })
    expect(items.map((it) => it.path)).toEqual(["/home/.gemini/GEMINI.md"])
    const outcomes = searched.filter((it) => it.path.endsWith(".md"))
    expect(outcomes.map((it) => [it.path, it.outcome])).toEqual([
      ["/home/.gemini/GEMINI.md", "found"],
      ["/w/GEMINI.md", "excluded"],
      ["/w/s/GEMINI.md", "empty"],
    ])
  })

  test("[HOSTS-41] the private memory of a project comes before the project's files", async () => {
    const files = {
      "/home/.gemini/projects.json": '{"projects":{"/w/s":"s-1"}}',
      "/home/.gemini/tmp/s-1/memory/MEMORY.md": "memory",
      "/w/GEMINI.md": "root",
    }
    const { items } = await survey(files)
    expect(items.map((it) => [it.sent, it.kind, it.scope])).toEqual([
      ["memory", "memory", "memory"],
      ["root", "instructions", "project"],
    ])
    const legacy = {
      "/home/.gemini/projects.json": files["/home/.gemini/projects.json"],
      "/home/.gemini/tmp/s-1/memory/GEMINI.md": "legacy",
    }
    expect(await always(legacy)).toEqual([["/home/.gemini/tmp/s-1/memory/GEMINI.md", "legacy"]])
    for (const short of ["..", "../..", "a/b"]) {
      const hostile = {
        "/home/.gemini/projects.json": JSON.stringify({ projects: { "/w/s": short } }),
        [`/home/.gemini/tmp/${short}/memory/MEMORY.md`]: "elsewhere",
        "/home/.gemini/memory/MEMORY.md": "elsewhere",
      }
      expect(await always(hostile)).toEqual([])
    }
  })

  test("[HOSTS-41] GEMINI_CLI_HOME moves the user's files", async () => {
    const files = { "/gh/.gemini/GEMINI.md": "gh", "/home/.gemini/GEMINI.md": "home" }
    const environment = { ...PLACE.environment, GEMINI_CLI_HOME: "/gh" }
    expect(await always(files, { environment })).toEqual([["/gh/.gemini/GEMINI.md", "gh"]])
  })

  test("[HOSTS-61] a link out of the project is external and noted", async () => {
    const { items, notes } = await survey({ "/out.md": "out", "/w/GEMINI.md": { link: "/out.md" } })
    expect(items.map((it) => it.trust)).toEqual(["external"])
    expect(notes.map((it) => it.code)).toEqual(["link-outside"])
  })
})

describe("Gemini folder trust", () => {
  const files = {
    "/w/GEMINI.md": "root",
    "/w/s/.gemini/settings.json": '{"context":{"fileName":"X.md"}}',
    "/w/s/X.md": "x",
    "/w/s/.gemini/skills/k/SKILL.md": SKILL("k"),
    "/w/s/.gemini/agents/a.md": SKILL("a"),
  }
  const rules = (text: string) => ({ "/home/.gemini/trustedFolders.json": text })

  test.each([
    { name: "nobody spoke", env: {}, more: {}, isTrusted: false },
    {
      name: "the variable says so",
      env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
      more: {},
      isTrusted: true,
    },
    {
      name: "the variable denies it",
      env: { GEMINI_CLI_TRUST_WORKSPACE: "false" },
      more: rules('{"/w":"TRUST_FOLDER"}'),
      isTrusted: false,
    },
    {
      name: "the mode is restricted",
      env: { GEMINI_RESTRICTED_MODE: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" },
      more: {},
      isTrusted: false,
    },
    {
      name: "the folder is trusted",
      env: {},
      more: rules('{"/w":"TRUST_FOLDER"}'),
      isTrusted: true,
    },
    {
      name: "a neighbour's parent is",
      env: {},
      more: rules('{"/w/o":"TRUST_PARENT"}'),
      isTrusted: true,
    },
    {
      name: "the longer rule denies it",
      env: {},
      more: rules('{"/w/s":"DO_NOT_TRUST","/w":"TRUST_FOLDER","/x":"TRUST_FOLDER"}'),
      isTrusted: false,
    },
    {
      name: "the rule is of no known kind",
      env: {},
      more: rules('{"/w/s":"MAYBE"}'),
      isTrusted: false,
    },
    {
      name: "trust is not asked for",
      env: {},
      more: { "/home/.gemini/settings.json": '{"security":{"folderTrust":{"enabled":false}}}' },
      isTrusted: true,
    },
    {
      name: "rules lie elsewhere",
      env: { GEMINI_CLI_TRUSTED_FOLDERS_PATH: "/t.json" },
      more: { "/t.json": '{"/w":"TRUST_FOLDER"}' },
      isTrusted: true,
    },
  ])("[HOSTS-42] $name: trusted is $isTrusted", async ({ env, more, isTrusted }) => {
    const { items, notes } = await survey({ ...files, ...more }, { environment: env })
    const loaded = items.filter((it) => it.load !== "config-only").map((it) => it.path)
    const all = [
      "/w/s/.gemini/agents/a.md",
      "/w/s/.gemini/skills/k/SKILL.md",
      "/w/GEMINI.md",
      "/w/s/X.md",
    ]
    expect(loaded).toEqual(isTrusted ? all : [])
    expect(notes.map((it) => it.code)).toEqual(isTrusted ? [] : ["switched-off"])
  })
})

describe("Gemini imports", () => {
  test("[HOSTS-43] an import name is replaced by the file, and the file is listed", async () => {
    const { items } = await survey({
      "/w/GEMINI.md": "a @./i.md b\n`@i.md`",
      "/w/i.md": "I @i.md @GEMINI.md\n",
    })
    expect(items.map((it) => [it.path, it.load, it.importedBy?.line])).toEqual([
      ["/w/GEMINI.md", "always", undefined],
      ["/w/i.md", "import", 1],
      ["/w/GEMINI.md", "import", 1],
    ])
    expect(items[0]?.sent).toBe(
      [
        "a <!-- Imported from: ./i.md -->",
        "I <!-- File already processed: i.md --> <!-- Imported from: GEMINI.md -->",
        "a <!-- File already processed: ./i.md --> b",
        "`@i.md`",
        "<!-- End of import from: GEMINI.md -->",
        "",
        "<!-- End of import from: ./i.md --> b",
        "`@i.md`",
      ].join("\n"),
    )
  })

  test("[HOSTS-43] a failed import leaves a comment and a note", async () => {
    const { items, notes } = await survey({
      "/w/GEMINI.md": "@no.md @../out.md @dir @locked.md @https://x/y.md @link/deep.md",
      "/out.md": "out",
      "/far/x": "",
      "/w/dir/x": "",
      "/w/link": { link: "/far" },
      "/w/locked.md": { unreadable: "EACCES" },
    })
    expect(items[0]?.sent.split(" --> ")).toEqual([
      "<!-- Import failed: no.md - ENOENT: no such file or directory, access '/w/no.md'",
      "<!-- Import failed: ../out.md - Path traversal attempt",
      "<!-- Import failed: dir - EISDIR: illegal operation on a directory, read '/w/dir'",
      "<!-- Import failed: locked.md - EACCES",
      "<!-- Import failed: https://x/y.md - Path traversal attempt",
      "<!-- Import failed: link/deep.md - Path traversal attempt -->",
    ])
    expect(notes.filter((it) => it.code === "import-external").length).toBe(3)
    expect(notes.filter((it) => it.code === "import-unresolved").length).toBe(3)
  })

  test("[HOSTS-43] the fifth file of a chain imports nothing", async () => {
    const chain = Array.from({ length: 8 }, (_, at) => [`/w/d${at + 1}.md`, `@d${at + 2}.md`])
    const { items } = await survey({ "/w/GEMINI.md": "@d1.md", ...Object.fromEntries(chain) })
    expect(items.filter((it) => it.load === "import").length).toBe(5)
    expect(items[0]?.sent).toContain("\n@d6.md\n")
  })

  test.each([
    ["@a @./b @/c @1 @-x (@d) x@e\t@f", ["a", "./b", "/c", "f"]],
    ["`@a`", []],
    ["```\n@a\n```", ["a"]],
  ])("[HOSTS-43] import names in %j", (text, expected) => {
    expect(findMentions(text).map((it) => it.path)).toEqual(expected)
  })
})

describe("Gemini skills and agents", () => {
  test("[HOSTS-44] a later folder replaces a skill of the same name; settings disable skills", async () => {
    const { items, searched } = await survey({
      "/home/.gemini/settings.json": '{"skills":{"disabled":["OFF"]}}',
      "/home/.gemini/skills/a/SKILL.md": SKILL("same", "user"),
      "/home/.agents/skills/off/SKILL.md": SKILL("off"),
      "/w/s/.gemini/skills/b/SKILL.md": SKILL("same", "project"),
      "/w/s/.agents/skills/c/SKILL.md": SKILL("c:d"),
      "/w/s/.agents/skills/x/y/SKILL.md": SKILL("deep"),
      "/w/s/.agents/skills/z/SKILL.md": "no head",
    })
    const skills = items.filter((it) => it.source === "skills")
    expect(skills.map((it) => it.sent)).toEqual([
      "  <skill>\n    <name>same</name>\n    <description>project</description>\n    <location>/w/s/.gemini/skills/b/SKILL.md</location>\n  </skill>",
      "  <skill>\n    <name>c-d</name>\n    <description>Does c:d</description>\n    <location>/w/s/.agents/skills/c/SKILL.md</location>\n  </skill>",
    ])
    const excluded = searched.filter((it) => it.outcome === "excluded").map((it) => it.path)
    expect(excluded).toEqual(["/home/.gemini/skills/a/SKILL.md", "/w/s/.agents/skills/z/SKILL.md"])
    const off = await survey({
      "/home/.gemini/settings.json": '{"skills":{"enabled":false}}',
      "/home/.gemini/skills/a/SKILL.md": SKILL("a"),
    })
    expect(off.items.map((it) => it.source)).toEqual(["user-settings"])
  })

  test("[HOSTS-44] the user's agents are listed, a project's wait for consent", async () => {
    const { items } = await survey({
      "/home/.gemini/agents/u.md": SKILL("u"),
      "/home/.gemini/agents/_n.md": SKILL("n"),
      "/home/.gemini/agents/bad.md": SKILL("Not A Slug"),
      "/w/s/.gemini/agents/p.md": SKILL("p"),
      "/w/s/.gemini/agents/l.md": { link: "/w/s/.gemini/agents/p.md" },
    })
    expect(items.map((it) => [it.path, it.load, it.sent])).toEqual([
      [
        "/home/.gemini/agents/u.md",
        "name-only",
        "  <subagent>\n    <name>u</name>\n    <description>Does u</description>\n  </subagent>",
      ],
      ["/w/s/.gemini/agents/p.md", "on-demand", ""],
    ])
  })

  test.each([
    ["---\nname: a\ndescription: b\n---\n", { name: "a", description: "b" }],
    ["---\nname: a\ndescription: b: c\n  more\n---", { name: "a", description: "b: c more" }],
    ["---\nname: 12\ndescription: x\n---\n", { name: "12", description: "x" }],
    ["---\nname: a\n---\n", undefined],
    ["text", undefined],
  ])("[HOSTS-44] frontmatter %j", (text, expected) => {
    expect(readHead(text)).toEqual(expected)
  })
})

describe("Gemini settings", () => {
  test("[HOSTS-12] Gemini's machine settings are strongest; servers have a state", async () => {
    const files = {
      "/etc/gemini-cli/settings.json": '{"mcp":{"excluded":["b"]}}',
      "/etc/gemini-cli/system-defaults.json": "{}",
      "/home/.gemini/settings.json":
        '{"mcpServers":{"a":{"command":"x"},"b":{"httpUrl":"http://h"}},"mcp":{"excluded":[]}}',
      "/w/s/.gemini/settings.json": '{"mcpServers":{"p":{"command":"p"}}}',
    }
    const { layers, mcpServers, items } = await survey(files)
    expect(layers.map((it) => it.layer)).toEqual(["system", "project", "user", "defaults"])
    expect(mcpServers.map((it) => [it.name, it.scope, it.state])).toEqual([
      ["a", "user", "connects"],
      ["b", "user", "excluded in settings"],
      ["p", "project", "connects"],
    ])
    expect(items.map((it) => [it.load, it.scope])).toEqual([
      ["config-only", "managed"],
      ["config-only", "user"],
      ["config-only", "managed"],
      ["config-only", "project"],
    ])
    const unknown = await survey(files, { environment: {} })
    expect(unknown.layers.map((it) => it.layer)).toEqual(["system", "user", "defaults"])
    expect(unknown.mcpServers.at(-1)?.state).toBe("waits for trust")
  })

  test("[HOSTS-12] a list of allowed Gemini servers leaves out the others", async () => {
    const { mcpServers } = await survey({
      "/home/.gemini/settings.json": '{"mcpServers":{"a":{},"b":{}},"mcp":{"allowed":["a"]}}',
    })
    expect(mcpServers.map((it) => it.state)).toEqual(["connects", "excluded in settings"])
  })

  test("[HOSTS-12] Gemini's system settings path depends on the platform and a variable", async () => {
    const first = async (place: Partial<HostPlace>) => (await survey({}, place)).layers[0]?.path
    expect(await first({ platform: "darwin" })).toContain("/Library/")
    expect(await first({ platform: "win32" })).toContain("ProgramData")
    const environment = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: "/s.json" }
    expect(await first({ environment })).toBe("/s.json")
  })

  test("[HOSTS-12] in the home directory Gemini has no project settings", async () => {
    const files = { "/home/.gemini/settings.json": "{}" }
    const { layers } = await survey(files, { workingDirectory: "/home" })
    expect(layers.map((it) => it.layer)).toEqual(["system", "user", "defaults"])
  })
})

test("[HOSTS-19] Gemini CLI is found on the PATH with its version", async () => {
  const disk = memoryDisk({
    "/bin/gemini": { link: "/lib/@google/gemini-cli/bundle/gemini.js" },
    "/lib/@google/gemini-cli/bundle/gemini.js": "",
    "/lib/@google/gemini-cli/package.json": '{"name":"@google/gemini-cli","version":"0.61.0"}',
  })
  const place = { ...PLACE, environment: { PATH: "/bin" } }
  expect((await gemini.findInstalled(place, disk))?.version).toBe("0.61.0")
})
