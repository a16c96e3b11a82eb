import {
  chmodSync,
  chownSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { commit, git } from "#test/git"
import { editPayload, enrol, hookPayload, installHooks, runHookProcess } from "#test/hooks"
import { type TempDirectory, tempDirectory } from "#test/temp"

type Hooks = Awaited<ReturnType<typeof installHooks>>
let temp: TempDirectory
let hooks: Hooks
let repo: string

beforeAll(async () => {
  temp = await tempDirectory()
  hooks = await installHooks(temp.path)
  repo = newRepository("repo")
  enrol(repo)
})
afterAll(async () => temp[Symbol.asyncDispose]())

const QUIET = { code: 0, stdout: "", stderr: "" }

function newRepository(name: string): string {
  const root = path.join(temp.path, name)
  mkdirSync(root)
  git(root, "init", "-q")
  commit(root, "first", { "src/a.ts": "a\n" })
  return root
}

function ledgerOf(root: string): string {
  return readAll(path.join(root, ".git", "qm", "ledger"))
}

function readAll(folder: string): string {
  const names = globSync("**", { cwd: folder, withFileTypes: true })
  const files = names.filter((it) => it.isFile())
  return files.map((it) => readFileSync(path.join(it.parentPath, it.name), "utf8")).join("")
}

describe("payloads", () => {
  test.for([
    ["an empty payload", ""],
    ["garbage", "\0\u001B]52;x{{{"],
    ["an array", "[1,2]"],
    ["truncated JSON", '{"session_id":'],
    ["an empty object", "{}"],
  ] as const)("[HOOKS-1] %s gives no output", async ([, payload]) => {
    expect(await hooks.run({ payload })).toEqual(QUIET)
  })

  test("[HOOKS-1] 100 MB are read to the end and dropped", async () => {
    const payload = Buffer.alloc(100_000_000, "x")
    expect(await hooks.run({ payload })).toEqual(QUIET)
  })

  test("[HOOKS-1] a hook does not wait for a stdin that never closes", async () => {
    expect(await hooks.run({ payload: undefined })).toEqual(QUIET)
  })

  test("[HOOKS-9] unknown events and unknown hosts give no output", async () => {
    const payload = hookPayload("Elicitation", { cwd: repo })
    expect(await hooks.run({ payload })).toEqual(QUIET)
    const known = hookPayload("SessionStart", { cwd: repo })
    for (const host of ["emacs", "", "--afterwards", "__proto__"]) {
      expect(await hooks.run({ payload: known, host })).toEqual(QUIET)
    }
  })

  test.for([
    ["slashes", "../../../etc/passwd"],
    ["a NUL", "a\0b"],
    ["10 kB", "x".repeat(10_000)],
    ["a lone surrogate", "\uD800"],
    ["a line break", 'a\n{"kind":"nudged"}'],
  ] as const)("[HOOKS-1] a hook accepts a session id with %s", async ([, session]) => {
    const payload = editPayload("PostToolUse", { cwd: repo, session }, "src/a.ts")
    expect(await hooks.run({ payload })).toEqual(QUIET)
    expect(ledgerOf(repo)).toContain(JSON.stringify(session))
    expect(git(repo, "status", "--porcelain")).toBe("")
  })

  test("[HOOKS-1] a hook accepts or skips paths of all kinds", async () => {
    const wild = ["", "a\0b", "../../out", "/etc/passwd", "x".repeat(9_000), "src", "."]
    for (const file of wild) {
      const payload = editPayload("PostToolUse", { cwd: repo, session: "wild" }, file)
      expect(await hooks.run({ payload })).toEqual(QUIET)
    }
    expect(ledgerOf(repo)).not.toMatch(/"path":"[^"]*(?:passwd|out)/)
  })

  test("[HOOKS-1] a hook prints the reason on stderr only with QM_HOOK_DEBUG", async () => {
    const told = await hooks.run({ payload: "x", env: { QM_HOOK_DEBUG: "1" } })
    expect(told).toMatchObject({ code: 0, stdout: "" })
    expect(told.stderr).toMatch(/^qm-hook: the payload is not JSON/)
  })

  test("[HOOKS-1] a hook gives no output without a home folder", async () => {
    const payload = hookPayload("SessionStart", { cwd: repo })
    const loose = path.join(temp.path, "loose.mjs")
    copyFileSync(hooks.bundle, loose)
    expect(await runHookProcess([loose], { payload })).toEqual(QUIET)
  })
})

