import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createSecrets, prepareNothing } from "#ground/secrets"
import { openStore } from "#ground/store"
import { sourceHandlers } from "#see/sources"
import { tempDirectory } from "#test/temp"
import { findPlaces } from "../places.ts"
import { openSources } from "./sources.ts"

const context = { signal: new AbortController().signal }

const CONFIG = {
  title: "Ends at once",
  transport: { type: "stdio", command: "sh", args: ["-c", "exit 1"] },
}

test("[SOURCES-2] source.list shows a project's source as unapproved, source.approve needs its digest, and each change emits an event", async () => {
  await using folder = await tempDirectory()
  const environment = { QM_HOME: path.join(folder.path, "home"), PATH: process.env.PATH }
  const repository = path.join(folder.path, "repo")
  const source = path.join(repository, ".qm", "sources", "of-project")
  await mkdir(source, { recursive: true })
  await writeFile(path.join(source, "config.json"), JSON.stringify(CONFIG))
  const places = await findPlaces(repository, environment)
  await using store = await openStore({
    location: { kind: "memory" },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const sources = await openSources({
    places: () => places,
    environment: () => environment,
    store: async () => store,
    clock: systemClock,
    log: silentLog,
    random: systemRandom,
    config: () => Config.parse({}),
    agents: () => Promise.reject(new Error("nothing is switched here")),
    credentials: async () => ({
      use: async () => undefined,
      set: async () => {},
      remove: async () => {},
    }),
    secrets: async () => ({
      ...createSecrets({ random: systemRandom }),
      prepare: prepareNothing,
    }),
  })
  const { list, test: examine, approve } = sourceHandlers({ sources: async () => sources })
  const all = (await list({}, context)).sources
  expect(all.map((it) => [it.slug, it.origin, it.health])).toEqual([
    ["demo-web", "shipped", "unknown"],
    ["of-project", "project", "unapproved"],
  ])
  const unread = approve({ slug: "of-project", digest: "sha256-other" }, context)
  await expect(unread).rejects.toMatchObject({ code: "SOURCES_CHANGED" })
  const digest = all[1]?.digest
  expect(await approve({ slug: "of-project", digest }, context)).toMatchObject({
    isApproved: true,
    health: "dead",
  })
  expect(await examine({ slug: "of-project" }, context)).toMatchObject({
    tools: [],
    source: { health: "dead", problem: expect.stringContaining("exit code 1") },
  })
  await sources.close()
  expect(
    await store.journal.read({ after: undefined, limit: 100, namePrefix: "sources." }),
  ).toMatchObject({
    kind: "entries",
    entries: Array(2).fill({
      name: "sources.changed",
      body: { slug: "of-project", health: "dead" },
    }),
  })
})
