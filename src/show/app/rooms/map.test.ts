import { cpSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { MapTree, PackBuilt, SearchFind, Simulation } from "#ground/contract"
import { workingTree } from "#know/map"
import { locateRepository, openGit } from "#see/repo"
import { commit, git } from "#test/git"
import { madeIndex } from "#test/indexed-tree"
import { isNight, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"

const { signal } = new AbortController()

/** One repository; each app has the working tree's own state directory. */
async function newRepository(options: { readonly isGit: boolean }) {
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

async function answersOf(app: App) {
  const found = SearchFind.parse(await app.call("search.find", { words: "harbour" }, { signal }))
  const input = { folder: "", filter: "e", limit: 500 }
  const listed = MapTree.parse(await app.call("map.tree", input, { signal }))
  return {
    digest: found.state.digest,
    gitSha: found.state.gitSha,
    commits: found.state.commits,
    files: found.files.map((it) => [it.path, it.score]),
    entries: listed.entries,
  }
}

async function treeOf(app: App) {
  const { state } = SearchFind.parse(
    await app.call("search.find", { words: "harbour" }, { signal }),
  )
  const { digest, gitSha, commits } = state
  return { digest, gitSha, commits }
}

/** By a new index; the digest covers all paths and contents. */
async function cleanTree(root: string) {
  const repository = await locateRepository(root)
  const environment = { PATH: process.env["PATH"] }
  const opened = await openGit({ repository, environment, signal })
  if (opened.kind !== "ready") throw new Error(opened.reason)
  const source = workingTree({
    repository,
    format: "sha1",
    git: async () => opened.git,
    clock: systemClock,
  })
  await using made = await madeIndex()
  const { tree } = await made.index.scan(source, { mode: "full", signal })
  const { digest, gitSha = null, commits } = tree
  return { digest, gitSha, commits: commits.length }
}

/** On a busy machine each step waits for git, a new store and a new index. */
const LONGEST_WALK_MS = 1_800_000

const STEPS = isNight() ? 2_000 : 200
const FILES = ["a/one.ts", "a/two.ts", "b/three.py", "b/c/four.go", "five.md", "b/six.ts"]
const word = fc.constantFrom("harbour", "berth", "tide", "quay", "anchor")
const file = fc.constantFrom(...FILES)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("write" as const), file, word }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rewrite" as const), file, word }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rename" as const), file, to: file }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), file }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("commit" as const), word }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("switch" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ignore" as const), file }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("exclude" as const), file }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("nest" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("move folder" as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer It> ? It : never

function take(root: string, it: Step, at: number): void {
  const inTree = (name: string) => path.join(root, name)
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(inTree(name)), { recursive: true })
    writeFileSync(inTree(name), text)
  }
  switch (it.do) {
    case "write":
      return write(it.file, `${it.word} ${at}\n`)
    case "rewrite":
      // Same length and same modification time as other rewrites: only ctime tells.
      write(it.file, `${it.word.slice(0, 4)} ${String(at).padStart(4)}\n`)
      return utimesSync(inTree(it.file), 1_000_000, 1_000_000)
    case "rename":
      return renameIfThere(inTree(it.file), inTree(it.to))
    case "delete":
      return rmSync(inTree(it.file), { force: true })
    case "commit":
      git(root, "add", "-A")
      return void git(root, "commit", "-q", "--allow-empty", "-m", `${it.word} ${at}`)
    case "switch":
      return void git(root, "checkout", "-q", "-f", at % 2 === 0 ? "main" : "other")
    case "ignore":
      return write("b/.gitignore", `${path.basename(it.file)}\n.gitignore\n`)
    case "exclude":
      return write(".git/info/exclude", `${it.file}\n`)
    case "nest":
      if (at % 2 === 0) return rmSync(inTree("b/c/.git"), { recursive: true, force: true })
      return write("b/c/.git/HEAD", "ref: refs/heads/main\n")
    case "move folder":
      return renameIfThere(inTree(at % 2 === 0 ? "a" : "z"), inTree(at % 2 === 0 ? "z" : "a"))
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    mkdirSync(path.dirname(to), { recursive: true })
    renameSync(from, to)
  } catch {
    // There is no such file now.
  }
}

describe("the tree as it is now", () => {
  for (const watchesTree of [false, true]) {
    const how = watchesTree ? "a process that watches the tree" : "a process without a watch"
    test(
      `[APP-9] after each of 200 random steps, ${how} answers like a new index`,
      async () => {
        await using repository = await newRepository({ isGit: true })
        const { root } = repository
        commit(root, "start", {
          "a/one.ts": "harbour\n",
          "b/six.ts": "berth\n",
          "five.md": "tide\n",
        })
        git(root, "branch", "other")
        await using app = await repository.open(watchesTree)
        const steps = fc.sample(step, { seed: seed() + Number(watchesTree), numRuns: STEPS })
        for (const [at, it] of steps.entries()) {
          take(root, it, at)
          // Every other step is older than the two seconds in which a scan trusts no time.
          repository.setAheadMs(at % 2 === 0 ? 0 : 10_000)
          const name = `step ${at}: ${JSON.stringify(it)}`
          expect(await treeOf(app), name).toEqual(await cleanTree(root))
          if (at % 25 === 24)
            expect(await answersOf(app), name).toEqual(await repository.cleanAnswers())
        }
      },
      LONGEST_WALK_MS,
    )
  }

  test("[APP-9] search, pack, map and simulate answer from an edited tree, also without git", async () => {
    await using repository = await newRepository({ isGit: false })
    const { root } = repository
    await writeFile(path.join(root, "quay.ts"), "export const quay = 1\n")
    await using app = await repository.open()
    repository.setAheadMs(10_000)
    await answersOf(app)
    await writeFile(path.join(root, "ship.ts"), 'import { quay } from "./quay.ts"\nquay\n')
    const called = (name: string, input: unknown) => app.call(name, input, { signal })
    const reached = Simulation.parse(await called("guard.simulate", { paths: ["quay.ts"] }))
    expect(reached.receipt.reach.map((it) => it.path)).toContain("ship.ts")
    await rm(path.join(root, "ship.ts"))
    await writeFile(path.join(root, "boat.ts"), "export const quayBoat = 2\n")
    const packed = PackBuilt.parse(await called("pack.build", { task: "quay ship", save: false }))
    expect(packed.pack.files.map((it) => it.path).toSorted()).toEqual(["boat.ts", "quay.ts"])
    await writeFile(path.join(root, "boat.ts"), "export const barge = 3\n")
    const found = SearchFind.parse(await called("search.find", { words: "barge" }))
    expect(found.files[0]?.path).toBe("boat.ts")
    await rm(path.join(root, "quay.ts"))
    const listed = MapTree.parse(await called("map.tree", { folder: "" }))
    expect(listed.entries.map((it) => it.path)).toEqual(["boat.ts"])
  })

  test("[APP-9] an unchanged tree is not scanned again until map.scanInterval has passed", async () => {
    await using repository = await newRepository({ isGit: true })
    commit(repository.root, "start", { "a/one.ts": "harbour\n" })
    await using app = await repository.open()
    const scannedAt = async () =>
      SearchFind.parse(await app.call("search.find", { words: "harbour" }, { signal })).state
        .scannedAt
    repository.setAheadMs(10_000)
    const first = await scannedAt()
    repository.setAheadMs(20_000)
    expect(await scannedAt()).toBe(first)
    repository.setAheadMs(400_000)
    expect(await scannedAt()).toBeGreaterThan(first)
  })
})
