import { copyFile, rename, rm, truncate, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { tempDirectory } from "#test/temp"
import { openStore, type Store } from "../store.ts"

const openFile = (file: string) =>
  openStore({
    location: { kind: "sqlite", file },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })

const write = (store: Store) =>
  store
    .forRoom("config")
    .transaction(async (tx) =>
      tx.emit("config.changed", { key: "log.level", layer: "user", isSet: true }),
    )

type Fault = readonly [name: string, cause: (file: string, other: string) => Promise<unknown>]

const FAULTS: readonly Fault[] = [
  ["deleted", (file) => rm(file)],
  ["deleted with its folder", (file) => rm(path.dirname(file), { recursive: true })],
  ["moved away", (file) => rename(file, `${file}.moved`)],
  ["replaced by another store", (file, other) => rename(other, file)],
  ["overwritten with another store", (file, other) => copyFile(other, file)],
  ["overwritten with text", (file) => writeFile(file, "not a database ".repeat(1_000))],
  ["emptied", (file) => truncate(file)],
  ["left without its log", (file) => rm(`${file}-wal`)],
]

test.each(FAULTS)(
  "[H4][STORE-22] a store whose file is %s acknowledges no further write",
  async (_, cause) => {
    await using directory = await tempDirectory()
    const file = path.join(directory.path, "own", "store.db")
    const other = path.join(directory.path, "other", "store.db")
    await (await openFile(other)).close()
    await using store = await openFile(file)
    await write(store)
    expect(store.stopped()).toBeUndefined()
    await cause(file, other)
    const outcome = await write(store).then(
      () => "acknowledged",
      (error: unknown) => error,
    )
    expect(outcome).not.toBe("acknowledged")
    expect(store.stopped()).toEqual(expect.any(String))
    await expect(write(store)).rejects.toMatchObject({
      code: expect.stringMatching(/^STORE_(?:GONE|STOPPED)$/),
      hint: expect.stringContaining("qm"),
    })
  },
)

test.each(FAULTS)(
  "[STORE-22] a store whose file is %s says so before the next write",
  async (_, cause) => {
    await using directory = await tempDirectory()
    const file = path.join(directory.path, "own", "store.db")
    const other = path.join(directory.path, "other", "store.db")
    await (await openFile(other)).close()
    await using store = await openFile(file)
    await write(store)
    store.stopped()
    await cause(file, other)
    expect(store.stopped()).toEqual(expect.any(String))
  },
)

test("[STORE-22] checkpoints, backups and other processes do not look like a lost file", async () => {
  await using directory = await tempDirectory()
  const file = path.join(directory.path, "store.db")
  {
    await using store = await openFile(file)
    for (let round = 0; round < 40; round++) await write(store)
    await using second = await openFile(file)
    await write(second)
    await store.backup(path.join(directory.path, "backups"))
    expect([store.stopped(), second.stopped()]).toEqual([undefined, undefined])
  }
  await using again = await openFile(file)
  await write(again)
  expect(again.stopped()).toBeUndefined()
})
