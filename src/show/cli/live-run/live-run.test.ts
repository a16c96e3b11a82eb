import { mkdir } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { createApp } from "#show/app"
import { tempDirectory } from "#test/temp"
import { runCli } from "../cli.ts"
import { startFields, startInput } from "./live-run.ts"

const DOORS = {
  up: async () => 0,
  open: async () => 0,
  token: async () => 0,
  mcp: async () => 0,
  acp: async () => 0,
  hook: async () => 0,
  statusline: async () => 0,
  keep: async () => 0,
  attack: async () => [],
}

type Options = {
  readonly columns?: number
  readonly isTerminal?: boolean
  /** One key for each question. */
  readonly keys?: readonly string[]
}

/** A user who runs agents; each command line gets its own app, like a process. */
async function person(options: Options = {}) {
  const temp = await tempDirectory()
  const project = path.join(temp.path, "project")
  await mkdir(project)
  const environment = { HOME: temp.path, PATH: process.env["PATH"] }
  const keys = [...(options.keys ?? [])]
  const interrupted = new AbortController()
  let heard = Promise.withResolvers<void>()
  const seen = { stdout: "", stderr: "" }
  const sink = (name: "stdout" | "stderr") => ({
    write(text: string) {
      seen[name] += text
      heard.resolve()
      heard = Promise.withResolvers()
    },
    isTerminal: options.isTerminal ?? false,
    columns: options.columns ?? 80,
  })
  async function type(...argv: string[]) {
    seen.stdout = ""
    seen.stderr = ""
    const code = await runCli({
      argv,
      environment,
      directory: project,
      stdout: sink("stdout"),
      stderr: sink("stderr"),
      signal: interrupted.signal,
      entryPoints: DOORS,
      ...(keys.length === 0 ? {} : { readKey: async () => keys.shift() }),
    })
    return { code, ...seen }
  }
  return Object.assign(temp, {
    project,
    type,
    interrupt: () => interrupted.abort(),
    async until(text: string): Promise<void> {
      while (!seen.stdout.includes(text)) await heard.promise
    },
    open: () => createApp({ directory: project, environment, settings: [], writeLog: () => {} }),
  })
}

const SYNTHETIC = ["--agent", "synthetic"]
const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split("\n")
    .map((it): unknown => JSON.parse(it))
const linesAfterTime = (text: string): string[] => text.match(/(?<=^\d\d:\d\d:\d\d ).+/gm) ?? []
const endless = JSON.stringify({ after: 600_000, event: "turn.ended", outcome: "completed" })

