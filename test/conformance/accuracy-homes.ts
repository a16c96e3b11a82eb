/** A home of the accuracy page: files below `home/` and `p/`, and how the host starts. */
export type AccuracyHome = {
  readonly name: string
  readonly host: "claude-code" | "codex"
  readonly files?: Readonly<Record<string, string>>
  /** MCP servers of the test program: tools, and whether the first is always loaded. */
  readonly servers?: Readonly<Record<string, { readonly tools: number; readonly loads?: boolean }>>
  readonly isGit?: boolean
  readonly env?: Readonly<Record<string, string>>
}

const sentences = (words: number) => "Keep amounts in cents and round once. ".repeat(words)

const skills = (folder: string, count: number, characters: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `${folder}/skill-${at}/SKILL.md`,
      `---\nname: skill-${at}\ndescription: ${sentences(40).slice(0, characters + (at % 7) * 10)}\n---\nbody\n`,
    ]),
  )

const agents = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `p/.claude/agents/reviewer-${at}.md`,
      `---\nname: reviewer-${at}\ndescription: Reviews part ${at}. ${sentences(2)}\n---\nbody\n`,
    ]),
  )

const PROJECT = { "p/CLAUDE.md": `# Shop\n\n${sentences(30)}` }
const NESTED = {
  "p/api/CLAUDE.md": sentences(10),
  "p/web/app/CLAUDE.md": sentences(10),
  "p/web/CLAUDE.local.md": sentences(4),
}
const MEMORY = {
  "home/.claude/CLAUDE.md": sentences(12),
  "home/.claude/rules/style.md": sentences(8),
  "p/CLAUDE.local.md": sentences(6),
  "p/docs/style.md": sentences(10),
  "p/.claude/CLAUDE.md": `@../docs/style.md\n\n${sentences(3)}`,
  "p/.claude/rules/tests.md": `---\npaths: "**/*.test.ts"\n---\n${sentences(4)}`,
}
const COMMANDS = {
  "p/.claude/commands/deploy.md": "---\ndescription: Deploys the shop\n---\nDo it.",
  "p/.claude/commands/db/reset.md": "Resets the database.\n",
}
const claude = "claude-code" as const
const codex = "codex" as const

export const ACCURACY_HOMES: readonly AccuracyHome[] = [
  { name: "empty", host: claude },
  { name: "one project file", host: claude, files: PROJECT },
  { name: "user, local, rules and imports", host: claude, files: { ...PROJECT, ...MEMORY } },
  { name: "nested files", host: claude, files: { ...PROJECT, ...NESTED } },
  { name: "AGENTS.md", host: claude, files: { "p/AGENTS.md": sentences(40) } },
  { name: "git repository", host: claude, files: PROJECT, isGit: true },
  { name: "10 skills", host: claude, files: skills("home/.claude/skills", 10, 200) },
  { name: "120 skills", host: claude, files: skills("home/.claude/skills", 120, 300) },
  { name: "300 skills", host: claude, files: skills("p/.claude/skills", 300, 250) },
  { name: "commands", host: claude, files: { ...PROJECT, ...COMMANDS } },
  { name: "20 agents", host: claude, files: agents(20) },
  { name: "one server, 5 tools", host: claude, servers: { alpha: { tools: 5 } } },
  {
    name: "three servers, one tool loaded",
    host: claude,
    servers: { alpha: { tools: 37 }, beta: { tools: 12, loads: true }, gamma: { tools: 3 } },
  },
  {
    name: "no tool search, 40 tools loaded",
    host: claude,
    servers: { alpha: { tools: 40 } },
    env: { ENABLE_TOOL_SEARCH: "false" },
  },
  {
    name: "all of these",
    host: claude,
    files: {
      ...PROJECT,
      ...MEMORY,
      ...NESTED,
      ...COMMANDS,
      ...agents(6),
      ...skills("home/.claude/skills", 150, 300),
    },
    servers: { alpha: { tools: 37 }, beta: { tools: 12, loads: true } },
  },
  {
    name: "all of these, older model",
    host: claude,
    files: { ...PROJECT, ...MEMORY, ...COMMANDS, ...agents(6) },
    servers: { alpha: { tools: 37 } },
    env: { ANTHROPIC_MODEL: "claude-sonnet-4-5" },
  },
  { name: "empty", host: codex },
  {
    name: "AGENTS.md and nested",
    host: codex,
    files: { "p/AGENTS.md": sentences(40), "p/api/AGENTS.md": "x" },
  },
  { name: "120 skills", host: codex, files: skills("home/.agents/skills", 120, 300) },
  {
    name: "skills and a server",
    host: codex,
    files: { "p/AGENTS.md": sentences(20), ...skills("home/.agents/skills", 20, 200) },
    servers: { alpha: { tools: 12 } },
  },
]

/** An MCP server with as many tools as its second argument says. */
export const TEST_SERVER = `
const [, , name, count, loads] = process.argv
const send = (it) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...it }) + "\\n")
const tool = (at) => ({
  name: "tool_" + at,
  description: "Reads part " + at + " of the shop and returns its rows as JSON.",
  inputSchema: { type: "object", properties: { path: { type: "string", description: "Path" } } },
  ...(at === 0 && loads === "loads" ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
})
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === "initialize") {
    const serverInfo = { name, version: "1" }
    const { protocolVersion } = params
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions: "Use " + name + " for the shop." } })
  } else if (method === "tools/list") {
    send({ id, result: { tools: Array.from({ length: Number(count) }, (_, at) => tool(at)) } })
  } else if (id !== undefined && method !== undefined) {
    send({ id, error: { code: -32601, message: "unknown method" } })
  }
})
`
