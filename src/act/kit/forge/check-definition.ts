import { isRecord } from "#ground/base"
import { parseDefinition } from "../templates.ts"

/** Also the limit of our own agents (TEMPLATES-2). */
const MOST_AGENT_LINES = 60
const MOST_COMMAND_LINES = 60
const MOST_SKILL_LINES = 500

const SHORTEST_DESCRIPTION_UNITS = 20
const LONGEST_DESCRIPTION_UNITS = 300

export type DefinitionKind = "agent" | "command" | "skill"

export type Definition = {
  readonly kind: DefinitionKind
  readonly name: string
  readonly description: string
  readonly body: string
  readonly tools?: string | undefined
}

export type CheckDeps = {
  /** Whether `qm` accepts the first words of a line. */
  isCommand(words: readonly string[]): boolean
  hasSecret(text: string): boolean
}

const MOST_LINES: Readonly<Record<DefinitionKind, number>> = {
  agent: MOST_AGENT_LINES,
  command: MOST_COMMAND_LINES,
  skill: MOST_SKILL_LINES,
}

/** Every problem with what to do; empty for a good definition. */
export function checkDefinition(definition: Definition, deps: CheckDeps): readonly string[] {
  const { kind, name, body } = definition
  const lines = body.trim().split("\n").length
  const most = MOST_LINES[kind]
  return [
    ...(/^[a-z0-9][a-z0-9-]{0,40}$/.test(name)
      ? []
      : [
          `the name ${JSON.stringify(name)} may contain only lower-case letters, digits and dashes`,
        ]),
    ...checkDescription(definition),
    ...(body.trim() === "" ? ["it has no instructions"] : []),
    ...(lines > most ? [`it has ${lines} lines; the limit is ${most}`] : []),
    ...checkTools(definition),
    ...unknownCommands(body, deps).map((it) => `\`qm ${it}\` is not a command`),
    ...(deps.hasSecret(`${definition.description}\n${body}`)
      ? ["it contains what looks like a secret"]
      : []),
  ]
}

function checkDescription({ kind, description }: Definition): readonly string[] {
  const text = description.trim()
  if (text === "") return ["it has no description, so an agent never starts it"]
  if (text.length < SHORTEST_DESCRIPTION_UNITS)
    return [`its description has ${text.length} characters; say what it does and when to use it`]
  const isLong = text.length > LONGEST_DESCRIPTION_UNITS
  const saysWhen = /\b(?:use|when|before|after|whenever|pass|if)\b/i.test(text)
  const namesWork = /[\w*]\/|\*\.\w|\.\w{2,4}\b|\bqm\b|\bown(?:s|er)?\b/.test(text)
  return [
    ...(isLong
      ? [`its description has ${text.length} characters; the limit is ${LONGEST_DESCRIPTION_UNITS}`]
      : []),
    ...(saysWhen ? [] : ["its description does not say when to use it"]),
    ...(kind === "agent" && !namesWork
      ? ["its description names no file, folder or operation that it owns"]
      : []),
  ]
}

function checkTools({ kind, tools }: Definition): readonly string[] {
  if (kind !== "agent" || tools === undefined) return []
  const names = tools.split(",").map((it) => it.trim())
  const wrong = names.filter((it) => !/^[A-Za-z_][\w*-]*(?:\([^()]*\))?$/.test(it))
  return wrong.map((it) => `${JSON.stringify(it)} is not a tool name`)
}

/** The first words of each `qm` line in backticks that the command line does not know. */
function unknownCommands(body: string, { isCommand }: CheckDeps): readonly string[] {
  const lines = [...body.matchAll(/`(?:qm) ([a-z][^`\n]{0,500})`/g)].map(([, line = ""]) => line)
  const words = lines.map((it) => it.split(/\s+/).filter((word) => /^[a-z][a-z-]*$/.test(word)))
  const unknown = words.filter((it) => it.length > 0 && !isCommand(it))
  return [...new Set(unknown.map((it) => it.slice(0, 2).join(" ")))]
}

/** A definition as its host's file has it, with the problems of its form. */
export async function readDefinition(
  kind: DefinitionKind,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<Definition & { readonly problems: readonly string[] }> {
  if (/^name[ \t]{0,8}=/m.test(text) && !text.startsWith("---")) return readToml(name, text)
  const { head, body } = await parseDefinition(text)
  const fields = isRecord(head) ? head : {}
  const [own, description, tools] = ["name", "description", "tools"].map((it) => fields[it])
  const writtenName = typeof own === "string" ? own : name
  const isOptional = kind === "command"
  const problems = [
    ...(isRecord(head) || isOptional
      ? []
      : ["it has no valid frontmatter between two `---` lines"]),
    ...(writtenName === name ? [] : [`its name is ${writtenName}, but its file is called ${name}`]),
    ...(tools === undefined || typeof tools === "string" || Array.isArray(tools)
      ? []
      : ["its tools are not a list"]),
  ]
  return {
    kind,
    name: writtenName,
    description: typeof description === "string" ? description : "",
    body,
    tools: toolText(tools),
    problems,
  }
}

function toolText(tools: unknown): string | undefined {
  if (Array.isArray(tools)) return tools.join(",")
  return typeof tools === "string" ? tools : undefined
}

/** The plain strings of a Codex agent. */
function readToml(name: string, text: string) {
  const field = (key: string) => {
    const [, value = ""] = new RegExp(`^${key}[ \\t]*=[ \\t]*"([^"\\n]*)"`, "m").exec(text) ?? []
    return value
  }
  const quoted = multiLineText(text)
  const body = quoted === "" ? field("developer_instructions") : quoted
  const written = field("name")
  const problems =
    written === name ? [] : [`its name is ${written}, but its file is called ${name}`]
  return {
    kind: "agent",
    name: written,
    description: field("description"),
    body,
    problems,
  } as const
}

/** Between the first two marks of a multi-line string of `developer_instructions`. */
function multiLineText(text: string): string {
  const start = text.indexOf("developer_instructions")
  for (const mark of ["'''", '"""']) {
    const from = start === -1 ? -1 : text.indexOf(mark, start)
    const to = from === -1 ? -1 : text.indexOf(mark, from + mark.length)
    if (to !== -1) return text.slice(from + mark.length, to)
  }
  return ""
}