describe("qm run", () => {
  test("[CLI-14] qm run prints a run line by line and its outcome at the end", async () => {
    await using user = await person()
    const { code, stdout, stderr } = await user.type("run", "x", ...SYNTHETIC, "--script", "happy")
    expect([code, stderr]).toEqual([0, ""])
    expect(linesAfterTime(stdout)).toEqual([
      "› x",
      "· Session started: synthetic-1, mode ask",
      "· Context: 0 files",
      "· CLAUDE.md, instructions",
      "● I will look at the failing test first.",
      "✓ Read src/total.ts  40 ms",
      "▸ Find who calls total",
      expect.stringMatching(/^ {2}✓ Grep total\( {2}\d+ ms$/),
      "  ● One caller, in the cart.",
      "✓ Find who calls total  110 ms  1.8k tokens",
      expect.stringMatching(/^✓ Edit src\/total\.ts {2}\+2 −1 {2}\d+ ms$/),
      "✓ npm test  120 ms",
      "● The total of an empty list is now 0, and the tests pass.",
    ])
    expect(stdout).toMatch(
      /\n✓ Completed after .+, 1 turn, \$0\.05 \(scripted\), 14\.9k tokens\nContext 14\.3k/,
    )
    expect(stdout).toContain("█ instructions 6.1k")
    expect(stdout).not.toContain("\u001b")
    expect(stdout).not.toContain("\r")
  })

  test("[CLI-15] on a terminal text streams, and the last row is drawn in place", async () => {
    await using user = await person({ isTerminal: true })
    const { stdout } = await user.type("run", "x", ...SYNTHETIC, "--script", "happy")
    expect(stdout).toContain("\r\u001b[J")
    expect(stdout).toMatch(/npm test.+\d s · /)
    // Two rows in place: streaming text and the live row.
    expect(stdout).toContain("\r\u001b[1A\u001b[J")
    const own = /\u001b\[(?:\d*[AJ]|(?:0|1|2|31|32|33|38;5;\d+)m)|\r/g
    expect(stdout.replace(own, "")).toMatch(/^[\P{C}\n]*$/u)
  })

  test("[CLI-17] a failed run is exit code 1, one stopped by its budget 3", async () => {
    await using user = await person()
    const failed = await user.type("run", "x", ...SYNTHETIC, "--script", "error")
    expect(failed.code).toBe(1)
    expect(failed.stdout).toContain("! The model did not respond (529); retry 1 of 2 follows.")
    expect(failed.stdout).toContain("✗ Failed after")
    const budget = ["--budget-tokens", "10"]
    const spent = await user.type("run", "x", ...SYNTHETIC, "--script", "happy", ...budget)
    expect(spent.code).toBe(3)
    expect(spent.stdout).toContain("the budget is spent")
    expect(spent.stdout).toMatch(/■ Stopped after .+ tokens of 10/)
  })

  test("[CLI-17] Ctrl-C stops our own run, prints so, and is exit code 130", async () => {
    await using user = await person()
    const ended = user.type("run", "x", ...SYNTHETIC, "--script", endless)
    await user.until("Session started")
    user.interrupt()
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(stdout).toContain("Stopping. Press Ctrl-C again to exit at once.")
    expect(stdout).toContain("■ Stopped after")
  })

  test("[CLI-18] --json prints a line for each message and one for the end", async () => {
    await using user = await person({ isTerminal: true })
    const { code, stdout, stderr } = await user.type("run", "x", ...SYNTHETIC, "--json")
    expect([code, stderr]).toEqual([0, ""])
    const lines = linesOf(stdout)
    expect(lines.slice(0, -1).map((it) => Object(it).message.seq)).toEqual(
      lines.slice(0, -1).map((_, i) => i + 1),
    )
    expect(lines.at(-1)).toMatchObject({
      type: "end",
      run: { status: "completed", lastSeq: lines.length - 1 },
    })
  })

  test("[CLI-18] 500 messages at once are printed completely and in order", async () => {
    await using user = await person()
    const step = { event: "message", type: "assistant", text: "again" }
    const flood = Array.from({ length: 500 }, () => JSON.stringify(step)).join("\n")
    const { stdout } = await user.type("run", "x", ...SYNTHETIC, "--script", flood, "--json")
    const messages = linesOf(stdout).slice(0, -1)
    expect(messages.map((it) => Object(it).message.seq)).toEqual(messages.map((_, i) => i + 1))
    expect(messages.filter((it) => Object(it).message.content === "again")).toHaveLength(500)
  })

  test("[CLI-16] at a terminal a question is answered with a key", async () => {
    await using user = await person({ isTerminal: true, keys: ["q", "y", "n"] })
    const asked = await user.type("run", "x", ...SYNTHETIC, "--script", "approvals")
    expect(asked.code).toBe(0)
    expect(asked.stdout).toContain("Allow? [y]es once, [a]lways, [n]o: Edit src/total.ts")
    expect(asked.stdout).toMatch(/Allowed: Edit src\/total\.ts[^]+Denied: npm test/)
  })

  test("[CLI-2] a run that cannot be started prints an error, and nothing is stored", async () => {
    await using user = await person()
    const wrong = await user.type("run", " ", ...SYNTHETIC)
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("[CLI_RUN_INVALID]")])
    const env = await user.type("run", "x", ...SYNTHETIC, "--env", "novalue")
    expect(env.stderr).toContain("[CLI_RUN_INVALID]")
    const outside = await user.type("run", "x", ...SYNTHETIC, "--cwd", "/")
    expect(outside.stderr).toContain("[AGENTS_DIRECTORY_UNUSABLE]")
    expect((await user.type("runs")).stdout).toContain(
      'Start one with `qm run "What does this repository do?"`.',
    )
  })

  test("[CLI-1] a prompt after `--` may look like a flag", async () => {
    await using user = await person()
    const { stdout } = await user.type("run", ...SYNTHETIC, "--", "--looks like a flag")
    expect(stdout).toContain("› --looks like a flag")
  })
})

