import type { Source } from "../source.ts"

/** What Copilot puts into its one system message, in its order; what is never sent comes last. */
export const SOURCES = {
  userSettings: { source: "user-settings", priority: 0, reason: "User settings" },
  skills: { source: "skills", priority: 0.5, reason: "Skill" },
  commands: { source: "commands", priority: 0.6, reason: "Slash command, listed as a skill" },
  agents: { source: "agents", priority: 0.7, reason: "Subagent definition" },
  userMemory: { source: "user-memory", priority: 1, reason: "User instructions" },
  projectRoot: { source: "project-root", priority: 2, reason: "Project root instructions" },
  workingDirectory: { source: "working-directory", priority: 3, reason: "Working directory" },
  userRules: { source: "rules", priority: 200, reason: "User rule" },
  projectRules: { source: "rules", priority: 201, reason: "Project rule" },
  addedRules: { source: "rules", priority: 202, reason: "Rule of an added folder" },
  addedDirectory: { source: "added-directory", priority: 203, reason: "Added folder, named only" },
  ruleTable: { source: "rules", priority: 204, reason: "Rule for some files" },
  projectSettings: { source: "project-settings", priority: 301, reason: "Project settings" },
  hooks: { source: "hooks", priority: 302, reason: "Hooks" },
  mcpConfig: { source: "mcp-config", priority: 303, reason: "MCP server configuration" },
} as const satisfies Readonly<Record<string, Source>>

/** A folder between the top and the working directory: the nearest comes first. */
export function betweenSource(levelsUp: number): Source {
  const levels = levelsUp === 1 ? "1 level" : `${levelsUp} levels`
  return {
    source: "parent-directory",
    priority: 3 + Math.min(levelsUp, 190),
    reason: `Parent directory (${levels} up)`,
  }
}

/** What stands around one file of instructions. */
export const BLOCK_FRAME = "<custom_instruction>\n\n</custom_instruction>"
