import { z } from "zod"

/** The categories in which the accuracy page compares estimate and host. */
export const START_PARTS = ["system", "tools", "mcp", "memory", "skills", "agents"] as const
type StartPart = (typeof START_PARTS)[number]

const Block = z.object({ text: z.string().default("") })
const Turn = z.object({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })
const Tool = z.looseObject({ name: z.string() })

const ClaudeBody = z.object({
  model: z.string(),
  system: z.array(Block),
  tools: z.array(Tool),
  messages: z.array(Turn),
})

export type ClaudeStart = {
  readonly model: string
  readonly system: string
  /** The block of instruction files with the host's sentences; empty without any. */
  readonly memory: string
  readonly reminders: readonly string[]
  readonly tools: readonly { readonly name: string; readonly text: string }[]
  readonly environment: string
  readonly deferred: string
  readonly failed: string
  readonly agents: string
  readonly mcp: string
  readonly style: string
  readonly skills: string
}

const MEMORY = "<system-reminder>\nCodebase and user instructions are shown below."
const HEADS = {
  deferred: "The following deferred tools are now available",
  failed: "The following MCP servers are configured but failed",
  agents: "Available agent types for the Agent tool:",
  mcp: "# MCP Server Instructions",
  style: "# Output Style: ",
  skills: "The following skills are available for use with the Skill tool:",
} as const

/** Splits the first request of Claude Code into the parts that the host composed it of. */
export function readClaudeStart(body: unknown, prompt: string): ClaudeStart {
  const { model, system, tools, messages } = ClaudeBody.parse(body)
  const texts = (role: string) =>
    messages.filter((it) => it.role === role).flatMap((it) => textsOf(it.content))
  const user = texts("user").filter((it) => it !== prompt)
  // Older models accept no system turn: the same sections are reminders of the user turn.
  const listed = user.filter((it) => LISTED.test(it))
  const turn = [...texts("system"), ...listed.map(withoutTag)].join("\n\n")
  const sections = sectionsOf(turn)
  return {
    model,
    system: system.map((it) => it.text).join("\n"),
    memory: user.find((it) => it.startsWith(MEMORY)) ?? "",
    reminders: user.filter((it) => !it.startsWith(MEMORY) && !LISTED.test(it)),
    tools: tools.map((it) => ({ name: it.name, text: JSON.stringify(it) })),
    ...sections,
  }
}

const LISTED = new RegExp(
  `^<system-reminder>\\n(?:${Object.values(HEADS).join("|").replaceAll(".", "\\.")})`,
)

function withoutTag(text: string): string {
  return text.replace(/^<system-reminder>\n/, "").replace(/\n<\/system-reminder>\s*$/, "")
}

function textsOf(content: z.infer<typeof Turn>["content"]): readonly string[] {
  return typeof content === "string" ? [content] : content.map((it) => it.text)
}

type Sections = Record<keyof typeof HEADS | "environment", string>

/** Each section runs to the next one; the date at the end belongs to the environment. */
function sectionsOf(turn: string): Sections {
  const dateAt = turn.lastIndexOf("\n\nToday's date is ")
  const body = dateAt === -1 ? turn : turn.slice(0, dateAt)
  const found = Object.entries(HEADS)
    .map(([name, head]) => ({ name, at: startOf(body, head) }))
    .filter((it) => it.at !== -1)
    .toSorted((a, b) => a.at - b.at)
  const sections: Sections = {
    environment: body.slice(0, found[0]?.at ?? body.length) + turn.slice(body.length),
    deferred: "",
    failed: "",
    agents: "",
    mcp: "",
    style: "",
    skills: "",
  }
  for (const [index, { name, at }] of found.entries()) {
    sections[name as keyof Sections] = body.slice(at, found[index + 1]?.at ?? body.length)
  }
  return sections
}

function startOf(body: string, head: string): number {
  if (body.startsWith(head)) return 0
  const at = body.indexOf(`\n\n${head}`)
  return at === -1 ? -1 : at + 2
}

export type PartTokens = Readonly<Record<StartPart, number>>

/** Tokens of what the host really sent, by category. */
export function claudePartTokens(start: ClaudeStart, count: (text: string) => number): PartTokens {
  const isMcp = (it: string) => it.startsWith("mcp__")
  const filesAt = Math.max(0, start.memory.indexOf("Contents of "))
  const files = start.memory.slice(filesAt)
  const frame = start.memory.slice(0, filesAt)
  const named = start.deferred.split("\n")
  const sum = (texts: readonly string[]) => texts.reduce((all, it) => all + count(it), 0)
  return {
    system: sum([start.system, start.environment, start.style, ...start.reminders, frame]),
    tools:
      sum(start.tools.filter((it) => !isMcp(it.name)).map((it) => it.text)) +
      count(named.filter((it) => !isMcp(it)).join("\n")),
    mcp:
      sum(start.tools.filter((it) => isMcp(it.name)).map((it) => it.text)) +
      count(named.filter(isMcp).join("\n")) +
      sum([start.failed, start.mcp]),
    memory: count(files),
    skills: count(start.skills),
    agents: count(start.agents),
  }
}

export function totalOf(parts: PartTokens): number {
  return START_PARTS.reduce((sum, it) => sum + parts[it], 0)
}

const CodexBody = z.object({
  tools: z.array(z.unknown()).default([]),
  input: z.array(
    z.looseObject({
      content: z.array(z.object({ text: z.string().default("") })).default([]),
      tools: z.array(z.unknown()).default([]),
    }),
  ),
})

/** Codex names MCP servers inside a tool's text, so they count as tools here. */
export function codexPartTokens(
  body: unknown,
  prompt: string,
  count: (text: string) => number,
): PartTokens {
  const { tools, input } = CodexBody.parse(body)
  const texts = input.flatMap((it) => it.content.map((part) => part.text))
  const own = texts.filter((it) => it.trim() !== prompt)
  const memory = own.filter((it) => it.startsWith("# AGENTS.md instructions"))
  const skills = own.filter((it) => it.startsWith("<skills_instructions>"))
  const rest = own.filter((it) => !memory.includes(it) && !skills.includes(it))
  const sum = (items: readonly string[]) => items.reduce((all, it) => all + count(it), 0)
  const added = input.flatMap((it) => it.tools)
  const split = memory.map(splitMemory)
  return {
    system: sum([...rest, ...split.map((it) => it.frame)]),
    tools: sum([...tools, ...added].map((it) => JSON.stringify(it))),
    mcp: 0,
    memory: sum(split.map((it) => it.files)),
    skills: sum(skills),
    agents: 0,
  }
}

/** The host's sentences around the files count as system prompt, as with Claude Code. */
function splitMemory(text: string): { readonly frame: string; readonly files: string } {
  const begin = "<INSTRUCTIONS>\n"
  const from = text.indexOf(begin) + begin.length
  const to = text.lastIndexOf("\n</INSTRUCTIONS>")
  return { frame: `${text.slice(0, from)}${text.slice(to)}`, files: text.slice(from, to) }
}
