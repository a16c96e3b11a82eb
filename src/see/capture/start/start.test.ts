import { describe, expect, test } from "vitest"
import type { CaptureStart, Manifest, StartServer, TokenScale } from "#ground/contract"
import { loadHost } from "#see/hosts"
import { memoryDisk } from "#test/memory-disk"
import { adviseOn } from "../advice/advice.ts"
import { anItem } from "../items.fixture.ts"
import { headlineOf } from "./budget.ts"
import { describeServer, digestOf } from "./servers.ts"
import { buildStart } from "./start.ts"

const PLACE = {
  workingDirectory: "/w/p",
  home: "/home",
  environment: {},
  platform: "linux",
} as const

async function startIn(
  name: Parameters<typeof loadHost>[0],
  files: Record<string, string> = {},
  scale: TokenScale | null = null,
) {
  const host = await loadHost(name)
  const survey = await host.survey(PLACE, memoryDisk(files))
  return buildStart({ host, survey, servers: [], sessions: 0, encoding: "claude", scale })
}

describe("the whole start", () => {
  test("[CAPTURE-29] the host's own texts are counted in tokens of the model", async () => {
    const scale = { model: "claude-opus-5-5", factor: 1.3, basis: "stated" } as const
    const total = async (by: TokenScale | null) => {
      const { items } = await startIn("claude-code", {}, by)
      return items.reduce((sum, it) => sum + it.tokens, 0)
    }
    const [plain, scaled] = [await total(null), await total(scale)]
    expect(Math.abs(scaled / (plain * 1.3) - 1)).toBeLessThan(0.002)
  })

  test("[T1][CAPTURE-22] a fresh Claude Code starts with more than 10,000 tokens, by part", async () => {
    const { items, start } = await startIn("claude-code")
    expect(items.map((it) => [it.path, it.kind])).toEqual([
      ["<system prompt>", "system"],
      ["<environment>", "system"],
      ["<built-in tools>", "tools"],
      ["<built-in skills>", "skills"],
      ["<built-in agents>", "agents"],
    ])
    expect(items.reduce((sum, it) => sum + it.tokens, 0)).toBeGreaterThan(10_000)
    expect(start.window).toBe(1_000_000)
    expect(start.baseline).toMatchObject({ version: "2.1.325", model: "claude-opus-5-5" })
  })

  test("[T1][CAPTURE-22] Codex starts with more than 0 tokens; a host that was not measured names what is not counted", async () => {
    const codex = await startIn("codex")
    expect(codex.items.reduce((sum, it) => sum + it.tokens, 0)).toBeGreaterThan(5_000)
    const antigravity = await startIn("antigravity")
    expect(antigravity.items).toEqual([])
    expect(antigravity.start.notCounted.map((it) => it.name)).toEqual([
      "system prompt",
      "built-in tools",
    ])
  })

  test("[T2][HOSTS-64] of 120 skills with 300 characters each, 75 keep their description", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [
        `/home/.claude/skills/sk-${String(at).padStart(3, "0")}/SKILL.md`,
        `---\ndescription: ${"x".repeat(300)}\n---\n`,
      ]),
    )
    const { start } = await startIn("claude-code", files)
    expect(start.listing).toMatchObject({ budget: 30_000, skills: 120, unit: "characters" })
    expect(120 - (start.listing?.shortened.length ?? 0)).toBe(75)
  })
})

const SERVER = {
  name: "github",
  scope: "user",
  path: "/home/.claude.json",
  trust: "own",
  transport: "stdio",
  target: "gh",
  state: "connects",
  launch: { kind: "stdio", command: "gh", args: [], env: {} },
} as const

describe("MCP servers", () => {
  const answer = {
    kind: "listed",
    instructions: "Use it.",
    tools: ["search", "merge"].map((name) => ({
      name,
      description: "d",
      inputSchema: { type: "object" },
      isAlwaysLoaded: name === "search",
    })),
  } as const
  const calls = {
    sessions: 3,
    isWhole: true,
    byTool: new Map([["mcp__github__merge", { calls: 2, lastAt: 5 }]]),
  }
  const context = { calls, count: () => 10, off: () => "off", scale: null } as const

  test("[T3][CAPTURE-23] tools are loaded or deferred as the host does, with their calls", () => {
    const known = { source: "asked", at: 7, answer } as const
    const named = describeServer(SERVER, known, { ...context, mode: "named" })
    expect(named).toMatchObject({
      tokens: 30,
      tokensDeferred: 10,
      calls: 2,
      usedTools: 1,
      lastCallAt: 5,
    })
    expect(named.tools).toEqual([
      { name: "search", tokens: 10, isLoaded: true, calls: 0 },
      { name: "merge", tokens: 10, isLoaded: false, calls: 2 },
    ])
    const loaded = describeServer(SERVER, known, { ...context, mode: "loaded" })
    expect([loaded.tokens, loaded.tokensDeferred]).toEqual([30, 0])
    const hidden = describeServer(SERVER, known, { ...context, mode: "hidden" })
    expect([hidden.tokens, hidden.tokensDeferred]).toEqual([0, 20])
  })

  test("[CAPTURE-23] a server that does not answer has no tokens and a reason, never 0", () => {
    const failed = { kind: "failed", reason: "no answer after 5 s" } as const
    const server = describeServer(
      SERVER,
      { source: "asked", at: 7, answer: failed },
      { ...context, mode: "named" },
    )
    expect([server.tokens, server.problem]).toEqual([null, "no answer after 5 s"])
    const { start } = buildStart({
      host: { title: "Claude Code" } as never,
      survey: { items: [], searched: [], layers: [], mcpServers: [], notes: [] },
      servers: [server],
      sessions: 0,
      encoding: "claude",
      scale: null,
    })
    expect(start.notCounted.at(-1)).toEqual({
      name: "github",
      kind: "mcp",
      reason: "MCP server, no answer after 5 s",
    })
  })

  test("[CAPTURE-23] another declaration has another digest", () => {
    const other = { ...SERVER, launch: { ...SERVER.launch, args: ["--all"] } }
    expect(digestOf(other)).not.toBe(digestOf(SERVER))
  })
})

