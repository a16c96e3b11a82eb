import { execSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { commit, git } from "#test/git"
import { enrol, hookPayload, installHooks } from "#test/hooks"
import { tempDirectory } from "#test/temp"
import { CALL, GIT_ENVIRONMENT, worktreeFixture } from "#test/worktree-room"

let hooks: Awaited<ReturnType<typeof installHooks>>
let folder: Awaited<ReturnType<typeof tempDirectory>>

beforeAll(async () => {
  folder = await tempDirectory()
  hooks = await installHooks(folder.path)
}, 120_000)
afterAll(() => folder[Symbol.asyncDispose]())

type Fixture = Awaited<ReturnType<typeof worktreeFixture>>

/** A session with hooks: each event is a process, and a denied command does not run. */
async function session(id: string, cwd: string) {
  const env = { HOME: folder.path, QM_HOME: hooks.home, QM_KIT_LEVEL: "3", QM_KIT_FETCH: "false" }
  const send = async (event: string, fields: object) => {
    const payload = hookPayload(event, { cwd, session: id }, fields)
    const { stdout } = await hooks.run({ payload, env, cwd })
    const answer = stdout === "" ? {} : JSON.parse(stdout)
    return answer.hookSpecificOutput?.permissionDecisionReason as string | undefined
  }
  await send("SessionStart", { source: "startup" })
  return {
    cwd,
    async edit(file: string, text: string): Promise<string | undefined> {
      const tool = { tool_name: "Write", tool_input: { file_path: join(cwd, file), content: text } }
      const denied = await send("PreToolUse", tool)
      if (denied !== undefined) return denied
      mkdirSync(dirname(join(cwd, file)), { recursive: true })
      writeFileSync(join(cwd, file), text)
      await send("PostToolUse", { ...tool, tool_response: {} })
      return undefined
    },
    /** Runs the command if no hook denies it; the reason if one does. */
    async shell(command: string): Promise<string | undefined> {
      const denied = await send("PreToolUse", { tool_name: "Bash", tool_input: { command } })
      if (denied === undefined) execSync(command, { cwd, stdio: "pipe", env: GIT_ENVIRONMENT })
      return denied
    },
    read: (file: string) => readFileSync(join(cwd, file), "utf8"),
  }
}

async function scene() {
  const it = await worktreeFixture()
  enrol(it.root)
  const one = await session("one", it.root)
  const two = await session("two", it.root)
  return Object.assign(it, { one, two })
}

const remove = (it: Fixture, name: string, how = {}) =>
  it.room.remove({ name, keepBranch: false, force: false, ...how }, CALL)

describe("two sessions in one repository", () => {
  test("[WORKTREES-12] concurrent checkout: a branch switch does not move the files of the other", async () => {
    await using it = await scene()
    git(it.root, "branch", "next")
    await it.one.edit("src/a.ts", "one\n")
    expect(await it.two.shell("git checkout next")).toContain("session one")
    expect(await it.two.shell("git switch -c mine")).toContain("qm worktree new")
    expect([git(it.root, "branch", "--show-current"), it.one.read("src/a.ts")]).toEqual([
      "main",
      "one\n",
    ])
    const { worktree } = await it.room.create({ name: "two" }, CALL)
    const apart = await session("two", worktree.path)
    expect(await apart.shell("git switch -q next")).toBeUndefined()
    expect(git(it.root, "branch", "--show-current")).toBe("main")
  })

  test("[WORKTREES-12] stash: neither takes nor drops the work of the other", async () => {
    await using it = await scene()
    await it.one.edit("src/a.ts", "one\n")
    expect(await it.two.shell("git stash -u")).toContain("stashes the changes")
    expect(it.one.read("src/a.ts")).toBe("one\n")
    await it.two.edit("src/b.ts", "two\n")
    expect(await it.two.shell("git stash push -q -- src/b.ts")).toBeUndefined()
    expect(await it.one.shell("git stash pop")).toContain("shared stash")
    expect(git(it.root, "stash", "list").split("\n")).toHaveLength(1)
    expect(it.one.read("src/a.ts")).toBe("one\n")
  })

  test("[WORKTREES-12] reset: edits and commits of the other stay", async () => {
    await using it = await scene()
    await it.one.edit("src/a.ts", "one\n")
    expect(await it.two.shell("git reset --hard HEAD")).toContain("resets the files")
    expect(await it.two.shell("cd src && git checkout -- .")).toContain("discards changes")
    expect(await it.one.shell("git commit -q -m one -- src/a.ts")).toBeUndefined()
    expect(await it.two.shell("git reset HEAD~1")).toContain("moves the branch")
    expect(git(it.root, "log", "-1", "--format=%s")).toBe("one")
  })

  test("[WORKTREES-12] force-remove: a worktree with work or a live session is not deleted", async () => {
    await using it = await scene()
    const { worktree } = await it.room.create({ name: "one" }, CALL)
    const apart = await session("one", worktree.path)
    await apart.edit("src/a.ts", "one\n")
    const command = `git worktree remove --force ${worktree.path}`
    expect(await it.two.shell(command)).toContain("removes a worktree")
    expect(await it.two.shell(`rm -rf ${worktree.path}`)).toContain("deletes a worktree")
    await expect(remove(it, "one")).rejects.toMatchObject({ code: "WORKTREE_IN_USE" })
    const { rescue } = await remove(it, "one", { force: true })
    expect(git(it.root, "show", `${rescue}:src/a.ts`)).toBe("one")
  })

  test("[WORKTREES-12] stale base: work is compared with the current base, and the forecast sees it", async () => {
    await using it = await scene()
    const stale = git(it.root, "rev-parse", "HEAD")
    commit(it.root, "moved", { "src/a.ts": "moved\n" })
    const { worktree } = await it.room.create({ name: "one", from: stale }, CALL)
    const apart = await session("one", worktree.path)
    await apart.edit("src/a.ts", "one\n")
    await apart.shell("git commit -q -am one")
    const other = (await it.room.create({ name: "two" }, CALL)).worktree
    expect(git(other.path, "log", "-1", "--format=%s")).toBe("moved")
    const named = await it.room.create({ name: "three", from: "main" }, CALL)
    commit(named.worktree.path, "more", { "src/a.ts": "three\n" })
    commit(it.root, "again", { "src/a.ts": "again\n" })
    expect(await it.room.check({ name: "three" }, CALL)).toMatchObject({
      behind: 1,
      base: { conflicts: ["src/a.ts"] },
      others: [
        { with: "one", conflicts: ["src/a.ts"] },
        { with: "two", conflicts: [] },
      ],
    })
    await expect(remove(it, "three")).rejects.toMatchObject({ code: "WORKTREE_UNMERGED" })
  })

  test("[WORKTREES-12] shared index: no commit takes what the other staged", async () => {
    await using it = await scene()
    await it.one.edit("src/a.ts", "half\n")
    await it.one.shell("git add src/a.ts")
    await it.one.edit("src/a.ts", "whole\n")
    await it.two.edit("src/b.ts", "two\n")
    for (const command of ["git add -A", "git commit -am two", "git commit -m two", "git reset -q"])
      expect(await it.two.shell(command), command).toContain("session one")
    expect(await it.two.shell("git commit -q -m two -- src/b.ts")).toBeUndefined()
    expect(git(it.root, "show", "--name-only", "--format=", "HEAD")).toBe("src/b.ts")
    expect(git(it.root, "diff", "--cached", "--name-only")).toBe("src/a.ts")
    expect(it.one.read("src/a.ts")).toBe("whole\n")
  })

  test("[WORKTREES-12] nested repository: its history is not deleted with the worktree", async () => {
    await using it = await scene()
    const { worktree } = await it.room.create({ name: "one" }, CALL)
    const apart = await session("one", worktree.path)
    mkdirSync(join(worktree.path, "vendor", "lib"), { recursive: true })
    await apart.shell("cd vendor/lib && git init -q && git commit -q --allow-empty -m theirs")
    for (const how of [{}, { force: true }, { keepBranch: true, force: true }]) {
      const code = "force" in how ? "WORKTREE_HAS_REPOSITORY" : "WORKTREE_IN_USE"
      await expect(remove(it, "one", how)).rejects.toMatchObject({ code })
    }
    expect(git(join(worktree.path, "vendor", "lib"), "log", "--format=%s")).toBe("theirs")
  })

  test("[WORKTREES-12] clean of ignored files: databases and env files of the other stay", async () => {
    await using it = await scene()
    it.file(".env", "KEY=1\n")
    await it.one.edit("local.db", "rows\n")
    expect(await it.two.shell("git clean -fdx")).toContain("not in git")
    expect(it.one.read("local.db")).toBe("rows\n")
    const { worktree } = await it.room.create({ name: "apart" }, CALL)
    it.file("node_modules/x/index.js", "", worktree.path)
    it.file(".env", "KEY=changed\n", worktree.path)
    await expect(remove(it, "apart")).rejects.toMatchObject({ code: "WORKTREE_UNMERGED" })
    it.file(".env", "KEY=1\n", worktree.path)
    await remove(it, "apart")
    expect([existsSync(worktree.path), existsSync(join(it.root, ".env"))]).toEqual([false, true])
  })
})
