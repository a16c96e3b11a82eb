import { cpSync, rmSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import path from "node:path"
import { systemClock } from "#ground/base"
import { MapTree, SearchFind } from "#ground/contract"
import { type App, createApp } from "#show/app"
import { git } from "./git.ts"
import { tempDirectory } from "./temp.ts"

export const { signal } = new AbortController()

/** One repository; each app has the working tree's own state directory. */
export async function newRepository(options: { readonly isGit: boolean }) {
  const temp = await tempDirectory()
  const root = path.join(temp.path, "tree")
  await mkdir(root)
  if (options.isGit) git(root, "init", "-q", "-b", "main")
  let aheadMs = 0
  const open = (directory: string, home: string, watchesTree = false) =>
    createApp({
      clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
      directory,
      environment: { PATH: process.env["PATH"], QM_HOME: path.join(temp.path, home) },
      settings: [],
      writeLog: () => {},
      watchesTree,
    })
  return Object.assign(temp, {
    root,
    setAheadMs: (ms: number) => void (aheadMs = ms),
    open: (watchesTree = false) => open(root, "home", watchesTree),
    /** Answers of a new index on a copy of the tree. */
    async cleanAnswers() {
      const copy = path.join(temp.path, "copy")
      rmSync(copy, { recursive: true, force: true })
      const isState = (file: string) => /\/(?:\.git\/qm|\.qm\/local)$/.test(file)
      cpSync(root, copy, { recursive: true, filter: (it) => !isState(it) })
      await using app = await open(copy, "other-home")
      return await answersOf(app)
    },
  })
}

export async function answersOf(app: App) {
  const answer = SearchFind.parse(await app.call("search.find", { words: "harbour" }, { signal }))
  const input = { folder: "", filter: "e", limit: 500 }
  const listed = MapTree.parse(await app.call("map.tree", input, { signal }))
  return {
    digest: answer.state.digest,
    gitSha: answer.state.gitSha,
    commits: answer.state.commits,
    files: answer.files.map((it) => [it.path, it.score]),
    entries: listed.entries,
  }
}
