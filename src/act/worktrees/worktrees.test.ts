import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { systemClock, systemRandom, thisMachine } from "#ground/base"
import { createClaims, treeName, worktreeSession } from "#know/ledger"
import { locateRepository } from "#see/repo"
import { commit, git } from "#test/git"
import { CALL, worktreeFixture } from "#test/worktree-room"

const NOT_FORCED = { keepBranch: false, force: false }

describe("a new worktree", () => {
  test("[WORKTREES-1] starts from the chosen commit with env files, ports, setup and claims", async () => {
    await using it = await worktreeFixture()
    const first = git(it.root, "rev-parse", "HEAD")
    commit(it.root, "second", { "src/a.ts": "export const a = 2\n" })
    it.file(".env", "KEY=1\n")
    it.file("apps/.env.test.local", "KEY=2\n")
    it.file(".env.production", "KEY=3\n")
    it.file("local.db", "data")
    it.settings.setup = `${process.execPath} -e require('node:fs').writeFileSync('made.txt',process.env.PORT)`
    it.tickets.set("12", { id: "T-ABC", title: "Round quotes!", paths: ["src/*.ts", "docs/a.md"] })
    const { worktree, claimed } = await it.room.create({ name: "12", from: first }, CALL)
    expect(worktree).toMatchObject({
      name: "t-abc-round-quotes",
      branch: "qm/t-abc-round-quotes",
      state: "ready",
      baseCommit: first,
      baseRef: null,
      ticket: "T-ABC",
      copied: [".env", "apps/.env.test.local"],
      setup: { exitCode: 0 },
    })
    expect(claimed).toEqual(["docs/a.md", "src"].toReversed())
    const read = (file: string) => readFileSync(join(worktree.path, file), "utf8")
    expect(read("src/a.ts")).toBe("export const a = 1\n")
    expect(read(".env")).toBe("KEY=1\n")
    expect(read("made.txt")).toBe(String(worktree.firstPort))
    expect(existsSync(join(worktree.path, ".env.production"))).toBe(false)
    const { stateDirectory } = await locateRepository(it.root)
    const claims = createClaims({
      stateDirectory,
      clock: systemClock,
      random: systemRandom,
      machine: thisMachine(),
    })
    expect(claims.find("src/x.ts")?.session).toBe(worktreeSession(worktree.path))
    expect(it.root.startsWith(worktree.path)).toBe(false)
    expect((await it.room.open({ name: worktree.name }, CALL)).environment).toMatchObject({
      QM_WORKTREE: "t-abc-round-quotes",
      PORT: String(worktree.firstPort),
    })
  })

  test("[WORKTREES-2] blocks of ports do not overlap, and used ports are skipped", async () => {
    await using it = await worktreeFixture()
    const server = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const address = server.address()
    const used = typeof address === "object" && address !== null ? address.port : 0
    it.settings.firstPort = used
    it.settings.ports = 2
    const one = (await it.room.create({ name: "one" }, CALL)).worktree.firstPort ?? 0
    const two = (await it.room.create({ name: "two" }, CALL)).worktree.firstPort ?? 0
    server.close()
    expect(one).toBeGreaterThan(used + 1)
    expect(two).toBeGreaterThan(one + 1)
  })

  test("[WORKTREES-3] a failed setup is reported and repeated by the next call", async () => {
    await using it = await worktreeFixture()
    it.settings.setup = `${process.execPath} -e process.exit(7)`
    const failed = await it.room.create({ name: "one" }, CALL)
    expect(failed.worktree).toMatchObject({ state: "failed", setup: { exitCode: 7 } })
    it.settings.setup = "no-such-program-here"
    const missing = await it.room.create({ name: "one" }, CALL)
    expect(missing.worktree).toMatchObject({ state: "failed", setup: { exitCode: null } })
    it.settings.setup = ""
    const ready = await it.room.create({ name: "one" }, CALL)
    expect(ready.worktree).toMatchObject({ state: "ready", path: failed.worktree.path })
    await expect(it.room.create({ name: "one" }, CALL)).rejects.toMatchObject({
      code: "WORKTREE_EXISTS",
    })
  })

  test("[WORKTREES-4] a process killed at any step leaves a worktree that the next call completes", async () => {
    await using it = await worktreeFixture()
    const { worktree } = await it.room.create({ name: "one" }, CALL)
    const record = join(it.root, ".git", "qm", "worktrees", "one.json")
    const creating = readFileSync(record, "utf8").replace('"ready"', '"creating"')
    // Killed after git, between git's branch and its folder, and before git.
    const steps = [
      () => {},
      () => rmSync(worktree.path, { recursive: true }),
      () => {
        rmSync(worktree.path, { recursive: true })
        git(it.root, "worktree", "prune")
        git(it.root, "branch", "-D", "qm/one")
      },
    ]
    for (const undo of steps) {
      undo()
      it.file(".git/qm/worktrees/one.json", creating)
      expect((await it.room.list(CALL)).worktrees).toMatchObject([
        { name: "one", state: "creating" },
      ])
      const again = await it.room.create({ name: "one" }, CALL)
      expect(again.worktree).toMatchObject({ state: "ready", path: worktree.path, uncommitted: 0 })
    }
    expect(git(it.root, "worktree", "list").split("\n")).toHaveLength(2)
  })

  test("[WORKTREES-5] bad names, commits, folders and repositories are refused", async () => {
    await using it = await worktreeFixture()
    const create = (name: string, from?: string) =>
      it.room.create({ name, ...(from === undefined ? {} : { from }) }, CALL)
    await expect(create("../up")).rejects.toMatchObject({ code: "WORKTREE_NAME_INVALID" })
    await expect(create("one", "--upload-pack=x")).rejects.toMatchObject({
      code: "WORKTREE_COMMIT_UNKNOWN",
    })
    git(it.root, "branch", "qm/taken")
    await expect(create("taken")).rejects.toMatchObject({ code: "WORKTREE_EXISTS" })
    it.settings.folder = "inside"
    await expect(create("one")).rejects.toMatchObject({ code: "WORKTREE_NESTED" })
    it.settings.folder = "../elsewhere"
    it.file("../elsewhere/full/a.txt", "a")
    await expect(create("full")).rejects.toMatchObject({ code: "WORKTREE_EXISTS" })
    it.settings.firstPort = 65_000
    it.settings.ports = 100
    for (const name of ["p1", "p2", "p3", "p4", "p5"]) await create(name)
    await expect(create("p6")).rejects.toMatchObject({ code: "WORKTREE_NO_PORTS" })
    git(it.root, "worktree", "lock", join(it.root, "..", "elsewhere", "p1"))
    await expect(it.room.remove({ name: "p1", ...NOT_FORCED }, CALL)).rejects.toMatchObject({
      code: "WORKTREE_GIT_FAILED",
    })
    await expect(it.room.open({ name: "nobody" }, CALL)).rejects.toMatchObject({
      code: "WORKTREE_NOT_FOUND",
    })
    const plain = await it.roomAt({
      repository: {
        root: it.temp,
        gitDirectory: undefined,
        gitCommonDirectory: undefined,
        stateDirectory: join(it.temp, "state"),
      },
    })
    await expect(plain.create({ name: "one" }, CALL)).rejects.toMatchObject({
      code: "WORKTREE_NO_GIT",
    })
  })

  test("[WORKTREES-5] a detached head has no base branch, and copies keep their mode", async () => {
    await using it = await worktreeFixture()
    git(it.root, "checkout", "-q", "--detach")
    it.file(".env", "KEY=1\n")
    git(it.root, "update-index", "--refresh")
    const { worktree } = await it.room.create({ name: "one" }, CALL)
    expect(worktree).toMatchObject({ baseRef: null, ahead: 0, behind: 0 })
    const mode = (root: string) => statSync(join(root, ".env")).mode & 0o777
    expect(mode(worktree.path)).toBe(mode(it.root))
  })
})

