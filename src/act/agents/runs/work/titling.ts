import type { Log, TemporaryDirectory } from "#ground/base"
import type { AgentType, Run } from "#ground/contract"
import type { Agent } from "../../agent.ts"
import { TITLE_WAIT_MS } from "../../limits.ts"
import type { Book } from "../kept/book.ts"
import type { Progress } from "./progress.ts"
import { proposeTitle } from "./titles.ts"

type Deps = {
  readonly book: Book
  readonly log: Log
  agent(type: AgentType): Promise<Agent>
  environment(): Readonly<Record<string, string | undefined>>
  environmentFor(type: AgentType): Readonly<Record<string, string>>
  projectFolders(directory: string): Promise<readonly string[]>
  redact(text: string): string
  /** Whether titles are asked for at all. */
  wantsTitles(): boolean
  temporaryDirectory(): Promise<TemporaryDirectory>
}

/**
 * After the first turn the agent's own model is asked for a title, apart from the session and away
 * from the project. Nobody waits for it, and whatever goes wrong leaves the title as it was.
 */
export function createTitling(deps: Deps) {
  const over = new AbortController()
  const asking = new Set<Promise<void>>()

  async function ask(run: Run, words: string): Promise<void> {
    const agent = await deps.agent(run.type)
    const projectFolders = await deps.projectFolders(run.cwd)
    const found = await agent.find({ environment: deps.environment(), projectFolders })
    if (found.kind === "missing") return
    await using folder = await deps.temporaryDirectory()
    const title = await proposeTitle({
      agent,
      run,
      firstTurn: run.prompt,
      answer: words,
      cwd: folder.path,
      environment: deps.environmentFor(run.type),
      program: found.program,
      signal: AbortSignal.any([over.signal, AbortSignal.timeout(TITLE_WAIT_MS)]),
    })
    if (title !== undefined) await deps.book.proposeTitle(run.id, deps.redact(title))
  }
  return {
    turnEnded(run: Run, { turns }: Progress, words: string): void {
      const isFirst = turns === 1 && !run.isTitleOwn
      // The synthetic agent has no model that could be asked.
      if (!isFirst || run.type === "synthetic" || !deps.wantsTitles()) return
      const one = ask(run, words)
        .catch((error: unknown) => deps.log.info("no title", { error: String(error) }))
        .finally(() => asking.delete(one))
      asking.add(one)
    },
    async close(): Promise<void> {
      over.abort()
      await Promise.all(asking)
    },
  }
}
