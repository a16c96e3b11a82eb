import { type Clock, createIds, type Random } from "#ground/base"
import type {
  CallContext,
  CallingPerson,
  Handlers,
  ParsedInput,
  RemoteMessages,
  RemoteReported,
  RemoteRun,
  RemoteRunner,
  RemoteRuns,
  remoteOperations,
  SharedItems,
} from "#ground/contract"
import { type Db, databaseNow, type Sql, type Tx } from "#ground/store"
import {
  RemoteRunUnknown,
  RepositoryNotOffered,
  RunnerAway,
  RunnerForeign,
  RunnerUnknown,
} from "./errors.ts"
import {
  ItemKindRow,
  ItemRow,
  insertMessage,
  insertRun,
  MessageRow,
  noteLastSeq,
  noteSeen,
  RemoteRunRow,
  RunnerRow,
  removeItems,
  selectItemKinds,
  selectItems,
  selectMessages,
  selectOpenRuns,
  selectRun,
  selectRunner,
  selectRunners,
  selectRuns,
  setRunState,
  upsertItem,
  upsertRunner,
  wantStop,
} from "./queries.ts"

/** A runner asks every two seconds. */
const CONNECTED_MS = 15_000

const MOST_MESSAGES = 500

type RemoteDeps = {
  db(): Promise<Db<"remote">>
  readonly clock: Clock
  readonly random: Random
  /** Of prompts; runners redact what they send, and the server does it again. */
  redact(text: string): Promise<string>
}

type Sender = { readonly id: string; readonly name: string }

/** The machine's own user has no row among the people. */
function senderOf(person: CallingPerson | undefined): Sender {
  return person === undefined ? { id: "", name: "owner" } : { id: person.id, name: person.name }
}

/** The server's side of remote runners: rows that machines of people fetch and fill. */
export const remoteHandlers = (deps: RemoteDeps): Handlers<typeof remoteOperations> => ({
  async list() {
    const db = await deps.db()
    const rows = await db.all(RunnerRow, selectRunners(databaseNow(db, deps.clock)))
    return { runners: rows.map(runnerOf) }
  },
  runs: async ({ limit }) => runsOf(await (await deps.db()).all(RemoteRunRow, selectRuns(limit))),
  async messages({ id, after }): Promise<RemoteMessages> {
    const db = await deps.db()
    await findRun(db, id)
    return { messages: [...(await db.all(MessageRow, selectMessages(id, after, MOST_MESSAGES)))] }
  },
  async shared({ runner, limit }): Promise<SharedItems> {
    return { items: [...(await (await deps.db()).all(ItemRow, selectItems(runner, limit)))] }
  },
  start: (input, context) => start(input, context, deps),
  async stop({ id }) {
    const db = await deps.db()
    return db.transaction(async (tx) => {
      await findRun(tx, id)
      await tx.run(wantStop(id, deps.clock.now()))
      tx.emit("remote.changed", { id })
      return runOf(await findRun(tx, id))
    })
  },
  attach: (input, context) => attach(input, context, deps),
  async poll({ id }, { caller }): Promise<RemoteRuns> {
    const db = await deps.db()
    const now = databaseNow(db, deps.clock)
    await findOwnRunner(db, { id, now, sender: senderOf(caller?.person) })
    await db.run(noteSeen(id, now))
    return runsOf(await db.all(RemoteRunRow, selectOpenRuns(id)))
  },
  report: (input, context) => report(input, context, deps),
})

async function attach(
  { id, name, repositories }: ParsedInput<"remote.attach">,
  { caller }: CallContext,
  deps: RemoteDeps,
): Promise<RemoteRunner> {
  const sender = senderOf(caller?.person)
  const db = await deps.db()
  return db.transaction(async (tx) => {
    const now = databaseNow(db, deps.clock)
    const earlier = await tx.get(RunnerRow, selectRunner(id, now))
    if (earlier !== undefined && earlier.personId !== sender.id) throw RunnerForeign({ id })
    const owner = { personId: sender.id, person: sender.name }
    const listed = JSON.stringify(repositories)
    await tx.run(upsertRunner({ id, name, ...owner, repositories: listed }, now))
    const kinds = await tx.all(ItemKindRow, selectItemKinds(id))
    for (const { repository, kind } of kinds) {
      const shares = repositories.find((it) => it.name === repository)?.shares ?? []
      if (!shares.some((it) => it === kind)) await tx.run(removeItems(id, repository, kind))
    }
    tx.emit("remote.changed", { id })
    return runnerOf(await findOwnRunner(tx, { id, now, sender }))
  })
}

