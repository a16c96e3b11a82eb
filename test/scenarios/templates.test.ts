import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { createTokens } from "#ground/tokens"
import { type Command, type Flag, GLOBAL_FLAGS, loadCommands } from "#show/cli"
import { findTests, operationsIn } from "../../scripts/reference/kit.ts"

const FOLDER = path.join(import.meta.dirname, "../../templates")
const KINDS = ["command", "agent", "skill", "playbook"]
const PACKS = ["daily", "audit", "pipeline", "qa", "vcs", "forge", "setup"]
const SQUADS = ["dev", "qa", "design", "security", "compliance", "ops", "forge"]

const TEMPLATES = KINDS.flatMap((kind) =>
  readdirSync(path.join(FOLDER, `${kind}s`)).map((file) => {
    const text = readFileSync(path.join(FOLDER, `${kind}s`, file), "utf8")
    const [, head = "", body = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? []
    return { file, kind, head: parse(head), body: body.trim(), lines: text.split("\n").length - 1 }
  }),
)

test("[TEMPLATES-1] every template header is complete, and names are unique", () => {
  for (const { file, kind, head } of TEMPLATES) {
    expect(head, file).toMatchObject({ name: file.replace(/\.md$/, ""), kind })
    expect(head.description.length, file).toBeLessThanOrEqual(140)
    const isAgent = kind === "agent"
    expect(typeof head.tools, file).toBe(isAgent ? "string" : "undefined")
    expect(isAgent ? SQUADS : PACKS, file).toContain(isAgent ? head.squad : head.pack)
    const saysWhen = /\b(?:Use|use|before|pass|Pass|Read-only)\b/
    if (head.level > 3) expect(head.description, file).toMatch(saysWhen)
    if (isAgent) expect(head.description, file).toMatch(/\bowns .+, uses |\bowns .+ /)
  }
  const names = TEMPLATES.map(({ head }) => head.name)
  expect(new Set(names).size).toBe(names.length)
})

test("[TEMPLATES-5] every pack has commands, every squad an agent, and there are thirty commands", () => {
  const commands = TEMPLATES.filter(({ kind }) => kind === "command")
  expect(commands.length).toBeGreaterThanOrEqual(30)
  const groups = new Set(commands.map(({ head }) => head.pack))
  expect(PACKS.filter((it) => !groups.has(it))).toEqual([])
  const squads = new Set(TEMPLATES.flatMap(({ head }) => head.squad ?? []))
  expect(SQUADS.filter((it) => !squads.has(it))).toEqual([])
})

test("[TEMPLATES-2] bodies are short, and the names and descriptions of level 7 cost few tokens", async () => {
  for (const { file, kind, body, lines } of TEMPLATES) {
    expect(body.split("\n").length, file).toBeLessThanOrEqual(kind === "agent" ? 50 : 25)
    expect(lines, file).toBeLessThan(60)
  }
  const { count } = await createTokens({ encoding: "claude" }).counter()
  const shown = TEMPLATES.map(({ head }) => `- qm-${head.name}: ${head.description}`).join("\n")
  expect(count(shown)).toBeLessThan(3_000)
})

test("[TEMPLATES-3] every `qm` line is accepted by the command line", async () => {
  const commands = await loadCommands()
  for (const { file, body } of TEMPLATES) {
    const lines = [...body.matchAll(/`qm ([^`]+)`/g)].map(([, line = ""]) => line)
    expect(lines.length, `${file} rests on a command`).toBeGreaterThan(0)
    const wrong = lines.flatMap((line) => wrongOf(line, commands).map((it) => `${line}: ${it}`))
    expect(wrong, file).toEqual([])
  }
})

test("[TEMPLATES-3] a line that the command line would refuse is detected", () => {
  const flag: Flag = {
    name: "kind",
    key: "kind",
    type: "text",
    values: ["rule"],
    isList: false,
    isRequired: true,
    defaultText: "",
    description: "",
  }
  const title = { ...flag, name: "title", values: [] }
  const command: Command = {
    words: ["memory", "add"],
    operation: "memory.record",
    summary: "",
    group: "Knowledge",
    examples: [],
    arguments: [title],
    flags: [flag],
  }
  expect(wrongOf("memory add 'a title' --kind rule", [command])).toEqual([])
  expect(wrongOf("memory ad title", [command])).toEqual(["no such command"])
  expect(wrongOf("memory add --kind rule", [command])).toEqual(["1 argument is missing"])
  expect(wrongOf("memory add a b --kind rule", [command])).toEqual(["too many arguments"])
  expect(wrongOf("memory add a --kind law", [command])).toEqual(["--kind takes no law"])
  expect(wrongOf("memory add a --sort x --kind rule", [command])).toEqual(["no flag --sort"])
  expect(wrongOf("memory add a", [command])).toEqual(["--kind is missing"])
})

test("[TEMPLATES-6] every operation behind a template has a test of its effect", async () => {
  const commands = await loadCommands()
  const testOf = findTests(path.join(FOLDER, ".."))
  const operations = new Set(TEMPLATES.flatMap(({ body }) => operationsIn(body, commands)))
  expect([...operations].filter((it) => testOf(it) === undefined)).toEqual([])
  expect(testOf(`nothing.${"happens"}`)).toBeUndefined()
})

/** The command line's errors for a line of a template; placeholder words count as values. */
function wrongOf(line: string, commands: readonly Command[]): readonly string[] {
  const tokens = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  )
  const command = commands
    .filter((it) => it.words.every((word, at) => tokens[at] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0]
  if (command === undefined) return ["no such command"]
  return wrongOfRest(tokens.slice(command.words.length), command)
}

function wrongOfRest(tokens: readonly string[], command: Command): readonly string[] {
  const wrong: string[] = []
  const given = new Set<string>()
  let loose = 0
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? ""
    if (!token.startsWith("--")) {
      loose++
      continue
    }
    const flag = [...command.flags, ...GLOBAL_FLAGS].find((it) => `--${it.name}` === token)
    if (flag === undefined) wrong.push(`no flag ${token}`)
    given.add(token)
    if (flag?.type === "boolean") continue
    const value = tokens[++at]
    if (flag !== undefined && !isValue(flag, value)) wrong.push(`${token} takes no ${value}`)
  }
  const missing = command.arguments.filter((it) => it.isRequired).length - loose
  if (missing > 0) wrong.push(`${missing} argument is missing`)
  const takesMore = command.arguments.at(-1)?.isList === true
  if (!takesMore && loose > command.arguments.length) wrong.push("too many arguments")
  for (const flag of command.flags.filter((it) => it.isRequired && !given.has(`--${it.name}`))) {
    wrong.push(`--${flag.name} is missing`)
  }
  return wrong
}

function isValue(flag: Flag, value: string | undefined): boolean {
  if (value === undefined) return false
  if (flag.type === "number") return /^\d+$/.test(value)
  return flag.values.length === 0 || flag.values.includes(value)
}
