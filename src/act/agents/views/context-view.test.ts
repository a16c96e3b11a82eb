import { describe, expect, test } from "vitest"
import { AgentEvent, type AgentsContext, type Message } from "#ground/contract"
import { createContextView } from "./context-view.ts"

type AnyEvent = { readonly event: string; readonly [field: string]: unknown }

function messages(...told: readonly (AnyEvent | Partial<Message>)[]): Message[] {
  return told.map((it, index) => ({
    id: `m${index}`,
    seq: index + 1,
    type: "system",
    role: "system",
    content: "",
    timestamp: 1_000 + index,
    metadata: {},
    ...("event" in it ? { metadata: { event: AgentEvent.parse(it) } } : it),
  }))
}

function viewOf(all: readonly Message[]): AgentsContext {
  const view = createContextView()
  view.take(all)
  return view.result()
}

const session = { event: "session.started", sessionId: "s", cwd: "/work/shop" }
const turn = { event: "turn.started" }
const turnEnd = { event: "turn.ended", outcome: "completed" }
const file = (path: string, reason = "instructions", tokens?: number) => ({
  event: "context.file",
  path,
  reason,
  tokens,
})
const started = (activityId: string, kind: string, path?: string) => ({
  event: "activity.started",
  activityId,
  kind,
  tool: "Tool",
  title: "Tool",
  path,
})
const ended = (activityId: string, rest: object = {}) => ({
  event: "activity.ended",
  activityId,
  outcome: "done",
  ...rest,
})
const compacted = (tokensAfter?: number) => ({
  event: "context.compacted",
  trigger: "auto",
  tokensAfter,
})
const asked = (...parts: readonly object[]): Partial<Message> => ({
  type: "user",
  role: "user",
  metadata: parts.length === 0 ? {} : { parts },
})
const usage = (used: number) => ({ event: "context.usage", used, window: 200_000 })

const capture = (...paths: readonly string[]): Partial<Message> => ({
  type: "context",
  raw: JSON.stringify({
    type: "context_estimation",
    files: paths.map((path) => ({ path, source: "project-root", sizeBytes: 1 })),
  }),
})

describe("contents of the context window", () => {
  test("the newest numbers count, and after a compaction those that the host reports", () => {
    const kinds = [{ kind: "tools", tokens: 5 }]
    const all = messages(usage(10), { ...usage(900), kinds }, compacted(90))
    expect(viewOf(all.slice(0, 2))).toMatchObject({ used: 900, window: 200_000, kinds })
    expect(viewOf(all)).toMatchObject({ used: 90, compactions: [{ seq: 3, at: 1_002 }] })
    expect(viewOf([])).toEqual({
      used: null,
      window: null,
      wire: null,
      kinds: [],
      files: [],
      parts: [],
      compactions: [],
      changes: [],
    })
  })

  test("files come from the capture, the host's report and the files that were read", () => {
    const all = messages(
      session,
      capture("/work/shop/CLAUDE.md", "/home/me/.claude/CLAUDE.md"),
      turn,
      file("CLAUDE.md", "instructions", 412),
      started("r1", "read", "/work/shop/src/cart.ts"),
      ended("r1"),
      started("r2", "read", "src/secret.ts"),
      ended("r2", { outcome: "denied" }),
      turnEnd,
      turn,
      started("r3", "read", "src/cart.ts"),
      ended("r3"),
    )
    const { files } = viewOf(all)
    const plain = { isBeforeCompaction: false }
    expect(files).toEqual([
      {
        path: "/home/me/.claude/CLAUDE.md",
        reason: "project-root",
        tokens: null,
        seq: 2,
        isThisTurn: false,
        ...plain,
      },
      {
        path: "CLAUDE.md",
        reason: "project-root",
        tokens: 412,
        seq: 4,
        isThisTurn: false,
        ...plain,
      },
      { path: "src/cart.ts", reason: "read", tokens: null, seq: 12, isThisTurn: true, ...plain },
    ])
  })

  test("files loaded before a compaction are marked until they are loaded again", () => {
    const all = messages(
      session,
      turn,
      file("a.md"),
      file("b.md"),
      compacted(),
      started("r", "read", "b.md"),
      ended("r"),
    )
    expect(
      viewOf(all).files.map((it) => [it.path, it.reason, it.isBeforeCompaction, it.isThisTurn]),
    ).toEqual([
      ["a.md", "instructions", true, true],
      ["b.md", "read", false, true],
    ])
  })

  test("an invalid capture, an invalid event and an endless list are tolerated", () => {
    const broken = messages(
      { type: "context", raw: "{" },
      { type: "context" },
      { type: "context", raw: '{"type":"other","files":[]}' },
      { metadata: { event: { event: "context.file" } } },
    )
    expect(viewOf(broken).files).toEqual([])
    const many = messages(...Array.from({ length: 5_000 }, (_, i) => file(`f${i}`)))
    const { files } = viewOf(many)
    expect(files).toHaveLength(2_000)
    expect(files.at(-1)?.path).toBe("f4999")
  })
})

const diff = (header: string, body: string) => `${header}@@ -1,2 +1,3 @@\n${body}`

describe("changes of the run", () => {
  test("lines are counted per file from the hunks", () => {
    const first = diff(
      "--- a/src/x.ts\n+++ b/src/x.ts\n",
      " same\n--- was a dash\n+++ is a plus\n+x\n",
    )
    const whole =
      "--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n" +
      "diff --git a/old.ts b/old.ts\n--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\\ No newline at end of file\n"
    const all = messages(
      session,
      turn,
      started("e1", "edit", "/work/shop/src/x.ts"),
      ended("e1", { diff: first }),
      ended("e2", { diff: whole }),
      ended("e3", {
        diff: "--- a/work/shop/src/x.ts\n+++ b/work/shop/src/x.ts\n@@ -1 +1 @@\n-a\n+b\n",
      }),
      ended("e4", { diff: first, outcome: "failed" }),
    )
    expect(viewOf(all).changes).toEqual([
      { path: "new.ts", added: 2, removed: 0, seq: 5 },
      { path: "old.ts", added: 0, removed: 1, seq: 5 },
      { path: "src/x.ts", added: 3, removed: 2, seq: 6 },
    ])
  })
})

test("context parts put in front of turns are listed, each in its latest version", () => {
  const pack = { label: "package pk_1, 2 files", tokens: 900, pack: "pk_1" }
  const date = { label: "date and state", tokens: 12 }
  const all = messages(asked(pack, date), turn, asked(), asked({ ...date, tokens: 13 }))
  expect(viewOf(all).parts).toEqual([
    { ...pack, seq: 1 },
    { ...date, tokens: 13, seq: 4 },
  ])
  expect(viewOf(messages({ type: "user", metadata: { parts: "none" } })).parts).toEqual([])
})

test("[AGENTS-67] the items of the window come from the context message, with their tokens", () => {
  const inWindow = [
    { path: "/work/shop/CLAUDE.md", label: "CLAUDE.md", reason: "project", tokens: 9 },
  ]
  const raw = JSON.stringify({ files: [{ path: "/work/shop/sub/CLAUDE.md", source: "nested" }] })
  const { files } = viewOf(messages(session, { type: "context", metadata: { inWindow }, raw }))
  expect(files).toMatchObject([{ path: "CLAUDE.md", reason: "project", tokens: 9 }])
})
