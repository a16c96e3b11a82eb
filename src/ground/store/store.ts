import { AsyncLocalStorage } from "node:async_hooks"
import { dirname, join } from "node:path"
import type { Clock, Log, Random } from "#ground/base"
import type { Cursor, EventRoom, JournalEntry } from "#ground/contract"
import { createDb, type Db, guardReads, type OpenTransaction } from "./db.ts"
import type { Driver, OwnedDriver, Statements } from "./driver.ts"
import { RowUnexpected, StoreCorrupt } from "./errors.ts"
import { createJournal, createJournalWriter, type Journal, newEpoch, newSalt } from "./journal.ts"
import { DEFAULT_BUSY_TIMEOUT_MS, MAX_JOURNAL_PAGE } from "./limits.ts"
import {
  type AdvanceListener,
  type CommitListener,
  createFollower,
  createListeners,
} from "./listeners.ts"
import { describeLocation, requireFile, type StoreLocation } from "./location.ts"
import { migrate, schemaVersion } from "./migrate.ts"
import { MIGRATIONS } from "./migrations/index.ts"
import type { Migration } from "./migrations/migration.ts"
import { insertHead } from "./queries.ts"
import {
  describeNewestBackup,
  type FoundBackup,
  type MadeBackup,
  makeBackup,
} from "./sqlite/backup.ts"
import { keptCorrupt } from "./sqlite/files.ts"
import { openSqliteFile } from "./sqlite/open.ts"
import { openSqliteDriver, readContent } from "./sqlite/sqlite.ts"

const DEFAULT_KEPT_BACKUPS = 7

export type StoreOptions = {
  readonly location: StoreLocation
  /** A store in memory starts with the content of this SQLite file, if it exists. */
  readonly copyOf?: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly busyTimeoutMs?: number
  readonly keepBackups?: number
  readonly migrations?: readonly Migration[]
}

type StoreStatus = {
  dialect: Db["dialect"]
  location: string
  sizeBytes: number
  schemaVersion: number
  events: number
  epoch: string
  lastBackup: FoundBackup | undefined
  corruptFiles: readonly string[]
  stopped: string | undefined
}

export type Store = AsyncDisposable & {
  readonly location: StoreLocation
  readonly db: Db
  forRoom<Room extends EventRoom>(room: Room): Db<Room>
  readonly journal: Journal
  onCommit(listener: CommitListener): () => void
  /** When the journal has grown in any process. Returns unsubscribe. */
  onAdvance(listener: AdvanceListener): () => void
  backup(directory: string, options?: { keep?: number }): Promise<MadeBackup>
  status(): Promise<StoreStatus>
  stopped(): string | undefined
  findDamage(): Promise<string | undefined>
  check(signal?: AbortSignal): Promise<StoreFindings>
  close(): Promise<void>
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { location, log } = options
  const driver = await openDriver(options)
  const transactions: OpenTransaction = new AsyncLocalStorage()
  const listeners = createListeners(log)
  const writer = createJournalWriter(options)
  const journal = createJournal(guardReads(driver, transactions))

  const follower = createFollower({
    head() {
      // Also notices a file that is gone, so that the log says it before the next write.
      driver.stopped()
      return journal.head()
    },
    signal: driver.signal,
    clock: options.clock,
    log,
  })
  const publish = (entries: readonly JournalEntry[]): void => {
    if (entries.length === 0) return
    listeners.tell(entries)
    follower.committed()
  }
  const dbOf = <Room extends EventRoom>(room: Room | undefined): Db<Room> =>
    createDb({ driver, room, writer, transactions, publish })
  const own = dbOf("store")
  const close = async (): Promise<void> => {
    follower.close()
    await driver.close()
  }

  return {
    location,
    db: dbOf<never>(undefined),
    forRoom: (room) => dbOf(room),
    journal,
    onCommit: listeners.add,
    onAdvance: follower.onAdvance,
    async backup(directory, { keep = options.keepBackups ?? DEFAULT_KEPT_BACKUPS } = {}) {
      const made =
        location.kind === "postgres"
          ? await (await import("./postgres/backup.ts")).makePostgresBackup({
              ...options,
              url: location.url,
              directory,
              keep,
            })
          : await makeBackup({ ...options, file: requireFile(location), directory, keep })
      await own.transaction(async (tx) => tx.emit("store.backed-up", made))
      return made
    },
    status: () => describeStore({ driver, location, journal }),
    stopped: driver.stopped,
    findDamage: async () => (await driver.findDamage("quick"))[0],
    check: (signal) => checkStore({ driver, journal }, signal),
    close,
    [Symbol.asyncDispose]: close,
  }
}

