import type { Clock, Ids } from "#ground/base"
import type { AgentMode, Approval, Run } from "#ground/contract"
import { BudgetSpentAlready, RunNotWorking } from "../errors.ts"
import { isEnded } from "../status.ts"
import type { Care } from "./care.ts"
import type { AnswerInput } from "./kept/approvals.ts"
import type { Owner } from "./kept/rows.ts"
import { addRun, type StartInput, usableDirectory } from "./new-run.ts"
import { sayAnswer } from "./say-answer.ts"
import { budgetState } from "./work/budget.ts"
import type { Launcher } from "./work/launcher.ts"
import type { Shelf } from "./work/working.ts"

type Deps = Shelf & {
  readonly clock: Clock
  readonly ids: Ids
  readonly owner: Owner
  readonly launcher: Launcher
  readonly care: Care
  redact(text: string): string
  directoryProblem(directory: string): Promise<string | undefined>
  belongsToRepository(directory: string): Promise<boolean>
  root(): string
  /** The id of a kept package, of the newest for `last`; rejects where there is none. */
  keptPack(given: string): Promise<string>
}

/** What makes an agent do something, wherever it works. */
export function createDriving(deps: Deps) {
  const { book, queue, approvals, launcher, care } = deps

  /** At once if there is room, else when there is. */
  async function goOn(id: string): Promise<void> {
    // Its last process may still be putting its things away.
    await launcher.find(id)?.done
    const row = await book.find(id)
    if (!isEnded(row.run.status)) return care.fillSoon()
    if (!launcher.isFull()) return launcher.launch(row)
    await book.queueAgain(row, care.isWatching() ? null : deps.owner)
    care.fillSoon()
  }
  return {
    async start(input: StartInput, how: { readonly isHere?: boolean } = {}): Promise<Run> {
      const { env = {} } = input.configuration
      // Variables are not kept, so only this process can start what was given some.
      const isHere = how.isHere === true || !care.isWatching() || Object.keys(env).length > 0
      const run = await addRun(await withKeptPack(input, deps), { ...deps, isHere })
      launcher.keepVariables(run.id, env)
      care.fillSoon()
      return run
    },
    /** The next turn: into the running one, behind it, or as a new start of the same session. */
    async send(id: string, text: string, how: { readonly now?: boolean } = {}): Promise<Run> {
      const { run } = await book.find(id)
      await checkSendable(run, deps)
      const isForNow = how.now === true && run.status === "running"
      await (isForNow ? queue.command(id, { kind: "steer", text }) : queue.queueTurn(id, text))
      await care.look()
      // Looked at again: it may have ended while the turn was queued.
      if (isEnded((await book.find(id)).run.status)) await goOn(id)
      return (await book.find(id)).run
    },
    async setMode(id: string, mode: AgentMode, by: string): Promise<Run> {
      const { run } = await book.find(id)
      if (isEnded(run.status)) throw RunNotWorking({ id, status: run.status })
      if (run.status === "queued") await book.setMode(id, mode)
      else await queue.command(id, { kind: "mode", mode, by })
      await care.look()
      return (await book.find(id)).run
    },
    async answer(id: string, answer: AnswerInput): Promise<Approval> {
      const note = answer.note === undefined ? undefined : deps.redact(answer.note)
      const { approval } = await approvals.answerOnce(id, { ...answer, note })
      await care.look()
      const { run } = await book.find(approval.runId)
      if (run.status === "interrupted") {
        await queue.queueTurn(run.id, sayAnswer(approval))
        await goOn(run.id)
      }
      return approval
    },
  }
}

/** `last` is the newest package now, and stays this one. */
async function withKeptPack(input: StartInput, { keptPack }: Deps): Promise<StartInput> {
  const { pack } = input.configuration
  if (pack === undefined) return input
  return { ...input, configuration: { ...input.configuration, pack: await keptPack(pack) } }
}

/** Why no further turn can be sent, before anything is queued. */
async function checkSendable(run: Run, deps: Deps): Promise<void> {
  // A session that was read may be of any folder; an agent works only in ours.
  await usableDirectory(run.cwd, deps)
  const budget = budgetState(run.cost, { usd: run.budgetUsd, tokens: run.budgetTokens })
  if (budget.kind === "spent") throw BudgetSpentAlready({ id: run.id, says: budget.says })
}
