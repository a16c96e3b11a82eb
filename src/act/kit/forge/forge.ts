import path from "node:path"
import { type Log, listDirectory, readTextBounded } from "#ground/base"
import type {
  DefinitionCheck,
  DefinitionText,
  DiagramCheck,
  ForgedDefinition,
  forgeOperations,
  Handlers,
  KitHost,
  ParsedInput,
} from "#ground/contract"
import {
  DefinitionExists,
  DefinitionInvalid,
  DefinitionUnknown,
  DefinitionUnreadable,
} from "../errors.ts"
import { inspect } from "../files/inspect.ts"
import { type Write, writeAll } from "../files/transaction.ts"
import { agentToml } from "../hosts/codex.ts"
import { type Template, withHead } from "../hosts/host.ts"
import { LARGEST_TEMPLATE_BYTES } from "../limits.ts"
import {
  type CheckDeps,
  checkDefinition,
  type Definition,
  type DefinitionKind,
  readDefinition,
} from "./check-definition.ts"
import { checkDiagram, type DiagramBlock, diagramsIn } from "./check-diagram.ts"

export type ForgeDeps = {
  root(): string
  /** Hosts of this repository; empty if the kit is not installed. */
  hosts(): Promise<readonly KitHost[]>
  /** Relative to the root; throws for a path outside. */
  place(path: string): string
  checks(): Promise<CheckDeps>
  /** Those that come with the kit. */
  templates(): Promise<readonly Template[]>
  countTokens(text: string): number | Promise<number>
  readonly log: Log
}

type Input = ParsedInput<"forge.agent"> | ParsedInput<"forge.command">

export const forgeHandlers = (deps: ForgeDeps): Handlers<typeof forgeOperations> => ({
  agent: (input) => create("agent", input, deps),
  command: (input) => create("command", input, deps),
  skill: (input) => create("skill", input, deps),
  check: ({ paths }) => checkAll(paths, deps),
  show: ({ name }) => showDefinition(name, deps),
  diagrams: (input) => checkDiagrams(input, deps),
})

/** A definition of the repository, else one that comes with the kit. */
async function showDefinition(name: string, deps: ForgeDeps): Promise<DefinitionText> {
  const listed = (await Promise.all(PLACES.map((it) => listPlace(it, deps.root())))).flat()
  const own = listed.find((it) => it.name === name)
  if (own !== undefined) {
    const { problems, ...definition } = await readListed(own, deps)
    const { kind, description, body } = definition
    return {
      name,
      kind,
      description,
      path: own.file,
      pack: null,
      level: null,
      tokens: await deps.countTokens(`- ${name}: ${description}`),
      text: body,
      problems: [...problems, ...checkDefinition(definition, await deps.checks())],
    }
  }
  const template = (await deps.templates()).find((it) => it.name === name)
  if (template === undefined) throw DefinitionUnknown({ name })
  const { kind, description, pack, level, body } = template
  const tokens = await deps.countTokens(`- qm-${name}: ${description}`)
  return { name, kind, description, path: null, pack, level, tokens, text: body, problems: [] }
}

async function readListed({ file, kind, name }: ListedDefinition, deps: ForgeDeps) {
  const at = path.join(deps.root(), file)
  const read = await readTextBounded(at, { maxBytes: LARGEST_TEMPLATE_BYTES, root: deps.root() })
  if (read.kind !== "read") throw DefinitionUnreadable({ path: file, reason: reasonOf(read) })
  return readDefinition(kind, { name, text: read.text })
}

