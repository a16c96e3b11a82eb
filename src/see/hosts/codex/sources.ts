import type { Source } from "../source.ts"

/** What Codex puts into a request, in its order; what is never sent comes last. */
export const SOURCES = {
  userSettings: { source: "user-settings", priority: 0, reason: "User settings" },
  systemSettings: { source: "system-settings", priority: 0, reason: "Settings of the machine" },
  modelInstructions: { source: "model-instructions", priority: 0.2, reason: "Base prompt in use" },
  developerInstructions: {
    source: "developer-instructions",
    priority: 0.4,
    reason: "Developer instructions of the config",
  },
  skills: { source: "skills", priority: 0.6, reason: "Skill" },
  userMemory: { source: "user-memory", priority: 1, reason: "User instructions" },
  projectSettings: { source: "project-settings", priority: 101, reason: "Project settings" },
  hooks: { source: "hooks", priority: 102, reason: "Hooks" },
} as const satisfies Readonly<Record<string, Source>>

/** Between the person's instructions and the first of the project. */
export const USER_PROJECT_SEPARATOR = "\n\n--- project-doc ---\n\n"

/** Between two files of the project. */
export const PROJECT_SEPARATOR = "\n\n"
