import { runHook } from "./hooks.ts"
import { createJudge } from "./judge.ts"

type HandRun = {
  readonly host: string
  readonly eventName: string
  readonly input: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly directory: string
}

type HandRunResult = {
  readonly line: string | undefined
  readonly troubles: readonly string[]
}

/**
 * Judges one event in this process, with the same entries in ledger and log, but starts no work
 * afterwards.
 */
export async function runHookByHand(run: HandRun): Promise<HandRunResult> {
  const lines: string[] = []
  const troubles: string[] = []
  await runHook({
    input: run.input ?? leastPayload(run),
    asked: { host: run.host, eventName: run.eventName },
    directory: run.directory,
    now: () => Date.now(),
    judge: createJudge({
      environment: run.environment,
      home: run.home,
      isByHand: true,
      afterwards: (work) => troubles.push(`afterwards: ${work.kind}, not run by qm hook`),
    }),
    later: (ms, act) => {
      const timer = setTimeout(act, ms)
      return () => clearTimeout(timer)
    },
    write: async (line) => void lines.push(line),
    debug: (sentence) => troubles.push(sentence),
  })
  return { line: lines[0], troubles }
}

function leastPayload({ eventName, directory }: HandRun): string {
  const session = "by-hand"
  return JSON.stringify({
    hook_event_name: eventName,
    session_id: session,
    conversationId: session,
    cwd: directory,
    workspacePaths: [directory],
    invocationNum: 0,
  })
}