async function checkDiagrams(
  { text, paths }: ParsedInput<"forge.diagrams">,
  deps: ForgeDeps,
): Promise<DiagramCheck> {
  const diagrams: DiagramCheck["diagrams"] = []
  const add = (file: string | null, { line, source }: DiagramBlock) => {
    const { type, isOutline, problems } = checkDiagram(source)
    const placed = problems.map((it) => ({ ...it, line: line + it.line - 1 }))
    diagrams.push({ file, line, type, isOutline, problems: placed })
  }
  if (text !== undefined) add(null, { line: 1, source: text })
  for (const file of paths.map(deps.place)) {
    const at = path.join(deps.root(), file)
    const read = await readTextBounded(at, { maxBytes: LARGEST_TEMPLATE_BYTES, root: deps.root() })
    if (read.kind !== "read") throw DefinitionUnreadable({ path: file, reason: reasonOf(read) })
    for (const block of diagramsIn(read.text)) add(file, block)
  }
  return { diagrams, isGood: diagrams.every((it) => it.problems.length === 0) }
}

type Unread = Exclude<Awaited<ReturnType<typeof readTextBounded>>, { readonly kind: "read" }>

function reasonOf(read: Unread): string {
  return read.kind === "not-regular" ? `a ${read.what}` : read.kind.replaceAll("-", " ")
}

/** Checks first, then writes all files or none. */
async function create(
  kind: DefinitionKind,
  input: Input,
  deps: ForgeDeps,
): Promise<ForgedDefinition> {
  const { name, description, replace } = input
  const tools = "tools" in input ? input.tools : undefined
  const cost = "cost" in input ? input.cost : undefined
  const definition = { kind, name, description, tools, body: await readBody(input.from, deps) }
  const problems = checkDefinition(definition, await deps.checks())
  if (problems.length > 0) throw DefinitionInvalid({ name, problems })
  const installed = await deps.hosts()
  const chosen = input.host ?? (installed.length === 0 ? (["claude-code"] as const) : installed)
  const files = filesOf({ ...definition, cost }, chosen)
  const writes: Write[] = []
  for (const [file, text] of files) {
    const spot = await inspect({ path: path.join(deps.root(), file), within: deps.root() })
    if (spot.found !== undefined && !replace) throw DefinitionExists({ path: file })
    const { realPath, found: before, missingFolders: foldersToMake } = spot
    const after = { bytes: Buffer.from(text), mode: before?.mode ?? 0o644 }
    writes.push({ realPath, before, after, foldersToMake, foldersToClear: [], folderMode: 0o755 })
  }
  await writeAll(writes, { log: deps.log, finish: async () => {} })
  return {
    name,
    kind,
    files: [...files.keys()],
    tokens: await deps.countTokens(`- ${name}: ${description}`),
    next: nextSteps(kind, name),
  }
}

function nextSteps(kind: DefinitionKind, name: string): string[] {
  const start = { agent: `Use it: "let the ${name} agent …"`, command: `Type /${name}`, skill: "" }
  const how = start[kind]
  return [...(how === "" ? [] : [how]), "Commit the files to share them with your team."]
}

async function readBody(from: string, deps: ForgeDeps): Promise<string> {
  const file = path.join(deps.root(), deps.place(from))
  const read = await readTextBounded(file, { maxBytes: LARGEST_TEMPLATE_BYTES, root: deps.root() })
  if (read.kind !== "read") throw DefinitionUnreadable({ path: from, reason: reasonOf(read) })
  return read.text
}

type Forged = Definition & { readonly cost: "low" | undefined }

/** The project folders of each host; equal paths of two hosts are written once. */
function filesOf(it: Forged, hosts: readonly KitHost[]): ReadonlyMap<string, string> {
  const skill = withHead({ name: it.name, description: it.description }, it.body)
  const files = new Map<string, string>()
  for (const host of hosts) files.set(...fileFor(host, it, skill))
  return files
}

