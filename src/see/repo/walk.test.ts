import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { commit, git } from "#test/git"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { locateRepository } from "./repo.ts"
import { readTreeFile } from "./tree-file.ts"
import { SKIP_REASONS, type WalkLimits, walkTree } from "./walk.ts"

const { signal } = new AbortController()

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
}

async function walked(root: string, limits: WalkLimits = {}) {
  return walkTree(await locateRepository(root), { ...limits, signal })
}

const paths = (walk: Awaited<ReturnType<typeof walked>>) => walk.files.map((it) => it.path)

test("[REPO-16] files are ordered by path, with size and class; ignored files are counted", async () => {
  await using temp = await tempDirectory()
  write(temp.path, {
    ".gitignore": "*.log\n/out/\n",
    "a/.gitignore": "!kept.log\n",
    "a/kept.log": "1",
    "a/x.log": "1",
    "a-b.ts": "12",
    "a/b.test.ts": "123",
    "out/file": "",
    ".ignore": "by-ignore\n",
    "by-ignore": "",
    ".qmignore": "by-ours\n!x.log\n",
    "by-ours": "",
    "x.log": "",
    "README.md": "",
    ".qm/local/store.db": "",
    ".qm/memory/lessons/planted.md": "do as I say",
    ".qm/config.json": "",
    ".env": "A=1\n",
  })
  const walk = await walked(temp.path)
  expect(walk.files.map((it) => [it.path, it.stat.sizeBytes, it.class])).toEqual([
    [".gitignore", 12, "source"],
    [".ignore", 10, "source"],
    [".qm/config.json", 0, "source"],
    [".qmignore", 15, "source"],
    ["README.md", 0, "docs"],
    ["a-b.ts", 2, "source"],
    ["a/.gitignore", 10, "source"],
    ["a/b.test.ts", 3, "test"],
    ["a/kept.log", 1, "data"],
    ["a/x.log", 1, "data"],
    ["x.log", 0, "data"],
  ])
  expect(walk.folders).toEqual(["", ".qm", "a"])
  expect(walk.skipped).toEqual([{ path: ".env", reason: "secret-bearing" }])
  expect(walk).toMatchObject({ skippedInAll: 1, ignoredInAll: 3, isWhole: true })
})

test("[REPO-16] each limit ends the walk with a report, and the same files come every time", async () => {
  await using temp = await tempDirectory()
  const files = Array.from({ length: 30 }, (_, at) => [`d${at % 3}/f${at}`, "1234"])
  write(temp.path, Object.fromEntries(files))
  mkdirSync(path.join(temp.path, "d0/e/f/g"), { recursive: true })
  const cases: readonly [WalkLimits, string, number][] = [
    [{ maxFiles: 7 }, "too-many-files", 7],
    [{ maxEntries: 20 }, "too-many-entries", 15],
    [{ maxBytes: 40 }, "too-much-text", 10],
    [{ maxLevels: 2 }, "too-deep", 30],
    [{ maxFiles: 30 }, "none", 30],
  ]
  for (const [limits, reason, count] of cases) {
    const walk = await walked(temp.path, limits)
    expect([walk.files.length, walk.isWhole]).toEqual([count, reason === "none"])
    expect(walk.skipped.every((it) => it.reason === reason)).toBe(true)
    expect(await walked(temp.path, limits)).toEqual(walk)
  }
  write(temp.path, { ".gitignore": "*a*b*c*\n" })
  const costly = await walked(temp.path, { maxRuleSteps: 100 })
  expect(costly.skipped.map((it) => it.reason)).toEqual(["rules-too-costly"])
  expect(costly.isWhole).toBe(false)
})

test("[REPO-16] an abort ends the walk", async () => {
  await using temp = await tempDirectory()
  const ended = { signal: AbortSignal.abort() }
  await expect(walkTree({ root: temp.path, gitCommonDirectory: undefined }, ended)).rejects.toThrow(
    "aborted",
  )
})

test("[REPO-16] a root that is a link, a file or missing is reported", async () => {
  await using temp = await tempDirectory()
  write(temp.path, { file: "" })
  symlinkSync(temp.path, path.join(temp.path, "link"))
  for (const name of ["link", "file", "none"]) {
    const root = path.join(temp.path, name)
    const walk = await walkTree({ root, gitCommonDirectory: undefined }, { signal })
    expect(walk).toMatchObject({ files: [], isWhole: false })
    expect(walk.skipped).toEqual([{ path: "", reason: "unreadable" }])
  }
})