describe("repositories and folders", () => {
  const edit = (cwd: string, session = "one") =>
    hooks.run({ payload: editPayload("PostToolUse", { cwd, session }, "src/a.ts") })

  test("[HOOKS-10] an enrolled repository has a ledger, from any of its folders", async () => {
    const root = newRepository("enrolled")
    enrol(root)
    const payload = editPayload("PostToolUse", { cwd: path.join(root, "src") }, "a.ts")
    expect(await hooks.run({ payload })).toEqual(QUIET)
    expect(ledgerOf(root)).toContain('"path":"src/a.ts"')
  })

  test("[TB6][HOOKS-10] nothing is read or written in a repository that is not enrolled", async () => {
    const root = newRepository("foreign")
    mkdirSync(path.join(root, ".qm/local"), { recursive: true })
    writeFileSync(path.join(root, ".qm/local/kit.json"), "{}")
    expect(await edit(root)).toEqual(QUIET)
    expect(readAll(path.join(root, ".git/qm"))).toBe("")
    expect(git(root, "status", "--porcelain", "-uall")).toBe("?? .qm/local/kit.json")
  })

  test("[HOOKS-10] without git a folder cannot be enrolled", async () => {
    const root = path.join(temp.path, "plain")
    mkdirSync(path.join(root, ".qm/local"), { recursive: true })
    writeFileSync(path.join(root, ".qm/local/kit.json"), "{}")
    expect(await edit(root)).toEqual(QUIET)
    expect(readAll(path.join(root, ".qm"))).toBe("{}")
  })

  test("[HOOKS-10] worktrees share the enrolment", async () => {
    const root = newRepository("with-trees")
    enrol(root)
    const tree = path.join(temp.path, "tree")
    git(root, "worktree", "add", "-q", tree)
    expect(await edit(tree, "in-tree")).toEqual(QUIET)
    expect(ledgerOf(root)).toContain("in-tree")
  })

  test("[HOOKS-11] a path through a symlink is recorded as that of the file", async () => {
    const link = path.join(temp.path, "link")
    symlinkSync(repo, link)
    const file = path.join(link, "src/a.ts")
    const payload = editPayload("PostToolUse", { cwd: repo, session: "linked" }, file)
    expect(await hooks.run({ payload })).toEqual(QUIET)
    const lines = ledgerOf(repo).split("\n")
    const edits = lines.filter((it) => it.includes('"path":"src/a.ts"'))
    expect(edits.length).toBeGreaterThan(0)
    expect(ledgerOf(repo)).not.toContain(link)
  })

  test("[HOOKS-11] a symlink inside the repository does not bypass a rule", async () => {
    symlinkSync("src", path.join(repo, "aside"))
    const file = path.join(repo, "aside", "around.ts")
    const payload = editPayload("PostToolUse", { cwd: repo, session: "around" }, file)
    expect(await hooks.run({ payload })).toEqual(QUIET)
    expect(ledgerOf(repo)).toContain('"path":"src/around.ts"')
    expect(ledgerOf(repo)).not.toContain("aside")
  })

  test.for([
    ["without commits", (root: string) => git(root, "init", "-q")],
    ["bare", (root: string) => git(root, "init", "-q", "--bare")],
    [
      "on a detached head",
      (root: string) => {
        git(root, "init", "-q")
        commit(root, "first", { "src/a.ts": "a\n" })
        git(root, "checkout", "-q", "--detach")
      },
    ],
    ["without git", () => {}],
    [
      "with a broken .git file",
      (root: string) => writeFileSync(path.join(root, ".git"), "gitdir: /nowhere"),
    ],
  ] as const)("[HOOKS-1] a hook gives no output in a repository %s", async ([name, make]) => {
    const root = path.join(temp.path, name)
    mkdirSync(root)
    make(root)
    const isRepository = name === "without commits" || name === "on a detached head"
    if (isRepository) enrol(root)
    for (const event of ["SessionStart", "Stop"]) {
      const said = await hooks.run({ payload: hookPayload(event, { cwd: root }) })
      expect(said).toMatchObject({ code: 0, stderr: "" })
      expectOneLine(said.stdout)
    }
    expect(await edit(root)).toEqual(QUIET)
  })

  test("[HOOKS-1] a hook gives no output for a folder that is missing, relative, or a file", async () => {
    for (const cwd of ["/nowhere/at/all", "src", "", "/etc/passwd", "a\0b"]) {
      expect(await edit(cwd)).toEqual(QUIET)
    }
  })
})

