import { systemClock } from "#ground/base"
import { OPERATIONS } from "#ground/contract"
import { renderActivity } from "./render/ledger.ts"
import { openApp, type RunContext } from "./run-operation.ts"
import { safeJsonLine, visibleDeep } from "./screen.ts"

/** Ledgers are files that grow: often enough to watch, seldom enough to cost nothing. */
const LOOK_EVERY_MS = 500
const MOST_AT_ONCE = 1_000

/** What sessions do, line by line; with `--follow` until Ctrl-C, which is a good end. */
export async function runWatch(
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context)
  const { signal } = context.terminal
  const ask = async (asked: object) =>
    OPERATIONS["session.activity"].output.parse(
      await app.call("session.activity", asked, { signal }),
    ).entries
  const first = await ask({ limit: input["limit"] })
  show(first, context)
  if (input["follow"] !== true) return 0
  let seen = new Set(first.map((it) => JSON.stringify(it)))
  let after = first.at(-1)?.at ?? systemClock.now()
  while (!signal.aborted) {
    await systemClock.sleep(LOOK_EVERY_MS, signal).catch(() => {})
    if (signal.aborted) break
    // Two may write in one millisecond, so the last one is looked at again.
    const found = await ask({ after: after - 1, limit: MOST_AT_ONCE })
    show(
      found.filter((it) => !seen.has(JSON.stringify(it))),
      context,
    )
    after = found.at(-1)?.at ?? after
    seen = new Set(found.map((it) => JSON.stringify(it)))
  }
  return 0
}

type Entries = Parameters<typeof renderActivity>[0]

function show(entries: readonly Entries[], { line, terminal, screen }: RunContext): void {
  for (const entry of entries) {
    const shown = OPERATIONS["session.activity"].output.shape.entries.element.parse(
      visibleDeep(entry),
    )
    terminal.stdout.write(`${line.json ? safeJsonLine(entry) : renderActivity(shown, screen)}\n`)
  }
}
