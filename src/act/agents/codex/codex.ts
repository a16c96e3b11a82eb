import path from "node:path"
import { parse } from "smol-toml"
import { z } from "zod"
import { type Clock, isRecord, parseJsonRecord, readTextBounded, systemClock } from "#ground/base"
import { INSTALL_COMMANDS } from "#ground/contract"
import type { Agent, CompleteOptions } from "../agent.ts"
import { findProgramOf } from "../find-program.ts"
import { completeOnce } from "../wire/host-process.ts"
import { startSession } from "./session.ts"

export function createCodex(deps: { readonly clock: Clock }): Agent {
  return {
    type: "codex",
    title: "Codex",
    find: (options) => findProgramOf(WANTED, options),
    start: (options) => startSession(options, deps.clock),
    complete,
  }
}

const WANTED = { host: "codex", title: "Codex", install: INSTALL_COMMANDS.codex } as const

export const codex: Agent = createCodex({ clock: systemClock })

/**
 * `codex exec` has no switch to leave out the user's own AGENTS.md.
 */
async function complete(options: CompleteOptions): Promise<string | undefined> {
  const servers = await serversOf(options.environment)
  const printed = await completeOnce(options, argumentsFor(options.model, servers))
  return printed === undefined ? undefined : lastWord(printed)
}

const Item = z.object({
  type: z.literal("item.completed"),
  item: z.object({ type: z.literal("agent_message"), text: z.string() }),
})

function lastWord(printed: string): string | undefined {
  const items = printed.split("\n").map((line) => Item.safeParse(parseJsonRecord(line)))
  return items.findLast((it) => it.success)?.data?.item.text
}

/** Features bring tools. A version only warns about names it does not know. */
const FEATURES = [
  "shell_tool",
  "unified_exec",
  "apps",
  "plugins",
  "hooks",
  "multi_agent",
  "goals",
  "image_generation",
  "view_image",
  "sleep_tool",
  "skill_search",
  "tool_suggest",
]

const SETTINGS = [
  ...FEATURES.map((name) => `features.${name}=false`),
  'web_search="disabled"',
  "tools.experimental_request_user_input.enabled=false",
  "skills.include_instructions=false",
  "include_environment_context=false",
  "include_permissions_instructions=false",
  "project_doc_max_bytes=0",
]

function argumentsFor(model: string | undefined, servers: readonly string[]): readonly string[] {
  const settings = [...SETTINGS, ...servers.map((name) => `mcp_servers.${name}.enabled=false`)]
  return [
    "exec",
    "--json",
    "--ephemeral",
    "--skip-git-repo-check",
    "--sandbox=read-only",
    "--ignore-rules",
    ...settings.map((it) => `--config=${it}`),
    ...(model === undefined ? [] : [`--model=${model}`]),
    "-",
  ]
}

const LARGEST_CONFIG_BYTES = 1024 * 1024

/** Each server must be named: an empty table is merged with the user's and changes nothing. */
async function serversOf(environment: CompleteOptions["environment"]): Promise<readonly string[]> {
  const home = environment["CODEX_HOME"] ?? path.join(environment["HOME"] ?? "", ".codex")
  const files = [path.join(home, "config.toml"), "/etc/codex/config.toml"]
  const names = await Promise.all(files.map(serversIn))
  // The host allows no other names, and a dot would name a nested key.
  return [...new Set(names.flat())].filter((it) => /^[\w-]+$/.test(it))
}

async function serversIn(file: string): Promise<readonly string[]> {
  try {
    const read = await readTextBounded(file, { maxBytes: LARGEST_CONFIG_BYTES })
    const servers = read.kind === "read" ? parse(read.text)["mcp_servers"] : undefined
    return isRecord(servers) ? Object.keys(servers) : []
  } catch {
    // The host cannot read the file either, and reports it.
    return []
  }
}