describe("the forecast", () => {
  test("[WORKTREES-6] names conflicts with the base and other worktrees, uncommitted changes included", async () => {
    await using it = await worktreeFixture()
    const one = (await it.room.create({ name: "one" }, CALL)).worktree
    const two = (await it.room.create({ name: "two" }, CALL)).worktree
    it.file("src/a.ts", "export const a = 11\n", one.path)
    it.file("src/new.ts", "new\n", one.path)
    it.file("src/a.ts", "export const a = 22\n", two.path)
    const index = git(one.path, "ls-files", "--stage")
    expect(await it.room.check({ name: "one" }, CALL)).toMatchObject({
      changed: ["src/a.ts", "src/new.ts"],
      base: { with: "main", conflicts: [] },
      behind: 0,
      others: [{ with: "two", conflicts: ["src/a.ts"] }],
    })
    commit(it.root, "moved", { "src/a.ts": "export const a = 33\n" })
    expect(await it.room.check({ name: "one" }, CALL)).toMatchObject({
      base: { conflicts: ["src/a.ts"] },
      behind: 1,
    })
    expect(git(one.path, "ls-files", "--stage")).toBe(index)
    expect(git(one.path, "status", "--porcelain")).toBe(" M src/a.ts\n?? src/new.ts")
  })
})

