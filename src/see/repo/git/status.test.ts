import { existsSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { commit, git } from "#test/git"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { locateRepository } from "../repo.ts"
import { openGit } from "./git.ts"
import { readSection, readStatus } from "./status.ts"

const { signal } = new AbortController()

async function statusOf(root: string, limits: { readonly maxHashedFiles?: number } = {}) {
  const repository = await locateRepository(root)
  const environment = { PATH: process.env["PATH"] }
  const opened = await openGit({ repository, environment, signal })
  if (opened.kind !== "ready") throw new Error(opened.reason)
  return readStatus({ repository, git: opened.git, signal, ...limits })
}

/** The output of `git status`, by path. */
function listedByGit(root: string): Readonly<Record<string, string>> {
  const records = git(root, "status", "--porcelain=v1", "-z", "--no-renames", "-uall").split("\0")
  const letters = {
    "?": "untracked",
    D: "deleted",
    A: "added",
    M: "modified",
    U: "conflict",
  } as const
  return Object.fromEntries(
    records
      .filter((it) => it !== "")
      .map((it) => {
        const [x = " ", y = " "] = it
        const isConflict = x === "U" || y === "U"
        const changed = y === "D" || x === " " ? y : x
        const letter = isConflict ? "U" : changed
        return [it.slice(3), Object.entries(letters).find(([key]) => key === letter)?.[1] ?? letter]
      }),
  )
}

const kindsByPath = (changes: readonly { path: string; kind: string }[] | undefined) =>
  Object.fromEntries((changes ?? []).map((it) => [it.path, it.kind]))

const FILES = {
  "a.ts": "one\n",
  "b.ts": "two\n",
  "same-size.ts": "aaa\n",
  "touched.ts": "same\n",
  "d/gone.ts": "x\n",
  "d/é long name.ts": "y\n",
  ".gitignore": "out/\n",
}

describe.runIf(needs("REPO-19", "git"))("readStatus", () => {
  test.each(["2", "3", "4"])(
    "[REPO-19] the changes equal those of git status, index version %s",
    async (version) => {
      await using temp = await tempDirectory()
      const root = temp.path
      git(root, "init", "-q", "-b", "main")
      commit(root, "first", FILES)
      git(root, "update-index", "--index-version", version)
      expect((await statusOf(root)).changes).toEqual([])
      const write = (file: string, text: string) => writeFileSync(path.join(root, file), text)
      write("a.ts", "changed and longer\n")
      write("same-size.ts", "bbb\n")
      write("new.ts", "n\n")
      write("staged.ts", "s\n")
      write("b.ts", "staged change\n")
      git(root, "add", "staged.ts", "b.ts")
      if (version === "3") git(root, "add", "--intent-to-add", "new.ts")
      rmSync(path.join(root, "d/gone.ts"))
      renameSync(path.join(root, "d/é long name.ts"), path.join(root, "moved.ts"))
      utimesSync(path.join(root, "touched.ts"), 1, 1)
      const { changes } = await statusOf(root)
      expect(kindsByPath(changes)).toEqual({ ...listedByGit(root) })
      expect(kindsByPath(changes)["touched.ts"]).toBeUndefined()
    },
  )

  test("[REPO-19] a conflict is listed once", async () => {
    await using temp = await tempDirectory()
    const root = temp.path
    git(root, "init", "-q", "-b", "main")
    commit(root, "first", { "a.ts": "one\n" })
    git(root, "checkout", "-q", "-b", "other")
    commit(root, "theirs", { "a.ts": "theirs\n" })
    git(root, "checkout", "-q", "main")
    commit(root, "ours", { "a.ts": "ours\n" })
    expect(() => git(root, "merge", "other")).toThrow(/./)
    expect((await statusOf(root)).changes).toEqual([{ path: "a.ts", kind: "conflict" }])
  })

  test("[REPO-19] ahead and behind equal those of git, from loose and packed refs", async () => {
    await using temp = await tempDirectory()
    const [origin, root] = [path.join(temp.path, "o"), path.join(temp.path, "c")]
    git(temp.path, "init", "-q", "-b", "main", origin)
    commit(origin, "first", { "a.ts": "one\n" })
    git(temp.path, "clone", "-q", origin, root)
    expect(await statusOf(root)).toMatchObject({
      branch: "main",
      upstream: "origin/main",
      apart: { ahead: 0, behind: 0 },
    })
    commit(root, "mine", { "m.ts": "1\n" })
    commit(root, "mine too", { "m.ts": "2\n" })
    commit(origin, "theirs", { "t.ts": "1\n" })
    git(root, "fetch", "-q")
    const apart = { ahead: 2, behind: 1 }
    expect((await statusOf(root)).apart).toEqual(apart)
    git(root, "pack-refs", "--all")
    const status = await statusOf(root)
    expect(status.apart).toEqual(apart)
    expect(status.fetchedAtMs).toBeGreaterThan(0)
    git(root, "checkout", "-q", "-b", "alone")
    expect(await statusOf(root)).toMatchObject({ branch: "alone", apart: undefined })
  })

  test("[REPO-19] no filter or fsmonitor of the repository runs", async () => {
    await using temp = await tempDirectory()
    const root = temp.path
    git(root, "init", "-q", "-b", "main")
    commit(root, "first", { "a.ts": "one\n", ".gitattributes": "*.ts filter=evil\n" })
    const mark = path.join(root, ".git", "ran")
    for (const key of ["filter.evil.clean", "filter.evil.smudge", "core.fsmonitor"])
      git(root, "config", key, `touch ${mark}`)
    writeFileSync(path.join(root, "a.ts"), "two\n")
    expect((await statusOf(root)).changes).toEqual([{ path: "a.ts", kind: "modified" }])
    expect(existsSync(mark)).toBe(false)
  })

  test("[REPO-19] unchanged files are not read, and too many touched ones give no list", async () => {
    await using temp = await tempDirectory()
    git(temp.path, "init", "-q", "-b", "main")
    commit(temp.path, "first", FILES)
    // A file as new as the index is always read.
    for (const file of Object.keys(FILES)) utimesSync(path.join(temp.path, file), 9, 9.123)
    git(temp.path, "update-index", "--refresh")
    expect((await statusOf(temp.path, { maxHashedFiles: 0 })).changes).toEqual([])
    utimesSync(path.join(temp.path, "a.ts"), 10, 10)
    expect((await statusOf(temp.path, { maxHashedFiles: 0 })).changes).toBeUndefined()
    expect((await statusOf(temp.path, { maxHashedFiles: 1 })).changes).toEqual([])
  })

  test("[REPO-19] a split index gives no list of changes", async () => {
    await using temp = await tempDirectory()
    git(temp.path, "init", "-q", "-b", "main")
    commit(temp.path, "first", { "a.ts": "one\n" })
    git(temp.path, "update-index", "--split-index")
    expect((await statusOf(temp.path)).changes).toBeUndefined()
  })
})

test("[REPO-19] a branch's settings are read from its own section only", () => {
  const config = `[branch "main"]
	remote = origin ; comment
	merge = "refs/heads/main"
[branch "a\\"b"]
	Remote = other
[remote "main"]
	url = x`
  expect([...readSection(config, "branch", "main")]).toEqual([
    ["remote", "origin"],
    ["merge", "refs/heads/main"],
  ])
  expect([...readSection(config, "branch", 'a"b')]).toEqual([["remote", "other"]])
})
