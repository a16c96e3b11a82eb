import type { Run, RunConfiguration } from "#ground/contract"
import type { Book } from "../kept/book.ts"

/**
 * The package that a run was started with, until a turn has carried it: the first one, or the first
 * that is no command of the host. Given again it would be older than what the agent changed since.
 */
export async function duePack(
  run: Run,
  { pack }: Pick<RunConfiguration, "pack">,
  book: Book,
): Promise<string | undefined> {
  if (pack === undefined) return undefined
  // Without a session nobody has heard it, whatever the transcript says.
  const isHeard = run.sessionId !== null && (await book.hasPackPart(run.id))
  return isHeard ? undefined : pack
}