describe("removing", () => {
  test("[WORKTREES-7] refuses uncommitted files, commits that the base lacks and live sessions", async () => {
    await using it = await worktreeFixture()
    const { worktree } = await it.room.create({ name: "one" }, CALL)
    const remove = (how = {}) => it.room.remove({ name: "one", ...NOT_FORCED, ...how }, CALL)
    const unmerged = { code: "WORKTREE_UNMERGED" }
    it.file("notes.txt", "mine\n", worktree.path)
    await expect(remove()).rejects.toMatchObject(unmerged)
    await expect(remove({ keepBranch: true })).rejects.toMatchObject(unmerged)
    commit(worktree.path, "work")
    await expect(remove()).rejects.toMatchObject(unmerged)
    git(it.root, "merge", "-q", "--ff-only", "qm/one")
    const { ledger } = await ledgerAt(it.root)
    await ledger.opened("theirs", "claude-code", treeName(worktree.path))
    await expect(remove()).rejects.toMatchObject({ code: "WORKTREE_IN_USE" })
    rmSync(join(it.root, ".git", "qm", "ledger"), { recursive: true })
    expect(await remove()).toMatchObject({ keptBranch: null, rescue: null })
    expect(existsSync(worktree.path)).toBe(false)
    expect(git(it.root, "branch", "--list", "qm/*")).toBe("")
    expect((await it.room.list(CALL)).worktrees).toEqual([])
  })

  test("[WORKTREES-8] --keep-branch keeps commits, --force stores uncommitted and ignored files first", async () => {
    await using it = await worktreeFixture()
    const one = (await it.room.create({ name: "one" }, CALL)).worktree
    commit(one.path, "work", { "src/one.ts": "1\n" })
    expect(
      await it.room.remove({ name: "one", keepBranch: true, force: false }, CALL),
    ).toMatchObject({ keptBranch: "qm/one" })
    const two = (await it.room.create({ name: "two" }, CALL)).worktree
    it.file("notes.txt", "mine\n", two.path)
    it.file("local.db", "data\n", two.path)
    const removed = await it.room.remove({ name: "two", keepBranch: false, force: true }, CALL)
    expect(git(it.root, "show", `${removed.rescue}:notes.txt`)).toBe("mine")
    expect(git(it.root, "show", `${removed.rescue}:local.db`)).toBe("data")
  })

  test("[WORKTREES-9] a folder that was deleted by hand is listed as missing, its branch survives", async () => {
    await using it = await worktreeFixture()
    const { worktree } = await it.room.create({ name: "one" }, CALL)
    commit(worktree.path, "work", { "src/one.ts": "1\n" })
    rmSync(worktree.path, { recursive: true })
    expect((await it.room.list(CALL)).worktrees).toMatchObject([{ name: "one", state: "missing" }])
    expect(await it.room.remove({ name: "one", ...NOT_FORCED }, CALL)).toMatchObject({
      keptBranch: "qm/one",
    })
  })

  test("[WORKTREES-10] worktrees of others are listed, and never removed", async () => {
    await using it = await worktreeFixture()
    const place = join(it.temp, "by-hand")
    git(it.root, "worktree", "add", "-q", "-b", "theirs", place)
    expect((await it.room.list(CALL)).worktrees).toMatchObject([
      { name: "by-hand", state: "foreign", branch: "theirs" },
    ])
    await expect(
      it.room.remove({ name: "by-hand", keepBranch: false, force: true }, CALL),
    ).rejects.toMatchObject({ code: "WORKTREE_NOT_FOUND" })
    mkdirSync(join(it.root, ".git", "qm", "worktrees"), { recursive: true })
    it.file(".git/qm/worktrees/broken.json", "{")
    expect((await it.room.list(CALL)).worktrees).toHaveLength(1)
  })
})