describe("damaged state", () => {
  const EVENTS = ["SessionStart", "PreToolUse", "PostToolUse", "SubagentStart", "Stop"]

  async function runAll(root: string, uid?: number): Promise<number> {
    let ended = 0
    for (const event of EVENTS) {
      const payload = {
        ...editPayload("PostToolUse", { cwd: root }, "src/a.ts"),
        agent_id: "a",
        agent_type: "Explore",
        hook_event_name: event,
      }
      const said = await hooks.run({ payload, uid })
      expect(said).toMatchObject({ code: 0, stderr: "" })
      expectOneLine(said.stdout)
      ended++
    }
    return ended
  }

  test("[HOOKS-1] an invalid config gives the defaults", async () => {
    const root = newRepository("garbage")
    enrol(root)
    mkdirSync(path.join(root, ".qm"))
    for (const text of ["{{{", "[]", '{"kit":{"level":"x"}}', '{"kit":[]}', "\0".repeat(1_000)]) {
      writeFileSync(path.join(root, ".qm/config.json"), text)
      await runAll(root)
    }
    expect(ledgerOf(root)).toContain('"path":"src/a.ts"')
  })

  test("[HOOKS-1] a hook ends with 0 when files and folders are swapped", async () => {
    const root = newRepository("mixed-up")
    const state = enrol(root)
    for (const name of ["ledger", "claims", "verdicts", "agents", "loaded", "receipts"]) {
      writeFileSync(path.join(state, name), "")
    }
    mkdirSync(path.join(root, ".qm/config.json"), { recursive: true })
    expect(await runAll(root)).toBe(EVENTS.length)
  })

  test("[HOOKS-1] a hook ends with 0 when the state folder cannot be read or written", async () => {
    const root = newRepository("locked")
    const state = enrol(root)
    // Root may access everything, so the test uses another user.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined
    chmodSync(temp.path, 0o755)
    for (const mode of [0o000, 0o555]) {
      chmodSync(state, mode)
      expect(await runAll(root, uid)).toBe(EVENTS.length)
      chmodSync(state, 0o700)
    }
    expect(readdirSync(state)).toEqual(["kit.json"])
    if (uid !== undefined) chownSync(state, uid, uid)
    await runAll(root, uid)
    expect(ledgerOf(root)).toContain('"path":"src/a.ts"')
  })

  test("[HOOKS-1] a hook ends with 0 with invalid ledgers and claims", async () => {
    const root = newRepository("spoiled")
    const state = enrol(root)
    await runAll(root)
    for (const folder of ["ledger", "verdicts"]) {
      const names = readdirSync(path.join(state, folder))
      expect(names).not.toEqual([])
      for (const name of names) writeFileSync(path.join(state, folder, name), "\0{{\n".repeat(99))
    }
    expect(await runAll(root)).toBe(EVENTS.length)
  })
})

function expectOneLine(stdout: string): void {
  if (stdout === "") return
  expect(stdout.split("\n")).toHaveLength(2)
  expect(JSON.parse(stdout)).toBeTypeOf("object")
}

describe("the hook bundle", () => {
  test("[HOOKS-5] the bundle is one file of less than 140 kB that imports nothing", () => {
    const source = readFileSync(hooks.bundle, "utf8")
    expect(source.length).toBeLessThan(140_000)
    expect(source).not.toMatch(/^import\b|\bimport\s*["({]|\brequire\(/m)
    const asked = source.matchAll(/getBuiltinModule\([`"']([^`"']+)[`"']\)/g)
    const names = [...asked].map((it) => it[1] ?? "")
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((it) => !it.startsWith("node:"))).toEqual([])
  })

  test("[HOOKS-5] the bundle loads no hashes, sockets or child processes at an edit", async () => {
    const probe = path.join(temp.path, "probe.mjs")
    writeFileSync(
      probe,
      `const asked = new Set()
      const real = process.getBuiltinModule
      process.getBuiltinModule = (name) => (asked.add(name), real(name))
      process.on("exit", () => real("node:fs").writeSync(2, [...asked].toSorted().join(" ")))
      await import(${JSON.stringify(hooks.bundle)})`,
    )
    const payload = editPayload("PostToolUse", { cwd: repo }, "src/a.ts")
    const env = { QM_HOME: hooks.home }
    const { stderr } = await runHookProcess([probe], { payload, env })
    expect(stderr).toBe("node:buffer node:events node:fs node:os node:path node:util")
  })
})