test("[CLI-14] qm run resolves --cwd against the current directory, and sends only given fields", () => {
  const typed = { prompt: " x ", type: "codex", cwd: "sub", env: ["A=b=c"], detach: true }
  expect(startFields(typed, "/here")).toEqual({
    prompt: " x ",
    type: "codex",
    cwd: "/here/sub",
    env: ["A=b=c"],
  })
  expect(startInput(typed, "/here")).toEqual({
    type: "codex",
    prompt: "x",
    configuration: { cwd: "/here/sub", mode: "ask", env: { A: "b=c" } },
  })
})

describe("several terminals", () => {
  test("[CLI-19] another process answers a run's approval and stops the run", async () => {
    await using user = await person()
    await using other = await user.open()
    const ended = user.type("run", "x", ...SYNTHETIC, "--script", "approvals")
    await user.until("Answer: qm approve apr_")
    const signal = AbortSignal.timeout(60_000)
    const { approvals } = Object(await other.call("agents.approvals", {}, { signal }))
    await other.call("agents.answer", { id: approvals[0].id, decision: "allow" }, { signal })
    await user.until("Allowed: Edit src/total.ts")
    await other.call("agents.stop", { id: approvals[0].runId }, { signal })
    const { code, stdout } = await ended
    expect(code).toBe(3)
    expect(stdout).toContain("■ Stopped after")
  })

  test("[CLI-19] `qm send` resumes an ended run, and `qm attach` shows all of it or the part after --tail or --after", async () => {
    await using user = await person()
    const first = await user.type("run", "one", ...SYNTHETIC)
    const id = /run_\w+/.exec(first.stdout)?.[0] ?? ""
    const sent = await user.type("send", id, "two")
    expect(sent.code).toBe(0)
    expect(sent.stdout).toContain("● You said: two")
    expect(sent.stdout).not.toContain("You said: one")
    expect(sent.stdout).toContain("✓ Completed after")
    const whole = await user.type("attach", id)
    expect(linesAfterTime(whole.stdout).filter((it) => it.startsWith("●"))).toEqual([
      "● You said: one",
      "● You said: two",
    ])
    const tail = await user.type("attach", id, "--tail", "4")
    expect(tail.stdout).toContain("You said: two")
    expect(tail.stdout).not.toContain("You said: one")
    expect((await user.type("attach", id, "--after", "1000")).stdout).not.toContain("You said")
    expect((await user.type("stop", id)).stdout).toBe(`${id} had already ended: completed.\n`)
    expect(JSON.parse((await user.type("stop", id, "--json")).stdout)).toMatchObject({ id })
    expect((await user.type("attach")).stderr).toContain("[CLI_NOTHING_RUNS]")
    expect((await user.type("attach", "run_none")).stderr).toContain("[AGENTS_RUN_UNKNOWN]")
    const late = await user.type("approve", "apr_none")
    expect(late.stderr).toContain("[AGENTS_APPROVAL_UNKNOWN]")
  })

  test("[CLI-17] Ctrl-C does not stop a run of another process", async () => {
    await using user = await person()
    await using other = await user.open()
    const run = await (await other.agents()).start(
      { type: "synthetic", prompt: "x", configuration: { mode: "ask", script: endless } },
      { isHere: true },
    )
    const watched = user.type("attach")
    await user.until("Session started")
    user.interrupt()
    const { code, stdout } = await watched
    expect(code).toBe(130)
    expect(stdout).toContain(`The run continues: qm attach ${run.id}`)
    expect((await (await other.agents()).get(run.id)).status).toBe("running")
  })
})

test.each([0, 1, 12])("[CLI-14] qm run completes on a terminal of %i columns", async (columns) => {
  await using me = await person({ isTerminal: true, columns })
  const { code, stderr } = await me.type("run", ...SYNTHETIC, "--script", "happy", "go")
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
})
