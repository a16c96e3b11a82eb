import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { defineError } from "#ground/base"
import { commit, git } from "#test/git"
import { tempDirectory } from "#test/temp"
import { explain, runCli } from "./cli.ts"
import type { EntryCall } from "./entry-points.ts"
import { renderBar } from "./render/bar.ts"
import { createScreen, safeJson, wantsColor } from "./terminal/screen.ts"

/** The server has its own tests; here each entry point only records its call. */
const DOORS = {
  up: async (call: EntryCall) => (call.say(`up ${JSON.stringify(call.input)}`), 0),
  open: async () => 0,
  token: async () => 0,
  mcp: async (call: EntryCall) => (call.say(`mcp ${JSON.stringify(call.input)}`), 0),
  acp: async () => 0,
  hook: async () => 0,
  statusline: async () => 0,
  keep: async () => 0,
  attack: async () => [],
}

/** A user with a fresh home and project. */
async function atTerminal(options: { isTerminal?: boolean; keys?: string[] } = {}) {
  const temp = await tempDirectory()
  const project = path.join(temp.path, "project")
  await mkdir(project)
  const interrupted = new AbortController()
  const isTerminal = options.isTerminal ?? false
  async function type(...argv: string[]) {
    const seen = { stdout: "", stderr: "" }
    const sink = (name: "stdout" | "stderr") => ({
      write: (text: string) => void (seen[name] += text),
      isTerminal,
      columns: 80,
    })
    const code = await runCli({
      argv,
      environment: { HOME: temp.path, PATH: process.env["PATH"] },
      directory: project,
      stdout: sink("stdout"),
      stderr: sink("stderr"),
      signal: interrupted.signal,
      entryPoints: DOORS,
      ...(options.keys && { readKey: async () => options.keys?.shift() }),
    })
    return { code, ...seen }
  }
  return Object.assign(temp, { project, type, interrupt: () => interrupted.abort() })
}

