import { expect, test } from "vitest"
import { memoryDisk } from "#test/memory-disk"
import type { HostPlace } from "../host.ts"
import { opencode } from "./opencode.ts"

const place = (environment: HostPlace["environment"] = {}): HostPlace => ({
  workingDirectory: "/w/s",
  home: "/home",
  environment,
  platform: "linux",
})

const FILES = {
  "/w/.git/HEAD": "ref: refs/heads/main\n",
  "/AGENTS.md": "ABOVE",
  "/w/AGENTS.md": "ROOT\n",
  "/w/s/AGENTS.md": "S",
  "/w/s/CLAUDE.md": "NOT USED",
  "/home/.claude/CLAUDE.md": "USER",
  "/w/opencode.json": JSON.stringify({
    instructions: ["extra.md", "*.txt", "https://example.com/rules"],
    mcp: {
      local: { type: "local", command: ["server", "--flag"], environment: { KEY: "value" } },
      remote: { type: "remote", url: "https://example.com/mcp", enabled: false },
    },
  }),
  "/w/extra.md": "EXTRA",
  "/w/.opencode/skills/one/SKILL.md": "---\nname: one\ndescription: A & B\n---\nBody",
}

test("[HOSTS-81] the nearest instructions come first, then the files that the settings name", async () => {
  const { items, notes } = await opencode.survey(place(), memoryDisk(FILES))
  const sent = items.filter((it) => it.sent !== "").map((it) => it.frame + it.sent)
  expect(sent).toEqual([
    "Instructions from: /home/.claude/CLAUDE.md\nUSER",
    "Instructions from: /w/s/AGENTS.md\nS",
    "Instructions from: /w/AGENTS.md\nROOT\n",
    "Instructions from: /w/extra.md\nEXTRA",
    [
      "  <skill>",
      "    <name>one</name>",
      "    <description>A & B</description>",
      "    <location>/w/.opencode/skills/one/SKILL.md</location>",
      "  </skill>",
    ].join("\n"),
  ])
  expect(notes.map((it) => it.code)).toEqual(["import-unresolved", "import-unresolved"])
})

test("[HOSTS-81] the files of Claude Code can be left out", async () => {
  const environment = { OPENCODE_DISABLE_CLAUDE_CODE: "1" }
  const { items } = await opencode.survey(place(environment), memoryDisk(FILES))
  expect(items.map((it) => it.path)).not.toContain("/home/.claude/CLAUDE.md")
})

test("[HOSTS-81] of two skills with one name the nearest is listed, and the other says why not", async () => {
  const shadowed = "/home/.agents/skills/one/SKILL.md"
  const files = { ...FILES, [shadowed]: "---\nname: one\ndescription: C\n---\nBody" }
  const { items, searched } = await opencode.survey(place(), memoryDisk(files))
  expect(items.filter((it) => it.kind === "skills").map((it) => it.path)).toEqual([
    "/w/.opencode/skills/one/SKILL.md",
  ])
  expect(searched.find((it) => it.path === shadowed)).toMatchObject({
    outcome: "excluded",
    detail: "another skill is named one: opencode loads either one",
  })
})

test("[HOSTS-12] MCP servers are listed with their state", async () => {
  const { mcpServers } = await opencode.survey(place(), memoryDisk(FILES))
  expect(
    mcpServers.map(({ name, transport, target, state }) => [name, transport, target, state]),
  ).toEqual([
    ["local", "stdio", "server --flag", "connects"],
    ["remote", "http", "https://example.com/mcp", "disabled"],
  ])
})
