import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { createTokens } from "#ground/tokens"
import { type HostBaselines, type MeasuredTokens, type StartBaseline, widthOf } from "#see/hosts"
import { readClaudeStart } from "../test/conformance/start-parts.ts"
import { emptyHome, firstRequest, PROMPT, type StartPlace } from "../test/conformance/start-run.ts"
import { HOSTS_FOLDER, type TestedHost } from "../test/kit/host-programs.ts"

/**
 * Measures what each host sends before the first prompt and writes it to
 * src/see/hosts/<host>/start.generated.ts: `node scripts/host-baselines.ts [host …]`. It needs the
 * real hosts, which `npm run test:full` installs, and calls no provider: the model is on loopback.
 */
const ROOT = join(import.meta.dirname, "..")
const DAY = new Date().toISOString().slice(0, 10)
const counters = {
  claude: await createTokens({ encoding: "claude" }).counter(),
  o200k: await createTokens({ encoding: "o200k" }).counter(),
}

const HOSTS = ["claude-code", "codex", "copilot", "gemini"] as const

const PACKAGES = {
  "claude-code": "@anthropic-ai/claude-code",
  codex: "@openai/codex",
  copilot: "@github/copilot",
  gemini: "@google/gemini-cli",
} as const satisfies Record<TestedHost, string>

const MODELS = {
  "claude-code": [
    ["claude-opus-5-5", 1_000_000],
    ["claude-sonnet-5-5", 1_000_000],
    ["claude-haiku-5-5", 1_000_000],
    ["claude-fable-5-2", 1_000_000],
    ["claude-opus-4-8", 1_000_000],
    ["claude-sonnet-4-5", 200_000],
    ["claude-haiku-4-5", 200_000],
  ],
  codex: [
    [undefined, 272_000],
    ["gpt-6-sol", 272_000],
    ["gpt-5.5", 272_000],
  ],
  copilot: [[undefined, 128_000]],
  gemini: [[undefined, 1_000_000]],
} as const satisfies Record<TestedHost, readonly (readonly [string | undefined, number])[]>

const NOTHING = { claude: 0, o200k: 0 }

function measure(...texts: readonly string[]): MeasuredTokens {
  const text = texts.filter((it) => it !== "").join("\n")
  return { claude: counters.claude.count(text), o200k: counters.o200k.count(text) }
}

async function writeBaselines(host: TestedHost): Promise<void> {
  const models: StartBaseline[] = []
  for (const [model, window] of MODELS[host]) models.push(await measureModel(host, model, window))
  const baselines: HostBaselines = { version: versionOf(host), measuredAt: DAY, models }
  const name = `${host === "claude-code" ? "CLAUDE_CODE" : host.toUpperCase()}_BASELINES`
  const text = [
    "// Written by scripts/host-baselines.ts; do not edit.",
    'import type { HostBaselines } from "../baseline.ts"',
    "",
    `export const ${name}: HostBaselines = ${compact(baselines)}`,
    "",
  ].join("\n")
  writeFileSync(join(ROOT, "src/see/hosts", host, "start.generated.ts"), text)
  process.stdout.write(`${host} ${baselines.version}: ${models.map(describe).join(", ")}\n`)
}

/** One line for each tool and skill. */
function compact(value: unknown): string {
  return JSON.stringify(value, undefined, 1)
    .replace(/\{\s+"claude": (\d+),\s+"o200k": (\d+)\s+\}/g, '{ "claude": $1, "o200k": $2 }')
    .replace(
      /\{\s+("name": [^{}]*?)"tokens": (\{[^{}]*\})\s+\}/g,
      (_, head: string, tokens: string) => `{ ${head.replace(/\s+/g, " ")}"tokens": ${tokens} }`,
    )
}

function describe({ model, system, tools }: StartBaseline): string {
  const ofTools = tools.reduce((sum, it) => sum + it.tokens.claude, 0)
  return `${model} system ${system.claude} tools ${ofTools}`
}

function versionOf(host: TestedHost): string {
  const file = join(HOSTS_FOLDER, "node_modules", PACKAGES[host], "package.json")
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).version
}

