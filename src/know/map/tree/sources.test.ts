import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Git, locateRepository, openGit } from "#see/repo"
import { testClock } from "#test/clock"
import { commit, git, gitWith } from "#test/git"
import { madeIndex } from "#test/indexed-tree"
import { needs } from "#test/needs"
import { isNight, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { MOST_PAST_COMMITS, RACY_MS } from "../limits.ts"
import { commitTree, workingTree } from "./sources.ts"
import { dumpTree } from "./store/dump.ts"
import type { ListedBefore, ScanOptions, TreeSource } from "./types.ts"

const { signal } = new AbortController()
const INCREMENTAL: ScanOptions = { mode: "incremental", signal }
const HOUR_MS = 3_600_000

function write(root: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

async function gitOf(root: string): Promise<Git> {
  const repository = await locateRepository(root)
  const opened = await openGit({ repository, environment: process.env, signal })
  if (opened.kind === "without") throw new Error(opened.reason)
  return opened.git
}

/** Far from the times of the files unless a test sets it, so that stamps count. */
async function sourceOf(
  root: string,
  options: { readonly git?: Git; readonly now?: number } = {},
): Promise<TreeSource> {
  return workingTree({
    repository: await locateRepository(root),
    format: options.git?.format ?? "sha1",
    git: async () => options.git ?? { problem: "this test has no git" },
    clock: testClock({ now: options.now ?? Date.now() + HOUR_MS }),
  })
}

async function cleanDump(source: TreeSource): Promise<string> {
  await using made = await madeIndex()
  const { tree } = await made.index.scan(source, INCREMENTAL)
  return await dumpTree(tree)
}

function watched(source: TreeSource): { readonly source: TreeSource; readonly read: string[][] } {
  const read: string[][] = []
  return {
    read,
    source: {
      ...source,
      read(entries, stop) {
        read.push(entries.map((it) => it.path))
        return source.read(entries, stop)
      },
    },
  }
}

describe("unchanged files", () => {
  test("[MAP-17] are recognised by size, times and inode; a full scan reads all files", async () => {
    await using temp = await tempDirectory()
    for (const path of ["a.ts", "b.ts", "c.bin"]) write(temp.path, path, `let x = "${path}"\0\n`)
    write(temp.path, "a.ts", "let a = 1\n")
    const { source, read } = watched(await sourceOf(temp.path))
    await using made = await madeIndex()
    await made.index.scan(source, INCREMENTAL)
    await made.index.scan(source, INCREMENTAL)
    write(temp.path, "a.ts", "let a = 2\n")
    utimesSync(join(temp.path, "a.ts"), 1, 1)
    await made.index.scan(source, INCREMENTAL)
    await made.index.scan(source, { mode: "full", signal })
    expect(read).toEqual([["a.ts", "b.ts", "c.bin"], ["a.ts"], ["a.ts", "b.ts", "c.bin"]])
  })

  test("[MAP-17] a file rewritten in place with its old time is read again", async () => {
    await using temp = await tempDirectory()
    const at = (text: string) => {
      write(temp.path, "a.ts", text)
      utimesSync(join(temp.path, "a.ts"), 1_700_000_000, 1_700_000_000)
    }
    at("let a = 1\n")
    await using made = await madeIndex()
    const source = await sourceOf(temp.path)
    await made.index.scan(source, INCREMENTAL)
    at("let b = 2\n")
    const { tree } = await made.index.scan(source, INCREMENTAL)
    expect((await tree.texts(["a.ts"])).get("a.ts")).toBe("let b = 2\n")
  })

  test("[MAP-17] a file changed within two seconds before the scan is read again", async () => {
    await using temp = await tempDirectory()
    const at = (text: string) => {
      write(temp.path, "a.ts", text)
      // The time of the content can be set; the time of the change cannot, and counts.
      utimesSync(join(temp.path, "a.ts"), 1_700_000_000, 1_700_000_000)
      return statSync(join(temp.path, "a.ts")).ctimeMs
    }
    const changedAtMs = at("let a = 1\n")
    await using made = await madeIndex()
    const soon = await sourceOf(temp.path, { now: changedAtMs + RACY_MS - 1 })
    await made.index.scan(soon, INCREMENTAL)
    const again = watched(soon)
    await made.index.scan(again.source, INCREMENTAL)
    expect(again.read).toEqual([["a.ts"]])
    at("let c = 3\n")
    expect((await made.index.scan(soon, INCREMENTAL)).result.filesChanged).toBe(1)
    const later = await sourceOf(temp.path, { now: at("let b = 2\n") + RACY_MS })
    const { tree, result } = await made.index.scan(later, INCREMENTAL)
    expect(result.filesChanged).toBe(1)
    expect((await tree.texts(["a.ts"])).get("a.ts")).toBe("let b = 2\n")
    const { source, read } = watched(later)
    await made.index.scan(source, INCREMENTAL)
    expect(read).toEqual([])
  })
})

describe("the check", () => {
  async function scanned(root: string) {
    const made = await madeIndex()
    const source = await sourceOf(root)
    await made.index.scan(source, INCREMENTAL)
    return Object.assign(made, {
      isCurrent: () => made.index.isCurrent(source, { signal }),
      again: () => made.index.scan(source, INCREMENTAL),
    })
  }

  test.for<readonly [string, (root: string) => void]>([
    ["an edit in place", (root) => write(root, "b/c.ts", "let other\n")],
    ["an edit with an old time", (root) => rewriteWithOldTime(join(root, "b/c.ts"))],
    ["a new file", (root) => write(root, "b/new.ts", "")],
    ["a new folder with a file", (root) => write(root, "z/y/x.ts", "")],
    ["a deleted file", (root) => rmSync(join(root, "b/c.ts"))],
    ["a renamed file", (root) => renameSync(join(root, "a.ts"), join(root, "d.ts"))],
    ["a renamed folder", (root) => renameSync(join(root, "b"), join(root, "e"))],
    ["an ignore file that ignores itself", (root) => write(root, "b/.gitignore", ".*\nc.ts\n")],
    ["a large file that shrank", (root) => writeFileSync(join(root, "large.ts"), "let small\n")],
    ["a nested repository that is none any more", (root) => rmSync(join(root, "n/.git"))],
  ])("[MAP-28] notices %s", async ([, change]) => {
    await using temp = await tempDirectory()
    write(temp.path, "a.ts", "let a\n")
    write(temp.path, "b/c.ts", "let c\n")
    write(temp.path, "b/.gitignore", ".*\nnothing\n")
    write(temp.path, "large.ts", "x".repeat(3_000_000))
    write(temp.path, "n/.git", "gitdir: elsewhere\n")
    write(temp.path, "n/inner.ts", "let inner\n")
    await using made = await scanned(temp.path)
    expect(await made.isCurrent()).toBe(true)
    await untilClockTicks(temp.path)
    change(temp.path)
    expect(await made.isCurrent()).toBe(false)
    await made.again()
    expect(await made.isCurrent()).toBe(true)
  })

  /** A skip that no walk gives: it is in a list only if the earlier list was reused. */
  const MARK = { path: "mark", reason: "unreadable" } as const
  const listed = async (source: TreeSource, before?: ListedBefore) => {
    const { entries, skipped, probes } = await source.list(signal, before)
    return {
      isReused: skipped.some((it) => it.path === MARK.path),
      entries: entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      probes,
      skipped: skipped.filter((it) => it.path !== MARK.path),
    }
  }

  test.for<readonly [string, boolean, (root: string) => void]>([
    ["nothing", true, () => {}],
    ["an edit in place", true, (root) => write(root, "b/c.ts", "let other\n")],
    ["a new file", false, (root) => write(root, "b/new.ts", "")],
    ["a deleted file", false, (root) => rmSync(join(root, "b/c.ts"))],
    ["a file replaced by a link", false, (root) => replaceByLink(join(root, "b/c.ts"))],
    ["a file that grew", false, (root) => write(root, "b/c.ts", "x".repeat(3_000_000))],
    ["an ignore file", false, (root) => write(root, ".gitignore", "b/\n")],
  ])(
    "[MAP-14] after %s, a list made from an earlier one equals a walk",
    async ([, isReused, change]) => {
      await using temp = await tempDirectory()
      write(temp.path, "a.ts", "let a\n")
      write(temp.path, "b/c.ts", "let c\n")
      write(temp.path, ".gitignore", "nothing\n")
      const source = await sourceOf(temp.path)
      const { entries: files, skipped, probes } = await source.list(signal)
      const before = { files, unread: [], refused: [], skipped: [...skipped, MARK], probes }
      await untilClockTicks(temp.path)
      change(temp.path)
      const again = await listed(source, before)
      expect(again).toEqual({ ...(await listed(source)), isReused })
    },
  )

  test("[MAP-28] trusts no file that changed less than two seconds before the scan", async () => {
    await using temp = await tempDirectory()
    write(temp.path, "a.ts", "let a\n")
    await using made = await madeIndex()
    const soon = await sourceOf(temp.path, { now: Date.now() })
    await made.index.scan(soon, INCREMENTAL)
    expect(await made.index.isCurrent(soon, { signal })).toBe(false)
    const never = await sourceOf(join(temp.path, ".."))
    expect(await made.index.isCurrent(never, { signal })).toBe(false)
  })
})

function rewriteWithOldTime(file: string): void {
  const { atime, mtime } = statSync(file)
  writeFileSync(file, "let d\n")
  utimesSync(file, atime, mtime)
}

/** The tests' clock hides what happens within one tick of the file system's clock. */
async function untilClockTicks(root: string): Promise<void> {
  const file = `${root}-tick`
  const timeNow = () => (writeFileSync(file, ""), statSync(file).ctimeMs)
  const first = timeNow()
  while (timeNow() === first) await new Promise((resolve) => setTimeout(resolve, 1))
  rmSync(file)
}

function replaceByLink(file: string): void {
  rmSync(file)
  symlinkSync("/etc/hostname", file)
}

test("the same path on two machines is two trees", async () => {
  await using temp = await tempDirectory()
  const repository = await locateRepository(temp.path)
  const at = (place?: string) =>
    workingTree({
      repository,
      format: "sha1",
      git: async () => ({ problem: "this test has no git" }),
      clock: testClock({ now: Date.now() + HOUR_MS }),
      ...(place !== undefined && { place }),
    })
  await using made = await madeIndex()
  write(temp.path, "a.ts", "let here\n")
  const here = await made.index.scan(at("here"), INCREMENTAL)
  expect(await made.index.open(at("there"))).toBeUndefined()
  expect(await made.index.open(at())).toBeUndefined()
  write(temp.path, "a.ts", "let there = 1\n")
  await made.index.scan(at("there"), INCREMENTAL)
  expect((await made.index.open(at("here")))?.digest).toBe(here.tree.digest)
})

describe("unusual folders", () => {
  test("[MAP-18] lists an unreadable file with the reason, and scans the rest", async () => {
    await using temp = await tempDirectory()
    write(temp.path, "good.py", "def moor():\n    pass\n")
    write(temp.path, "binary.py", Uint8Array.of(100, 0, 101))
    write(temp.path, "latin.py", Uint8Array.of(0x23, 0xe9, 0x0a))
    write(temp.path, ".env", "KEY=value\n")
    await using made = await madeIndex()
    const source = await sourceOf(temp.path)
    const gone: TreeSource = {
      ...source,
      async *read(entries, stop) {
        rmSync(join(temp.path, "latin.py"))
        yield* source.read(entries, stop)
      },
    }
    const { tree } = await made.index.scan(source, INCREMENTAL)
    expect(tree.files.map((it) => it.path)).toEqual(["good.py"])
    expect(tree.skipped).toEqual([
      { path: ".env", reason: "secret-bearing" },
      { path: "binary.py", reason: "binary" },
      { path: "latin.py", reason: "not-utf8" },
    ])
    const after = await made.index.scan(gone, { mode: "full", signal })
    expect(after.tree.skipped).toContainEqual({ path: "latin.py", reason: "changed" })
    expect(tree.historyProblem).toBe("this test has no git")
    expect(tree.history()).toBeUndefined()
  })
})

describe.runIf(needs("MAP-14", "git"))("with git", () => {
  test("[MAP-23] history is newest first and cleaned, and after HEAD moves equals a first read", async () => {
    await using temp = await tempDirectory()
    git(temp.path, "init", "-q", "-b", "main")
    const first = commit(temp.path, "Moor ships\n\nSigned-off-by: t <t@example.invalid>", {
      "a.ts": "let a\n",
    })
    commit(temp.path, "Find berths (#12)", { "b.ts": "let b\n", "a.ts": "let a = 1\n" })
    await using made = await madeIndex()
    const source = await sourceOf(temp.path, { git: await gitOf(temp.path) })
    const one = await made.index.scan(source, INCREMENTAL)
    expect(one.tree.commits).toEqual([
      { message: "Find berths", files: ["a.ts", "b.ts"] },
      { message: "Moor ships", files: ["a.ts"] },
    ])
    expect(one.tree.history()?.changes).toHaveLength(2)
    git(temp.path, "checkout", "-q", "-b", "other", first)
    commit(temp.path, "Other way", { "c.ts": "let c\n" })
    const two = await made.index.scan(source, INCREMENTAL)
    expect(two.tree.commits.map((it) => it.message)).toEqual(["Other way", "Moor ships"])
    expect(await dumpTree(two.tree)).toBe(await cleanDump(source))
    expect(MOST_PAST_COMMITS).toBe(3_000)
  })

  test.for(["the same commit", "a newer one"])(
    "[MAP-23] after a shallow clone was deepened at %s, the history equals a first read",
    async (head) => {
      await using temp = await tempDirectory()
      const [from, root] = [join(temp.path, "from"), join(temp.path, "clone")]
      mkdirSync(from)
      git(from, "init", "-q", "-b", "main")
      commit(from, "First", { "a.ts": "let a\n" })
      commit(from, "Second", { "b.ts": "let b\n" })
      commit(from, "Third", { "c.ts": "let c\n" })
      git(temp.path, "clone", "-q", "--depth", "2", `file://${from}`, root)
      await using made = await madeIndex()
      const before = await sourceOf(root, { git: await gitOf(root) })
      const one = await made.index.scan(before, INCREMENTAL)
      expect(one.tree.commits.map((it) => it.message)).toEqual(["Third", "Second"])
      if (head === "a newer one") commit(from, "Fourth", { "d.ts": "let d\n" })
      git(root, "fetch", "-q", "--unshallow", "origin")
      git(root, "reset", "-q", "--hard", "origin/main")
      const source = await sourceOf(root, { git: await gitOf(root) })
      const two = await made.index.scan(source, INCREMENTAL)
      expect(two.tree.commits).toContainEqual({ message: "Second", files: ["b.ts"] })
      expect(two.tree.commits.at(-1)).toEqual({ message: "First", files: ["a.ts"] })
      expect(await dumpTree(two.tree)).toBe(await cleanDump(source))
    },
  )

  test("[MAP-13] a commit and a clean checkout of it are the same tree", async () => {
    await using temp = await tempDirectory()
    git(temp.path, "init", "-q", "-b", "main")
    const files = {
      "src/a.ts": "export let a = 1\n",
      "b.md": "# B\n",
      "x.bin": "a\0b",
      "go.sum": "x\n",
    }
    const id = commit(temp.path, "All", files)
    const opened = await gitOf(temp.path)
    const ofDisk = await cleanDump(await sourceOf(temp.path, { git: opened }))
    expect(await cleanDump(commitTree({ git: opened, commit: id }))).toBe(ofDisk)
  })

  test("[MAP-14] after branch switches, edits and moves a working tree equals a new scan", {
    timeout: 600_000,
  }, async () => {
    await using temp = await tempDirectory()
    const commits = importHistory(temp.path)
    const opened = await gitOf(temp.path)
    const source = await sourceOf(temp.path, { git: opened })
    await using made = await madeIndex()
    const chosen = isNight() ? commits : commits.filter((_, at) => at % 12 === 0)
    for (const [at, id] of chosen.entries()) {
      git(temp.path, "checkout", "-q", "--force", id)
      await made.index.scan(source, INCREMENTAL)
      write(temp.path, "work/edited.py", `def edited${at % 5}():\n    return ${at % 3}\n`)
      if (at % 3 === 0) renameSync(join(temp.path, "f0.py"), join(temp.path, "work/moved.py"))
      const { tree } = await made.index.scan(source, INCREMENTAL)
      expect(await dumpTree(tree), `SEED=${seed()}, step ${at}`).toBe(await cleanDump(source))
      rmSync(join(temp.path, "work"), { recursive: true })
    }
  })
})

function importHistory(root: string): readonly string[] {
  git(root, "init", "-q", "-b", "main")
  const change = fc.record({
    branch: fc.constantFrom("main", "one", "two"),
    file: fc.nat(11),
    to: fc.option(fc.nat(11)),
    line: fc.constantFrom("def moor():", "    return 1", "class Quay:", "x = berth()", "# tide"),
    times: fc.nat(6),
  })
  const [changes = []] = fc.sample(fc.array(change, { minLength: 200, maxLength: 200 }), {
    seed: seed(),
    numRuns: 1,
  })
  const started = new Set(["main"])
  const said = [said0()]
  for (const [at, { branch, file, to, line, times }] of changes.entries()) {
    const from = started.has(branch) ? "" : "from :1\n"
    started.add(branch)
    const text = `${line}\n`.repeat(times)
    const moved = to === null ? "" : `D f${to}.py\n`
    said.push(
      `commit refs/heads/${branch}\nmark :${at + 2}\n${WHO}data 7\nchange\n\n${from}` +
        `${moved}M 100644 inline f${file}.py\ndata ${text.length}\n${text}\n` +
        `M 100644 inline f0.py\ndata 4\np=1\n\n`,
    )
  }
  gitWith(root, { input: `${said.join("")}done\n` }, "fast-import", "--done", "--quiet")
  return git(root, "rev-list", "--all").split("\n")
}

const WHO = "committer t <t@example.invalid> 1700000000 +0000\n"

function said0(): string {
  return `commit refs/heads/main\nmark :1\n${WHO}data 6\nstart\n\nM 100644 inline f0.py\ndata 4\np=1\n\n`
}
