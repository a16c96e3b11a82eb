import { type Clock, parseJsonRecord, systemClock } from "#ground/base"
import { INSTALL_COMMANDS } from "#ground/contract"
import type { Agent, CompleteOptions } from "../agent.ts"
import { findProgramOf } from "../find-program.ts"
import { completeOnce } from "../wire/host-process.ts"
import { Result } from "./schema.ts"
import { startSession } from "./session.ts"

export function createClaudeCode(deps: { readonly clock: Clock }): Agent {
  return {
    type: "claude-code",
    title: "Claude Code",
    find: (options) => findProgramOf(WANTED, options),
    start: (options) => startSession(options, deps.clock),
    complete,
  }
}

const WANTED = {
  host: "claude-code",
  title: "Claude Code",
  install: INSTALL_COMMANDS["claude-code"],
} as const

export const claudeCode: Agent = createClaudeCode({ clock: systemClock })

async function complete(options: CompleteOptions): Promise<string | undefined> {
  const printed = await completeOnce(options, argumentsFor(options.model))
  const result = Result.safeParse(parseJsonRecord(printed ?? ""))
  const isAnswer = result.success && !result.data.is_error
  return isAnswer ? result.data.result : undefined
}

const SMALL_MODEL = "haiku"

function argumentsFor(model: string = SMALL_MODEL): readonly string[] {
  return [
    "-p",
    "--output-format=json",
    "--no-session-persistence",
    "--tools=",
    "--setting-sources=",
    "--strict-mcp-config",
    "--disable-slash-commands",
    "--system-prompt=You answer one question, briefly, without tools.",
    `--model=${model}`,
  ]
}