describe("results", () => {
  test("[CLI-6] `qm doctor` prints its report, and a failed check is exit code 1", async () => {
    await using person = await atTerminal()
    expect(await person.type("doctor")).toMatchObject({ code: 0, stderr: "" })
    const wrong = await person.type("--set", "tokens.window=1", "doctor")
    expect(wrong).toMatchObject({ code: 1, stderr: "" })
    expect(wrong.stdout).toContain("flag --set tokens.window")
    expect(wrong.stdout).toMatch(/2 checks failed, \d warnings?\.\n$/)
  })

  test("[CLI-9] `qm store` backs up, restores and checks the store, and `qm events` lists the restore", async () => {
    await using person = await atTerminal()
    expect((await person.type("store", "status")).stdout).toContain(
      "create one with `qm store backup`",
    )
    expect((await person.type("store", "backup")).stdout).toMatch(/^Backed up to .+ kB\.\n$/)
    expect((await person.type("store", "restore")).stdout).toMatch(/^Restored 1 event from/)
    expect((await person.type("store", "check")).stdout).toBe("ok  2 events checked\n")
    expect((await person.type("events", "--name", "store.r")).stdout).toContain("store.restored")
    expect((await person.type("events", "--name", "zzz")).stdout).toBe("No events match.\n")
  })

  test("[CLI-7] `qm tokens` prints counts and draws them against a budget", async () => {
    await using person = await atTerminal()
    await writeFile(path.join(person.project, "a.md"), "one two three")
    await writeFile(path.join(person.project, "b.md"), "four")
    const { stdout } = await person.type("tokens", "a.md", "b.md", "--budget", "8")
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "Tokens  Size  Share   File",
      "     4  13 B  50.0 %  a.md",
      "     2  4 B   25.0 %  b.md",
      "     6  17 B  75.0 %  total",
    ])
    expect(stdout).toContain("files 6   │ budget 8")
  })

  test("[APP-4] `qm config show` prints values and, with --sources, origins", async () => {
    await using person = await atTerminal()
    expect((await person.type("config", "show", "tokens")).stdout).toContain(
      "qm config show --sources",
    )
    const { stdout } = await person.type(
      "config",
      "show",
      "store",
      "--sources",
      "--set",
      "store.databaseUrl=postgres://u:hidden@h/d",
    )
    expect(stdout).toContain("[hidden]")
    expect(stdout).not.toContain("u:hidden")
    expect((await person.type("config", "check")).stdout).toContain("no problems")
    expect((await person.type("config", "check", "--set", "x.y=1")).code).toBe(1)
  })

  test("[CLI-8] `qm tour` runs capture, search and pack on this repository and names the run command", async () => {
    await using person = await atTerminal()
    git(person.project, "init", "-q", "-b", "main")
    commit(person.project, "fix(quote): round quotes half to even", {
      "quote.ts": "export function roundQuote(value: number) {\n  return Math.round(value)\n}\n",
    })
    const { code, stdout } = await person.type("tour")
    expect(code).toBe(0)
    expect(stdout.match(/^\$ .+$/gm)).toEqual([
      "$ qm capture",
      '$ qm search "round quotes half to even" --limit 5',
      '$ qm pack "round quotes half to even" --budget 8000',
      '$ qm run "round quotes half to even" --mode plan',
    ])
    expect(stdout).toContain("roundQuote")
  })

  test("[CLI-8] without a usable commit `qm tour` asks about a file of the project, not of a tool", async () => {
    await using person = await atTerminal()
    git(person.project, "init", "-q", "-b", "main")
    const rules = JSON.stringify(Array.from({ length: 40 }, (_, i) => ({ deny: `command ${i}` })))
    commit(person.project, "start", {
      ".qm/permissions.json": rules,
      "quote.ts": "export const quote = 1\n",
    })
    const { stdout } = await person.type("tour")
    expect(stdout).toContain('$ qm search "how does quote work" --limit 5')
  })

  test("[CLI-35] `qm` alone at a terminal shows agents, the capture and next steps", async () => {
    await using person = await atTerminal({ isTerminal: true })
    expect((await person.type()).stdout, "outside git: the short help").toContain("qm help --all")
    git(person.project, "init", "-q", "-b", "main")
    commit(person.project, "first", { "CLAUDE.md": "Use spaces.\n" })
    const { code, stdout } = await person.type("--color", "never")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Quartermaster in .+\/project\n/)
    expect(stdout).toMatch(/Before the first prompt, .+ (?:loads|would load) [\d,]+ tokens/)
    expect(stdout).toMatch(/Next\n[^]*(?:qm run "What is this\?"|qm hosts)/)
    await using pipe = await atTerminal()
    git(pipe.project, "init", "-q", "-b", "main")
    expect((await pipe.type()).stdout).toContain("qm help --all")
  })

  test("[CLI-35] `qm` alone offers to import stored sessions, and y imports them", async () => {
    await using person = await atTerminal({ isTerminal: true, keys: ["y"] })
    git(person.project, "init", "-q", "-b", "main")
    commit(person.project, "first", { "a.ts": "1\n" })
    const name = person.project.replaceAll(/[^A-Za-z0-9]/g, "-")
    const folder = path.join(person.path, ".claude/projects", name)
    await mkdir(folder, { recursive: true })
    const sessionId = "0f3c2a9e-1111-4222-8333-444455556666"
    const line = (type: string, content: string) =>
      JSON.stringify({
        type,
        sessionId,
        cwd: person.project,
        uuid: `${type}-1`,
        parentUuid: null,
        timestamp: "2026-11-15T08:00:00.000Z",
        message: { role: type, content },
      })
    const lines = [line("user", "Explain the tariff"), line("assistant", "It is a table.")]
    await writeFile(path.join(folder, `${sessionId}.jsonl`), `${lines.join("\n")}\n`)
    const { stdout } = await person.type("--color", "never")
    expect(stdout).toContain("1 session of claude-code in this repository")
    expect(stdout).toContain("1 session imported")
    const runs = await person.type("runs", "--json")
    expect(JSON.parse(runs.stdout)).toMatchObject({ runs: [{ title: "Explain the tariff" }] })
  })

  test("[CLI-3] --json prints the output itself, and -v logs to stderr", async () => {
    await using person = await atTerminal()
    const { stdout, stderr } = await person.type("store", "status", "--json", "-v")
    expect(JSON.parse(stdout)).toMatchObject({ dialect: "sqlite", events: 1 })
    expect(stderr).toMatch(/info {2}"?operation done"? name=store\.status/)
  })
})

