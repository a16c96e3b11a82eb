import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import {
  type AgentFixture,
  agentSuite,
  last,
  reading,
  type ScriptedAction,
} from "../../../test/conformance/agents.ts"
import { writeFakeHost } from "../../../test/conformance/agents-fake-host.ts"
import { agentRuleSuite } from "../../../test/conformance/agents-rules.ts"
import type { Agent } from "./agent.ts"
import { claudeCode } from "./claude-code/claude-code.ts"
import { codex } from "./codex/codex.ts"
import { copilot } from "./copilot/copilot.ts"
import { synthetic } from "./synthetic/synthetic.ts"

const SCRIPTS: Readonly<Record<ScriptedAction, readonly object[]>> = {
  talk: [
    { event: "text.delta", text: "under" },
    { event: "message", type: "assistant", text: "understood" },
    { event: "cost", usage: { input: 10, output: 2 }, isTotal: true },
    { event: "turn.ended", outcome: "completed" },
  ],
  edit: [
    { event: "activity.started", activityId: "a", kind: "edit", tool: "Edit", title: "note.txt" },
    approval("Edit"),
    { event: "activity.ended", activityId: "a", outcome: "done", diff: "+remember\n" },
  ],
  outside: [],
  look: [],
  serve: [],
  command: [
    { event: "activity.started", activityId: "a", kind: "command", tool: "Bash", title: "make" },
    approval("Bash"),
    { event: "activity.ended", activityId: "a", outcome: "done" },
  ],
  wait: [
    { event: "activity.started", activityId: "a", kind: "command", tool: "Bash", title: "wait" },
    { event: "activity.ended", activityId: "a", outcome: "done", after: 3_600_000 },
  ],
}

function approval(tool: string): object {
  return {
    event: "approval.requested",
    approvalId: "q",
    activityId: "a",
    tool,
    title: tool,
    input: "",
  }
}

async function syntheticFixture(): Promise<AgentFixture> {
  return {
    agent: synthetic,
    marker: "",
    hasMade: () => false,
    hasServed: () => false,
    isWaiting: async () => {},
    options: (deed) => ({
      cwd: "/",
      prompt: "hello",
      environment: {},
      program: "synthetic",
      script: SCRIPTS[deed].map((it) => JSON.stringify(it)).join("\n"),
    }),
    async [Symbol.asyncDispose]() {},
  }
}

agentSuite("synthetic", {
  makeFixture: syntheticFixture,
  canAsk: true,
  hasProcess: false,
  canResume: true,
})

agentRuleSuite("synthetic", syntheticFixture)

