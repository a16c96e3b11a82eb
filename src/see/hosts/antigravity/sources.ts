import type { Source } from "../source.ts"

/** From documents only; the order is the order in which they name things. */
export const SOURCES = {
  userMemory: { source: "user-memory", priority: 1, reason: "User rules" },
  projectRoot: { source: "project-root", priority: 100, reason: "Project instructions" },
  rules: { source: "rules", priority: 101, reason: "Workspace rule" },
  skills: { source: "skills", priority: 102, reason: "Skill" },
  workflows: { source: "workflows", priority: 103, reason: "Workflow, called by name" },
  mcpConfig: { source: "mcp-config", priority: 104, reason: "MCP server configuration" },
} as const satisfies Readonly<Record<string, Source>>
