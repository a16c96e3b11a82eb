import { expect, test } from "vitest"
import type {
  AgentsContext,
  AgentsSessions,
  AgentsTimeline,
  HostStatus,
  Permissions,
} from "#ground/contract"
import { createScreen } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 80 })
const render = (name: string, output: unknown) => renderers[name]?.text(output, screen) ?? ""

test("[CLI-13] a message is printed with its raw form below", () => {
  const message = { id: "m", seq: 3, type: "tool", role: "tool", timestamp: 0, metadata: {} }
  expect(render("agents.message", { ...message, content: "out", raw: "{}" })).toBe(
    "3  tool  1970-01-01 00:00\n\nout\n\nRaw:\n{}",
  )
  expect(render("agents.message", { ...message, content: "" })).toContain("(no text)")
})

test("[CLI-13] queued turns, context parts of the next turn and a hand-off are printed", () => {
  expect(render("agents.turns", { turns: [], canSteer: false })).toMatch(/^No queued turns\.\nThis/)
  const turns = [{ id: "trn_1", text: "two\nlines", queuedAt: 0 }]
  expect(render("agents.rewrite", { turns, canSteer: true })).toBe(
    "Turn   Queued (UTC)      Text\ntrn_1  1970-01-01 00:00  two\n\n`qm send` with --now sends into the current turn.",
  )
  expect(render("agents.parts", { parts: [] })).toContain("Nothing is added in front")
  const parts = [{ label: "date and state", text: "Today.", tokens: 3 }]
  expect(render("agents.parts", { parts })).toBe("date and state  3 tokens\nToday.")
  expect(render("agents.handoff", { text: "Go on.", tokens: 1_200, run: null })).toBe(
    "Go on.\n\n1,200 tokens. Start a new session with it: add --start.",
  )
  expect(render("agents.drop", { id: "trn_1" })).toBe("Deleted trn_1.")
})

test("[CLI-13] an export keeps its value with control characters escaped", () => {
  const text = `${JSON.stringify({ text: "a\u202eb" })}\n{}\n`
  const given = { text, messages: 2, sizeBytes: 20 }
  const shown = render("agents.export", given)
  expect(renderers["agents.export"]?.isExact).toBe(true)
  expect(shown).toBe('{"text":"a\\u202eb"}\n{}')
  expect(JSON.parse(shown.split("\n")[0] ?? "")).toEqual({ text: "a\u202eb" })
  expect(render("agents.save", { file: "/x/s.jsonl", messages: 2, sizeBytes: 20 })).toBe(
    "Wrote /x/s.jsonl, 2 messages, 20 B.",
  )
})

test("[CLI-13] the context of a run is printed with its use, loaded files and changes", () => {
  const context: AgentsContext = {
    used: 5_000,
    window: 10_000,
    wire: null,
    kinds: [{ kind: "tools", tokens: 5_000 }],
    files: Array.from({ length: 22 }, (_, i) => ({
      path: `f${i}.md`,
      reason: "read",
      tokens: i === 0 ? null : 1_000,
      seq: i + 1,
      isThisTurn: i > 0,
      isBeforeCompaction: i === 1,
    })),
    parts: [{ label: "package pk_1, 2 files", tokens: 1_900, pack: "pk_1", seq: 1 }],
    compactions: [{ seq: 9, at: 0 }],
    changes: [{ path: "a.ts", added: 3, removed: 2, seq: 4 }],
  }
  const shown = render("agents.context", context)
  expect(shown.split("\n").slice(0, 14).join("\n")).toMatchInlineSnapshot(`
    "5.0k of 10.0k tokens in the window

    ▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦······························│···········
    ▦ tools 5.0k   │ budget 10.0k

    The host compacted the context 1 time.

    Added in front of turns
    Part                   Tokens
    package pk_1, 2 files  1,900 tokens

    Loaded
    When              Tokens        File    Reason
    before                          f0.md   read"
  `)
  expect(shown).toContain("and 2 more\n\nChanged\nAdded  Removed  File\n+3     −2       a.ts")
  const lists = { kinds: [], files: [], parts: [], compactions: [], changes: [] }
  const unknown = { used: null, window: null, ...lists }
  expect(render("agents.context", unknown)).toBe(
    "The host has not reported the size of the window.",
  )
})