export function backupDirectoryOf(file: string): string {
  return join(dirname(file), "backups")
}

async function openDriver(options: StoreOptions): Promise<OwnedDriver> {
  const { location, log, clock, random } = options
  const {
    busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
    keepBackups = DEFAULT_KEPT_BACKUPS,
    migrations = MIGRATIONS,
  } = options
  const deps = { clock, random, log, busyTimeoutMs, migrations }
  switch (location.kind) {
    case "sqlite": {
      const { file } = location
      const backupDirectory = backupDirectoryOf(file)
      const onCreated = createHead(options, "sqlite")
      return openSqliteFile({ ...deps, file, backupDirectory, keepBackups, onCreated })
    }
    case "memory": {
      const { copyOf } = options
      const content = copyOf === undefined ? undefined : await readContent(copyOf, deps)
      const driver = await openSqliteDriver({ ...deps, file: ":memory:", content })
      return prepared({ ...driver, close: () => driver.close({ isLast: true }) }, options)
    }
    case "postgres": {
      // Loaded lazily: most users never need it.
      const { openPostgresDriver } = await import("./postgres/postgres.ts")
      const opened = await openPostgresDriver({ ...deps, url: location.url })
      const driver = await prepared(opened.driver, options)
      opened.migrated()
      return driver
    }
    default:
      return location satisfies never
  }
}

async function prepared(driver: OwnedDriver, options: StoreOptions): Promise<OwnedDriver> {
  try {
    await migrate(driver, {
      migrations: options.migrations ?? MIGRATIONS,
      clock: options.clock,
      log: options.log,
      beforeChange: async () => {},
      onCreated: createHead(options, driver.dialect),
    })
    return driver
  } catch (error) {
    await driver.close()
    throw error
  }
}

function createHead(options: StoreOptions, dialect: Db["dialect"]) {
  return async (statements: Statements): Promise<void> => {
    const { random } = options
    await statements.run(insertHead({ epoch: newEpoch(random), salt: newSalt(random) }))
    const events = createJournalWriter(options).collect("store")
    events.emit("store.created", { dialect })
    await events.write(statements)
  }
}

async function describeStore(deps: {
  driver: Driver
  location: StoreLocation
  journal: Journal
}): Promise<StoreStatus> {
  const { driver, location, journal } = deps
  const { epoch, seq: events } = await journal.head()
  const isFile = location.kind === "sqlite"
  return {
    dialect: driver.dialect,
    location: describeLocation(location),
    sizeBytes: await driver.sizeBytes(),
    schemaVersion: await schemaVersion(driver.all),
    events,
    epoch,
    lastBackup: isFile ? await describeNewestBackup(backupDirectoryOf(location.file)) : undefined,
    corruptFiles: isFile ? await keptCorrupt(location.file) : [],
    stopped: driver.stopped(),
  }
}

type StoreFindings = {
  checkedEvents: number
  findings: readonly string[]
}

async function checkStore(
  deps: { driver: Driver; journal: Journal },
  signal?: AbortSignal,
): Promise<StoreFindings> {
  const findings: string[] = []
  const note = async <Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await ask()
    } catch (error) {
      const isDamage = StoreCorrupt.is(error) || RowUnexpected.is(error)
      if (!isDamage) throw error
      findings.push(error.message)
      return undefined
    }
  }

  findings.push(...((await note(() => deps.driver.findDamage("full"))) ?? []))
  let checkedEvents = 0
  let after: Cursor | undefined
  for (;;) {
    signal?.throwIfAborted()
    const page = await note(() => deps.journal.read({ after, limit: MAX_JOURNAL_PAGE }))
    if (page?.kind !== "entries") break
    checkedEvents += page.entries.length
    after = page.next
    if (page.entries.length < MAX_JOURNAL_PAGE) break
  }
  return { checkedEvents, findings }
}
