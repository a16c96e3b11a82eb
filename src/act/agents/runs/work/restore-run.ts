import type { ContextPart, Run } from "#ground/contract"
import { RESTORED_MESSAGES } from "../../limits.ts"
import { restoredContext } from "../../sessions/restore-context.ts"
import type { Book } from "../kept/book.ts"

type Deps = {
  readonly book: Book
  count(): Promise<(text: string) => number>
  delimiter(): string
}

/** What a fresh session is told of the run that it goes on with. */
export async function restoreRun(run: Run, deps: Deps): Promise<ContextPart> {
  const before = Number.MAX_SAFE_INTEGER
  const messages = await deps.book.messages(run.id, { after: 0, before, limit: RESTORED_MESSAGES })
  const count = await deps.count()
  const restored = restoredContext({ messages, parts: [], delimiter: deps.delimiter(), count })
  return { label: "said before", text: restored?.text ?? "", tokens: restored?.tokens ?? 0 }
}
