import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { PipelineRun } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { runCli } from "../cli.ts"

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

type TerminalInput = { readonly keys?: readonly string[]; readonly stdin?: string }

/** A user with a folder of documents; each command line gets its own app, like a process. */
async function person() {
  const temp = await tempDirectory()
  const project = path.join(temp.path, "project")
  await mkdir(path.join(project, "docs"), { recursive: true })
  const handbook = "# Handbook\n\n## 1 Berths\n\n1.1 A berth costs ten crowns a day.\n"
  await writeFile(path.join(project, "docs", "handbook.md"), handbook)
  async function type(argv: readonly string[], { keys, stdin }: TerminalInput = {}) {
    const seen = { stdout: "", stderr: "" }
    const sink = (name: "stdout" | "stderr") => ({
      write: (text: string) => void (seen[name] += text),
      isTerminal: keys !== undefined,
      columns: 80,
    })
    const pressed = [...(keys ?? [])]
    const code = await runCli({
      argv,
      environment: { HOME: temp.path, PATH: process.env["PATH"] },
      directory: project,
      stdout: sink("stdout"),
      stderr: sink("stderr"),
      signal: new AbortController().signal,
      entryPoints: DOORS,
      ...(keys === undefined ? {} : { readKey: async () => pressed.shift() }),
      ...(stdin === undefined ? {} : { readStdin: async () => stdin }),
    })
    return { code, ...seen }
  }
  expect((await type(["kb", "add", "docs"])).code).toBe(0)
  return Object.assign(temp, { type })
}

const ASK = ["pipeline", "run", "deep-research", "What does a berth cost?"]

test("[CLI-26] without a terminal a pause is printed with its answers, and each answer resumes the run", async () => {
  await using it = await person()
  const asked = await it.type(ASK)
  expect(asked.code).toBe(0)
  expect(asked.stdout).toContain("Analyze query\n  · LLM Analysis")
  expect(asked.stdout).toContain("qm pipeline resume p-1")
  const amended = await it.type(["pipeline", "amend", "p-1", "only berths"])
  expect(amended.stdout).toMatch(/Analyze query.*\n/)
  await it.type(["pipeline", "skip", "p-1"])
  const shown = await it.type(["pipeline", "show", "p-1", "--json"])
  const { run } = JSON.parse(shown.stdout)
  expect(PipelineRun.parse(run)).toMatchObject({ status: "completed", isPartial: true })
  const said = await it.type(["pipeline", "say", "p-1", "What does a berth cost?"])
  expect(said).toMatchObject({ code: 0, stderr: "" })
  expect(said.stdout, "a word after the end is answered, nothing is drawn anew").not.toContain("●")
})

test("[CLI-26] at a terminal 1 proceeds, 2 amends and 3 asks for confirmation before it exits", async () => {
  await using it = await person()
  const keys = ["x", "2", "s", "hort", "\r", "3", "1"]
  const left = await it.type(ASK, { keys })
  expect(left.code).toBe(0)
  expect(left.stdout).toMatch(/What should be different\?.* .*short\n/)
  expect(left.stdout).toContain("ended early")
  const rerun = await it.type(["pipeline", "rerun", "p-1", "0", "--json"], { keys: ["1"] })
  expect(PipelineRun.parse(JSON.parse(rerun.stdout))).toMatchObject({ id: "p-2", status: "paused" })
  const quit = await it.type(ASK, { keys: ["q"] })
  expect(quit.stdout).toContain("‖")
})

test("[CLI-26] a failed pipeline is exit code 1, and a stopped one cannot be resumed", async () => {
  await using it = await person()
  const failed = await it.type([...ASK, "--auto", "--set", "model.provider=anthropic"])
  expect(failed.code).toBe(1)
  expect(failed.stdout).toContain("ANTHROPIC_API_KEY")
  await it.type(ASK)
  const stopped = await it.type(["pipeline", "stop", "p-2"])
  expect(stopped.stdout).toContain("○ stopped")
  const over = await it.type(["pipeline", "resume", "p-2"])
  expect(over).toMatchObject({ code: 1 })
  expect(over.stderr).toContain("PIPELINE_ENDED")
})

test("[CLI-27] a credential is read from stdin or typed without echo, and never printed", async () => {
  await using it = await person()
  const value = `not-a-key-${Math.trunc(performance.now())}-${"x".repeat(8)}`
  const piped = await it.type(["credential", "set", "anthropic"], { stdin: `${value}\n` })
  const typed = await it.type(["credential", "set", "openai"], { keys: [value, "\r"] })
  const listed = await it.type(["credential"])
  const all = [piped, typed, listed].map((one) => one.stdout + one.stderr).join("")
  expect(all).not.toContain(value)
  expect(listed.stdout).toContain("anthropic")
  expect(listed.stdout).toContain("openai")
  const none = await it.type(["credential", "set", "azure"], { stdin: "\n" })
  expect(none.stderr).toContain("CLI_CREDENTIAL_EMPTY")
})

test("[CLI-26] `qm send` follows the pipeline that takes the message, and the agent after its exit", async () => {
  await using it = await person()
  const run = await it.type(["run", "hello", "--agent", "synthetic", "--json"])
  const id = /"id":"(run_[^"]+)"/.exec(run.stdout)?.[1] ?? "none"
  const called = await it.type(["send", id, "@deep-research What does a berth cost?"])
  expect(called.stdout).toContain("Analyze query")
  expect(called.stdout).toContain("qm pipeline resume p-1")
  const asked = await it.type(["send", id, "never mind, what is a pilot?"])
  expect(asked.stdout).toContain("1 yes / 2 no")
  const left = await it.type(["send", id, "yes"])
  expect(left.stdout, "the agent answers what was asked").toContain("what is a pilot?")
  expect(left.stdout).toContain("ended early")
})
