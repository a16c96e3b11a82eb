import { execFileSync } from "node:child_process"
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { bareRepository, belongsToRepository, currentBranch, locateRepository } from "./index.ts"

const git = (cwd: string, ...args: string[]) =>
  execFileSync(
    "git",
    [
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@example.invalid",
      "-c",
      "protocol.file.allow=always",
      ...args,
    ],
    { cwd, stdio: "pipe" },
  )

describe.runIf(needs("REPO-2", "git"))("real repositories", () => {
  test("[REPO-2] [REPO-5] a deep folder and every worktree share one state directory", async () => {
    await using temp = await tempDirectory()
    const main = path.join(temp.path, "main")
    await mkdir(path.join(main, "a", "b"), { recursive: true })
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    const tree = path.join(temp.path, "tree")
    git(main, "worktree", "add", "-q", tree)

    const expected = {
      gitCommonDirectory: path.join(main, ".git"),
      stateDirectory: path.join(main, ".git", "qm"),
    }
    expect(await locateRepository(path.join(main, "a", "b"))).toEqual({
      root: main,
      gitDirectory: path.join(main, ".git"),
      ...expected,
    })
    expect(await locateRepository(tree)).toEqual({
      root: tree,
      gitDirectory: path.join(main, ".git", "worktrees", "tree"),
      ...expected,
    })
    expect(await currentBranch(await locateRepository(tree))).toBe("tree")
  })

  test("[REPO-17] a bare repository that was not named is an ordinary folder", async () => {
    await using temp = await tempDirectory()
    const bare = path.join(temp.path, "bare")
    git(temp.path, "init", "-q", "--bare", bare)
    expect(await locateRepository(path.join(bare, "refs"))).toMatchObject({
      root: path.join(bare, "refs"),
      gitCommonDirectory: undefined,
    })
    const options = { stateDirectory: path.join(temp.path, "state") }
    await symlink(bare, path.join(temp.path, "link"))
    const expected = { root: bare, gitDirectory: bare, gitCommonDirectory: bare, ...options }
    expect(await bareRepository(path.join(temp.path, "link"), options)).toEqual(expected)
    for (const other of [path.join(bare, "refs"), temp.path]) {
      expect(await bareRepository(other, options)).toBeUndefined()
    }
    git(temp.path, "init", "-q")
    for (const other of [temp.path, path.join(temp.path, ".git")]) {
      expect(await bareRepository(other, options)).toBeUndefined()
    }
  })

  test("[REPO-3] a submodule has its own state directory", async () => {
    await using temp = await tempDirectory()
    const [library, main] = [path.join(temp.path, "library"), path.join(temp.path, "main")]
    for (const it of [library, main]) {
      await mkdir(it)
      git(it, "init", "-q")
      git(it, "commit", "-q", "--allow-empty", "-m", "first")
    }
    git(main, "submodule", "--quiet", "add", library, "lib")
    expect((await locateRepository(path.join(main, "lib"))).stateDirectory).toBe(
      path.join(main, ".git", "modules", "lib", "qm"),
    )
  })

  test("[REPO-3] a .git file that points to an unrelated repository is not followed", async () => {
    await using temp = await tempDirectory()
    const victim = path.join(temp.path, "victim")
    await mkdir(victim)
    git(victim, "init", "-q")
    git(victim, "commit", "-q", "--allow-empty", "-m", "first")
    git(victim, "worktree", "add", "-q", path.join(temp.path, "tree"))
    const hostile = path.join(temp.path, "hostile")
    await mkdir(hostile)
    for (const target of [
      path.join(victim, ".git"),
      path.join(victim, ".git", "worktrees", "tree"),
      path.join(victim, ".git", "modules", "x"),
      "../victim/.git",
      "",
    ]) {
      await writeFile(path.join(hostile, ".git"), `gitdir: ${target}\n`)
      expect((await locateRepository(hostile)).stateDirectory).toBe(
        path.join(hostile, ".qm", "local"),
      )
    }
    await rm(path.join(hostile, ".git"))
    await symlink(path.join(victim, ".git"), path.join(hostile, ".git"))
    expect((await locateRepository(hostile)).gitCommonDirectory).toBeUndefined()
  })

  test("[REPO-3] a worktree that was moved without git counts as outside git", async () => {
    await using temp = await tempDirectory()
    const main = path.join(temp.path, "main")
    await mkdir(main)
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", path.join(temp.path, "tree"))
    await rename(path.join(temp.path, "tree"), path.join(temp.path, "moved"))
    const found = await locateRepository(path.join(temp.path, "moved"))
    expect(found.gitCommonDirectory).toBeUndefined()
  })
})

test("[REPO-3] a refused .git file ends the search: the outer repository is not used", async () => {
  await using temp = await tempDirectory()
  const inner = path.join(temp.path, "vendor", "inner")
  await mkdir(path.join(temp.path, ".git", "objects"), { recursive: true })
  await writeFile(path.join(temp.path, ".git", "HEAD"), "ref: refs/heads/main\n")
  await mkdir(inner, { recursive: true })
  expect((await locateRepository(inner)).root).toBe(temp.path)
  await writeFile(path.join(inner, ".git"), "gitdir: ../../.git\n")
  expect(await locateRepository(inner)).toMatchObject({ root: inner, gitDirectory: undefined })
})

test("[REPO-4] outside git the state directory is .qm/local", async () => {
  await using temp = await tempDirectory()
  await mkdir(path.join(temp.path, ".git"))
  await cp(import.meta.filename, path.join(temp.path, ".git", "config"))
  expect(await locateRepository(temp.path)).toEqual({
    root: temp.path,
    gitDirectory: undefined,
    gitCommonDirectory: undefined,
    stateDirectory: path.join(temp.path, ".qm", "local"),
  })
})

test("[REPO-1] a missing directory is a coded error", async () => {
  await using temp = await tempDirectory()
  await expect(locateRepository(path.join(temp.path, "nowhere"))).rejects.toMatchObject({
    code: "FILE_NOT_READABLE",
  })
})

test("[REPO-10] outside git a folder below belongs to the root; a folder beside it or with its own git does not", async () => {
  await using temp = await tempDirectory()
  const root = path.join(temp.path, "plain")
  const below = path.join(root, "sub")
  const own = path.join(root, "own")
  await mkdir(below, { recursive: true })
  await mkdir(path.join(own, ".git"), { recursive: true })
  await writeFile(path.join(own, ".git", "HEAD"), "ref: refs/heads/main\n")
  await mkdir(path.join(own, ".git", "objects"))
  await mkdir(path.join(own, ".git", "refs"))
  await mkdir(path.join(temp.path, "plain-beside"))
  const repository = await locateRepository(root)
  expect(await belongsToRepository(root, repository)).toBe(true)
  expect(await belongsToRepository(below, repository)).toBe(true)
  expect(await belongsToRepository(own, repository)).toBe(false)
  expect(await belongsToRepository(path.join(temp.path, "plain-beside"), repository)).toBe(false)
  expect(await belongsToRepository(path.join(root, "missing"), repository)).toBe(false)
})
