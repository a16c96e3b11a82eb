import { describe, expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import { antigravity } from "../antigravity/antigravity.ts"
import { claudeCode } from "../claude-code/claude-code.ts"
import { codex } from "../codex/codex.ts"
import { copilot } from "../copilot/copilot.ts"
import { gemini } from "../gemini/gemini.ts"
import type { Host, HostItem, HostPlace } from "../host.ts"
import { belongsTo } from "./file-trust.ts"

const HOME = "/home/u"
const PROJECT = `${HOME}/p`
const HEAD = "---\nname: n\ndescription: d\n---\nbody"
const SERVERS = '{"mcpServers":{"s":{"command":"x"}}}'
const STATE = JSON.stringify({
  projects: { [PROJECT]: { hasClaudeMdExternalIncludesApproved: true } },
  mcpServers: { s: { command: "x" } },
})

type Row = readonly [at: string, text: string, linkAt?: string]

type Kind = {
  readonly host: Host
  readonly own: string
  readonly rows: readonly Row[]
}

const KINDS: readonly Kind[] = [
  {
    host: claudeCode,
    own: `${HOME}/.claude`,
    rows: [
      ["/etc/claude-code/CLAUDE.md", "text"],
      ["/etc/claude-code/managed-settings.json", "{}"],
      ["/etc/claude-code/managed-settings.d/a.json", "{}"],
      ["/etc/claude-code/managed-mcp.json", SERVERS],
      ["/etc/claude-code/.claude/skills/s/SKILL.md", HEAD],
      [`${HOME}/.claude.json`, STATE],
      [`${HOME}/.claude/CLAUDE.md`, "text"],
      [`${HOME}/.claude/rules/r.md`, "text"],
      [`${HOME}/.claude/settings.json`, "{}"],
      [`${HOME}/.claude/skills/s/SKILL.md`, HEAD],
      [`${HOME}/.claude/skills/s/SKILL.md`, HEAD, `${HOME}/.claude/skills/s`],
      [`${HOME}/.claude/commands/c.md`, HEAD],
      [`${HOME}/.claude/agents/a.md`, HEAD],
      [`${HOME}/.claude/output-styles/n.md`, HEAD],
      [`${HOME}/.claude/projects/-home-u-p/memory/MEMORY.md`, "text"],
      [`${PROJECT}/CLAUDE.md`, "text"],
      [`${PROJECT}/CLAUDE.local.md`, "text"],
      [`${PROJECT}/AGENTS.md`, "text"],
      [`${PROJECT}/.claude/CLAUDE.md`, "text", `${PROJECT}/.claude`],
      [`${PROJECT}/.claude/rules/r.md`, "text"],
      [`${PROJECT}/.claude/settings.json`, "{}"],
      [`${PROJECT}/.claude/settings.local.json`, "{}"],
      [`${PROJECT}/.mcp.json`, SERVERS],
      [`${PROJECT}/.claude/skills/s/SKILL.md`, HEAD],
      [`${PROJECT}/.claude/skills/s/SKILL.md`, HEAD, `${PROJECT}/.claude/skills`],
      [`${PROJECT}/.claude/commands/c.md`, HEAD],
      [`${PROJECT}/.claude/agents/a.md`, HEAD],
      [`${PROJECT}/.claude/output-styles/n.md`, HEAD],
    ],
  },
  {
    host: codex,
    own: `${HOME}/.codex`,
    rows: [
      ["/etc/codex/config.toml", "a = 1"],
      ["/etc/codex/managed_config.toml", "a = 1"],
      [`${HOME}/.codex/config.toml`, "[mcp_servers.s]\ncommand = 'x'"],
      [`${HOME}/.codex/AGENTS.md`, "text"],
      [`${HOME}/.codex/hooks.json`, "{}"],
      [`${HOME}/.codex/skills/s/SKILL.md`, HEAD, `${HOME}/.codex/skills/s`],
      [`${HOME}/.agents/skills/s/SKILL.md`, HEAD, `${HOME}/.agents/skills/s`],
      [`${PROJECT}/AGENTS.md`, "text"],
      [`${PROJECT}/.codex/config.toml`, "developer_instructions = 'x'"],
      [`${PROJECT}/.codex/hooks.json`, "{}"],
      [`${PROJECT}/.codex/skills/s/SKILL.md`, HEAD, `${PROJECT}/.codex/skills`],
      [`${PROJECT}/.agents/skills/s/SKILL.md`, HEAD, `${PROJECT}/.agents/skills/s`],
    ],
  },
  {
    host: copilot,
    own: `${HOME}/.copilot`,
    rows: [
      [`${HOME}/.copilot/copilot-instructions.md`, "text"],
      [`${HOME}/.copilot/instructions/i.instructions.md`, "text"],
      [`${HOME}/.copilot/settings.json`, "{}"],
      [`${HOME}/.copilot/config.json`, "{}"],
      [`${HOME}/.copilot/mcp-config.json`, SERVERS],
      [`${HOME}/.copilot/hooks/h.json`, "{}"],
      [`${HOME}/.copilot/skills/s/SKILL.md`, HEAD],
      [`${HOME}/.copilot/agents/a.md`, HEAD],
      [`${PROJECT}/AGENTS.md`, "text"],
      [`${PROJECT}/.github/copilot-instructions.md`, "text"],
      [`${PROJECT}/.github/instructions/i.instructions.md`, "text"],
      [`${PROJECT}/.github/copilot/settings.json`, "{}"],
      [`${PROJECT}/.github/copilot/settings.local.json`, "{}"],
      [`${PROJECT}/.github/hooks/h.json`, "{}"],
      [`${PROJECT}/.mcp.json`, SERVERS],
      [`${PROJECT}/.github/skills/s/SKILL.md`, HEAD],
      [`${PROJECT}/.claude/commands/c.md`, HEAD],
      [`${PROJECT}/.github/agents/a.agent.md`, HEAD],
    ],
  },
  {
    host: gemini,
    own: `${HOME}/.gemini`,
    rows: [
      ["/etc/gemini-cli/settings.json", "{}"],
      ["/etc/gemini-cli/system-defaults.json", "{}"],
      [`${HOME}/.gemini/settings.json`, SERVERS],
      [`${HOME}/.gemini/GEMINI.md`, "text"],
      [`${HOME}/.gemini/tmp/p/memory/MEMORY.md`, "text"],
      [`${HOME}/.gemini/skills/s/SKILL.md`, HEAD],
      [`${HOME}/.gemini/agents/a.md`, HEAD, `${HOME}/.gemini/agents`],
      [`${PROJECT}/GEMINI.md`, "text"],
      [`${PROJECT}/.gemini/settings.json`, SERVERS],
      [`${PROJECT}/.gemini/skills/s/SKILL.md`, HEAD],
      [`${PROJECT}/.gemini/agents/a.md`, HEAD, `${PROJECT}/.gemini/agents`],
    ],
  },
  {
    host: antigravity,
    own: `${HOME}/.gemini`,
    rows: [
      [`${HOME}/.gemini/GEMINI.md`, "text"],
      [`${HOME}/.gemini/antigravity/mcp_config.json`, SERVERS],
      [`${HOME}/.gemini/skills/s/SKILL.md`, HEAD],
      [`${PROJECT}/AGENTS.md`, "text"],
      [`${PROJECT}/.agents/rules/r.md`, "text"],
      [`${PROJECT}/.agents/skills/s/SKILL.md`, HEAD],
      [`${PROJECT}/.agent/workflows/w.md`, HEAD],
    ],
  },
]

const PLACE: HostPlace = {
  workingDirectory: PROJECT,
  home: HOME,
  environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  platform: "linux",
}

const BASE: Readonly<Record<string, PlantedFile>> = {
  [`${PROJECT}/.git/HEAD`]: "x",
  [`${PROJECT}/.git/objects/x`]: "x",
  [`${PROJECT}/.git/refs/x`]: "x",
  [`${HOME}/.claude.json`]: STATE,
  "/etc/claude-code/managed-settings.d/z.json": '{"outputStyle":"n"}',
  [`${HOME}/.gemini/projects.json`]: JSON.stringify({ projects: { [PROJECT]: "p" } }),
}

const rows = KINDS.flatMap(({ host, own, rows: ofHost }) =>
  ofHost.map((row) => ({
    host,
    own,
    row,
    name: `${host.name} ${row[0]}${row[2] ? " (folder)" : ""}`,
  })),
)

type TrustCase = {
  readonly files: Readonly<Record<string, PlantedFile>>
  readonly place?: HostPlace
}

async function trustOf(host: Host, at: readonly string[], { files, place = PLACE }: TrustCase) {
  const { items, layers, mcpServers } = await host.survey(place, memoryDisk({ ...BASE, ...files }))
  const isIt = (it: { readonly path: string }) => at.includes(it.path)
  const itemTrusts = items.filter(isIt).map((it) => it.trust)
  expect(itemTrusts.length).toBeGreaterThan(0)
  const found = layers.filter((it) => isIt(it) && it.outcome.kind === "found")
  const all = [...itemTrusts, ...found.map((it) => it.trust)]
  const said = new Set([...all, ...mcpServers.filter(isIt).map((it) => it.trust)])
  expect([...said]).toHaveLength(1)
  return [...said][0]
}

function linked([at, text, linkAt = at]: Row, folder: string) {
  const target = `${folder}/hidden${linkAt === at ? ".md" : ""}`
  const file = target + at.slice(linkAt.length)
  return { at: [at, file], files: { [linkAt]: { link: target }, [file]: text } }
}

describe.each(rows)("$name", ({ host, row }) => {
  const [at, text] = row
  const isOfProject = at.startsWith(`${PROJECT}/`)

  test("[HOSTS-61] a plain file belongs to the user or the project", async () => {
    expect(await trustOf(host, [at], { files: { [at]: text } })).toBe(
      isOfProject ? "project" : "own",
    )
  })

  test("[HOSTS-61] a link to another place is external, unless the user made it", async () => {
    const it = linked(row, `${HOME}/private`)
    // Agents write memory, so a link there was not made by the user.
    const isOwnLink = !isOfProject && !at.includes("/memory/")
    expect(await trustOf(host, it.at, it)).toBe(isOwnLink ? "own" : "external")
  })
})

describe.each(rows.filter((it) => it.row[0].startsWith(`${PROJECT}/`)))("$name", (it) => {
  test("[HOSTS-61] a link to the user's own folder is external", async () => {
    const { at, files } = linked(it.row, it.own)
    expect(await trustOf(it.host, at, { files })).toBe("external")
  })

  test("[HOSTS-61] a link inside the project belongs to the project", async () => {
    const { at, files } = linked(it.row, `${PROJECT}/docs`)
    expect(await trustOf(it.host, at, { files })).toBe("project")
  })
})

describe("trust of Claude Code's memory folder", () => {
  const memory = async (
    settings: string,
    folder: string,
    more: Record<string, PlantedFile> = {},
  ) => {
    const at = `${folder}/MEMORY.md`
    const chosen = JSON.stringify({ autoMemoryDirectory: folder })
    return trustOf(claudeCode, [at], { files: { [settings]: chosen, [at]: "text", ...more } })
  }

  test("[HOSTS-61] a memory folder set by the project has the trust of its location", async () => {
    for (const name of ["settings.json", "settings.local.json"]) {
      const settings = `${PROJECT}/.claude/${name}`
      expect(await memory(settings, `${HOME}/private`)).toBe("external")
      expect(await memory(settings, `${HOME}/.claude/notes`)).toBe("external")
      expect(await memory(settings, `${PROJECT}/notes`)).toBe("project")
    }
  })

  test("[HOSTS-61] a memory folder set by the user is the user's, unless it is a link", async () => {
    const settings = `${HOME}/.claude/settings.json`
    const folder = `${HOME}/notes`
    expect(await memory(settings, folder)).toBe("own")
    const link = { [`${folder}/MEMORY.md`]: { link: `${HOME}/private/x` } }
    expect(await memory(settings, folder, { ...link, [`${HOME}/private/x`]: "x" })).toBe("external")
  })
})

test("[HOSTS-61] a config folder that is a link is still the user's", async () => {
  const at = `${HOME}/.claude/CLAUDE.md`
  const folder = { [`${HOME}/.claude`]: { link: "/dotfiles/claude" } }
  const files = { ...folder, "/dotfiles/claude/CLAUDE.md": "x" }
  expect(await trustOf(claudeCode, [at], { files })).toBe("own")
})

test("[HOSTS-61] a `.git` file does not make a folder the project's; a real worktree does", async () => {
  const skill = "/far/.claude/skills/s/SKILL.md"
  const place = { ...PLACE, workingDirectory: `${PROJECT}/sub` }
  const worktree = (own: string) => ({
    [`${PROJECT}/sub/.git`]: `gitdir: ${own}`,
    [`${own}/gitdir`]: `${PROJECT}/sub/.git`,
    [`${own}/commondir`]: "/far/.git",
    "/far/.git/HEAD": "x",
    [skill]: { link: "/far/.claude/s.md" },
    "/far/.claude/s.md": HEAD,
  })
  const trust = (own: string) => trustOf(claudeCode, [skill], { files: worktree(own), place })
  expect(await trust(`${PROJECT}/fake`)).toBe("external")
  expect(await trust("/far/.git/worktrees/sub")).toBe("project")
})

test("[HOSTS-61] of nested folders the nearest one counts", () => {
  const grounds = { own: ["/h/.c"], project: ["/h", "/h/.c/dev"] }
  const trusts = [
    { realPath: "/h/a", scope: "project" },
    { realPath: "/h/.c/a", scope: "project" },
    { realPath: "/h/.c/a", scope: "project", foundAt: "/h/.c/a" },
    { realPath: "/h/.c/dev/a", scope: "local" },
    { realPath: "/h/.c/a", scope: "user" },
    { realPath: "/h/a", scope: "managed" },
    { realPath: "/x", scope: "user", foundAt: "/x" },
  ] as const
  const expected: readonly HostItem["trust"][] = [
    "project",
    "external",
    "project",
    "project",
    "own",
    "own",
    "own",
  ]
  expect(trusts.map((it) => belongsTo(it, grounds))).toEqual(expected)
})
