import { execFileSync, spawnSync } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { createSessions } from "#know/ledger"
import { locateRepository } from "#see/repo"
import { COMPILE_CACHE, childFile } from "#test/child"
import { needs } from "#test/needs"
import { LAUNCHER } from "#test/qm"
import { tempDirectory } from "#test/temp"
import { planGitHooks, planGitHooksRemoval } from "./plan.ts"

const HOOK_PROGRAM = childFile(new URL("../../../../test/kit/git-hook.child.ts", import.meta.url))
const GIT = execFileSync("sh", ["-c", "command -v git"]).toString().trim()

type Answer = { readonly code: number | null; readonly out: string; readonly err: string }

async function newPerson() {
  const temp = await tempDirectory()
  const qm = path.join(temp.path, "qm")
  writeFileSync(
    qm,
    `#!/bin/sh\nexport NODE_COMPILE_CACHE='${COMPILE_CACHE}'\nexec '${process.execPath}' '${HOOK_PROGRAM}' "$@"\n`,
    { mode: 0o755 },
  )
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: temp.path,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@example.invalid",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@example.invalid",
    GIT_EDITOR: "true",
    QM_TEST_GIT: GIT,
  }
  function tryIn(root: string, args: readonly string[], more: Record<string, string> = {}): Answer {
    const done = spawnSync(GIT, ["-c", "protocol.file.allow=always", ...args], {
      cwd: root,
      env: { ...env, ...more },
      encoding: "utf8",
    })
    return { code: done.status, out: done.stdout.trimEnd(), err: done.stderr }
  }
  function gitIn(root: string, ...args: readonly string[]): string {
    const { code, out, err } = tryIn(root, args)
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${err}`)
    return out
  }
  const userGit = async (root: string) => ({
    file: GIT,
    repository: await locateRepository(root),
    environment: env,
    signal: new AbortController().signal,
  })
  return Object.assign(temp, {
    qm,
    tryIn,
    gitIn,
    userGit,
    repository(name = "project"): string {
      const root = path.join(temp.path, name)
      mkdirSync(root)
      gitIn(root, "init", "-q", "-b", "main")
      return root
    },
    async install(root: string, program = qm): Promise<void> {
      const git = await userGit(root)
      await (await planGitHooks(git, { qm: program })).write()
      mkdirSync(git.repository.stateDirectory, { recursive: true })
      writeFileSync(path.join(git.repository.stateDirectory, "kit.json"), '{"version":1}')
    },
    async register(root: string, slug: string): Promise<string> {
      const { repository } = await userGit(root)
      const { stateDirectory } = repository
      const redact = (text: string) => text
      const sessions = createSessions({ root: () => root, stateDirectory, redact })
      const entry = { slug, date: "2026-11-16", request: slug, done: [], decisions: [] }
      return (await sessions.register({ ...entry, finalState: "" })).file
    },
  })
}

function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
}

function ownHook(root: string, name: string, lines: string): void {
  writeFileSync(path.join(root, ".git/hooks", name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
}

describe.runIf(needs("S5", "git"))("running the git hooks", () => {
  test("[GITHOOKS-11] [GITHOOKS-15] a rejected message comes with the fix, and the override works", async () => {
    await using person = await newPerson()
    const root = person.repository()
    await person.install(root)
    put(root, { "a.txt": "1\n" })
    person.gitIn(root, "add", "-A")
    const refused = person.tryIn(root, ["commit", "-m", "updated \u001b[31mstuff"])
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("Commit message rejected: it does not start with")
    expect(refused.err).toContain("QM_SKIP=commit-msg git commit")
    expect(refused.err).toContain("[KIT_COMMIT_MESSAGE_REFUSED]")
    expect(refused.err).not.toContain("\u001b")
    expect(person.tryIn(root, ["rev-parse", "HEAD"]).code).not.toBe(0)
    const escape = { QM_SKIP: "pre-push, commit-msg" }
    expect(person.tryIn(root, ["commit", "-q", "-m", "updated stuff"], escape).code).toBe(0)
    const fine = ["commit", "-q", "--allow-empty", "-m", "feat: add a hook"]
    expect(person.tryIn(root, fine)).toEqual({ code: 0, out: "", err: "" })
    expect(person.tryIn(root, ["commit", "-q", "--allow-empty", "--fixup=HEAD"]).code).toBe(0)
  })

  test("[GITHOOKS-8] [GITHOOKS-15] `qm hook commit-msg` rejects from level 3 on", async () => {
    await using person = await newPerson()
    const { mine, theirs } = await twoClones(person)
    await person.install(mine, LAUNCHER)
    const bad = ["commit", "-q", "--allow-empty", "-m", "bad"]
    expect(person.tryIn(mine, bad)).toEqual({ code: 0, out: "", err: "" })
    put(mine, { ".qm/config.json": '{ "kit": { "level": 3 } }' })
    const refused = person.tryIn(mine, bad)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("MESSAGE_REFUSED]")])
    put(theirs, { "a.txt": "theirs\n" })
    person.gitIn(theirs, "commit", "-q", "-a", "-m", "feat: theirs")
    person.gitIn(theirs, "push", "-q", "origin", "main")
    person.gitIn(mine, "fetch", "-q", "origin")
    put(mine, { "a.txt": "mine\n" })
    person.gitIn(mine, "commit", "-q", "-a", "-m", "feat: mine")
    const push = person.tryIn(mine, ["push", "-q", "origin", "HEAD:refs/heads/topic"])
    expect([push.code, push.err]).toEqual([1, expect.stringContaining("\n    a.txt\n")])
    // Starts the whole of qm eight times.
  })

  test("[GITHOOKS-8] hooks print nothing without an installed kit or when git works in another repository", async () => {
    await using person = await newPerson()
    const root = person.repository()
    await person.install(root)
    const bad = ["commit", "-q", "--allow-empty", "-m", "bad"]
    expect(person.tryIn(root, bad).code).toBe(1)
    const other = person.repository("other")
    const dir = ["--git-dir", path.join(root, ".git"), "--work-tree", other]
    const debug = { QM_HOOK_DEBUG: "1" }
    const elsewhere = person.tryIn(other, [...dir, ...bad], debug)
    expect([elsewhere.code, elsewhere.err]).toEqual([
      0,
      expect.stringContaining("is not installed"),
    ])
    put(other, { ".git/qm/kit.json": "{}" })
    expect(person.tryIn(other, [...dir, ...bad], debug).err).toContain("a repository other than")
    rmSync(path.join(root, ".git/qm/kit.json"))
    expect(person.tryIn(root, bad)).toEqual({ code: 0, out: "", err: "" })
  })

  test("[GITHOOKS-3] the user's hook runs first with the same arguments and input, and its failure is final", async () => {
    await using person = await newPerson()
    const root = person.repository()
    const log = path.join(person.path, "log")
    ownHook(root, "commit-msg", `echo "own $#: $(cat "$1")" >> '${log}'; exit "\${OWN_CODE:-0}"`)
    const remote = path.join(person.path, "remote.git")
    person.gitIn(person.path, "init", "-q", "--bare", remote)
    person.gitIn(root, "remote", "add", "origin", remote)
    ownHook(root, "pre-push", `echo "own push $1"; cat >> '${log}'`)
    await person.install(root)

    const commit = ["commit", "-q", "--allow-empty", "-m"]
    expect(person.tryIn(root, [...commit, "bad"]).code).toBe(1)
    expect(readFileSync(log, "utf8")).toBe("own 1: bad\n")
    const failed = person.tryIn(root, [...commit, "bad again"], { OWN_CODE: "7" })
    expect([failed.code, failed.err]).toEqual([1, ""])
    expect(person.tryIn(root, [...commit, "feat: fine"]).code).toBe(0)

    rmSync(log)
    const pushed = person.tryIn(root, ["push", "origin", "main"], { QM_HOOK_DEBUG: "1" })
    expect(pushed.code).toBe(0)
    const head = person.gitIn(root, "rev-parse", "HEAD")
    expect(readFileSync(log, "utf8")).toBe(
      `refs/heads/main ${head} refs/heads/main ${"0".repeat(40)}\n`,
    )
    // This note needs the branch name, so our hook read the same standard input.
    expect(pushed.err).toContain("qm pre-push: main: it has no base branch to compare with")
    expect(`${pushed.out}${pushed.err}`).toContain("own push origin")
  })

  test("[GITHOOKS-7] git continues when qm is missing or broken, and a chain of hooks cannot loop", async () => {
    await using person = await newPerson()
    const root = person.repository()
    const log = path.join(person.path, "log")
    ownHook(root, "commit-msg", `echo own >> '${log}'; [ -z "$CIRCLE" ] || "$CIRCLE" "$@"`)
    await person.install(root)
    const bad = ["commit", "-q", "--allow-empty", "-m", "bad"]
    const circle = { CIRCLE: ".git/hooks/commit-msg" }
    expect(person.tryIn(root, bad, circle).code).toBe(1)
    expect(readFileSync(log, "utf8")).toBe("own\n")
    writeFileSync(person.qm, "#!/bin/sh\necho broken >&2\nexit 70\n")
    expect(person.tryIn(root, bad)).toMatchObject({ code: 0, err: "broken\nbroken\n" })
    rmSync(person.qm)
    expect(person.tryIn(root, bad)).toEqual({ code: 0, out: "", err: "" })
    expect(readFileSync(log, "utf8")).toBe("own\n".repeat(3))
  })

  test("[GITHOOKS-9] pre-commit stages the indices with committed memory, from the first commit on", async () => {
    await using person = await newPerson()
    const root = person.repository()
    await person.install(root)
    const first = await person.register(root, "first words")
    rmSync(path.join(root, ".qm/memory/SESSIONS.md"))
    put(root, { "a.txt": "1\n", "b.txt": "not staged\n" })
    person.gitIn(root, "add", first, "a.txt")
    person.gitIn(root, "commit", "-q", "-m", "docs: a session")
    const indices = [".qm/memory/SESSIONS.md", ".qm/memory/WORKSPACE.md"]
    const listed = () => person.gitIn(root, "ls-tree", "-r", "--name-only", "HEAD").split("\n")
    expect(listed().toSorted()).toEqual([...indices, "a.txt", first].toSorted())
    expect(person.gitIn(root, "status", "--porcelain")).toBe("?? b.txt")
    expect(person.gitIn(root, "show", `HEAD:${indices[0]}`)).toContain("first words")

    const second = await person.register(root, "second words")
    person.gitIn(root, "add", "b.txt")
    person.gitIn(root, "commit", "-q", "-m", "feat: b")
    expect(person.gitIn(root, "show", "--name-only", "--format=", "HEAD")).toBe("b.txt")
    person.gitIn(root, "add", second)
    person.gitIn(root, "commit", "-q", "--all", "-m", "docs: another session")
    expect(person.gitIn(root, "status", "--porcelain")).toBe("")
    expect(person.gitIn(root, "show", `HEAD:${indices[0]}`)).toContain("second words")
  })

  test("[GITHOOKS-9] ignored indices are not staged, and another user's index stops nothing", async () => {
    await using person = await newPerson()
    const root = person.repository()
    await person.install(root)
    put(root, { ".gitignore": "SESSIONS.md\nWORKSPACE.md\n" })
    const file = await person.register(root, "words")
    person.gitIn(root, "add", ".gitignore", file)
    person.gitIn(root, "commit", "-q", "-m", "docs: a session")
    const names = person.gitIn(root, "ls-tree", "-r", "--name-only", "HEAD").split("\n")
    expect(names.toSorted()).toEqual([".gitignore", file])
    put(root, { ".qm/memory/SESSIONS.md": "mine\n" })
    appendFileSync(path.join(root, file), "more\n")
    const debug = { QM_HOOK_DEBUG: "1" }
    const answer = person.tryIn(root, ["commit", "-q", "-a", "-m", "docs: more"], debug)
    expect(answer.code).toBe(0)
    expect(answer.err).toContain("qm pre-commit:")
    expect(readFileSync(path.join(root, ".qm/memory/SESSIONS.md"), "utf8")).toBe("mine\n")
  })

  test("[GITHOOKS-10] a commit of selected paths gets nothing added and shows nothing as deleted", async () => {
    await using person = await newPerson()
    const root = person.repository()
    const file = await person.register(root, "words")
    person.gitIn(root, "add", "-A")
    person.gitIn(root, "commit", "-q", "-m", "docs: a session")
    await person.install(root)
    const text = readFileSync(path.join(root, file), "utf8")
    writeFileSync(path.join(root, file), text.replaceAll("words", "other words"))
    person.gitIn(root, "commit", "-q", "-m", "docs: words", "--", file)
    expect(person.gitIn(root, "show", "--name-only", "--format=", "HEAD")).toBe(file)
    const status = person.gitIn(root, "status", "--porcelain")
    expect(status).toBe(" M .qm/memory/SESSIONS.md\n M .qm/memory/WORKSPACE.md")
  })

  test("[GITHOOKS-10] a rebase and a merge with conflicts are left untouched", async () => {
    await using person = await newPerson()
    const root = person.repository()
    const bare = (message: string) => person.gitIn(root, "commit", "-q", "-a", "-m", message)
    put(root, { "a.txt": "1\n" })
    person.gitIn(root, "add", "-A")
    bare("start without a type")
    person.gitIn(root, "checkout", "-q", "-b", "topic")
    put(root, { "a.txt": "topic\n" })
    bare("topic without a type")
    const file = await person.register(root, "on topic")
    person.gitIn(root, "add", file)
    bare("memory without a type")
    person.gitIn(root, "checkout", "-q", "main")
    put(root, { "a.txt": "main\n" })
    bare("main without a type")
    await person.install(root)

    person.gitIn(root, "checkout", "-q", "topic")
    expect(person.tryIn(root, ["rebase", "main"]).code).toBe(1)
    put(root, { "a.txt": "both\n" })
    person.gitIn(root, "add", "a.txt")
    expect(person.tryIn(root, ["rebase", "--continue"]).code).toBe(0)
    const subjects = person.gitIn(root, "log", "--format=%s", "main..topic")
    expect(subjects).toBe("memory without a type\ntopic without a type")
    expect(person.gitIn(root, "show", "--name-only", "--format=", "HEAD")).toBe(file)

    // Stops in the middle of a rebase, when only the rebase folder shows that one is in progress.
    const halt = { GIT_SEQUENCE_EDITOR: "sed -i s/^pick/edit/" }
    expect(person.tryIn(root, ["rebase", "-q", "-i", "HEAD~1"], halt).code).toBe(0)
    const amended = ["commit", "-q", "--amend", "-m", "memory, still without a type"]
    expect(person.tryIn(root, amended)).toMatchObject({ code: 0, err: "" })
    expect(person.tryIn(root, ["rebase", "--continue"]).code).toBe(0)

    person.gitIn(root, "checkout", "-q", "main")
    put(root, { "a.txt": "again\n" })
    person.gitIn(root, "commit", "-q", "-a", "-m", "feat: again")
    expect(person.tryIn(root, ["merge", "-q", "topic"]).code).toBe(1)
    put(root, { "a.txt": "merged\n" })
    person.gitIn(root, "add", "a.txt")
    expect(person.tryIn(root, ["commit", "-q", "-m", "joined"])).toMatchObject({ code: 0, err: "" })
  })

  test("[GITHOOKS-1] hooks run in a worktree and on a detached HEAD", async () => {
    await using person = await newPerson()
    const root = person.repository()
    await person.install(root)
    person.gitIn(root, "commit", "-q", "--allow-empty", "-m", "feat: start")
    const tree = path.join(person.path, "tree")
    person.gitIn(root, "worktree", "add", "-q", "--detach", tree)
    expect(person.tryIn(tree, ["commit", "-q", "--allow-empty", "-m", "bad"]).code).toBe(1)
    const file = await person.register(tree, "in the tree")
    person.gitIn(tree, "add", file)
    person.gitIn(tree, "commit", "-q", "-m", "docs: a session")
    const names = person.gitIn(tree, "show", "--name-only", "--format=", "HEAD").split("\n")
    expect(names).toEqual([".qm/memory/SESSIONS.md", ".qm/memory/WORKSPACE.md", file])
    expect(existsSync(path.join(root, ".qm"))).toBe(false)
    const plan = await planGitHooksRemoval(await person.userGit(tree))
    expect(plan.changes.map((it) => it.action)).toEqual(["remove", "remove", "remove"])
    await plan.write()
    expect(person.tryIn(tree, ["commit", "-q", "--allow-empty", "-m", "bad"]).code).toBe(0)
  })

  test("[GITHOOKS-13] [GITHOOKS-15] a push that conflicts with another clone is rejected, a clean push passes", async () => {
    await using person = await newPerson()
    const { mine, theirs } = await twoClones(person)
    put(theirs, { "a.txt": "theirs\n", "dir/\u00e4 b.txt": "theirs\n" })
    person.gitIn(theirs, "commit", "-q", "-a", "-m", "feat: theirs")
    person.gitIn(theirs, "push", "-q", "origin", "main")

    person.gitIn(mine, "checkout", "-q", "-b", "topic")
    put(mine, { "a.txt": "mine\n", "dir/\u00e4 b.txt": "mine\n" })
    person.gitIn(mine, "commit", "-q", "-a", "-m", "feat: mine")
    // Only the remote has the other commit: the hook fetches it.
    const refused = person.tryIn(mine, ["push", "-q", "origin", "topic"])
    const objects = countObjects(mine)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("topic conflicts with origin/main in 2 files:")
    expect(refused.err).toContain("\n    a.txt\n    dir/\u00e4 b.txt\n")
    expect(refused.err).toContain("QM_SKIP=pre-push git push")
    expect(refused.err).toContain("[KIT_PUSH_CONFLICTS]")
    expect(person.tryIn(mine, ["push", "-q", "origin", "topic:refs/heads/again"]).code).toBe(1)

    expect(countObjects(mine)).toBe(objects)
    person.tryIn(mine, ["merge", "-q", "origin/main"])
    put(mine, { "a.txt": "both\n", "dir/\u00e4 b.txt": "both\n" })
    person.gitIn(mine, "commit", "-q", "-a", "-m", "chore: join")
    expect(person.tryIn(mine, ["push", "-q", "origin", "topic"])).toMatchObject({
      code: 0,
      err: "",
    })
    person.gitIn(mine, "checkout", "-q", "-b", "clean", "HEAD~1")
    expect(person.tryIn(mine, ["push", "-q", "origin", "--delete", "topic"]).code).toBe(0)
  })

  test("[GITHOOKS-9] [GITHOOKS-13] repositories with SHA-256 objects work as well", async () => {
    await using person = await newPerson()
    const { mine, theirs } = await twoClones(person, "sha256")
    put(theirs, { "a.txt": "theirs\n" })
    person.gitIn(theirs, "commit", "-q", "-a", "-m", "feat: theirs")
    person.gitIn(theirs, "push", "-q", "origin", "main")
    person.gitIn(mine, "fetch", "-q", "origin")
    person.gitIn(mine, "checkout", "-q", "-b", "topic")
    put(mine, { "a.txt": "mine\n" })
    const file = await person.register(mine, "words")
    person.gitIn(mine, "add", "a.txt", file)
    person.gitIn(mine, "commit", "-q", "-m", "feat: mine")
    expect(person.gitIn(mine, "status", "--porcelain")).toBe("")
    const refused = person.tryIn(mine, ["push", "-q", "origin", "topic"])
    expect(refused.err).toContain("in 1 file:\n    a.txt\n")
  })

  test("[GITHOOKS-13] overrides, tracking branches, tags and forced pushes are handled", async () => {
    await using person = await newPerson()
    const { mine, theirs } = await twoClones(person)
    put(theirs, { "a.txt": "theirs\n" })
    person.gitIn(theirs, "commit", "-q", "-a", "-m", "feat: theirs")
    person.gitIn(theirs, "push", "-q", "origin", "main:release")
    person.gitIn(mine, "fetch", "-q", "origin")
    person.gitIn(mine, "checkout", "-q", "-b", "topic")
    put(mine, { "a.txt": "mine\n" })
    person.gitIn(mine, "commit", "-q", "-a", "-m", "feat: mine")
    expect(person.tryIn(mine, ["push", "-q", "origin", "topic"]).code).toBe(0)
    person.gitIn(mine, "branch", "-q", "--set-upstream-to", "origin/release")
    const push = ["push", "-q", "origin", "topic:refs/heads/second"]
    expect(person.tryIn(mine, push).err).toContain("second conflicts with origin/release")
    person.gitIn(mine, "tag", "v1")
    expect(person.tryIn(mine, ["push", "-q", "origin", "v1"]).code).toBe(0)
    expect(person.tryIn(mine, push, { QM_SKIP: "pre-push" }).code).toBe(0)
    person.gitIn(mine, "branch", "-q", "--set-upstream-to", "origin/second")
    put(mine, { "a.txt": "mine, otherwise\n" })
    person.gitIn(mine, "commit", "-q", "-a", "--amend", "-m", "feat: mine, otherwise")
    const forced = ["push", "-q", "--force", "origin", "topic:refs/heads/second"]
    expect(person.tryIn(mine, forced)).toMatchObject({ code: 0, err: "" })
  })

  test("[GITHOOKS-13] without a known base the push passes, and QM_HOOK_DEBUG=1 prints the reason", async () => {
    await using person = await newPerson()
    const { mine, remote } = await twoClones(person)
    const debug = { QM_HOOK_DEBUG: "1" }
    person.gitIn(mine, "checkout", "-q", "--orphan", "unrelated")
    person.gitIn(mine, "commit", "-q", "-m", "feat: another root")
    const unrelated = person.tryIn(mine, ["push", "-q", "origin", "unrelated"], debug)
    expect([unrelated.code, unrelated.err]).toEqual([0, expect.stringContaining("could not try")])
    const url = person.tryIn(mine, ["push", "-q", remote, "HEAD:refs/heads/by-url"], debug)
    expect([url.code, url.err]).toEqual([0, expect.stringContaining("no base branch")])
    const shallow = path.join(person.path, "shallow")
    person.gitIn(person.path, "clone", "-q", "--depth=1", `file://${remote}`, shallow)
    await person.install(shallow)
    const cut = person.tryIn(shallow, ["push", "-q", "origin", "HEAD:refs/heads/cut"], debug)
    expect([cut.code, cut.err]).toEqual([0, expect.stringContaining("shallow")])
  })

  test("[GITHOOKS-16] pre-push fetches from the push's own remote, and says when it could not", async () => {
    await using person = await newPerson()
    const { mine, theirs, remote } = await twoClones(person)
    put(theirs, { "a.txt": "theirs\n" })
    person.gitIn(theirs, "commit", "-q", "-a", "-m", "feat: theirs")
    person.gitIn(theirs, "push", "-q", "origin", "main")
    person.gitIn(mine, "checkout", "-q", "-b", "topic")
    put(mine, { "a.txt": "mine\n" })
    person.gitIn(mine, "commit", "-q", "-a", "-m", "feat: mine")
    const push = ["push", "-q", "origin", "topic"]

    const off = person.tryIn(mine, push, { QM_TEST_FETCH: "no" })
    expect([off.code, off.err]).toEqual([
      0,
      "qm: compared with the last fetch, because kit.fetch is off\n",
    ])
    person.gitIn(mine, "push", "-q", "origin", "--delete", "topic")

    // Another remote is fetched for a push to it, and the first one is not asked.
    const fork = path.join(person.path, "fork.git")
    person.gitIn(person.path, "clone", "-q", "--bare", remote, fork)
    person.gitIn(mine, "remote", "add", "fork", fork)
    person.gitIn(mine, "fetch", "-q", "fork")
    const before = person.gitIn(mine, "rev-parse", "origin/main")
    const toFork = person.tryIn(mine, ["push", "-q", "fork", "topic"])
    expect(toFork.err).toContain("topic conflicts with fork/main in 1 file:")
    expect(person.gitIn(mine, "rev-parse", "origin/main")).toBe(before)

    const gone = path.join(person.path, "gone.git")
    person.gitIn(mine, "config", "remote.origin.url", gone)
    person.gitIn(mine, "config", "remote.origin.pushurl", remote)
    const late = person.tryIn(mine, push)
    expect(late.code).toBe(0)
    expect(late.err).toContain("qm: compared with the last fetch, because origin was not fetched:")
    expect(late.err).toContain("gone.git")
  })

  test("[GITHOOKS-16] [S5] the fetch of pre-push starts no program of the repository", async () => {
    await using person = await newPerson()
    const { mine, remote } = await twoClones(person)
    const canary = path.join(person.path, "canary")
    const evil = path.join(person.path, "evil")
    writeFileSync(evil, `#!/bin/sh\ntouch '${canary}'\nexec git-upload-pack "$@"\n`, {
      mode: 0o755,
    })
    person.gitIn(mine, "checkout", "-q", "-b", "topic")
    for (const name of ["origin", "second"]) {
      person.gitIn(mine, "config", `remote.${name}.url`, remote)
      person.gitIn(mine, "config", `remote.${name}.uploadpack`, evil)
    }
    for (const key of ["core.sshCommand", "core.fsmonitor", "core.askPass", "core.gitProxy"])
      person.gitIn(mine, "config", key, evil)
    person.gitIn(mine, "config", "credential.helper", `!${evil}`)
    const quiet = ["-c", "core.fsmonitor=false"]
    const push = [...quiet, "push", "-q", "origin", "topic"]
    expect(person.tryIn(mine, push)).toMatchObject({ code: 0, err: "" })
    person.gitIn(mine, "config", "remotes.origin", "origin second")
    const grouped = person.tryIn(mine, [...push.slice(0, -1), "topic:refs/heads/grouped"])
    expect([grouped.code, grouped.err]).toEqual([
      0,
      expect.stringContaining("origin is a group of remotes"),
    ])
    expect(existsSync(canary)).toBe(false)
    // The control: git itself starts the program.
    person.tryIn(mine, [...quiet, "fetch", "second"])
    expect(existsSync(canary)).toBe(true)
  })

  test("[GITHOOKS-14] [REPO-22] [S5] a forecast starts no program of the repository, and files with a merge driver do not conflict", async () => {
    await using person = await newPerson()
    const { mine, theirs } = await twoClones(person)
    put(theirs, { "a.txt": "theirs\n" })
    person.gitIn(theirs, "commit", "-q", "-a", "-m", "feat: theirs")
    person.gitIn(theirs, "push", "-q", "origin", "main")
    person.gitIn(mine, "fetch", "-q", "origin")
    person.gitIn(mine, "checkout", "-q", "-b", "topic")
    const canary = path.join(person.path, "canary")
    person.gitIn(mine, "config", "merge.evil.driver", `touch '${canary}'; exit 1`)
    person.gitIn(mine, "config", "core.fsmonitor", `touch '${canary}'`)
    person.gitIn(mine, "config", "filter.evil.clean", `touch '${canary}'; cat`)
    put(mine, { "a.txt": "mine\n", ".gitattributes": "a.txt merge=evil\n" })
    const quiet = ["-c", "core.fsmonitor=false"]
    person.gitIn(mine, ...quiet, "add", "-A")
    person.gitIn(mine, ...quiet, "commit", "-q", "-m", "feat: mine")
    const push = [...quiet, "push", "-q", "origin", "topic"]
    expect(person.tryIn(mine, push)).toMatchObject({ code: 0, err: "" })
    expect(existsSync(canary)).toBe(false)

    // With `merge=union` git takes the lines of both sides without a conflict.
    const again = (text: string) => {
      put(mine, { ".gitattributes": text })
      person.gitIn(mine, ...quiet, "commit", "-q", "-a", "-m", "chore: attributes")
      return person.tryIn(mine, [...quiet, "push", "-q", "origin", "topic:refs/heads/again"])
    }
    expect(again("a.txt text\n").err).toContain("\n    a.txt\n")
    expect(again("a.txt merge=union\n").code).toBe(0)

    put(mine, { ".gitattributes": "*.md filter=evil\n" })
    const file = await person.register(mine, "words")
    const plain = [...quiet, "-c", "filter.evil.clean=cat"]
    person.gitIn(mine, ...plain, "add", ".gitattributes", file)
    expect(person.tryIn(mine, [...plain, "commit", "-q", "-m", "docs: words"]).code).toBe(0)
    expect(person.gitIn(mine, ...plain, "show", "--name-only", "--format=", "HEAD")).toContain(
      "SESSIONS.md",
    )
    expect(existsSync(canary)).toBe(false)
  })
})

type Person = Awaited<ReturnType<typeof newPerson>>

async function twoClones(person: Person, format = "sha1") {
  const remote = path.join(person.path, "remote.git")
  const [mine, theirs] = [path.join(person.path, "mine"), path.join(person.path, "theirs")]
  const seed = path.join(person.path, "seed")
  person.gitIn(person.path, "init", "-q", "-b", "main", `--object-format=${format}`, seed)
  put(seed, { "a.txt": "1\n", "dir/\u00e4 b.txt": "1\n", "c.txt": "1\n" })
  person.gitIn(seed, "add", "-A")
  person.gitIn(seed, "commit", "-q", "-m", "feat: start")
  person.gitIn(person.path, "clone", "-q", "--bare", seed, remote)
  for (const clone of [mine, theirs]) person.gitIn(person.path, "clone", "-q", remote, clone)
  await person.install(mine)
  return { remote, mine, theirs }
}

function countObjects(root: string): number {
  return readdirSync(path.join(root, ".git/objects"), { recursive: true }).length
}
