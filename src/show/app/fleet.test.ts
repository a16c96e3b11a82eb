import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { RepositoriesList } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { createApp } from "./app.ts"
import { readRepositories, registerRepository, repositoryId } from "./fleet.ts"

const signal = new AbortController().signal

async function appIn(folder: string, name: string) {
  const directory = path.join(folder, name)
  for (const it of ["objects", "refs"])
    await mkdir(path.join(directory, ".git", it), { recursive: true })
  await writeFile(path.join(directory, ".git", "HEAD"), "ref: refs/heads/main\n")
  const environment = { QM_HOME: path.join(folder, "home") }
  return createApp({ directory, environment, settings: [], writeLog: () => {} })
}

describe("[APP-62] the list of repositories", () => {
  test("[APP-62] repositories are added, listed the last opened first, and removed", async () => {
    await using folder = await tempDirectory()
    await using alpha = await appIn(folder.path, "alpha")
    await using beta = await appIn(folder.path, "beta")
    await using app = await appIn(folder.path, "alpha")
    const home = path.join(folder.path, "home")
    await registerRepository(home, beta.places.repository.root, 5)
    await app.call("fleet.add", {}, { signal })
    await alpha.call("fleet.add", { path: "../beta" }, { signal })
    const listed = await app.call("fleet.list", {}, { signal })
    expect(listed).toMatchObject({
      repositories: [
        { name: "beta", isCurrent: false, isMissing: false, addedAt: 5 },
        { name: "alpha", isCurrent: true, isMissing: false },
      ],
    })
    await rm(beta.places.repository.root, { recursive: true })
    const { root } = beta.places.repository
    expect(await app.call("fleet.list", {}, { signal })).toMatchObject({
      repositories: [{ id: repositoryId(root), isMissing: true, waiting: null }, { name: "alpha" }],
    })
    await app.call("fleet.remove", { repository: repositoryId(root) }, { signal })
    expect((await readRepositories(home)).map((it) => path.basename(it.root))).toEqual(["alpha"])
    await expect(
      app.call("fleet.remove", { repository: "nowhere" }, { signal }),
    ).rejects.toMatchObject({ code: "APP_REPOSITORY_UNKNOWN" })
  })

  test("[APP-62] a damaged list is an error with its file, and is not replaced", async () => {
    await using folder = await tempDirectory()
    await using app = await appIn(folder.path, "alpha")
    const file = path.join(folder.path, "home", "repositories.json")
    await mkdir(path.dirname(file), { recursive: true })
    for (const text of ["{", '{"version":2,"repositories":[]}', '{"version":1}', "[]"]) {
      await writeFile(file, text)
      const adding = app.call("fleet.add", {}, { signal })
      await expect(adding).rejects.toMatchObject({ code: "APP_REPOSITORIES_UNREADABLE" })
      expect(await readFile(file, "utf8")).toBe(text)
    }
  })

  test("[APP-62] equal folder names get different ids, and any name gives a valid id", () => {
    expect(repositoryId("/a/shop")).not.toBe(repositoryId("/b/shop"))
    for (const root of ["/a/Übung 3", "/", "/a/..b", `/a/${"x".repeat(300)}`]) {
      expect(repositoryId(root)).toMatch(/^[a-z0-9-]{1,80}$/)
    }
  })

  test("[APP-64] each repository has health, kit, claims and spend, and the file has no more than roots", async () => {
    await using folder = await tempDirectory()
    await using alpha = await appIn(folder.path, "alpha")
    await using beta = await appIn(folder.path, "beta")
    await alpha.call("fleet.add", {}, { signal })
    await alpha.call("fleet.add", { path: "../beta" }, { signal })
    await alpha.call("claim.take", { paths: ["src/a.ts"] }, { signal })
    await alpha.store()
    using db = new DatabaseSync(alpha.places.database)
    const cost = JSON.stringify({ reportedUsd: 1.25, computedUsd: 9 })
    const addRun = db.prepare(
      `INSERT INTO runs (id, type, title, is_title_own, prompt, status, cwd, mode, created_at, updated_at,
        last_seq, turns, cost, labels, workflow, is_archived, configuration, fence, lease_until)
        VALUES (?, ?, 't', 0, 'p', 'completed', '/', 'auto', 1, 1, 0, 1, ?, '[]', '', 0, '{}', 0, 0)`,
    )
    addRun.run("r1", "codex", cost)
    addRun.run("r3", "codex", JSON.stringify({ reportedUsd: null, computedUsd: null }))
    addRun.run("r4", "gemini", "{}")
    // The synthetic agent costs nothing.
    addRun.run("r2", "synthetic", cost)
    await mkdir(path.join(folder.path, "beta", ".qm"))
    await writeFile(path.join(folder.path, "beta", ".qm", "config.json"), '{"packk": 1}')
    const listed = RepositoriesList.parse(await beta.call("fleet.list", {}, { signal }))
    const byName = new Map(listed.repositories.map((it) => [it.name, it]))
    expect(byName.get("alpha")).toMatchObject({
      health: "ok",
      problems: [],
      claims: 1,
      spendUsd: 1.25,
      unknownCosts: 2,
      kitVersion: null,
      level: null,
    })
    expect(byName.get("beta")).toMatchObject({
      health: "warning",
      claims: 0,
      spendUsd: null,
      unknownCosts: null,
      problems: [expect.stringContaining("packk")],
    })
    const file = JSON.parse(
      await readFile(path.join(folder.path, "home", "repositories.json"), "utf8"),
    )
    expect(Object.keys(file)).toEqual(["version", "repositories"])
    for (const it of file.repositories)
      expect(Object.keys(it)).toEqual(["root", "addedAt", "openedAt"])
  })
})
