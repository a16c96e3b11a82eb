import type { Source } from "../source.ts"

/** What Gemini CLI puts into a request, in its order; what is never sent comes last. */
export const SOURCES = {
  systemSettings: { source: "system-settings", priority: 0, reason: "Settings of the machine" },
  userSettings: { source: "user-settings", priority: 0, reason: "User settings" },
  agents: { source: "agents", priority: 0.5, reason: "Subagent definition" },
  skills: { source: "skills", priority: 0.6, reason: "Skill" },
  userMemory: { source: "user-memory", priority: 1, reason: "User instructions" },
  autoMemory: { source: "auto-memory", priority: 1.5, reason: "Private memory of this project" },
  projectSettings: { source: "project-settings", priority: 101, reason: "Project settings" },
} as const satisfies Readonly<Record<string, Source>>

/** What stands before and behind a file; the path is the one it was found at. */
export function frameOf(file: string): { readonly before: string; readonly behind: string } {
  return {
    before: `--- Context from: ${file} ---\n`,
    behind: `\n--- End of Context from: ${file} ---`,
  }
}