function fileFor(host: KitHost, it: Forged, skill: string): readonly [string, string] {
  const { kind, name, description, tools, cost, body } = it
  if (host === "claude-code") {
    if (kind === "skill") return [`.claude/skills/${name}/SKILL.md`, skill]
    if (kind === "command") return [`.claude/commands/${name}.md`, withHead({ description }, body)]
    const head = {
      name,
      description,
      ...(tools === undefined ? {} : { tools }),
      ...(cost === "low" ? { model: "haiku" } : {}),
    }
    return [`.claude/agents/${name}.md`, withHead(head, body)]
  }
  if (host === "codex" && kind === "agent") {
    const agent = { name, description, body, cost, hasServer: false }
    return [`.codex/agents/${name}.toml`, agentToml(agent, { node: "", main: "", prefix: "" })]
  }
  if (host === "copilot")
    return kind === "agent"
      ? [`.github/agents/${name}.agent.md`, skill]
      : [`.github/skills/${name}/SKILL.md`, skill]
  return [`.agents/skills/${name}/SKILL.md`, skill]
}

type DefinitionFolder = {
  readonly folder: string
  readonly kind: DefinitionKind
  readonly ending: string
}

const PLACES: readonly DefinitionFolder[] = [
  { folder: ".claude/agents", kind: "agent", ending: ".md" },
  { folder: ".claude/commands", kind: "command", ending: ".md" },
  { folder: ".claude/skills", kind: "skill", ending: "/SKILL.md" },
  { folder: ".codex/agents", kind: "agent", ending: ".toml" },
  { folder: ".agents/skills", kind: "skill", ending: "/SKILL.md" },
  { folder: ".github/agents", kind: "agent", ending: ".agent.md" },
  { folder: ".github/skills", kind: "skill", ending: "/SKILL.md" },
]

async function checkAll(paths: readonly string[], deps: ForgeDeps): Promise<DefinitionCheck> {
  const named = paths.map(deps.place)
  const listed = (await Promise.all(PLACES.map((it) => listPlace(it, deps.root())))).flat()
  const chosen = named.length === 0 ? listed : named.map((it) => placed(it, listed))
  const checks = await deps.checks()
  const files: DefinitionCheck["files"] = []
  for (const it of chosen) {
    const { file, kind } = it
    const { problems, ...definition } = await readListed(it, deps)
    const text = `- ${definition.name}: ${definition.description}`
    files.push({
      path: file,
      kind,
      name: definition.name,
      tokens: await deps.countTokens(text),
      problems: [...problems, ...checkDefinition(definition, checks)],
    })
  }
  return {
    files,
    startTokens: files.reduce((sum, it) => sum + it.tokens, 0),
    isGood: files.every((it) => it.problems.length === 0),
  }
}

type ListedDefinition = {
  readonly file: string
  readonly kind: DefinitionKind
  readonly name: string
}

async function listPlace(
  place: DefinitionFolder,
  root: string,
): Promise<readonly ListedDefinition[]> {
  const { folder, kind, ending } = place
  const listing = await listDirectory(path.join(root, folder))
  if (listing.kind !== "listed") return []
  const isFolder = ending.startsWith("/")
  return listing.entries.flatMap(({ name, what }) => {
    if (isFolder)
      return what === "directory" ? [{ file: `${folder}/${name}${ending}`, kind, name }] : []
    const isNamed = what === "regular file" && name.endsWith(ending)
    return isNamed ? [{ file: `${folder}/${name}`, kind, name: name.slice(0, -ending.length) }] : []
  })
}

/** In none of the hosts' folders a file is checked as a skill, and a folder by its SKILL.md. */
function placed(target: string, listed: readonly ListedDefinition[]): ListedDefinition {
  const file = path.extname(target) === "" ? path.posix.join(target, SKILL_FILE) : target
  const definition = listed.find((it) => it.file === file)
  if (definition !== undefined) return definition
  const isSkillFolder = path.basename(file) === SKILL_FILE
  const named = path.basename(isSkillFolder ? path.dirname(file) : file)
  return { file, kind: "skill", name: named.replace(/\.(?:agent\.)?(?:md|toml)$/, "") }
}

const SKILL_FILE = "SKILL.md"
