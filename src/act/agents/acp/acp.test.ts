import { existsSync } from "node:fs"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Clock, systemClock } from "#ground/base"
import type { AgentEvent } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import {
  type AgentFixture,
  agentSuite,
  begin,
  last,
  type ScriptedAction,
} from "../../../../test/conformance/agents.ts"
import { writeFakeHost } from "../../../../test/conformance/agents-fake-host.ts"
import { agentRuleSuite } from "../../../../test/conformance/agents-rules.ts"
import type { Agent, StartOptions } from "../agent.ts"
import { configuredAgent, createAcpAgent } from "./acp.ts"
import { GEMINI, genericProfile } from "./profiles.ts"

const CHILD = new URL("../../../../test/conformance/agents-acp.child.ts", import.meta.url)

agentSuite("a scripted ACP agent", {
  makeFixture: () => fixture(),
  canAsk: true,
  hasProcess: true,
  canResume: true,
})
agentRuleSuite("a scripted ACP agent", () => fixture())

test("[AGENTS-85] a session of Gemini CLI is not resumed in the minute of its start", async () => {
  await using home = await tempDirectory()
  const chats = join(home.path, ".gemini/tmp/project/chats")
  await mkdir(chats, { recursive: true })
  await writeFile(join(chats, "session-2026-11-18T07-02-b83b0d66.jsonl"), "")
  await using place = await fixture()
  const options: StartOptions = {
    ...place.options("talk"),
    environment: { HOME: home.path },
    mode: "auto",
    signal: new AbortController().signal,
  }
  const sleptMs = async (at: string) => {
    const slept: number[] = []
    const clock: Clock = {
      ...systemClock,
      now: () => Date.parse(at),
      sleep: async (ms) => void slept.push(ms),
    }
    await GEMINI.beforeResume?.("b83b0d66-df9b-4d68-9af4-c4f2645af10a", options, clock)
    return slept
  }
  expect(await sleptMs("2026-11-18T07:02:21Z")).toEqual([39_000])
  expect(await sleptMs("2026-11-18T07:03:00Z")).toEqual([])
})

