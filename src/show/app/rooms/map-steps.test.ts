import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import path from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { SearchFind } from "#ground/contract"
import { workingTree } from "#know/map"
import { locateRepository, openGit } from "#see/repo"
import { commit, git } from "#test/git"
import { madeIndex } from "#test/indexed-tree"
import { answersOf, newRepository, signal } from "#test/map-room"
import { isNight, seed } from "#test/seed"
import type { App } from "../app.ts"

async function treeOf(app: App) {
  const { state } = SearchFind.parse(
    await app.call("search.find", { words: "harbour" }, { signal }),
  )
  const { digest, gitSha, commits } = state
  return { digest, gitSha, commits }
}

/**
 * Trees of a new index; the digest covers all paths and contents. Each has a key of its own and a
 * full scan, which reuses nothing, so one store and one git serve all of them.
 */
async function openCleanTrees(root: string) {
  const repository = await locateRepository(root)
  const environment = { PATH: process.env["PATH"] }
  const opened = await openGit({ repository, environment, signal })
  if (opened.kind !== "ready") throw new Error(opened.reason)
  const made = await madeIndex()
  return Object.assign(made, {
    async tree(name: string) {
      const source = workingTree({
        repository,
        format: "sha1",
        git: async () => opened.git,
        clock: systemClock,
        place: name,
      })
      const { tree } = await made.index.scan(source, { mode: "full", signal })
      const { digest, gitSha = null, commits } = tree
      return { digest, gitSha, commits: commits.length }
    },
  })
}

/** On a busy machine each step waits for git. */
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

test(
  `[T10][APP-9] after each of ${STEPS} random steps, processes with and without a watch of the tree answer like a new index`,
  async () => {
    await using repository = await newRepository({ isGit: true })
    const { root } = repository
    commit(root, "start", {
      "a/one.ts": "harbour\n",
      "b/six.ts": "berth\n",
      "five.md": "tide\n",
    })
    git(root, "branch", "other")
    await using clean = await openCleanTrees(root)
    await using comparing = await repository.open(false)
    await using watching = await repository.open(true)
    const steps = fc.sample(step, { seed: seed(), numRuns: STEPS })
    for (const [at, it] of steps.entries()) {
      take(root, it, at)
      // Every other step is older than the two seconds in which a scan trusts no time.
      repository.setAheadMs(at % 2 === 0 ? 0 : 10_000)
      const name = `step ${at}: ${JSON.stringify(it)}`
      const expected = await clean.tree(name)
      // The first one scans; the other one finds a tree that another process stored.
      const apps = at % 4 < 2 ? [comparing, watching] : [watching, comparing]
      for (const app of apps) expect(await treeOf(app), name).toEqual(expected)
      if (at % 50 === 49)
        expect(await answersOf(watching), name).toEqual(await repository.cleanAnswers())
    }
  },
  LONGEST_WALK_MS,
)
