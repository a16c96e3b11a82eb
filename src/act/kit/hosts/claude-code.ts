import path from "node:path"
import { HOOK_LEVELS, METERED_FROM_LEVEL } from "../levels.ts"
import type { HookEntry } from "../texts/hook-entries.ts"
import {
  asSkill,
  execHandler,
  type HookProgram,
  type KitHostForm,
  type Machine,
  withHead,
} from "./host.ts"

const EDITS = "Edit|Write|MultiEdit|NotebookEdit"
const AGENTS = "Agent|Task"
const METERED = "Read|Bash|Grep|Glob|WebFetch|WebSearch|mcp__.*"

/** Seen on 2.1.325: hooks in the user settings run in every folder, also in worktrees. */
export const claudeCode: KitHostForm = {
  host: "claude-code",
  title: "Claude Code",
  folder,
  settings: (machine) => ({
    path: path.join(folder(machine), "settings.json"),
    container: "hooks",
  }),
  events: {
    boot: "SessionStart",
    track: "PostToolUse",
    drift: "Stop",
    concurrency: "PreToolUse",
    guideline: "PreToolUse",
    risk: "PreToolUse",
    pitfall: "PreToolUse",
    package: "SubagentStart",
    prompt: "UserPromptSubmit",
    loaded: "InstructionsLoaded",
    window: "PostToolUse",
    budget: "PreToolUse",
    secrets: "PreToolUse",
    results: "PostToolUse",
    compaction: "PreCompact",
  },
  without: {},
  entries,
  hasStatusLine: true,
  project(template, machine) {
    const { kind, name, description, tools, cost, hasServer, body } = template
    if (kind === "skill" || kind === "playbook")
      return asSkill(path.join(folder(machine), "skills"), template)
    if (kind === "command") {
      const at = path.join(folder(machine), "commands", "qm", `${name}.md`)
      return { path: at, text: withHead({ description }, body) }
    }
    const server = { type: "stdio", command: machine.node, args: [machine.main, "mcp"] }
    const head = {
      name: `qm-${name}`,
      description,
      ...(tools === undefined ? {} : { tools }),
      ...(cost === "low" ? { model: "haiku" } : {}),
      ...(hasServer ? { mcpServers: [{ qm: server }] } : {}),
    }
    const at = path.join(folder(machine), "agents", `qm-${name}.md`)
    return { path: at, text: withHead(head, body) }
  },
  bootFile: null,
  next: null,
}

function folder({ userHome, environment }: Machine): string {
  const own = environment["CLAUDE_CONFIG_DIR"]
  return own ? path.resolve(own) : path.join(userHome, ".claude")
}

/**
 * One entry per event: the tool patterns exclude each other, so one process handles any of them.
 */
function entries(level: number, program: HookProgram): readonly HookEntry[] {
  const before = [
    // Shell commands are judged too: git can discard the work of another session.
    ...(level >= HOOK_LEVELS.secrets ? ["Read", "Bash"] : []),
    ...(level >= HOOK_LEVELS.concurrency ? [EDITS] : []),
    ...(level >= HOOK_LEVELS.package ? [AGENTS] : []),
  ]
  // A matcher with a pattern is a regular expression as a whole; an unanchored "Edit" would match
  // longer names.
  const after = level >= METERED_FROM_LEVEL ? `^(?:${EDITS}|${METERED})$` : EDITS
  const entriesByLevel = [
    { event: "SessionStart", matcher: "startup|resume|clear|compact", from: HOOK_LEVELS.boot },
    {
      event: "PreToolUse",
      matcher: level >= HOOK_LEVELS.guideline ? "*" : before.join("|"),
      from: HOOK_LEVELS.secrets,
    },
    { event: "UserPromptSubmit", matcher: "*", from: HOOK_LEVELS.prompt },
    { event: "PostToolUse", matcher: after, from: HOOK_LEVELS.track },
    { event: "SubagentStart", matcher: "*", from: HOOK_LEVELS.package },
    { event: "Stop", matcher: "*", from: HOOK_LEVELS.drift },
    { event: "InstructionsLoaded", matcher: "*", from: HOOK_LEVELS.loaded },
    { event: "PreCompact", matcher: "*", from: HOOK_LEVELS.compaction },
  ]
  const hooks = [execHandler(program, ["claude-code"])]
  return entriesByLevel
    .filter((it) => level >= it.from)
    .map(({ event, matcher }) => ({ event, entry: { matcher, hooks } }))
}
