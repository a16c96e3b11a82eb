import type { Clock } from "#ground/base"
import type { AgentMode, Message, Run } from "#ground/contract"
import type { Db } from "#ground/store"
import { MessageUnknown, RunUnknown } from "../../errors.ts"
import { BRIEF_CHARACTERS, LEASE_MS, LISTED_PROMPT_CHARACTERS } from "../../limits.ts"
import { insertCommand, type NewCommand } from "./command-queries.ts"
import {
  beginRun,
  claimRun,
  countPackTurns,
  deleteRun,
  editRun,
  forgetSession,
  insertRun,
  type NewRow,
  proposeRunTitle,
  queueRun,
  type RunChange,
  releaseRun,
  renewLease,
  selectMessage,
  selectMessages,
  selectMessagesBefore,
  selectRun,
  selectRunOfSession,
  selectRuns,
  selectUnfinished,
  setRunMode,
} from "./queries.ts"
import { CountRow, FenceRow, MessageRow, type Owner, RunRow } from "./rows.ts"
import type { RunFilter } from "./search.ts"
import type { Claim } from "./writer.ts"

type Deps = { readonly db: Db<"agents">; readonly clock: Clock; readonly owner: Owner }

/** Which messages of a run. */
export type MessageFilter = {
  readonly after: number
  readonly before?: number | undefined
  readonly limit: number
  readonly brief?: boolean | undefined
}

export type Book = ReturnType<typeof createBook>

/** The runs as they are kept; nothing here knows whether an agent is at work. */
export function createBook(deps: Deps) {
  const { db } = deps
  const find = async (id: string): Promise<RunRow> => {
    const row = await db.get(RunRow, selectRun(id))
    if (row === undefined) throw RunUnknown({ id })
    return row
  }
  return {
    find,
    list: async (filter: RunFilter): Promise<Run[]> =>
      (await db.all(RunRow, selectRuns(filter))).map(({ run }) => listed(run)),
    unfinished: (): Promise<RunRow[]> => db.all(RunRow, selectUnfinished()),
    ofSession: (sessionId: string): Promise<RunRow | undefined> =>
      db.get(RunRow, selectRunOfSession(sessionId)),
    ...createReading(deps, find),
    ...createClaims(deps),
    /** With its first turn at once: whoever takes the run finds it. */
    async add(run: Run, row: NewRow, firstTurn?: NewCommand): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.run(insertRun(run, row))
        if (firstTurn !== undefined) await tx.run(insertCommand(firstTurn))
        tx.emit("agents.created", { id: run.id, type: run.type, title: run.title })
      })
    },
    ...createEditing(deps, find),
    async remove(id: string): Promise<void> {
      await db.transaction(async (tx) => {
        for (const query of deleteRun(id)) await tx.run(query)
        tx.emit("agents.deleted", { id })
      })
    },
  }
}

/** What people, and we ourselves, change about a run that is not its agent's word. */
function createEditing({ db, clock }: Deps, find: (id: string) => Promise<RunRow>) {
  return {
    async edit(id: string, change: RunChange): Promise<Run> {
      const { run } = await find(id)
      await db.transaction(async (tx) => {
        await tx.run(editRun(id, change, clock.now()))
        tx.emit("agents.updated", { id, status: run.status })
      })
      return (await find(id)).run
    },
    async proposeTitle(id: string, title: string): Promise<void> {
      await db.transaction(async (tx) => {
        const { changes } = await tx.run(proposeRunTitle(id, title, clock.now()))
        const run = await tx.get(RunRow, selectRun(id))
        if (changes > 0 && run !== undefined) {
          tx.emit("agents.updated", { id, status: run.run.status })
        }
      })
    },
    /** Of a run that nobody works on yet. */
    async setMode(id: string, mode: AgentMode): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.run(setRunMode(id, mode))
        tx.emit("agents.updated", { id, status: "queued" })
      })
    },
    forgetSession: async (id: string) => void (await db.run(forgetSession(id))),
  }
}

/** A prompt may be a megabyte; whoever lists runs wants to tell them apart. */
function listed(run: Run): Run {
  return { ...run, prompt: run.prompt.slice(0, LISTED_PROMPT_CHARACTERS).toWellFormed() }
}

function createReading({ db }: Deps, find: (id: string) => Promise<RunRow>) {
  return {
    async messages(id: string, filter: MessageFilter): Promise<Message[]> {
      await find(id)
      const { after, before, limit, brief } = filter
      const found =
        before === undefined
          ? await db.all(MessageRow, selectMessages(id, after, limit))
          : (await db.all(MessageRow, selectMessagesBefore(id, before, limit))).toReversed()
      const wanted = found.filter((it) => it.seq > after)
      return brief === true ? wanted.map(briefly) : wanted
    },
    async message(id: string, seq: number): Promise<Message> {
      await find(id)
      const found = await db.get(MessageRow, selectMessage(id, seq))
      if (found === undefined) throw MessageUnknown({ id, seq })
      return found
    },
    hasPackPart: async (id: string): Promise<boolean> =>
      ((await db.get(CountRow, countPackTurns(id)))?.count ?? 0) > 0,
  }
}

/** As much as a list shows: a page of a long run must not be a hundred megabytes. */
function briefly(whole: Message): Message {
  const { id, seq, type, role, content, timestamp, metadata } = whole
  const message = { id, seq, type, role, content, timestamp, metadata }
  if (content.length <= BRIEF_CHARACTERS) return message
  return {
    ...message,
    content: content.slice(0, BRIEF_CHARACTERS).toWellFormed(),
    metadata: { ...metadata, cut: content.length },
  }
}

/** Who may write a run. */
function createClaims({ db, clock, owner }: Deps) {
  return {
    /** The right to write from now on; undefined when somebody was faster, or it was deleted. */
    async claim({ run, hidden }: RunRow): Promise<Claim | undefined> {
      const until = clock.now() + LEASE_MS
      const query = claimRun(run.id, { owner, until, seen: hidden.fence })
      const claimed = await db.transaction((tx) => tx.get(FenceRow, query))
      return claimed === undefined ? undefined : { runId: run.id, fence: claimed.fence }
    },
    /** The same, and the run says that it is being started. */
    async begin({ run, hidden }: RunRow): Promise<Claim | undefined> {
      const at = clock.now()
      const query = claimRun(run.id, { owner, until: at + LEASE_MS, seen: hidden.fence })
      const claimed = await db.transaction(async (tx) => {
        const found = await tx.get(FenceRow, query)
        if (found === undefined) return undefined
        await tx.run(beginRun(run.id, found.fence, at))
        tx.emit("agents.updated", { id: run.id, status: "starting" })
        return found
      })
      return claimed === undefined ? undefined : { runId: run.id, fence: claimed.fence }
    },
    /** It waits again, for this owner or for whoever has room. */
    async queueAgain({ run, hidden }: RunRow, by: Owner | null): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.run(queueRun(run.id, { owner: by, seen: hidden.fence, at: clock.now() }))
        tx.emit("agents.updated", { id: run.id, status: "queued" })
      })
    },
    release: async ({ run, hidden }: RunRow): Promise<void> =>
      void (await db.run(releaseRun(run.id, hidden.fence))),
    /** Gives those that somebody else has claimed since. */
    async renew(claims: readonly Claim[]): Promise<Claim[]> {
      const until = clock.now() + LEASE_MS
      const lost: Claim[] = []
      for (const claim of claims) {
        const { changes } = await db.run(renewLease(claim, until))
        if (changes === 0) lost.push(claim)
      }
      return lost
    },
  }
}