describe("merging", () => {
  test("[WORKTREES-11] the base comes into the branch, then the base moves to it; conflicts change nothing", async () => {
    await using it = await worktreeFixture()
    const one = (await it.room.create({ name: "one" }, CALL)).worktree
    commit(one.path, "work", { "src/a.ts": "export const a = 5\n" })
    const moved = commit(it.root, "moved", { "src/b.ts": "export const b = 5\n" })
    expect(await it.room.land("one", CALL)).toMatchObject({ kind: "refused" })
    expect(await it.room.update("one", CALL)).toMatchObject({ kind: "merged" })
    expect(git(it.root, "rev-parse", "main")).toBe(moved)
    expect(await it.room.land("one", CALL)).toMatchObject({ kind: "merged" })
    expect(readFileSync(join(it.root, "src/a.ts"), "utf8")).toBe("export const a = 5\n")
    const two = (await it.room.create({ name: "two" }, CALL)).worktree
    commit(two.path, "work", { "src/a.ts": "export const a = 6\n" })
    commit(it.root, "other", { "src/a.ts": "export const a = 7\n" })
    expect(await it.room.update("two", CALL)).toEqual({ kind: "conflict", files: ["src/a.ts"] })
    expect(git(two.path, "status", "--porcelain")).toBe("")
    // Uncommitted changes of a person in the base are not overwritten.
    const three = (await it.room.create({ name: "three" }, CALL)).worktree
    commit(three.path, "work", { "src/b.ts": "export const b = 9\n" })
    it.file("src/b.ts", "mine\n")
    expect(await it.room.land("three", CALL)).toMatchObject({ kind: "refused" })
    expect(readFileSync(join(it.root, "src/b.ts"), "utf8")).toBe("mine\n")
    git(it.root, "checkout", "-q", "src/b.ts")
    git(it.root, "checkout", "-q", "--detach")
    expect(await it.room.land("three", CALL)).toMatchObject({ kind: "merged" })
    expect(git(it.root, "show", "main:src/b.ts")).toBe("export const b = 9")
  })
})

async function ledgerAt(root: string) {
  const { createLedger } = await import("#know/ledger")
  const { stateDirectory } = await locateRepository(root)
  return { ledger: createLedger({ stateDirectory, clock: systemClock, random: systemRandom }) }
}

test("[WORKTREES-13] a diff has uncommitted changes of a worktree, or the commits that name the ticket", async () => {
  await using it = await worktreeFixture()
  it.tickets.set("T-ABC", { id: "T-ABC", title: "Round", paths: [] })
  const diff = (name: string) => it.room.diff({ name }, CALL)
  expect(await diff("T-ABC")).toMatchObject({ from: "none", text: "", isCut: false })
  const { worktree } = await it.room.create({ name: "T-ABC" }, CALL)
  it.file("src/a.ts", "export const a = 9\n", worktree.path)
  commit(it.root, "second", { "src/b.ts": "export const b = 2\n" })
  const found = await diff("T-ABC")
  expect(found).toMatchObject({ name: "t-abc-round", from: "worktree", against: "main" })
  expect(found.text).toContain("+export const a = 9")
  expect(found.text).not.toContain("src/b.ts")
  await it.room.remove({ name: "t-abc-round", keepBranch: false, force: true }, CALL)
  commit(it.root, "Round\n\nTicket: T-ABC", { "src/b.ts": "export const b = 3\n" })
  expect(await diff("T-ABC")).toMatchObject({
    from: "commits",
    text: expect.stringContaining("+export const b = 3"),
  })
  commit(it.root, "Long\n\nTicket: T-ABC", { "src/long.ts": `${"x".repeat(99)}\n`.repeat(5_000) })
  const long = await diff("T-ABC")
  expect(long.isCut).toBe(true)
  expect(long.text.length).toBeLessThan(400_001)
  await expect(diff("nothing")).rejects.toMatchObject({ code: "WORKTREE_NOT_FOUND" })
})

test("[WORKTREES-13] a diff has a change of the same size in the second of the checkout", async () => {
  await using it = await worktreeFixture()
  const { worktree } = await it.room.create({ name: "one" }, CALL)
  const file = join(worktree.path, "src/a.ts")
  const index = git(worktree.path, "rev-parse", "--path-format=absolute", "--git-path", "index")
  const checkout = 1_700_000_000
  git(worktree.path, "config", "core.trustctime", "false")
  utimesSync(file, checkout, checkout)
  git(worktree.path, "update-index", "--refresh")
  it.file("src/a.ts", "export const a = 9\n", worktree.path)
  for (const each of [file, index]) utimesSync(each, checkout, checkout)
  const { text } = await it.room.diff({ name: "one" }, CALL)
  expect(text).toContain("+export const a = 9")
})