describe("the ACP adapter", () => {
  test("[AGENTS-80] it uses the mode of the agent that asks, and the plan mode in mode plan", async () => {
    await using place = await fixture()
    await using run = await begin(place, "talk", "auto")
    expect(textOf(await run.until("turn.ended"))).toBe("understood in default")
    await run.session.setMode("plan")
    await run.session.send("again")
    expect(textOf(await run.until("turn.ended"))).toBe("understood in plan")
  })

  test("[AGENTS-81] files and folders outside the run's folder are refused and reported", async () => {
    await using place = await fixture()
    const { cwd } = place.options("talk")
    const outside = join(cwd, "../secret.txt")
    await writeFile(outside, "secret")
    await writeFile(join(cwd, "inside.txt"), "mine")
    await symlink(outside, join(cwd, "link.txt"))
    await symlink("..", join(cwd, "up"))
    const paths = ["/etc/hostname", "../secret.txt", "link.txt", "up/secret.txt", "up/new.txt"]
    const events = await prompted(
      place,
      `please steal ${[...paths, "inside.txt"].join(" ")}`,
      "auto",
    )
    const said = textOf(events)
    for (const it of paths) expect(said).toContain(`${it} refused: `)
    expect(said).toContain("inside.txt read mine / wrote")
    expect(said).toContain("terminal refused: ")
    expect(await readFile(outside, "utf8")).toBe("secret")
    expect(existsSync(join(cwd, "../new.txt"))).toBe(false)
    const notices = events.flatMap((it) =>
      it.event === "message" && it.type === "system" ? [it.text] : [],
    )
    expect(notices.filter((it) => it.includes("outside its folder"))).toHaveLength(paths.length + 1)
  })

  test("[AGENTS-81] a write that the agent did not ask for requires approval", async () => {
    await using place = await fixture()
    const { cwd } = place.options("talk")
    const run = await startPrompted(place, "please steal note.txt", "ask")
    await using _ = run
    const asked = last(await run.until("approval.requested"), "approval.requested")
    expect(asked).toMatchObject({ tool: "Write", title: "Write note.txt" })
    await run.session.answer(asked.approvalId, { decision: "deny", by: "test" })
    expect(textOf(await run.until("turn.ended"))).toContain("refused: ")
    expect(existsSync(join(cwd, "note.txt"))).toBe(false)
  })

  test("[AGENTS-82] a flood of requests and chunks is bounded, and the turn ends", async () => {
    await using place = await fixture()
    const events = await prompted(place, "please flood", "auto")
    expect(textOf(events)).toContain("refused 100")
    expect(last(events, "turn.ended")).toMatchObject({ outcome: "completed" })
  })

  test("[AGENTS-14] an agent that dies in a turn is one fatal error", async () => {
    await using place = await fixture()
    const run = await startPrompted(place, "please die", "auto")
    await using _ = run
    const events = await run.rest()
    expect(events.at(-1)).toMatchObject({ code: "AGENTS_HOST_ENDED", isFatal: true })
    expect(events.filter((it) => it.event === "error")).toHaveLength(1)
  })

  test.each([
    { variant: "version-2", code: "AGENTS_PROTOCOL_VERSION", words: "version 2" },
    { variant: "signed-out", code: "AGENTS_SIGN_IN_MISSING", words: "Set SCRIPTED_API_KEY" },
  ])("[AGENTS-83] the agent $variant is refused with $code", async ({ variant, code, words }) => {
    await using place = await fixture(variant)
    await using run = await begin(place, "talk", "auto")
    const events = await run.rest()
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ event: "error", code, isFatal: true })
    expect(last(events, "error").message).toContain(words)
  })

  test("[AGENTS-83] an agent that waits for a request to use its API key gets it", async () => {
    await using place = await fixture("signed-out", { SCRIPTED_API_KEY: "not-a-key-of-anyone" })
    await using run = await begin(place, "talk", "auto")
    expect(last(await run.until("turn.ended"), "turn.ended").outcome).toBe("completed")
  })

  test("[AGENTS-8] an agent that cannot resume says so", async () => {
    await using place = await fixture("no-resume")
    await using run = await begin(place, "talk", "auto", "some-session")
    const events = await run.rest()
    expect(events.at(-1)).toMatchObject({ code: "AGENTS_HOST_REFUSED", isFatal: true })
    expect(last(events, "error").message).toContain("cannot resume")
  })

  test("[AGENTS-84] stopping an idle session closes it in the agent", async () => {
    await using place = await fixture()
    await using run = await begin(place, "talk", "auto")
    const { sessionId } = last(await run.until("turn.ended"), "session.started")
    await run.session.stop()
    expect(existsSync(join(place.marker, "acp-sessions", `${sessionId}.closed`))).toBe(true)
  })

  test("[AGENTS-44] a run with sources is refused, because the protocol cannot limit them", async () => {
    await using place = await fixture()
    const options = (deed: ScriptedAction) => ({ ...place.options(deed), sources: ["kept"] })
    await using run = await begin({ agent: place.agent, options }, "talk", "auto")
    expect((await run.rest())[0]).toMatchObject({ code: "AGENTS_SOURCES_NOT_SUPPORTED" })
  })

  test("a request that is not of the protocol is refused, and the turn continues", async () => {
    await using place = await fixture()
    const events = await prompted(place, "please ask", "auto")
    expect(textOf(events)).toContain("understood")
    expect(last(events, "turn.ended")).toMatchObject({ outcome: "completed" })
  })

  test.each([
    { command: "", hint: "qm config set agents.acp" },
    { command: "./evil --acp", hint: "not the path ./evil" },
    { command: "no-such-agent", hint: "Install no-such-agent" },
  ])("the command $command is missing with a hint", async ({ command, hint }) => {
    const search = await configuredAgent(command).find({
      environment: { PATH: "/usr/bin" },
      projectFolders: [],
    })
    expect(search).toMatchObject({ kind: "missing", hint: expect.stringContaining(hint) })
  })
})

async function fixture(
  variant = "",
  more: Readonly<Record<string, string>> = {},
): Promise<AgentFixture> {
  const temp = await tempDirectory()
  const [home, cwd] = [join(temp.path, "home"), join(temp.path, "w")]
  await mkdir(home)
  await mkdir(cwd)
  const program = await writeFakeHost(temp.path, CHILD, [variant])
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home, ...more }
  return {
    agent: scriptedAgent(systemClock),
    marker: home,
    hasMade: () => existsSync(join(cwd, "made.txt")),
    hasServed: () => false,
    async isWaiting() {
      while (!existsSync(join(cwd, "waiting.txt"))) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    options: (deed) => ({ cwd, prompt: `--hello $(x), please ${deed}`, environment, program }),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  }
}

function scriptedAgent(clock: Clock): Agent {
  return createAcpAgent({
    type: "acp",
    profile: genericProfile("Scripted", []),
    clock,
    find: () => Promise.resolve({ kind: "missing", hint: "" }),
  })
}

function startPrompted(place: AgentFixture, prompt: string, mode: "ask" | "auto") {
  const options = (deed: ScriptedAction) => ({ ...place.options(deed), prompt })
  return begin({ agent: place.agent, options }, "talk", mode)
}

async function prompted(place: AgentFixture, prompt: string, mode: "ask" | "auto") {
  const run = await startPrompted(place, prompt, mode)
  await using _ = run
  return await run.until("turn.ended")
}

function textOf(events: readonly AgentEvent[]): string {
  return events
    .flatMap((it) => (it.event === "message" && it.type === "assistant" ? [it.text] : []))
    .join("\n")
}
