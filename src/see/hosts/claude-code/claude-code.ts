import type { Disk } from "../files/disk.ts"
import { belongsTo } from "../files/file-trust.ts"
import { findProgram } from "../find-program.ts"
import type { Host, HostItem, HostPlace, Survey } from "../host.ts"
import { STATE_LIMIT_BYTES } from "../limits.ts"
import { configItem } from "../source.ts"
import { createSurveyReader, type SurveyReader } from "../survey-reader.ts"
import { listAgents } from "./agents.ts"
import { ask } from "./ask.ts"
import { type Folders, findFolders } from "./folders.ts"
import type { Instruction } from "./instructions/chain.ts"
import { type ClaudeContext, loadInstructions } from "./instructions/instructions.ts"
import { transform } from "./instructions/transform.ts"
import { readOutputStyle } from "./listed-folders.ts"
import { readMcp } from "./mcp.ts"
import { countToolCalls, readLastSession } from "./session.ts"
import { parseSettingsJson, readSettings, withSettingsEnv } from "./settings.ts"
import { listSkills } from "./skills.ts"
import { frameOf, loadOf, SOURCES, scopeOf } from "./sources.ts"
import { startOf } from "./start.ts"

const CONTEXT_KEYS = [
  "agent",
  "alwaysThinkingEnabled",
  "attribution",
  "autoCompactEnabled",
  "autoMemoryDirectory",
  "autoMemoryEnabled",
  "claudeMd",
  "claudeMdExcludes",
  "cleanupPeriodDays",
  "disableAllHooks",
  "disabledMcpjsonServers",
  "effortLevel",
  "enableAllProjectMcpServers",
  "enabledMcpjsonServers",
  "enabledPlugins",
  "env",
  "hooks",
  "includeCoAuthoredBy",
  "includeGitInstructions",
  "language",
  "mcpServers",
  "model",
  "outputStyle",
  "permissions",
  "pluginConfigs.*.options.instructionFiles",
  "projects.<here>.allowedTools",
  "projects.<here>.disabledMcpServers",
  "projects.<here>.disabledMcpjsonServers",
  "projects.<here>.enabledMcpServers",
  "projects.<here>.enabledMcpjsonServers",
  "projects.<here>.hasClaudeMdExternalIncludesApproved",
  "projects.<here>.hasTrustDialogAccepted",
  "projects.<here>.mcpServers",
  "respectGitignore",
  "skillListingBudgetFraction",
  "skillListingMaxDescChars",
  "skillOverrides",
  "statusLine",
]

/** Verified with the real program, see test/conformance. */
export const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  factsVersions: ["2.1.325"],
  isVerified: true,
  joinsLists: true,
  contextKeys: CONTEXT_KEYS,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, {
      names: ["claude"],
      packages: packagesFor(place.platform),
    }),
  readLastSession,
  countToolCalls,
  nested: { isInstruction: isNestedInstruction, textOf: nestedText },
  ask,
}

function isNestedInstruction(relativePath: string): boolean {
  return /\/(?:CLAUDE|CLAUDE\.local)\.md$/.test(
    relativePath.replace("/.claude/CLAUDE.md", "/CLAUDE.md"),
  )
}

async function nestedText(bytes: Buffer): Promise<string> {
  return (await transform(bytes.toString())).content.trim()
}

function packagesFor(platform: HostPlace["platform"]): readonly string[] {
  const machines = ["x64", "arm64", "x64-musl", "arm64-musl"]
  const own = machines.map((it) => `@anthropic-ai/claude-code-${platform}-${it}`)
  return ["@anthropic-ai/claude-code", ...own]
}

export async function survey(startPlace: HostPlace, disk: Disk): Promise<Survey> {
  const reader = createSurveyReader(disk)
  const folders = await findFolders(startPlace, reader)
  const settings = await readSettings(folders, reader)
  const place = withSettingsEnv(startPlace, settings)
  const state = await readState(folders, reader)
  const context: ClaudeContext = {
    place,
    folders,
    settings,
    state: state.record,
    stateTrust: state.trust,
    stateModifiedAt: state.modifiedAt,
  }

  const instructions = await loadInstructions(context, reader)
  const mcp = await readMcp(context, reader)
  const style = await readOutputStyle(context, reader)
  const skills = await listSkills(context, reader)
  const agents = await listAgents(context, reader)
  const start = startOf(context, skills.listing)
  const isEarly = (it: HostItem) => it.priority < SOURCES.managedPolicy.priority
  return {
    items: [
      ...settings.items.filter(isEarly),
      ...state.items,
      ...instructions.map((it) => toFound(it, folders)),
      ...settings.items.filter((it) => !isEarly(it)),
      ...mcp.items,
      ...style,
      ...skills.items,
      ...agents,
    ],
    searched: reader.searched(),
    layers: settings.layers,
    mcpServers: mcp.servers,
    notes: reader.notes(),
    start,
  }
}

async function readState(folders: Folders, reader: SurveyReader) {
  const { source } = SOURCES.hostState
  const file = await reader.read(folders.stateFile, { source, maxBytes: STATE_LIMIT_BYTES })
  if (file === undefined) {
    return { record: {}, trust: "own" as const, modifiedAt: 0, items: [] }
  }
  const parsed = parseSettingsJson(file.bytes.toString())
  const trust = belongsTo({ realPath: file.realPath, scope: "user" }, folders.grounds)
  const item = configItem({ path: folders.stateFile, file, trust }, SOURCES.hostState, "user")
  const record = parsed.kind === "record" ? parsed.record : {}
  return { record, trust, modifiedAt: file.modifiedAt, items: [item] }
}

function toFound(instruction: Instruction, folders: Folders): HostItem {
  const text = instruction.content.trim()
  const isConditional = instruction.patterns !== undefined
  const load = loadOf({
    kind: instruction.kind,
    isConditional,
    isImported: instruction.importedBy !== undefined,
  })
  return {
    path: instruction.path,
    source: instruction.source,
    priority: instruction.priority,
    scope: scopeOf(instruction.kind),
    load,
    reason: instruction.reason,
    kind: instruction.kind === "memory" ? "memory" : "instructions",
    trust: trustOf(instruction, folders),
    file: {
      realPath: instruction.file.realPath,
      bytes: instruction.file.bytes,
      modifiedAt: instruction.file.modifiedAt,
    },
    sent: isConditional ? "" : text,
    frame: isConditional ? "" : frameOf(instruction.path, instruction.kind),
    later: isConditional ? text : "",
    ...(instruction.importedBy === undefined ? {} : { importedBy: instruction.importedBy }),
    ...(instruction.patterns === undefined
      ? {}
      : { waitsFor: waitsFor(instruction, instruction.patterns, folders) }),
  }
}

/** Patterns of a project's rule are relative to the folder that contains its `.claude`. */
function waitsFor(instruction: Instruction, patterns: readonly string[], folders: Folders) {
  const end = instruction.root.lastIndexOf("/.claude/rules/")
  const isOfProject = instruction.kind === "project" && end > 0
  return { patterns, base: isOfProject ? instruction.root.slice(0, end) : folders.cwd }
}

/** A link or an import out of the repository brings in files that the project does not own. */
function trustOf(instruction: Instruction, { grounds }: Folders): HostItem["trust"] {
  const reached = { realPath: instruction.file.realPath, scope: scopeOf(instruction.kind) }
  // An import's path was chosen by a text, not by the walk.
  const foundAt =
    instruction.importedBy === undefined ? { foundAt: instruction.foundAt ?? instruction.path } : {}
  return instruction.trust ?? belongsTo({ ...reached, ...foundAt }, grounds)
}
