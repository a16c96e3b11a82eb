import path from "node:path"
import { HOOK_LEVELS, METERED_FROM_LEVEL } from "../levels.ts"
import type { HookEntry } from "../texts/hook-entries.ts"
import {
  asSkill,
  type HookProgram,
  type KitHostForm,
  type Machine,
  type Projection,
  shellHandler,
  type Template,
} from "./host.ts"

const PATCHES = "apply_patch|Edit|Write"
/** A patch inside a shell command triggers a hook before it and none after it. */
const BEFORE_EDITS = `${PATCHES}|Bash`
/** Newer models prefix the tool name with its namespace. */
const AGENTS = "Agent|Task|.*spawn_agent"
const METERED = "Bash|mcp__.*"

/** Seen on 0.166.0. Codex reviews hooks by position, so ours come after the user's. */
export const codex: KitHostForm = {
  host: "codex",
  title: "Codex",
  folder,
  settings: (machine) => ({ path: path.join(folder(machine), "hooks.json"), container: "hooks" }),
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
    loaded: null,
    window: null,
    budget: "PreToolUse",
    secrets: "PreToolUse",
    results: "PostToolUse",
    compaction: null,
  },
  without: {
    loaded: "Codex has no event for loaded instructions",
    compaction:
      "Codex takes no instructions for a compaction; after it the session start puts them back",
    window: "only the status line of Claude Code reports how full the window is",
  },
  entries,
  project: (template, machine) =>
    template.kind === "agent"
      ? {
          path: path.join(folder(machine), "agents", `qm-${template.name}.toml`),
          text: agentToml(template, machine),
        }
      : asSkill(path.join(machine.userHome, ".agents", "skills"), template),
  bootFile: "AGENTS.md",
  next: "Codex runs a hook only after you have reviewed it: open `codex`, type /hooks and trust the qm hooks.",
}

function folder({ userHome, environment }: Machine): string {
  const own = environment["CODEX_HOME"]
  return own ? path.resolve(own) : path.join(userHome, ".codex")
}

function matcherBefore(level: number): string {
  if (level < HOOK_LEVELS.concurrency) return "Bash"
  if (level >= HOOK_LEVELS.guideline) return "*"
  return level >= HOOK_LEVELS.package ? `${BEFORE_EDITS}|${AGENTS}` : BEFORE_EDITS
}

function entries(level: number, program: HookProgram): readonly HookEntry[] {
  const before = matcherBefore(level)
  const after = level >= METERED_FROM_LEVEL ? `${PATCHES}|${METERED}` : PATCHES
  const entriesByLevel = [
    { event: "SessionStart", matcher: "startup|resume|clear|compact", from: HOOK_LEVELS.boot },
    { event: "PreToolUse", matcher: before, from: HOOK_LEVELS.secrets },
    { event: "UserPromptSubmit", matcher: "*", from: HOOK_LEVELS.prompt },
    { event: "PostToolUse", matcher: after, from: HOOK_LEVELS.track },
    { event: "SubagentStart", matcher: "*", from: HOOK_LEVELS.package },
    { event: "Stop", matcher: "*", from: HOOK_LEVELS.drift },
  ]
  const hooks = [shellHandler(program, ["codex"])]
  return entriesByLevel
    .filter((it) => level >= it.from)
    .map(({ event, matcher }) => ({ event, entry: { matcher, hooks } }))
}

/** JSON strings are valid TOML strings. Codex starts an agent by the name in the file. */
export function agentToml(
  {
    name,
    description,
    body,
    cost,
    hasServer,
  }: Omit<Template, "kind" | "pack" | "level" | "hosts" | "tools">,
  { node, main, prefix = "qm-" }: Pick<Projection, "node" | "main"> & { readonly prefix?: string },
): string {
  const text = body.trim()
  const instructions = text.includes("'''") ? JSON.stringify(text) : `'''\n${text}\n'''`
  return [
    `name = ${JSON.stringify(`${prefix}${name}`)}`,
    `description = ${JSON.stringify(description)}`,
    ...(cost === "low" ? [`model_reasoning_effort = "low"`] : []),
    `developer_instructions = ${instructions}`,
    ...(hasServer
      ? [
          "",
          "[mcp_servers.qm]",
          `command = ${JSON.stringify(node)}`,
          `args = ${JSON.stringify([main, "mcp"])}`,
        ]
      : []),
    "",
  ].join("\n")
}
