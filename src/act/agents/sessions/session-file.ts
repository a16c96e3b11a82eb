import { z } from "zod"
import { AgentMode, Message, Run, RunStatus } from "#ground/contract"

/** The first line of a session's file: what a reader wants to know before it reads on. */
const SESSION_FORMAT = "quartermaster-session"
export const SESSION_VERSION = 1

/** Who wrote it and how; the rest of the line is judged only when the version is ours. */
export const SessionMark = z.object({
  format: z.literal(SESSION_FORMAT),
  version: z.int().positive(),
})

export const SessionHeader = SessionMark.extend({
  messageCount: z.int().nonnegative(),
  usage: Run.shape.cost.shape.usage,
  mode: AgentMode,
  status: RunStatus,
  labels: z.array(z.string()),
  run: Run,
})
export type SessionHeader = z.infer<typeof SessionHeader>

/** A run's first line. Its words for the outside stand before the run, so that `head -c` shows them. */
export function headerOf(run: Run): SessionHeader {
  const { mode, status, labels, cost, lastSeq: messageCount } = run
  const { usage } = cost
  const mark = { format: SESSION_FORMAT, version: SESSION_VERSION } as const
  return { ...mark, messageCount, usage, mode, status, labels, run }
}

/**
 * A run as lines, each with its newline: the header, then a message a line. Messages that came after
 * the run was looked at are left for the next time, so that the header's count is true.
 */
export async function* toLines(
  run: Run,
  pages: AsyncIterable<readonly Message[]>,
): AsyncGenerator<string> {
  yield lineOf(headerOf(run))
  for await (const page of pages) {
    const known = page.filter((it) => it.seq <= run.lastSeq)
    for (const message of known) yield lineOf(message)
    if (known.length < page.length) return
  }
}

function lineOf(record: SessionHeader | Message): string {
  return `${JSON.stringify(record)}\n`
}

/** The messages of a run, page by page, from after a number on. */
export async function* pagesOf(
  read: (after: number) => Promise<readonly Message[]>,
  after = 0,
): AsyncGenerator<readonly Message[]> {
  let last = after
  for (let page = await read(last); page.length > 0; page = await read(last)) {
    yield page
    last = page.at(-1)?.seq ?? last
  }
}