const server = (given: Partial<StartServer>): StartServer => ({
  name: "postgres",
  scope: "project",
  path: "/w/p/.mcp.json",
  state: "connects",
  digest: "d",
  source: "asked",
  at: 1,
  problem: null,
  tokens: 27_000,
  tokensDeferred: 0,
  tools: Array.from({ length: 37 }, (_, at) => ({
    name: `t${at}`,
    tokens: 700,
    isLoaded: true,
    calls: at < 2 ? 1 : 0,
  })),
  calls: 2,
  usedTools: 2,
  lastCallAt: 1,
  off: 'Add "postgres" to disabledMcpjsonServers in .claude/settings.local.json.',
  ...given,
})

function manifestWith(given: Partial<Manifest>, start: Partial<CaptureStart> = {}): Manifest {
  return {
    id: "cap_1",
    kind: "estimated",
    host: "claude-code",
    workingDirectory: "/w/p",
    capturedAt: 5,
    estimator: "claude",
    disclaimer: "",
    items: [],
    searched: [],
    notes: [],
    totals: { files: 0, bytes: 0, tokensInWindow: 329, tokensOnDemand: 0 },
    start: {
      baseline: null,
      window: 200_000,
      servers: [],
      listing: null,
      sessions: 41,
      notCounted: [],
      ...start,
    },
    ...given,
  }
}

describe("advice", () => {
  test("[T3][CAPTURE-24] 27k paid and 2 of 37 tools used names the line that switches it off", () => {
    const [advice] = adviseOn({
      manifest: manifestWith({}, { servers: [server({})] }),
      duplicates: [],
    })
    expect(advice).toMatchObject({
      kind: "unused-tools",
      title: "Disable the postgres server",
      evidence: "2 of 37 tools used in 30 days, 2 calls.",
      tokens: 27_000,
      edit: 'Add "postgres" to disabledMcpjsonServers in .claude/settings.local.json.',
    })
  })

  test("[CAPTURE-24] a server that is used, and one without sessions to judge by, are left alone", () => {
    const used = server({ usedTools: 20, calls: 99 })
    expect(adviseOn({ manifest: manifestWith({}, { servers: [used] }), duplicates: [] })).toEqual(
      [],
    )
    const few = manifestWith({}, { servers: [server({})], sessions: 2 })
    expect(adviseOn({ manifest: few, duplicates: [] })).toEqual([])
  })

  test("[T5][CAPTURE-24] a secret comes first, then copies, large files and idle rules by tokens", () => {
    const items = [
      anItem("a.md", { redactions: 1, tokens: 5 }),
      anItem("big.md", { sentBytes: 50_000, tokens: 12_000 }),
      anItem("rule.md", { load: "conditional", tokens: 0, tokensOnDemand: 314 }),
    ]
    const notes = [
      { code: "rule-never-matches" as const, text: "types/** matches no file.", path: "rule.md" },
    ]
    const duplicates = [
      { labels: ["docs/style.md", "a.md"], tokens: 1_102, likeness: 1, excerpt: "Use" },
    ]
    const advice = adviseOn({ manifest: manifestWith({ items, notes }), duplicates })
    expect(advice.map((it) => [it.kind, it.tokens])).toEqual([
      ["secret", 0],
      ["oversize-file", 12_000],
      ["duplicate", 1_102],
      ["idle-rule", 0],
    ])
    expect(advice.every((it) => it.edit !== "")).toBe(true)
  })
})

test("[T1][CAPTURE-25] after a report, headline, total and window are the host's own: 13k of 1M, not 329 of 200k", () => {
  const manifest = manifestWith({})
  const budget = {
    window: 200_000,
    tokens: 329,
    share: 0.0016,
    startBudget: 20_000,
    kinds: [],
    biggest: [],
    duplicates: [],
  }
  const observation = {
    by: "host" as const,
    at: 9,
    files: [],
    agreed: 0,
    compared: 0,
    accuracy: 1,
    categories: [
      { name: "System prompt", tokens: 2_000 },
      { name: "System tools", tokens: 9_000 },
      { name: "System tools (deferred)", tokens: 8_000 },
      { name: "Skills", tokens: 2_000 },
      { name: "Free space", tokens: 900_000 },
    ],
    totalTokens: 13_000,
    window: 1_000_000,
  }
  expect(headlineOf(manifest, budget, observation)).toEqual({
    tokens: 13_000,
    window: 1_000_000,
    share: 0.013,
    by: "host",
    kinds: [
      { kind: "system", tokens: 2_000 },
      { kind: "tools", tokens: 9_000 },
      { kind: "skills", tokens: 2_000 },
    ],
    at: 9,
    estimate: 329,
  })
  const transcript = { ...observation, by: "transcript" as const }
  expect(headlineOf(manifest, budget, transcript).by).toBe("estimate")
})
