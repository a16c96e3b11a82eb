import path from "node:path"
import type { BackgroundWork } from "#choose/guard"
import { fetchIfDue, startInBackground } from "./background.ts"
import { readPayload, runHook } from "./hooks.ts"
import { createJudge, homeOf } from "./judge.ts"
import { writeNote } from "./opencode/notes.ts"
import { answerStatusLine } from "./status-line.ts"

/**
 * Entry of a hook process: `qm-hook <host> [event]`, of the status line: `qm-hook statusline`, and of
 * notes by the plugin of opencode: `qm-hook note`.
 * It always ends itself with 0: an open stdin or a running rule must not delay the agent.
 */
const environment = process.env
const isDebugging = Boolean(environment["QM_HOOK_DEBUG"])
const debug = (sentence: string) => {
  if (isDebugging) process.stderr.write(`qm-hook: ${sentence}\n`)
}
const endAfter = (error: unknown) => {
  debug(String(error))
  process.exit(0)
}
// Unhandled rejections arrive here too.
process.on("uncaughtException", endAfter)
const [first, second, third = ""] = process.argv.slice(2)
if (first === "--afterwards") await workAfterwards(second, third)
else if (first === "statusline") await printStatusLine()
else if (first === "note") await takeNote()
else await answerEvent()
process.exit(0)

async function answerEvent(): Promise<void> {
  const self = path.resolve(process.argv[1] ?? "")
  const home = homeOf(environment, self)
  if (home === undefined) return debug("neither QM_HOME nor HOME is set")
  const left: { readonly work: BackgroundWork; readonly root: string }[] = []
  await runHook({
    input: process.stdin,
    asked: { host: first, eventName: second },
    directory: process.cwd(),
    now: () => Date.now(),
    judge: createJudge({
      environment,
      home,
      afterwards: (work, root) => left.push({ work, root }),
    }),
    later: afterMs,
    deadlineMs: deadlineFrom(environment["QM_HOOK_DEADLINE_MS"]),
    write: (line) => new Promise((resolve) => void process.stdout.write(line, () => resolve())),
    debug,
  })
  for (const { work, root } of left) {
    await startInBackground(work, root, { node: process.execPath, self, home, environment })
  }
}

function afterMs(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}

/** At most a minute: no agent waits longer for its hooks. */
function deadlineFrom(text: string | undefined): number | undefined {
  const ms = Number(text)
  return ms > 0 ? Math.min(ms, 60_000) : undefined
}

async function printStatusLine(): Promise<void> {
  const line = await answerStatusLine({
    input: process.stdin,
    environment,
    now: () => Date.now(),
    later: afterMs,
    debug,
  })
  await new Promise<void>((resolve) => void process.stdout.write(`${line}\n`, () => resolve()))
}

async function takeNote(): Promise<void> {
  const read = await readPayload(process.stdin, { later: afterMs })
  const note = read.kind === "payload" ? read.payload : {}
  const home = homeOf(environment, path.resolve(process.argv[1] ?? "")) ?? ""
  const line = await writeNote(note, { directory: process.cwd(), home })
  await new Promise<void>((resolve) => void process.stdout.write(line, () => resolve()))
}

async function workAfterwards(kind: string | undefined, root: string): Promise<void> {
  if (kind !== "fetch") return
  const outcome = await fetchIfDue(root, { environment, now: Date.now() })
  debug(`fetch: ${outcome}`)
}
