import path from "node:path"
import { type Clock, listDirectory, parseJsonRecord, statFile } from "#ground/base"
import type { StartOptions } from "../agent.ts"

/** Properties of an agent that the protocol does not describe. */
export type AcpProfile = {
  readonly title: string
  readonly args: readonly string[]
  /** The agent's modes for `plan` and for the others, best first; ids of its own. */
  readonly planModes: readonly string[]
  readonly askingModes: readonly string[]
  /** For `auto`, if the modes that ask cannot write at all. */
  readonly autoModes?: readonly string[]
  readonly hasModelArgument?: boolean
  /** Reads its own files, because it does not recognize our answer for a missing one. */
  readonly readsFilesItself?: boolean
  readonly canChooseSources?: boolean
  beforeResume?(sessionId: string, options: StartOptions, clock: Clock): Promise<void>
  overrides?(options: StartOptions): {
    readonly args?: readonly string[]
    readonly environment?: Readonly<Record<string, string>>
  }
}

/** Not the name of any server: an empty list would mean all of them. */
const NO_SERVER = "none-of-them"

/** Seen on 0.61.0. */
export const GEMINI: AcpProfile = {
  title: "Gemini CLI",
  args: ["--acp"],
  planModes: ["plan"],
  askingModes: ["default"],
  hasModelArgument: true,
  readsFilesItself: true,
  canChooseSources: true,
  beforeResume: waitForNextMinute,
  overrides: ({ model, sources }) => ({
    args: [
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...(sources === undefined
        ? []
        : [`--allowed-mcp-server-names=${sources.join(",") || NO_SERVER}`]),
    ],
  }),
}

const MINUTE_MS = 60_000

/**
 * Gemini CLI names the record of a session after the minute of its start. Resumed in the same minute,
 * it empties that record before it reads it, and then finds no session.
 */
async function waitForNextMinute(
  sessionId: string,
  { environment }: StartOptions,
  clock: Clock,
): Promise<void> {
  const now = clock.now()
  const minute = new Date(now).toISOString().slice(0, 16).replace(":", "-")
  const home = environment["GEMINI_CLI_HOME"] ?? environment["HOME"] ?? ""
  const folder = path.join(home, ".gemini/tmp")
  const projects = await listDirectory(folder)
  const names = projects.kind === "listed" ? projects.entries.map((it) => it.name) : []
  for (const name of names) {
    const record = `chats/session-${minute}-${sessionId.slice(0, 8)}.jsonl`
    const { kind } = await statFile(path.join(folder, name, record))
    if (kind === "found") return clock.sleep(MINUTE_MS - (now % MINUTE_MS))
  }
}

/** opencode allows everything unless told to ask (1.18.33). */
const OPENCODE_ASKS = { permission: { edit: "ask", bash: "ask", webfetch: "ask" } }

export const OPENCODE: AcpProfile = {
  title: "opencode",
  args: ["acp"],
  planModes: ["plan"],
  askingModes: ["build"],
  overrides: ({ environment }) => ({
    environment: {
      OPENCODE_CONFIG_CONTENT: mergedConfig(environment["OPENCODE_CONFIG_CONTENT"]),
    },
  }),
}

function mergedConfig(own: string | undefined): string {
  return JSON.stringify({ ...parseJsonRecord(own ?? "{}"), ...OPENCODE_ASKS })
}

/** For any other agent: the ids that Claude, Codex and Copilot use. */
export function genericProfile(title: string, args: readonly string[]): AcpProfile {
  return {
    title,
    args,
    planModes: ["plan", "read-only"],
    askingModes: ["default", "read-only", "ask", "agent", "build"],
    // codex-acp 2.6.0 runs commands of its mode read-only in a sandbox without asking.
    autoModes: ["default", "workspace-write", "agent", "build"],
  }
}
