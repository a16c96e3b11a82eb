import { cp, mkdir, rm } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { git } from "#test/git"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"

const { signal } = new AbortController()

async function events(project: string, home: string) {
  const environment = { PATH: process.env["PATH"], QM_HOME: home }
  await using app = await createApp({
    directory: project,
    environment,
    settings: [],
    writeLog: () => {},
  })
  // Opens the state like a command that writes; a command that reads creates none.
  await app.store()
  return await app.call("events.list", {}, { signal })
}

test("[APP-38] without git, state that came with a folder is refused; the user's own state is used", async () => {
  await using temp = await tempDirectory()
  const [mine, theirs] = [path.join(temp.path, "mine"), path.join(temp.path, "theirs")]
  const project = path.join(temp.path, "project")
  await mkdir(project)
  await events(project, theirs)
  await expect(events(project, mine)).rejects.toMatchObject({ code: "APP_STATE_FOREIGN" })
  await events(project, theirs)
  const copy = path.join(temp.path, "copy")
  await cp(project, copy, { recursive: true })
  await events(copy, theirs)
  await rm(path.join(copy, ".qm/local/seal"))
  await expect(events(copy, theirs)).rejects.toMatchObject({ code: "APP_STATE_FOREIGN" })
  await rm(path.join(copy, ".qm/local"), { recursive: true })
  await events(copy, mine)
})

test("[APP-38] in a git repository no seal is needed: the state is in the git folder, which a clone does not copy", async () => {
  await using temp = await tempDirectory()
  const project = path.join(temp.path, "project")
  await mkdir(project)
  git(project, "init", "-q")
  await events(project, path.join(temp.path, "one"))
  const seen = await events(project, path.join(temp.path, "other"))
  expect(seen).toMatchObject({ entries: [{ name: "store.created" }] })
})
