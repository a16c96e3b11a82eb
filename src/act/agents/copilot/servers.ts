import { z } from "zod"
import { run } from "#ground/base"
import type { StartOptions } from "../agent.ts"
import { AgentRefused } from "../wire/errors.ts"
import { STOP_GRACE_MS } from "../wire/limits.ts"
import { parseRecord } from "../wire/text.ts"

/** It reads its settings and prints them: half a second. */
const LONGEST_LIST_MS = 30_000

/** A server's entry has a few hundred bytes. */
const LONGEST_LIST_BYTES = 1024 * 1024

/** Those that come with it; they are in no list. */
const BUILT_IN = ["github-mcp-server", "githubiq"] as const

const Listed = z.object({ mcpServers: z.record(z.string(), z.unknown()) })

/** The switches that leave only these servers; throws when the host does not say which it has. */
export async function serverSwitches(options: StartOptions): Promise<readonly string[]> {
  const { sources, program, cwd, environment, signal } = options
  if (sources === undefined) return []
  const outcome = await run(program, ["mcp", "list", "--json"], {
    cwd,
    env: environment,
    signal,
    timeoutMs: LONGEST_LIST_MS,
    maxOutputBytes: LONGEST_LIST_BYTES,
    graceMs: STOP_GRACE_MS,
  })
  const text = outcome.kind === "exited" && outcome.code === 0 ? outcome.stdout.toString() : ""
  const listed = Listed.safeParse(parseRecord(text))
  if (!listed.success) {
    throw AgentRefused({ title: "Copilot", what: "to list its servers", reason: outcome.kind })
  }
  const others = [...Object.keys(listed.data.mcpServers), ...BUILT_IN]
  return others.filter((it) => !sources.includes(it)).map((it) => `--disable-mcp-server=${it}`)
}
