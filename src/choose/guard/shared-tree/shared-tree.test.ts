import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import { treeName, worktreeSession } from "#know/ledger"
import { hookFixture } from "#test/hook-fixture"
import { createOverrides } from "../overrides.ts"
import { concurrency } from "../rules/concurrency.ts"

const MINUTE_MS = 60_000

async function scene() {
  const it = await hookFixture()
  // File times are real, so the clock of this fixture must be close to them.
  it.clock.setWall(Date.now())
  return Object.assign(it, {
    ask: (command: string, directory = it.root) => {
      const event = it.event("before-tool", { tool: "Bash", paths: [], command })
      return concurrency.judge({ ...event, directory }, it)
    },
    edit: (session: string, path: string, root = it.root) =>
      it.ledger.modified(session, { path, tool: "Edit", tree: treeName(root) }),
    open: (session: string, root = it.root) =>
      it.ledger.opened(session, "claude-code", treeName(root)),
  })
}

const DENIED = [
  "git switch main",
  "git checkout main",
  "git checkout -b next",
  "cd src && git checkout main",
  'bash -c "git reset --hard HEAD~1"',
  "GIT_PAGER=cat git -c color.ui=false reset --hard",
  "git reset origin/main",
  "npm test; git stash",
  "git stash -u",
  "git stash pop",
  "echo $(git stash drop)",
  "git clean -fdx",
  "git rebase main",
  "git restore .",
  "git checkout -- src/theirs.ts",
  "git checkout HEAD~1 src",
  "git add -A && git commit -m mine",
  "git add .",
  'git commit -am "mine"',
  "git commit -m mine",
  "git commit --amend --no-edit",
  "git reset",
  "/usr/bin/git symbolic-ref HEAD refs/heads/next",
]

const ALLOWED = [
  "git status",
  "git log --oneline",
  "git diff main",
  "git checkout -- src/mine.ts",
  "git restore --staged src/mine.ts",
  "git restore src/mine.ts",
  "git add src/mine.ts",
  "git commit -m 'git reset --hard' -- src/mine.ts",
  'git commit -m "switch to cents" src/mine.ts',
  "git stash list",
  "git stash push -- src/mine.ts",
  "git clean -n",
  "git reset -- src/mine.ts",
  "echo 'git switch main'",
  "grep -r 'git checkout' docs",
  "git -C ../elsewhere switch main",
  "rm -rf node_modules",
  "npm test",
]

describe("a shell command in a worktree that another session works in", () => {
  test("[GUARD-81] commands that discard, switch or mix work are denied, others are not", async () => {
    await using it = await scene()
    await it.edit("theirs", "src/theirs.ts")
    await it.edit("mine", "src/mine.ts")
    await it.write("src/theirs.ts", "")
    await it.write("src/mine.ts", "")
    const verdicts = new Map<string, string>()
    for (const command of [...DENIED, ...ALLOWED])
      verdicts.set(command, (await it.ask(command)).kind)
    const denied = [...verdicts].flatMap(([command, kind]) => (kind === "deny" ? [command] : []))
    expect(denied).toEqual(DENIED)
  })

  test("[GUARD-81] the denial names the session, its files and what to do instead", async () => {
    await using it = await scene()
    await it.edit("theirs", "src/theirs.ts")
    const verdict = await it.ask("git switch main")
    const text = verdict.kind === "silent" ? "" : verdict.text
    expect(text.replace(/active .*?\./, "active NOW.")).toMatchInlineSnapshot(`
      "Command blocked: \`git switch main\` switches the branch, and session theirs works there. theirs was last active NOW. It edited src/theirs.ts.
      Work in a worktree of your own, such as \`qm worktree new my-task\`.
      Only with the user's approval: \`qm override . --reason "WHY"\`, with the user's reason for WHY. The override is logged."
    `)
  })

  test("[GUARD-81] a session that only started there counts; its own and ended sessions do not", async () => {
    await using it = await scene()
    await it.edit("mine", "src/mine.ts")
    expect(await it.ask("git switch main")).toEqual({ kind: "silent" })
    await it.open("theirs")
    expect(await it.ask("git switch main")).toMatchObject({ kind: "deny" })
    expect(await it.ask("git commit -m mine")).toEqual({ kind: "silent" })
    it.clock.setWall(Date.now() + 31 * MINUTE_MS)
    expect(await it.ask("git switch main")).toEqual({ kind: "silent" })
  })

  test("[GUARD-81] a session in another worktree matters for commands that reach it", async () => {
    await using it = await scene()
    const other = join(it.root, "..", "other")
    await it.open("theirs", other)
    await it.edit("theirs", "src/theirs.ts", other)
    expect(await it.ask("git switch main")).toEqual({ kind: "silent" })
    for (const command of [
      `git -C ${other} reset --hard`,
      `cd ${other} && git switch main`,
      `git worktree remove --force ${other}`,
      `rm -rf ${other}`,
      "git stash pop",
    ])
      expect(await it.ask(command), command).toMatchObject({ kind: "deny" })
  })

  test("[GUARD-81] an override of the whole repository permits the command", async () => {
    await using it = await scene()
    await it.open("theirs")
    const overrides = createOverrides({ ...it, ids: createIds({ ...it, random: systemRandom }) })
    await overrides.allow({ paths: ["."], reason: "they are done", minutes: 10 })
    expect(await it.ask("git switch main")).toMatchObject({
      kind: "override",
      text: expect.stringContaining("they are done"),
    })
  })

  test("[GUARD-82] a claim of a worktree binds sessions outside it, not those that work in it", async () => {
    await using it = await scene()
    const edit = () =>
      concurrency.judge(it.event("before-edit", { tool: "Edit", paths: ["src/a.ts"] }), it)
    await it.claim(worktreeSession(join(it.root, "..", "other")), "src")
    expect(await edit()).toMatchObject({ kind: "deny" })
    const [claim] = it.claims.list()
    if (claim !== undefined) await it.claims.release(claim)
    await it.claim(worktreeSession(it.root), "src")
    expect(await edit()).toEqual({ kind: "silent" })
  })
})
