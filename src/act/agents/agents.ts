import path from "node:path"
import type { Clock, Ids, ProcessIdentity } from "#ground/base"
import type { Approval, Message, Run, RunStatus } from "#ground/contract"
import type { Db } from "#ground/store"
import { type AnswerInput, createBook } from "./book.ts"
import { DirectoryUnusable } from "./errors.ts"
import { createLauncher, type LauncherDeps } from "./launcher.ts"
import { newRun, type StartInput } from "./new-run.ts"
import { expireApprovals, type Identity, type Owner, setChild, updateRun } from "./queries.ts"
import { isEnded } from "./status.ts"
import { createWriter } from "./writer.ts"

export type AgentsDeps = Omit<LauncherDeps, "writer"> & {
  readonly db: Db<"agents">
  readonly clock: Clock
  readonly ids: Ids
  readonly owner: Owner
  directoryProblem(directory: string): Promise<string | undefined>
  /** The repository in which agents work unless told otherwise. */
  root(): string
  isAlive(identity: ProcessIdentity): boolean
  endProcess(identity: ProcessIdentity): Promise<void>
  /** Messages of a run, once they are stored. */
  tell(runId: string, messages: readonly Message[]): void
}

export type Agents = ReturnType<typeof createAgents>

/** Runs of agents: started, fed, watched, stopped and kept. */
export function createAgents(deps: AgentsDeps) {
  const writer = createWriter(deps)
  const book = createBook(deps)
  const launcher = createLauncher({ ...deps, writer }, book)
  const settle = createSettling({ ...deps, writer, book })
  const get = async (id: string): Promise<Run> => (await book.find(id)).run

  async function stop(id: string): Promise<Run> {
    const { run, hidden } = await book.find(id)
    const running = launcher.find(id)
    await running?.stop()
    await running?.done
    const isForeign = running === undefined && !isEnded(run.status)
    if (isForeign) await settle(run, hidden.child, "stopped")
    return get(id)
  }

  return {
    get,
    stop,
    list: book.list,
    messages: book.messages,
    approvals: book.approvals,
    fill: launcher.fill,
    close: launcher.close,
    async start(input: StartInput): Promise<Run> {
      const run = await addRun(input, { ...deps, book })
      launcher.fillSoon()
      return run
    },
    /** The next turn: behind the running one, or as a new start of the same session. */
    async send(id: string, text: string): Promise<Run> {
      const { run, hidden } = await book.find(id)
      await book.queueTurn(id, text)
      const isIdle = isEnded(run.status) && launcher.find(id) === undefined
      if (isIdle) await launcher.launch(run, hidden.configuration)
      return get(id)
    },
    remove: (id: string): Promise<void> => stop(id).then(() => book.remove(id)),
    async answer(id: string, answer: AnswerInput): Promise<Approval> {
      const { approval, hostId } = await book.answerOnce(id, answer)
      await launcher.find(approval.runId)?.answer(hostId, answer)
      return approval
    },
    /** After a crash: what says that it runs and does not is told the truth about. */
    async recover(): Promise<number> {
      const lost = (await book.unfinished()).filter(({ hidden }) => isLost(hidden.owner, deps))
      for (const { run, hidden } of lost) await settle(run, hidden.child, "interrupted")
      return lost.length
    },
  }
}

type BookDeps = AgentsDeps & { readonly book: ReturnType<typeof createBook> }

async function addRun(input: StartInput, deps: BookDeps): Promise<Run> {
  const cwd = await usableDirectory(input.configuration.cwd, deps)
  // The agent gets the words as they are, from the queue; what is kept has no secret in it.
  const shown = { ...input, prompt: deps.redact(input.prompt) }
  const run = newRun(shown, { cwd, id: deps.ids.next("run"), at: deps.clock.now() })
  await deps.book.add(run, input.configuration)
  await deps.book.queueTurn(run.id, input.prompt)
  return run
}

type SettlingDeps = BookDeps & { readonly writer: ReturnType<typeof createWriter> }

/** Ends a run that nobody works on any more: its process, if it lives, and what it says of itself. */
function createSettling(deps: SettlingDeps) {
  return async (run: Run, child: Identity | null, status: "interrupted" | "stopped") => {
    if (child !== null && deps.isAlive(identityOf(child))) await deps.endProcess(identityOf(child))
    const claim = await deps.book.claim(run.id)
    if (claim === undefined) return
    const said = { type: "system", role: "system", content: SETTLED[status], metadata: {} } as const
    await deps.writer.append(claim, [said], async (tx) => {
      const at = deps.clock.now()
      await tx.run(updateRun(run.id, { ...run, status }, at))
      await tx.run(expireApprovals(run.id, at))
      await tx.run(setChild(run.id, claim.fence, null))
      tx.emit("agents.updated", { id: run.id, status })
    })
  }
}

const SETTLED = {
  interrupted: "The process that ran this ended before it did; what was said until then is kept",
  stopped: "Stopped from another process",
} as const satisfies Partial<Record<RunStatus, string>>

function identityOf({ pid, startedAt }: Identity): ProcessIdentity {
  return { pid, startedAt: startedAt === "" ? undefined : startedAt }
}

/** On this machine a process can be looked for; of another one only its lease tells. */
function isLost(owner: Owner | null, deps: AgentsDeps): boolean {
  if (owner === null || owner.machine !== deps.owner.machine) return false
  const isOurs = owner.pid === deps.owner.pid && owner.startedAt === deps.owner.startedAt
  return !isOurs && !deps.isAlive(identityOf(owner))
}

async function usableDirectory(given: string | undefined, deps: AgentsDeps): Promise<string> {
  const directory = path.resolve(deps.root(), given ?? ".")
  const problem = await deps.directoryProblem(directory)
  if (problem !== undefined) throw DirectoryUnusable({ path: given ?? directory, reason: problem })
  // An agent works where this repository is, not wherever a request points.
  const isOurs = (await deps.projectFolders(directory)).includes(deps.root())
  if (isOurs) return directory
  throw DirectoryUnusable({ path: given ?? directory, reason: "it lies outside this repository" })
}
