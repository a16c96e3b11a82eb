import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { createApp } from "./app.ts"

const signal = new AbortController().signal

async function newApp(directory: string) {
  return createApp({
    directory,
    environment: { QM_HOME: path.join(directory, "home") },
    settings: [],
    writeLog: () => {},
  })
}

test("[APP-5] now.show returns repository and health, and no runs in a new store", async () => {
  await using folder = await tempDirectory()
  await using app = await newApp(folder.path)
  expect(await app.call("now.show", {}, { signal })).toMatchObject({
    repository: { root: folder.path, name: path.basename(folder.path), branch: null },
    health: { isHealthy: true, failed: 0 },
    store: { dialect: "sqlite", events: 1 },
    running: [],
    waiting: [],
    ended: [],
  })
})

test("[APP-5] now.show answers with a store that cannot be opened, and reports it in health", async () => {
  await using folder = await tempDirectory()
  const places = path.join(folder.path, ".qm", "local")
  await mkdir(places, { recursive: true })
  await mkdir(path.join(places, "store.db"))
  await using app = await newApp(folder.path)
  expect(await app.call("now.show", {}, { signal })).toMatchObject({
    health: { isHealthy: false },
    store: null,
  })
})

test("[APP-5] now.show answers with an invalid config", async () => {
  await using folder = await tempDirectory()
  await mkdir(path.join(folder.path, ".qm"))
  await writeFile(path.join(folder.path, ".qm", "config.json"), "{")
  await using app = await newApp(folder.path)
  expect(await app.call("now.show", {}, { signal })).toMatchObject({ health: { isHealthy: false } })
})