test("[CLI-13] the timeline has a row for each lane, with the time spent waiting for the user", () => {
  const timeline: AgentsTimeline = {
    durationMs: 4_800,
    waitedMs: 2_400,
    spans: [
      { lane: "model", title: "Model", fromMs: 0, toMs: 1_200, seq: 1 },
      { lane: "tools", kind: "command", title: "npm test", fromMs: 1_200, toMs: 2_400, seq: 2 },
      { lane: "waiting", title: "Edit a.ts", fromMs: 2_400, toMs: 4_800, seq: 3 },
    ],
  }
  expect(render("agents.timeline", timeline)).toMatchInlineSnapshot(`
    "4.8 s, 2.4 s of it waiting for the user

    Lane      Time   Timeline
    model     1.2 s  ████████████····································
    tools     1.2 s  ············████████████························
    branches         ················································
    waiting   2.4 s  ························████████████████████████

    Start     Time   Lane     Activity
    at 0 ms   1.2 s  model    Model
    at 1.2 s  1.2 s  tools    npm test
    at 2.4 s  2.4 s  waiting  Edit a.ts"
  `)
  const many = Array.from({ length: 30 }, (_, i) => ({
    lane: "tools" as const,
    title: `t${i}`,
    fromMs: i,
    toMs: i + 1,
    seq: i + 1,
  }))
  expect(render("agents.timeline", { ...timeline, waitedMs: 0, spans: many })).toContain(
    "and 10 shorter spans",
  )
  expect(render("agents.timeline", { ...timeline, spans: [] })).toBe("No activity yet.")
})

test("[CLI-13] hosts are printed with sign-in, connection and how to install them", () => {
  const host: HostStatus = {
    name: "codex",
    title: "Codex",
    isCaptured: true,
    isInstalled: true,
    version: null,
    login: "found",
    loginFrom: "~/.codex/auth.json",
    hooks: "init",
    program: "/bin/codex",
    rulesFrom: "0.166.0",
    install: "npm install -g @openai/codex",
  }
  const copilot: HostStatus = {
    ...host,
    name: "copilot",
    isInstalled: false,
    rulesFrom: null,
    install: "npm install -g @github/copilot",
  }
  const wide = createScreen({ isColored: false, columns: 160 })
  const text = renderers["hosts.list"]?.text({ hosts: [host, copilot] }, wide)
  expect(text).toMatchInlineSnapshot(`
    "Host     Version        Sign-in                          Quartermaster         Verified with  Program
    codex    unknown        signed in by ~/.codex/auth.json  connected by qm init  0.166.0        /bin/codex
    copilot  not installed                                                         documentation

    Install
        Host     Command
        copilot  npm install -g @github/copilot

    Next
        qm capture --host codex  Show what a host loads"
  `)
})

test("[CLI-13] sessions of hosts and permission rules are printed", () => {
  const sessions: AgentsSessions["sessions"] = [
    {
      host: "codex",
      sessionId: "s1",
      title: "Mend",
      cwd: null,
      file: "/x",
      sizeBytes: 900,
      changedAt: 0,
      runId: null,
      isResumable: true,
    },
    {
      host: "claude-code",
      sessionId: "s2",
      title: "Old",
      cwd: null,
      file: "/y",
      sizeBytes: 9,
      changedAt: 0,
      runId: "run_1",
      isResumable: false,
    },
  ]
  expect(render("agents.sessions", { sessions })).toMatchInlineSnapshot(`
    "Session  Host         Changed (UTC)     Size   Resumable  Run           Title
    s1       codex        1970-01-01 00:00  900 B  yes        not imported  Mend
    s2       claude-code  1970-01-01 00:00  9 B    no         run_1         Old"
  `)
  expect(render("agents.sessions", { sessions: [] })).toContain("--everywhere")
  const permissions: Permissions = {
    file: ".qm/permissions.json",
    digest: "0d1e",
    isTrusted: false,
    rules: [
      {
        id: "r1",
        decision: "deny",
        tool: "Bash",
        command: "rm *",
        origin: "config",
        isInForce: true,
      },
      { id: "r2", decision: "allow", path: "docs/**", origin: "project", isInForce: false },
      { id: "r3", decision: "ask", origin: "project", isInForce: true },
    ],
  }
  expect(render("permissions.list", permissions)).toMatchInlineSnapshot(`
    "Rule  Decision  Source    Applies to
    r1    deny      settings  tool Bash, command rm *
    r2    allow     project   path docs/**             ignored
    r3    ask       project   everything

    .qm/permissions.json has changed since you trusted it, so its allow rules are
      ignored. To trust this version, run \`qm permissions trust --digest 0d1e\`."
  `)
  expect(render("permissions.add", { ...permissions, isTrusted: true, rules: [] })).toBe(
    "No rules. The mode of a run decides what its agent may do.\n.qm/permissions.json",
  )
})

test("[CLI-16] an answer is printed with its author", () => {
  const approval = {
    id: "apr_1",
    runId: "run_1",
    tool: "Bash",
    title: "npm test",
    input: "",
    digest: "",
    status: "allowed",
    requestedAt: 0,
    expiresAt: 0,
    answeredAt: 0,
    answeredBy: "a user",
    note: null,
  }
  expect(render("agents.answer", approval)).toBe("Allowed: npm test  by a user")
  expect(render("agents.answer", { ...approval, status: "denied", answeredBy: null })).toBe(
    "Denied: npm test",
  )
})