async function start(
  input: ParsedInput<"remote.start">,
  { caller }: CallContext,
  deps: RemoteDeps,
): Promise<RemoteRun> {
  const prompt = await deps.redact(input.prompt)
  const db = await deps.db()
  return db.transaction(async (tx) => {
    const clock = databaseNow(db, deps.clock)
    const row = await tx.get(RunnerRow, selectRunner(input.runner, clock))
    if (row === undefined) throw RunnerUnknown({ id: input.runner })
    const now = deps.clock.now()
    const { isConnected, name, repositories } = runnerOf(row)
    if (!isConnected) throw RunnerAway({ name })
    const offered = repositories.map((it) => it.name)
    if (!offered.includes(input.repository))
      throw RepositoryNotOffered({ name: input.repository, known: offered })
    const run: RemoteRunRow = {
      id: createIds(deps).next("rr"),
      runner: input.runner,
      repository: input.repository,
      type: input.type,
      prompt,
      mode: input.mode,
      requestedBy: senderOf(caller?.person).name,
      state: "waiting",
      note: "",
      stopWanted: 0,
      lastSeq: 0,
      createdAt: now,
      updatedAt: now,
    }
    await tx.run(insertRun(run))
    tx.emit("remote.changed", { id: run.id })
    return runOf(run)
  })
}

/** States and messages of runs of other runners, and items that are not shared, are ignored. */
async function report(
  { id, states, messages, items }: ParsedInput<"remote.report">,
  { caller }: CallContext,
  deps: RemoteDeps,
): Promise<RemoteReported> {
  const clean = await Promise.all(
    messages.map(async (it) => ({ ...it, text: await deps.redact(it.text) })),
  )
  const cleanItems = await Promise.all(
    items.map(async (it) => ({
      ...it,
      title: await deps.redact(it.title),
      text: await deps.redact(it.text),
    })),
  )
  const db = await deps.db()
  return db.transaction(async (tx) => {
    const sender = senderOf(caller?.person)
    const runner = await findOwnRunner(tx, { id, sender, now: databaseNow(db, deps.clock) })
    const now = deps.clock.now()
    const runs = new Set<string>()
    for (const run of new Set([...messages, ...states].map((it) => it.run))) {
      const row = await tx.get(RemoteRunRow, selectRun(run))
      if (row?.runner === id) runs.add(run)
    }
    for (const { run, ...message } of clean.filter((it) => runs.has(it.run))) {
      await tx.run(insertMessage(run, message))
      await tx.run(noteLastSeq(run, message.seq, now))
    }
    for (const { run, state, note } of states.filter((it) => runs.has(it.run)))
      await tx.run(setRunState(run, { state, note: await deps.redact(note), at: now }))
    const isShared = (repository: string, kind: string): boolean =>
      runner.repositories.some(
        (it) => it.name === repository && it.shares.some((one) => one === kind),
      )
    const shared = cleanItems.filter((it) => isShared(it.repository, it.kind))
    for (const item of shared) await tx.run(upsertItem(id, item, now))
    for (const run of runs) tx.emit("remote.changed", { id: run })
    if (shared.length > 0) tx.emit("remote.changed", { id })
    return { accepted: clean.length + states.length + shared.length }
  })
}

async function findRun(from: Pick<Tx, "get">, id: string): Promise<RemoteRunRow> {
  const row = await from.get(RemoteRunRow, selectRun(id))
  if (row === undefined) throw RemoteRunUnknown({ id })
  return row
}

async function findOwnRunner(
  from: Pick<Tx, "get">,
  { id, sender, now }: { readonly id: string; readonly sender: Sender; readonly now: Sql },
): Promise<RunnerRow> {
  const row = await from.get(RunnerRow, selectRunner(id, now))
  if (row === undefined) throw RunnerUnknown({ id })
  if (row.personId !== sender.id) throw RunnerForeign({ id })
  return row
}

function runnerOf(row: RunnerRow): RemoteRunner {
  const { id, name, person, repositories, seenAt } = row
  const isConnected = row.ageMs < CONNECTED_MS
  return { id, name, person, repositories, seenAt, isConnected }
}

function runOf({ stopWanted, ...row }: RemoteRunRow): RemoteRun {
  return { ...row, isStopWanted: stopWanted === 1 }
}

function runsOf(rows: readonly RemoteRunRow[]): RemoteRuns {
  return { runs: rows.map(runOf) }
}