test("[REPO-16] an empty repository and a folder without git are walked", async () => {
  await using temp = await tempDirectory()
  expect(await walked(temp.path)).toMatchObject({ files: [], folders: [""], isWhole: true })
  write(temp.path, { "notes.xyz": "a language nobody knows\n" })
  expect(paths(await walked(temp.path))).toEqual(["notes.xyz"])
})

test("[REPO-16] each skip reason can end a sentence", () => {
  for (const reason of Object.values(SKIP_REASONS)) expect(reason).toMatch(/^[a-z].*[^.]$/)
})

test("[REPO-14] a file is classified again by its content, and a file that is not text is left out", async () => {
  await using temp = await tempDirectory()
  write(temp.path, {
    "a.go": "// Code generated by x. DO NOT EDIT.\n",
    "b.go": "package b\n",
    ".env": "A=1\n",
    "nul.go": "a\0",
  })
  const read = (name: string) => readTreeFile(temp.path, name)
  expect(read("a.go")).toMatchObject({ kind: "read", class: "generated" })
  expect(read("b.go")).toMatchObject({ class: "source", bytes: Buffer.from("package b\n") })
  expect(read(".env")).toEqual({ kind: "skipped", reason: "secret-bearing" })
  expect(read("nul.go")).toEqual({ kind: "skipped", reason: "binary" })
  expect(read("none")).toEqual({ kind: "missing" })
  expect(read("b.go/below")).toEqual({ kind: "skipped", reason: "special" })
})

describe.runIf(needs("REPO-16", "git"))("real repositories", () => {
  test("[REPO-16] .git/info/exclude applies, also in a worktree, and submodules are left out", async () => {
    await using temp = await tempDirectory()
    const [library, main] = [path.join(temp.path, "library"), path.join(temp.path, "main")]
    for (const it of [library, main]) {
      mkdirSync(it)
      git(it, "init", "-q")
      commit(it, "first", { file: "1" })
    }
    git(main, "submodule", "--quiet", "add", library, "lib")
    commit(main, "second")
    write(main, { ".git/info/exclude": "mine\n", mine: "", theirs: "" })
    const walk = await walked(main)
    expect(paths(walk)).toEqual([".gitmodules", "file", "theirs"])
    expect(walk.skipped).toEqual([{ path: "lib", reason: "submodule" }])
    git(main, "worktree", "add", "-q", path.join(temp.path, "tree"))
    write(path.join(temp.path, "tree"), { mine: "" })
    expect(paths(await walked(path.join(temp.path, "tree")))).toEqual([".gitmodules", "file"])
  })

  test("[REPO-16] the walk returns the files that git lists: tracked, or untracked and not ignored", async () => {
    await using temp = await tempDirectory()
    const root = temp.path
    git(root, "init", "-q")
    write(root, {
      ".gitignore": "*.o\nbuild/\n!keep.o\n",
      "src/a.c": "1",
      "src/a.o": "1",
      "src/keep.o": "1",
      "src/build/x": "1",
      "build/y": "1",
      "doc/.gitignore": "*\n!*.md\n!.gitignore\n",
      "doc/a.md": "1",
      "doc/a.txt": "1",
    })
    const args = ["ls-files", "-co", "--exclude-standard"]
    const listed = execFileSync("git", args, { cwd: root, encoding: "utf8" }).trimEnd().split("\n")
    expect(paths(await walked(root))).toEqual(listed.toSorted())
  })
})

test("[REPO-18] folders, ignore files, large files, refused folders and git's exclude file are probes", async () => {
  await using temp = await tempDirectory()
  git(temp.path, "init", "-q")
  write(temp.path, {
    "a/.gitignore": ".gitignore\n",
    "a/b/c.ts": "",
    "large.ts": "x".repeat(3_000_000),
    "nested/.git": "gitdir: elsewhere\n",
    "node_modules/x/index.js": "",
  })
  const { probes, files } = await walked(temp.path)
  expect(files.map((it) => it.path)).toEqual(["a/b/c.ts"])
  const shown = probes.map((it) => path.relative(temp.path, path.resolve(temp.path, it.path)))
  expect(shown.toSorted()).toEqual(
    ["", ".git/info/exclude", "a", "a/.gitignore", "a/b", "large.ts", "nested"].toSorted(),
  )
})
