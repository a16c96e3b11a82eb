import type { CompleteOptions } from "../agent.ts"
import { askOnce } from "../wire/ask-once.ts"
import { parseRecord } from "../wire/text.ts"
import { Result } from "./shapes.ts"

/** One question to `claude`: no session kept, no tool, no settings, servers, skills or project. */
export async function complete(options: CompleteOptions): Promise<string | undefined> {
  const printed = await askOnce(options, argumentsFor(options.model))
  const result = Result.safeParse(parseRecord(printed ?? ""))
  const isAnswer = result.success && !result.data.is_error
  return isAnswer ? result.data.result : undefined
}

/** Cheap and quick unless another is wished: what is asked here is never hard. */
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