describe("help, version, completion", () => {
  test("[CLI-4] help is printed for a command, a group and an empty line; help for an unknown command fails", async () => {
    await using person = await atTerminal()
    expect((await person.type("help", "store")).stdout).toContain("store backup")
    expect((await person.type("help", "store", "backup")).stdout).toMatch(
      /^Usage {2}qm store backup/,
    )
    expect((await person.type("help")).stdout).toBe((await person.type()).stdout)
    expect((await person.type("version")).stdout).toBe((await person.type("--version")).stdout)
    expect((await person.type("status")).stdout).toMatch(/^Repository  project/)
    expect((await person.type("help", "zzz")).code).toBe(1)
  })

  test("[CLI-7] `qm --version` prints the versions a bug report needs", async () => {
    await using person = await atTerminal()
    expect((await person.type("--version")).stdout).toMatch(/^qm \d.+\(node \d.+, sqlite \d/)
    expect(JSON.parse((await person.type("--version", "--json")).stdout)).toHaveProperty("sqlite")
  })

  test("[CLI-5] `qm complete` prints candidates, and the completion script of each shell calls it", async () => {
    await using person = await atTerminal()
    expect((await person.type("complete", "--", "st")).stdout).toMatch(
      /^stop\t.+\nstatus\t.+\nstore\t.+\nstatusline\t.+\n$/,
    )
    expect((await person.type("help", "--man")).stdout).toMatch(/^\.TH QM 1 /)
    for (const shell of ["bash", "zsh", "fish"]) {
      expect((await person.type("completion", shell)).stdout).toContain("qm complete --")
    }
  })
})

test("[CLI-12] an entry point gets the parsed flags as its input", async () => {
  await using person = await atTerminal()
  expect(await person.type("up", "--port", "0", "--no-open")).toEqual({
    code: 0,
    stdout: 'up {"port":0,"open":false}\n',
    stderr: "",
  })
  expect((await person.type("mcp", "--tools", "core,board")).stdout).toBe(
    'mcp {"tools":["core,board"]}\n',
  )
  expect((await person.type("mcp", "--help")).stdout).toContain("  claude mcp add qm -- qm mcp\n")
})

describe("errors", () => {
  test("[CLI-10] an expected error prints message, arrow, hint and code", async () => {
    await using person = await atTerminal()
    expect(await person.type("docter")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'There is no command "docter".\n  → Did you mean `qm doctor`?  [CLI_UNKNOWN_COMMAND]\n',
    })
    const asJson = await person.type("docter", "--json")
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: "CLI_UNKNOWN_COMMAND" } })
  })

  test("[CLI-10] a bug prints its stack and exits with 70", () => {
    const plain = createScreen({ isColored: false, columns: undefined })
    const { text, exitCode, wire } = explain(new Error("broken \u001b[2J"), plain)
    expect([exitCode, wire.code]).toEqual([70, "BUG"])
    expect(text).toMatch(/^Error: broken \\x1b\[2J\n[^]+This is a bug in Quartermaster/)
    expect(explain("just text", plain).exitCode).toBe(70)
  })

  test("[CLI-10] too many open files are no bug", () => {
    const plain = createScreen({ isColored: false, columns: undefined })
    const { exitCode, wire } = explain(new Error("EMFILE: too many open files, open 'a'"), plain)
    expect([exitCode, wire.code]).toEqual([1, "CLI_TOO_MANY_FILES"])
  })

  test("[CLI-10] a renamed error is sent with its former code", () => {
    const plain = createScreen({ isColored: false, columns: undefined })
    const Renamed = defineError<object>()("NEW_CODE", {
      formerCode: "OLD_CODE",
      family: "invalid",
      message: () => "It failed.",
      hint: () => "Try again.",
    })
    expect(explain(Renamed({}), plain).wire).toMatchObject({
      code: "NEW_CODE",
      formerCode: "OLD_CODE",
    })
  })

  test("[CLI-10] an interrupted command exits with 130 and prints nothing", async () => {
    await using person = await atTerminal()
    await writeFile(path.join(person.project, "a.md"), "x")
    person.interrupt()
    expect(await person.type("tokens", "a.md")).toEqual({ code: 130, stdout: "", stderr: "" })
  })
})

describe("the screen", () => {
  test("[CLI-11] colours appear on a terminal only, or when requested", async () => {
    const on = { choice: "auto", isTerminal: true, environment: {} }
    expect(wantsColor(on)).toBe(true)
    expect(wantsColor({ ...on, isTerminal: false })).toBe(false)
    expect(wantsColor({ ...on, environment: { NO_COLOR: "1" } })).toBe(false)
    expect(wantsColor({ ...on, environment: { TERM: "dumb" } })).toBe(false)
    expect(wantsColor({ ...on, isTerminal: false, environment: { FORCE_COLOR: "1" } })).toBe(true)
    expect(wantsColor({ ...on, choice: "never" })).toBe(false)
    await using person = await atTerminal({ isTerminal: true })
    expect((await person.type("--help")).stdout).toContain("\u001b[1mqm\u001b[0m")
    expect((await person.type("--help", "--color", "never")).stdout).not.toContain("\u001b")
  })

  test("[CLI-11] the bar is readable without colours: a block, a name and a number for each kind", () => {
    const screen = createScreen({ isColored: false, columns: 64 })
    const segments = [
      { kind: "instructions", tokens: 6_100 },
      { kind: "tools", tokens: 5_600 },
      { kind: "history", tokens: 800 },
    ] as const
    expect(renderBar(segments, 20_000, screen)).toMatchInlineSnapshot(`
      "▦▦▦▦▦▦▦▦▦▦▦▦▦▦███████████████▩▩···················│·········
      ▦ tools 5.6k   █ instructions 6.1k   ▩ history 800
      │ budget 20.0k"
    `)
    expect(renderBar([], 1_000, screen).split("\n")[0]).toMatch(/^·+│·+$/)
    expect(renderBar([{ kind: "files", tokens: 90_000 }], 10, screen)).toContain("budget 10")
  })

  test("[S7] JSON on a terminal keeps its value, with control characters escaped", () => {
    const value = { a: "x\u001b[2J\u202e\u{e0041}ü", "k\u009b": ["\u200b"] }
    const text = safeJson(value)
    expect(JSON.parse(text)).toEqual(value)
    expect(text).toMatch(/^[\P{C}\n]*$/u)
    expect(text).toContain("ü")
  })
})
