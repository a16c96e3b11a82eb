import { existsSync, readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Clock, systemClock, systemRandom } from "#ground/base"
import { type TestClock, testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import { last, processesOf, reading } from "../../../../test/conformance/agents.ts"
import { writeFakeHost } from "../../../../test/conformance/agents-fake-host.ts"
import { configuredAgent } from "../acp/acp.ts"
import type { Agent } from "../agent.ts"
import { createClaudeCode } from "../claude-code/claude-code.ts"
import { createCodex } from "../codex/codex.ts"
import { createCopilot } from "../copilot/copilot.ts"
import { agentEnvironment } from "../environment.ts"
import { MAX_START_MS } from "./host-process.ts"

const AGENTS: readonly ((clock: Clock) => Agent)[] = [
  (clock) => createClaudeCode({ clock }),
  (clock) => createCodex({ clock }),
  (clock) => createCopilot({ clock, random: systemRandom }),
  (clock) => configuredAgent("agent", clock),
]

/** Behaviours that end only by our timeouts: there the test controls the clock. */
const PATIENCE: ReadonlySet<string> = new Set([
  "never answers",
  "floods with unknown messages",
  "closes its output and lives on",
  "never reads its input",
])

const FIRST_WORDS: Readonly<Record<string, "message" | "session.started">> = {
  "floods with unknown messages": "message",
  "closes its output and lives on": "session.started",
}

const WAYS = [
  ...PATIENCE,
  "floods with noise",
  "dies in the middle of a line",
  "writes a line of 50 MB",
  "writes bytes that are no UTF-8",
  "writes JSON that is no message",
  "exits at once",
  "speaks of what we do not know",
  "gives a result without a session",
  "answers what was not asked",
]

describe.each(AGENTS.map((make) => ({ make, type: make(systemClock).type })))(
  "a misbehaving host behind $type",
  ({ make }) => {
    test.each(WAYS)("[AGENTS-14] a host that %s ends with one fatal error", async (how) => {
      const patient = PATIENCE.has(how) ? testClock() : undefined
      await using run = await startBad(make(patient ?? systemClock), how)
      const group = run.session.process?.pid ?? -1
      await appears(run.note, "here")
      const firstWord = FIRST_WORDS[how]
      if (firstWord !== undefined) await run.until(firstWord)
      const events = await letTimePass(run.rest(), patient)
      expect(events.filter((it) => it.event === "error" && it.isFatal)).toHaveLength(1)
      expect(events.at(-1)).toMatchObject({ event: "error", isFatal: true })
      // The events end first; the processes exit a moment later.
      await run.session.stop()
      expect(processesOf(group, run.marker)).toEqual([])
    })
  },
)

test("[AGENTS-14] the error contains the last output of a host that ended", async () => {
  await using run = await startBad(createClaudeCode({ clock: systemClock }), "exits at once")
  expect(last(await run.rest(), "error").message).toBe(
    "Claude Code ended with exit code 3. Its last output: the licence has run out " +
      "Send the next message to continue in a new process, or read the host's own log.",
  )
})

test("[AGENTS-30] a host's last output is redacted completely", async () => {
  const claude = createClaudeCode({ clock: systemClock })
  const redact = (text: string) => text.replaceAll("licence has run out\n", "[redacted]\n")
  await using run = await startBad(
    { ...claude, start: (it) => claude.start({ ...it, redact }) },
    "exits at once",
  )
  expect(last(await run.rest(), "error").message).toContain("Its last output: the [redacted] ")
})

test("[AGENTS-14] the error states what went wrong", async () => {
  const clock = testClock()
  await using silent = await startBad(createCodex({ clock }), "never answers")
  const events = await letTimePass(silent.rest(), clock)
  expect(last(events, "error")).toMatchObject({ code: "AGENTS_HOST_SILENT" })

  const claude = createClaudeCode({ clock: systemClock })
  await using refused = await startBad(claude, "gives a result without a session")
  expect(last(await refused.rest(), "error")).toMatchObject({
    code: "AGENTS_HOST_REFUSED",
    message: expect.stringContaining("no such session"),
  })
})

test("[AGENTS-5] a message is refused while a turn runs, and an answer while nothing is pending", async () => {
  const claude = createClaudeCode({ clock: systemClock })
  await using run = await startBad(claude, "tells what it was given")
  await run.until("turn.started")
  const { session } = run
  await expect(session.send("more")).rejects.toMatchObject({ code: "AGENTS_TURN_RUNNING" })
  const answer = session.answer("nobody", { decision: "allow" })
  await expect(answer).rejects.toMatchObject({ code: "AGENTS_QUESTION_UNKNOWN" })
  await session.stop()
  await expect(session.send("late")).rejects.toMatchObject({ code: "AGENTS_SESSION_OVER" })
})

test("an overlong line is truncated and reported, and is not fatal by itself", async () => {
  await using run = await startBad(
    createClaudeCode({ clock: systemClock }),
    "writes a line of 50 MB",
  )
  const errors = (await run.rest()).filter((it) => it.event === "error")
  expect(errors).toHaveLength(2)
  expect(errors[0]).toMatchObject({ isFatal: false, code: "AGENTS_NOT_UNDERSTOOD" })
  expect(errors[0]?.message).toContain(`${50 * 1024 * 1024} bytes`)
})

const PROMPTS = ["--dangerously-skip-permissions", "$(touch pwned) `touch pwned`"]

describe.each(AGENTS.map((make) => ({ make, type: make(systemClock).type })))(
  "the launcher of $type",
  ({ make, type }) => {
    test.each(PROMPTS)(
      "the prompt %s is passed through a pipe and never as an argument",
      async (prompt) => {
        await using run = await startBad(make(systemClock), "tells what it was given", prompt)
        const input = await appears(`${run.note}.input`, prompt)
        const { args } = given(run.note)
        expect(input).toContain(prompt)
        expect(args.filter((it) => it.includes(prompt))).toEqual([])
        expect(existsSync(join(run.folder, "pwned"))).toBe(false)
      },
    )

    test("a canary variable of our environment is absent in the child", async () => {
      const canary = {
        QM_CANARY: "c",
        AWS_SECRET_ACCESS_KEY: "c",
        NODE_OPTIONS: "",
        LD_PRELOAD: "",
      }
      const source = { ...process.env, ...canary }
      const environment = agentEnvironment(type, source)
      await using run = await startBad(
        make(systemClock),
        "tells what it was given",
        "x",
        environment,
      )
      await appears(`${run.note}.input`, "x")
      const names = Object.keys(given(run.note).env)
      expect(names).toContain("PATH")
      // The stand-in is started by a shell, which sets these itself.
      const added = names.filter((it) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(it))
      expect(added.filter((it) => !(it in environment))).toEqual([])
      expect(names.filter((it) => it in canary)).toEqual([])
    })

    test("a missing working directory is reported, and nothing is started", async () => {
      await using temp = await tempDirectory()
      await writeFile(join(temp.path, "file"), "")
      for (const cwd of [join(temp.path, "missing"), join(temp.path, "file")]) {
        const signal = new AbortController().signal
        const options = { cwd, prompt: "x", mode: "ask", environment: {}, signal } as const
        const session = await make(systemClock).start({ ...options, program: "/bin/true" })
        const [event, ...others] = await reading(session).rest()
        expect(event).toMatchObject({ event: "error", code: "AGENTS_NOT_STARTED", isFatal: true })
        expect(others).toEqual([])
        expect(session.process).toBeUndefined()
      }
    })
  },
)

test("stop ends the whole process tree: children, grandchildren, and processes that left the group", async () => {
  await using run = await startBad(createClaudeCode({ clock: systemClock }), "has a family")
  await appears(run.note, "grown")
  const group = run.session.process?.pid ?? -1
  expect(processesOf(group, run.marker).length).toBeGreaterThan(2)
  await run.session.stop()
  expect(processesOf(group, run.marker)).toEqual([])
})

async function startBad(
  agent: Agent,
  how: string,
  ...[prompt = "hello", environment = { PATH: process.env["PATH"] ?? "" }]: readonly [
    string?,
    Readonly<Record<string, string>>?,
  ]
) {
  const temp = await tempDirectory()
  const note = join(temp.path, "note")
  const script = new URL("../../../../test/conformance/agents-bad.child.ts", import.meta.url)
  const program = await writeFakeHost(temp.path, script, [how, agent.type, note])
  const signal = new AbortController().signal
  const marker = `${temp.path}/home`
  const session = await agent.start({
    cwd: temp.path,
    prompt,
    mode: "ask",
    program,
    environment: { ...environment, HOME: marker },
    signal,
  })
  return {
    ...reading(session),
    folder: temp.path,
    note,
    marker,
    async [Symbol.asyncDispose]() {
      await session.stop()
      await temp[Symbol.asyncDispose]()
    },
  }
}

async function letTimePass<Value>(
  awaited: Promise<Value>,
  clock: TestClock | undefined,
): Promise<Value> {
  let isOver = false
  const over = awaited.finally(() => {
    isOver = true
  })
  while (clock !== undefined && !isOver) await clock.advance(MAX_START_MS)
  return await over
}

async function appears(path: string, text: string): Promise<string> {
  for (;;) {
    const found = existsSync(path) ? readFileSync(path, "utf8") : ""
    if (found.includes(text)) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function given(note: string): { args: readonly string[]; env: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(note, "utf8")) as ReturnType<typeof given>
}