describe("recorded streams of the real hosts", () => {
  test("Claude Code's stream becomes our events", async () => {
    await using run = await replay(claudeCode, "ask")
    const first = await answering(run, "allow")
    await run.session.send("please command")
    const second = await answering(run, "deny")
    expect([...first, ...second].map(brief)).toMatchInlineSnapshot(`
      [
        "session.started",
        "turn.started",
        "activity.started kind="edit" tool="Write" title="Write /root-of-test/w/note.txt"",
        "cost usage={"input":100,"output":20,"cacheRead":0,"cacheWrite":0} isTotal=false",
        "approval.requested tool="Write" title="Write /root-of-test/w/note.txt"",
        "approval.resolved decision="allow" by="test"",
        "activity.ended outcome="done" diff="--- /dev/null\\n+++ b/root-of-test/w/note.txt\\n@@ -0,0 +1,1 @@\\n+remember\\n"",
        "text.delta text="understood, and done"",
        "message type="assistant" text="understood, and done"",
        "cost usage={"input":100,"output":20,"cacheRead":0,"cacheWrite":0} isTotal=false",
        "cost usage={"input":200,"output":40,"cacheRead":0,"cacheWrite":0} isTotal=true",
        "turn.ended outcome="completed" text="understood, and done" denials=0",
        "turn.started",
        "activity.started kind="command" tool="Bash" title="Bash touch made.txt && echo made"",
        "cost usage={"input":100,"output":20,"cacheRead":0,"cacheWrite":0} isTotal=false",
        "approval.requested tool="Bash" title="Bash touch made.txt && echo made"",
        "approval.resolved decision="deny" by="test"",
        "activity.ended outcome="denied" diff=undefined",
        "context.usage used=13178 window=1000000",
        "text.delta text="understood, and done"",
        "message type="assistant" text="understood, and done"",
        "cost usage={"input":100,"output":20,"cacheRead":0,"cacheWrite":0} isTotal=false",
        "context.usage used=13170 window=1000000",
        "cost usage={"input":400,"output":80,"cacheRead":0,"cacheWrite":0} isTotal=true",
        "turn.ended outcome="completed" text="understood, and done" denials=1",
      ]
    `)
  })

  test("Codex's stream becomes our events", async () => {
    await using run = await replay(codex, "ask")
    const first = await answering(run, "allow")
    await run.session.send("please command")
    const second = await answering(run, "deny")
    expect([...first, ...second].map(brief)).toMatchInlineSnapshot(`
      [
        "message type="system" text="a warning"",
        "session.started",
        "message type="system" text="a warning"",
        "turn.started",
        "activity.started kind="edit" tool="apply_patch" title="/root-of-test/w/note.txt"",
        "approval.requested tool="apply_patch" title="/root-of-test/w/note.txt"",
        "approval.resolved decision="allow" by="test"",
        "activity.ended outcome="done" diff="--- /dev/null\\n+++ b/root-of-test/w/note.txt\\n@@ -0,0 +1,1 @@\\n+remember\\n"",
        "context.usage used=120 window=258400",
        "cost usage={"input":90,"output":20,"cacheRead":10,"cacheWrite":0} isTotal=true",
        "text.delta text="understood, and done"",
        "message type="assistant" text="understood, and done"",
        "context.usage used=120 window=258400",
        "cost usage={"input":180,"output":40,"cacheRead":20,"cacheWrite":0} isTotal=true",
        "turn.ended outcome="completed" text="understood, and done" denials=0",
        "message type="system" text="a warning"",
        "turn.started",
        "activity.started kind="command" tool="exec_command" title="touch made.txt && echo made"",
        "approval.requested tool="exec_command" title="touch made.txt && echo made"",
        "approval.resolved decision="deny" by="test"",
        "activity.ended outcome="denied"",
        "context.usage used=120 window=258400",
        "cost usage={"input":270,"output":60,"cacheRead":30,"cacheWrite":0} isTotal=true",
        "text.delta text="understood, and done"",
        "message type="assistant" text="understood, and done"",
        "context.usage used=120 window=258400",
        "cost usage={"input":360,"output":80,"cacheRead":40,"cacheWrite":0} isTotal=true",
        "turn.ended outcome="completed" text="understood, and done" denials=1",
      ]
    `)
  })

  test("[AGENTS-13] Copilot's stream becomes our events", async () => {
    await using run = await replay(copilot, "edits")
    expect((await run.until("turn.ended")).map(brief)).toMatchInlineSnapshot(`
      [
        "session.started",
        "turn.started",
        "activity.started kind="edit" tool="create" title="create /root-of-test/w/note.txt"",
        "activity.ended outcome="done" diff="diff --git a/root-of-test/w/note.txt b/root-of-test/w/note.txt\\ncreate file mode 100644\\nindex 0000000..0000000\\n--- a/dev/null\\n+++ b/root-of-test/w/note.txt\\n@@ -1,0 +1,1 @@\\n+remember\\n"",
        "context.usage used=10505 window=64000",
        "text.delta text="understood, and done"",
        "message type="assistant" text="understood, and done"",
        "turn.ended outcome="completed" text="understood, and done" denials=0",
      ]
    `)
  })
})

type Run = ReturnType<typeof reading> & AsyncDisposable

async function replay(agent: Agent, mode: "ask" | "edits"): Promise<Run> {
  const temp = await tempDirectory()
  const stream = fileURLToPath(
    new URL(`../../../test/conformance/streams/${agent.type}.jsonl`, import.meta.url),
  )
  const script = new URL("../../../test/conformance/agents-replay.child.ts", import.meta.url)
  const program = await writeFakeHost(temp.path, script, [stream])
  const session = await agent.start({
    cwd: temp.path,
    prompt: "please edit",
    mode,
    program,
    environment: { PATH: process.env["PATH"] ?? "" },
    signal: new AbortController().signal,
  })
  return {
    ...reading(session),
    async [Symbol.asyncDispose]() {
      await session.stop()
      await temp[Symbol.asyncDispose]()
    },
  }
}

async function answering(run: Run, decision: "allow" | "deny"): Promise<readonly AgentEvent[]> {
  const before = await run.until("approval.requested")
  const { approvalId } = last(before, "approval.requested")
  await run.session.answer(approvalId, { decision, by: "test" })
  return [...before, ...(await run.until("turn.ended"))]
}

function brief(event: AgentEvent): string {
  const rest = Object.entries(event).flatMap(([name, value]) =>
    WORDS.has(name) && value !== "" ? [`${name}=${JSON.stringify(value)}`] : [],
  )
  return [event.event, ...rest].join(" ")
}

const WORDS: ReadonlySet<string> = new Set(
  "text type kind tool title outcome diff decision by used window usage isTotal denials".split(" "),
)
