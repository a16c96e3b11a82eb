import { systemClock } from "#ground/base"
import { sessionOperations } from "#ground/contract"
import { renderActivity } from "../render/ledger.ts"
import { openApp, type RunContext } from "../run-operation.ts"
import { fitText } from "./layout.ts"
import { safeJsonLine, visibleDeep } from "./screen.ts"

const Activity = sessionOperations["session.activity"]

/** How often the ledger files are read: often enough to watch, too rarely to cost much. */
const LOOK_EVERY_MS = 500
const MOST_AT_ONCE = 1_000

/** Prints ledger entries; with `--follow` until Ctrl-C, with exit code 0. */
export async function runWatch(
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context)
  const { signal } = context.terminal
  const ask = async (query: object) =>
    Activity.output.parse(await app.call(Activity.name, query, { signal })).entries
  const first = await ask({ limit: input["limit"] })
  showEntries(first, context)
  const isFollowing = input["follow"] === true
  if (first.length === 0 && !context.line.json) {
    const next = isFollowing
      ? "Waiting for a session; Ctrl-C ends."
      : "Hooks report it after `qm init`; `qm watch --follow` waits for it."
    context.terminal.stdout.write(
      `${fitText(`No session activity yet. ${next}`, context.screen)}\n`,
    )
  }
  if (!isFollowing) return 0
  let seen = new Set(first.map((it) => JSON.stringify(it)))
  let after = first.at(-1)?.at ?? systemClock.now()
  while (!signal.aborted) {
    await systemClock.sleep(LOOK_EVERY_MS, signal).catch(() => {})
    if (signal.aborted) break
    // Two entries may have the same millisecond, so the last one is read again.
    const page = await ask({ after: after - 1, limit: MOST_AT_ONCE })
    showEntries(
      page.filter((it) => !seen.has(JSON.stringify(it))),
      context,
    )
    after = page.at(-1)?.at ?? after
    seen = new Set(page.map((it) => JSON.stringify(it)))
  }
  return 0
}

type Entries = Parameters<typeof renderActivity>[0]

function showEntries(entries: readonly Entries[], { line, terminal, screen }: RunContext): void {
  for (const entry of entries) {
    const shown = Activity.output.shape.entries.element.parse(visibleDeep(entry))
    terminal.stdout.write(`${line.json ? safeJsonLine(entry) : renderActivity(shown, screen)}\n`)
  }
}
