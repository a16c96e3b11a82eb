import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, test } from "vitest"
import { isSameProcessAlive } from "#ground/base"
import { tempDirectory } from "#test/temp"
import { writeFakeHost } from "../../../../test/conformance/agents-fake-host.ts"
import type { Agent, CompleteOptions } from "../agent.ts"
import { claudeCode } from "../claude-code/claude-code.ts"
import { codex } from "../codex/codex.ts"
import { copilot } from "../copilot/copilot.ts"
import { synthetic } from "../synthetic/synthetic.ts"
import { completeOnce } from "./host-process.ts"

const optionsIn = (cwd: string, rest: Partial<CompleteOptions> = {}): CompleteOptions => ({
  cwd,
  prompt: "--help $(me)",
  environment: {},
  program: process.execPath,
  signal: new AbortController().signal,
  ...rest,
})

describe("one completion by a program", () => {
  test("the prompt goes to stdin, and the environment is the given one", async () => {
    await using folder = await tempDirectory()
    const script = `process.stdin.toArray().then((it) => console.log(it.join("") + "|" +
      process.argv.slice(1) + "|" + Object.keys(process.env).filter((it) => it !== "__CF_USER_TEXT_ENCODING") +
      "|" + process.cwd()))`
    const options = optionsIn(folder.path, { environment: { ONLY: "1" } })
    expect(await completeOnce(options, ["-e", script])).toBe(`--help $(me)||ONLY|${folder.path}\n`)
  })

  test.each([
    ["fails", `console.log("said"); process.exit(1)`],
    ["floods", `process.stdout.write("x".repeat(1e6))`],
    ["is killed", `process.kill(process.pid, "SIGKILL")`],
  ])("a program that %s gives no completion", async (_, script) => {
    await using folder = await tempDirectory()
    expect(await completeOnce(optionsIn(folder.path), ["-e", script])).toBeUndefined()
  })

  test("a missing program gives no completion", async () => {
    await using folder = await tempDirectory()
    const missing = join(folder.path, "missing")
    expect(await completeOnce(optionsIn(folder.path, { program: missing }), [])).toBeUndefined()
    expect(await completeOnce(optionsIn(missing), ["-e", ""])).toBeUndefined()
  })

  test("an aborted completion ends the program and its children", async () => {
    await using folder = await tempDirectory()
    const wanted = new AbortController()
    const pids = join(folder.path, "pids")
    const script = `const { spawn } = require("node:child_process")
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"])
      require("node:fs").writeFileSync(${JSON.stringify(pids)}, process.pid + " " + child.pid)
      setInterval(() => {}, 1e6)`
    const asked = completeOnce(optionsIn(folder.path, { signal: wanted.signal }), ["-e", script])
    const written = () => readFile(pids, "utf8").catch(() => "")
    await expect.poll(written).toMatch(/^\d+ \d+$/)
    const started = (await written()).split(" ")
    wanted.abort()
    expect(await asked).toBeUndefined()
    const alive = started.map((pid) =>
      isSameProcessAlive({ pid: Number(pid), startedAt: undefined }),
    )
    expect(alive).toEqual([false, false])
  })
})

async function printing(folder: string, text: string): Promise<string> {
  const script = join(folder, "host.mjs")
  await writeFile(script, `process.stdout.write(${JSON.stringify(text)})`)
  return writeFakeHost(folder, pathToFileURL(script), [])
}

async function answerTo(agent: Agent, text: string, environment = {}): Promise<string | undefined> {
  await using folder = await tempDirectory()
  const cwd = join(folder.path, "q")
  await mkdir(cwd)
  const program = await printing(folder.path, text)
  return await agent.complete(optionsIn(cwd, { program, environment }))
}

const lines = (...all: readonly object[]) => `${all.map((it) => JSON.stringify(it)).join("\n")}\n`
const said = (text: string) => ({ type: "item.completed", item: { type: "agent_message", text } })
const remark = { type: "item.completed", item: { type: "error", message: "a remark" } }

describe("output formats of hosts", () => {
  test("Claude Code: the result, unless it is an error or missing", async () => {
    const result = { type: "result", is_error: false, result: "Yes." }
    expect(await answerTo(claudeCode, lines(result))).toBe("Yes.")
    expect(await answerTo(claudeCode, lines({ ...result, is_error: true }))).toBeUndefined()
    expect(await answerTo(claudeCode, "Not JSON at all")).toBeUndefined()
    expect(await answerTo(claudeCode, "")).toBeUndefined()
  })

  test("Codex: its last message among notices and noise", async () => {
    const turn = { type: "turn.completed", usage: {} }
    expect(await answerTo(codex, lines(remark, said("No."), said("Yes."), turn))).toBe("Yes.")
    expect(await answerTo(codex, `noise\n${lines(remark)}`)).toBeUndefined()
  })

  test("Copilot: its text; a host that is not signed in is not started", async () => {
    const environment = { GH_TOKEN: "not-a-key-of-anyone" }
    expect(await answerTo(copilot, "Yes.\n\n", environment)).toBe("Yes.")
    expect(await answerTo(copilot, "\n", environment)).toBeUndefined()
    expect(await answerTo(copilot, "Yes.")).toBeUndefined()
  })

  test("Synthetic: the first words of the last line, until aborted", async () => {
    const ask = (prompt: string, signal = new AbortController().signal) =>
      synthetic.complete(optionsIn("/", { prompt, signal }))
    expect(await ask("Name it\none two three four five six seven\n")).toBe(
      "one two three four five six",
    )
    expect(await ask("  \n")).toBeUndefined()
    expect(await ask("Name it", AbortSignal.abort())).toBeUndefined()
  })
})
