import path from "node:path"
import { HOOK_LEVELS } from "../levels.ts"
import type { HookEntry } from "../texts/hook-entries.ts"
import { asSkill, type HookProgram, type KitHostForm, type Machine, shellHandler } from "./host.ts"

const EDITS = "^(write_to_file|replace_file_content|multi_replace_file_content)$"

const FAILS_CLOSED =
  "Antigravity rejects the tool when a hook before it fails, so qm installs none there"
const NO_EVENT = "Antigravity has no event for this hook"

/**
 * From its documentation and reports by others; we have never run it, so it is unverified until `qm
 * doctor --prove` supports it. Hooks have names; tool hooks are in groups, the others are plain
 * lists. Payloads do not name their event, so the command line does.
 */
export const antigravity: KitHostForm = {
  host: "antigravity",
  title: "Antigravity",
  folder,
  settings: (machine) => ({
    path: path.join(folder(machine), "config", "hooks.json"),
    container: "quartermaster",
  }),
  events: {
    boot: "PreInvocation",
    track: "PostToolUse",
    drift: "Stop",
    concurrency: null,
    guideline: null,
    risk: null,
    pitfall: null,
    package: null,
    prompt: null,
    loaded: null,
    window: null,
    budget: null,
    secrets: null,
    results: null,
    compaction: null,
  },
  without: {
    concurrency: FAILS_CLOSED,
    guideline: FAILS_CLOSED,
    risk: FAILS_CLOSED,
    pitfall: FAILS_CLOSED,
    package: NO_EVENT,
    prompt: NO_EVENT,
    loaded: NO_EVENT,
    window: NO_EVENT,
    budget: FAILS_CLOSED,
    secrets: FAILS_CLOSED,
    results: "the host does not send the output of tools",
    compaction: NO_EVENT,
  },
  entries,
  project: (template, machine) =>
    asSkill(path.join(folder(machine), "antigravity", "skills"), template),
  bootFile: "INSTRUCTIONS.md",
  next: "The hooks of Antigravity follow its documentation; they were not yet tested with the program.",
}

function folder({ userHome }: Machine): string {
  return path.join(userHome, ".gemini")
}

function entries(level: number, program: HookProgram): readonly HookEntry[] {
  if (level < HOOK_LEVELS.track) return []
  const handler = (event: string) => shellHandler(program, ["antigravity", event])
  return [
    { event: "PreInvocation", entry: handler("PreInvocation") },
    {
      event: "PostToolUse",
      entry: { matcher: EDITS, hooks: [handler("PostToolUse")] },
    },
    { event: "Stop", entry: handler("Stop") },
  ]
}