async function measureModel(
  host: TestedHost,
  model: string | undefined,
  window: number,
): Promise<StartBaseline> {
  await using home = await emptyHome()
  const place = { ...home, model }
  if (host === "claude-code") return await measureClaude(place, window)
  if (host === "gemini") chooseGeminiKey(home.home)
  return measureOther(host, await firstRequest(host, place), { ...home, window })
}

/** Gemini requires an authentication method; this is the only one without network access. */
function chooseGeminiKey(home: string): void {
  mkdirSync(join(home, ".gemini"))
  const settings = { security: { auth: { selectedType: "gemini-api-key" } } }
  writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings))
}

type MeasuredPlace = StartPlace & { readonly root: string }

async function measureClaude(place: MeasuredPlace, window: number): Promise<StartBaseline> {
  const bare = readClaudeStart(await firstRequest("claude-code", place), PROMPT)
  const allTools = { ...place, env: { ENABLE_TOOL_SEARCH: "false" } }
  const loaded = readClaudeStart(await firstRequest("claude-code", allTools), PROMPT)
  // With no room at all, only the skills that the host never shortens keep their description.
  const noRoom = { ...place, env: { SLASH_COMMAND_TOOL_CHAR_BUDGET: "1" } }
  const fixed = readClaudeStart(await firstRequest("claude-code", noRoom), PROMPT)
  execFileSync("git", ["init", "-q", "-b", "main", place.cwd])
  writeFileSync(join(place.cwd, "CLAUDE.md"), "x")
  const inGit = readClaudeStart(await firstRequest("claude-code", place), PROMPT)
  const status = inGit.reminders.find((it) => it.includes("# gitStatus")) ?? ""
  const loadedNames = new Set(bare.tools.map((it) => it.name))
  const lines = bare.skills.slice(bare.skills.indexOf("\n\n- ") + 2).split(/\n(?=- )/)
  const memoryPath = /`([^`]*\/memory\/?)`/.exec(bare.system)?.[1] ?? ""
  return {
    model: bare.model,
    window,
    system: measure(bare.system.replaceAll(memoryPath, "")),
    memoryPathMentions: mentions(bare.system, memoryPath),
    environment: measure(bare.environment.replaceAll(place.cwd, ""), ...bare.reminders),
    directoryMentions: mentions(bare.environment, place.cwd),
    git: measure(
      status.replace(/Status:\n[\s\S]*\n\nClaude Code attached/, "\n\nClaude Code attached"),
    ),
    instructionsFrame: measure(inGit.memory.replace(/Contents of [\s\S]*\n\nx\n/, "")),
    tools: bare.tools.map((it) => ({ name: it.name, tokens: measure(it.text) })),
    deferredTools: loaded.tools
      .filter((it) => !loadedNames.has(it.name))
      .map((it) => ({ name: it.name, tokens: measure(it.text) })),
    deferredList: measure(bare.deferred),
    agents: measure(bare.agents),
    skillsFrame: measure(bare.skills.slice(0, bare.skills.indexOf("\n\n- ") + 2)),
    skills: lines.map((line) => skillOf(line.trimEnd(), fixed.skills)),
    mcpFrame: measure(MCP_HEADING),
  }
}

function skillOf(line: string, listingWithoutRoom: string) {
  const name = /^- ([^:]+)/.exec(line)?.[1] ?? ""
  const isFixed = listingWithoutRoom.includes(line)
  return { name, characters: widthOf(line), isFixed, tokens: measure(line) }
}

const MCP_HEADING =
  "# MCP Server Instructions\n\nThe following MCP servers have provided instructions for how to use their tools and resources:"

function mentions(text: string, part: string): number {
  return part === "" ? 0 : text.split(part).length - 1
}

const Part = z.looseObject({ text: z.string().optional() })
const OtherBody = z.looseObject({
  model: z.string().optional(),
  instructions: z.string().optional(),
  input: z
    .array(
      z.looseObject({
        type: z.string().optional(),
        content: z.array(Part).optional(),
        tools: z.array(z.unknown()).optional(),
      }),
    )
    .optional(),
  messages: z
    .array(z.object({ role: z.string(), content: z.union([z.string(), z.array(Part)]) }))
    .optional(),
  systemInstruction: z.object({ parts: z.array(Part) }).optional(),
  contents: z.array(z.object({ parts: z.array(Part) })).optional(),
  tools: z.array(z.unknown()).optional(),
})

/** Codex, Copilot and Gemini: one text before the prompt, and the definitions of tools. */
function measureOther(
  host: TestedHost,
  body: unknown,
  place: { readonly cwd: string; readonly root: string; readonly window: number },
): StartBaseline {
  const it = OtherBody.parse(body)
  const texts = [
    it.instructions,
    ...(it.input ?? []).flatMap((item) => (item.content ?? []).map((part) => part.text)),
    ...(it.messages ?? []).flatMap((item) =>
      typeof item.content === "string" ? [item.content] : item.content.map((part) => part.text),
    ),
    ...(it.systemInstruction?.parts ?? []).map((part) => part.text),
    ...(it.contents ?? []).flatMap((item) => item.parts.map((part) => part.text)),
  ].flatMap((text) => (text === undefined || text.trim() === PROMPT ? [] : [text]))
  const isSkills = (text: string) => text.startsWith("<skills_instructions>")
  const isEnvironment = (text: string) => /^<(?:environment_context|permissions)/.test(text)
  const skills = texts.find(isSkills) ?? ""
  const lines = /### Available skills\n([\s\S]*?)\n(?:###|<\/skills)/.exec(skills)?.[1] ?? ""
  const environment = texts.filter(isEnvironment).join("\n")
  const system = texts.filter((text) => !isSkills(text) && !isEnvironment(text)).join("\n")
  return {
    model: it.model ?? "default",
    window: place.window,
    system: measure(system.replaceAll(place.cwd, "")),
    memoryPathMentions: 0,
    environment: measure(environment.replaceAll(place.cwd, "")),
    directoryMentions: mentions(environment, place.cwd) + mentions(system, place.cwd),
    git: NOTHING,
    instructionsFrame: host === "codex" ? measure(CODEX_FRAME) : NOTHING,
    tools: toolsOf(it).map((tool) => ({
      name: nameOf(tool),
      tokens: measure(JSON.stringify(tool)),
    })),
    deferredTools: [],
    deferredList: NOTHING,
    agents: NOTHING,
    skillsFrame: measure(skills.replace(lines, "").replaceAll(place.root, "")),
    skills: lines === "" ? [] : lines.split("\n").map((line) => skillOf(line, "")),
    mcpFrame: NOTHING,
  }
}

const CODEX_FRAME = "# AGENTS.md instructions for \n\n<INSTRUCTIONS>\n\n</INSTRUCTIONS>"

function toolsOf({ tools, input }: z.infer<typeof OtherBody>): readonly unknown[] {
  const added = (input ?? []).flatMap((it) => it.tools ?? [])
  return [...(tools ?? []), ...added].flatMap((it) => declarationsOf(it))
}

const Declarations = z.looseObject({ functionDeclarations: z.array(z.unknown()) })
const Namespace = z.looseObject({
  type: z.literal("namespace"),
  name: z.literal("functions"),
  tools: z.array(z.unknown()),
})

function declarationsOf(tool: unknown): readonly unknown[] {
  const declared = Declarations.safeParse(tool)
  if (declared.success) return declared.data.functionDeclarations
  const namespace = Namespace.safeParse(tool)
  return namespace.success ? namespace.data.tools : [tool]
}

const Named = z.looseObject({
  name: z.string().optional(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string() }).optional(),
})

function nameOf(tool: unknown): string {
  const it = Named.parse(tool)
  return it.name ?? it.function?.name ?? it.type ?? "tool"
}

const chosenHosts = process.argv.slice(2)
for (const host of HOSTS) {
  if (chosenHosts.length === 0 || chosenHosts.includes(host)) await writeBaselines(host)
}
