import path from "node:path"
import { type TrustFolders, withRealFolders } from "../files/file-trust.ts"
import { findUp, foldersDown, foldersUp } from "../files/folder-walk.ts"
import type { HostPlace } from "../host.ts"
import type { Source } from "../source.ts"
import type { SurveyReader } from "../survey-reader.ts"

export type Folders = {
  readonly home: string
  readonly config: string
  readonly cwd: string
  readonly root: string
  readonly walk: readonly string[]
  /** Parents of the working directory, nearest first: also searched for skills and agents. */
  readonly above: readonly string[]
  readonly grounds: TrustFolders
}

export const RULES_VARIABLE = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS"
export const SKILLS_VARIABLE = "COPILOT_SKILLS_DIRS"

export async function findFolders(place: HostPlace, reader: SurveyReader): Promise<Folders> {
  const startDirectory = path.resolve(place.workingDirectory)
  const cwd = (await reader.realPath(startDirectory)) ?? startDirectory
  const git = await findUp(cwd, (folder) => isRepository(reader, folder))
  const root = git ?? cwd
  const walk = foldersDown(root, cwd)
  const up = git === undefined ? foldersUp(cwd) : walk.toReversed()
  const config = configFolder(place)
  const named = [...namedFolders(place, RULES_VARIABLE), ...namedFolders(place, SKILLS_VARIABLE)]
  const grounds = {
    own: await withRealFolders(reader, [config, path.join(place.home, ".agents")]),
    project: [root, ...(await withRealFolders(reader, named))],
  }
  return { home: place.home, config, cwd, root, walk, above: up.slice(1), grounds }
}

export function configFolder({ environment, home }: HostPlace): string {
  const copilotHome = environment["COPILOT_HOME"]
  return copilotHome === undefined || copilotHome === ""
    ? path.join(home, ".copilot")
    : path.resolve(copilotHome)
}

export function namedFolders(place: HostPlace, variable: string): readonly string[] {
  const entries = (place.environment[variable] ?? "").split(",").map((it) => it.trim())
  return entries.filter((it) => it !== "").map((it) => path.resolve(place.workingDirectory, it))
}

/** A `.git` file is accepted; a folder must look like a repository. */
async function isRepository(reader: SurveyReader, folder: string): Promise<boolean> {
  const dotGit = path.join(folder, ".git")
  const { kind } = await reader.peek(dotGit, 1)
  if (kind !== "directory") return kind === "file" || kind === "too-large"
  const parts = ["HEAD", "objects", "refs"].map((it) => reader.realPath(path.join(dotGit, it)))
  return (await Promise.all(parts)).every((it) => it !== undefined)
}

export const SOURCES = {
  userSettings: { source: "user-settings", priority: 0, reason: "User settings" },
  skills: { source: "skills", priority: 0.5, reason: "Skill" },
  commands: { source: "commands", priority: 0.6, reason: "Slash command, listed as skill" },
  agents: { source: "agents", priority: 0.7, reason: "Subagent definition" },
  userMemory: { source: "user-memory", priority: 1, reason: "User instructions" },
  projectRoot: { source: "project-root", priority: 2, reason: "Project root instructions" },
  workingDirectory: { source: "working-directory", priority: 3, reason: "Working directory" },
  userRules: { source: "rules", priority: 200, reason: "User rule" },
  projectRules: { source: "rules", priority: 201, reason: "Project rule" },
  addedRules: { source: "rules", priority: 202, reason: "Rule of an added folder" },
  addedDirectory: { source: "added-directory", priority: 203, reason: "Added folder, listed only" },
  ruleTable: { source: "rules", priority: 204, reason: "Rule for some files" },
  projectSettings: { source: "project-settings", priority: 301, reason: "Project settings" },
  hooks: { source: "hooks", priority: 302, reason: "Hooks" },
  mcpConfig: { source: "mcp-config", priority: 303, reason: "MCP server configuration" },
} as const satisfies Readonly<Record<string, Source>>

export function betweenSource(levelsUp: number): Source {
  const levels = levelsUp === 1 ? "1 level" : `${levelsUp} levels`
  return {
    source: "parent-directory",
    priority: 3 + Math.min(levelsUp, 190),
    reason: `Parent directory (${levels} up)`,
  }
}

export const BLOCK_FRAME = "<custom_instruction>\n\n</custom_instruction>"
