import { run } from "#ground/base"
import type { CompleteOptions } from "../agent.ts"
import { LONGEST_COMPLETION_BYTES, LONGEST_COMPLETION_MS, STOP_GRACE_MS } from "./limits.ts"

/**
 * What a host prints for one question, read from its stdin so that no word of it is taken for a
 * switch. undefined when it does not end well, in time, and within bounds.
 */
export async function askOnce(
  options: CompleteOptions,
  args: readonly string[],
): Promise<string | undefined> {
  const { program, cwd, environment, signal, prompt } = options
  const outcome = await run(program, args, {
    cwd,
    env: environment,
    signal,
    input: prompt,
    timeoutMs: LONGEST_COMPLETION_MS,
    maxOutputBytes: LONGEST_COMPLETION_BYTES,
    graceMs: STOP_GRACE_MS,
  })
  const isWhole = outcome.kind === "exited" && outcome.code === 0 && !outcome.truncated
  return isWhole ? outcome.stdout.toString("utf8") : undefined
}
