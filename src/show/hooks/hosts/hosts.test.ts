import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Verdict } from "#choose/guard"
import { fcParameters } from "#test/seed"
import { dialectOf } from "../hooks.ts"
import { patchedInShell, patchedPaths } from "./codex.ts"
import { type Fields, type HostCall, tokensOf } from "./dialect.ts"

const AT = 1_000
const SESSION = { session_id: "s", cwd: "/repo" }

function parse(host: string, payload: Fields, eventName?: string) {
  const call: HostCall = { payload, eventName, directory: "/elsewhere", at: AT }
  return dialectOf(host)?.parse(call)
}

const claude = (event: string, fields: Fields = {}) =>
  parse("claude-code", { ...SESSION, hook_event_name: event, ...fields })
const codex = (event: string, fields: Fields = {}) =>
  parse("codex", { ...SESSION, hook_event_name: event, ...fields })

describe("Claude Code", () => {
  const base = { host: "claude-code", session: "s", directory: "/repo", at: AT }

  test("[HOOKS-6] SessionStart has its source", () => {
    expect(claude("SessionStart", { source: "compact" })).toEqual({
      ...base,
      kind: "session-start",
      source: "compact",
    })
  })

  test.for(["Edit", "Write", "MultiEdit"])("[HOOKS-6] %s is an edit, before and after", (tool) => {
    const fields = {
      tool_name: tool,
      tool_input: { file_path: "/repo/a.ts", new_string: "12345" },
      tool_response: { originalFile: "x".repeat(1_000) },
    }
    const edit = { ...base, tool, paths: ["/repo/a.ts"] }
    expect(claude("PreToolUse", fields)).toEqual({ ...edit, kind: "before-edit" })
    expect(claude("PostToolUse", fields)).toEqual({
      ...edit,
      kind: "after-edit",
      tokens: tokensOf(["/repo/a.ts", "12345"], "claude"),
    })
  })

  test("[HOOKS-6] a notebook edit uses `notebook_path`", () => {
    const tool_input = { notebook_path: "/repo/a.ipynb", new_source: "1" }
    const event = claude("PreToolUse", { tool_name: "NotebookEdit", tool_input })
    expect(event).toMatchObject({ kind: "before-edit", paths: ["/repo/a.ipynb"] })
  })

  test("[HOOKS-6] other tools give after-tool events with the estimated tokens of input and output, in any wrapper", () => {
    const tool_response = { stdout: "12345", stderr: "", lines: [{ text: "123" }], count: 7 }
    const fields = { tool_name: "Bash", tool_input: { command: "ls" }, tool_response }
    const before = { ...base, command: "ls", kind: "before-tool", tool: "Bash", paths: [] }
    expect(claude("PreToolUse", fields)).toEqual(before)
    expect(claude("PreToolUse", { ...fields, agent_type: "backend" })).toEqual({
      ...before,
      agent: "backend",
    })
    expect(claude("PostToolUse", fields)).toEqual({
      ...base,
      kind: "after-tool",
      tool: "Bash",
      paths: [],
      tokens: tokensOf(["ls", "12345", "123"], "claude"),
      output: { text: "12345", replaced: expect.any(Function) },
    })
  })

  test("[HOOKS-20] an output is replaced in the form of its tool; reads of files and our own tools have none", () => {
    const outputOf = (tool_name: string, tool_response: unknown) => {
      const event = claude("PostToolUse", { tool_name, tool_input: {}, tool_response })
      return event?.kind === "after-tool" ? event.output : undefined
    }
    const shell = { stdout: "long", stderr: "e".repeat(3_000), interrupted: false, isImage: false }
    const replaced = { ...shell, stdout: "short", stderr: "e".repeat(2_000) }
    expect(outputOf("Bash", shell)?.replaced?.("short")).toEqual(replaced)
    const picture = { type: "image", data: "x" }
    const blocks = [{ type: "text", text: "long" }, picture, { type: "text", text: "more" }]
    expect(outputOf("mcp__other__find", blocks)?.text).toBe("long\nmore")
    const shorter = [{ type: "text", text: "short" }, picture]
    expect(outputOf("mcp__other__find", blocks)?.replaced?.("short")).toEqual(shorter)
    expect(outputOf("Read", { file: { content: "long" } })).toBeUndefined()
    expect(outputOf("mcp__qm__search", blocks)).toBeUndefined()
    const verdict = { kind: "context", text: "", output: replaced } as const
    expect(dialectOf("claude-code")?.format("PostToolUse", verdict)).toEqual({
      hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: replaced },
    })
    expect(
      codex("PostToolUse", { tool_name: "Bash", tool_input: {}, tool_response: "long" }),
    ).toMatchObject({
      output: { text: "long" },
    })
  })

  test("[HOOKS-6] a prompt is an event, and its answer may add context", () => {
    const prompt = "fix the rounding of quotes"
    expect(claude("UserPromptSubmit", { prompt })).toEqual({ ...base, kind: "prompt", prompt })
    const verdict = { kind: "context", text: "files" } as const
    expect(dialectOf("claude-code")?.format("UserPromptSubmit", verdict)).toEqual({
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "files" },
    })
  })

  test("[HOOKS-21] a compaction is an event, and its answer is plain text", () => {
    const fields = { trigger: "auto", transcript_path: "/home/t.jsonl" }
    expect(claude("PreCompact", fields)).toMatchObject({ ...base, kind: "before-compact" })
    const verdict = { kind: "context", text: "Keep the plan." } as const
    expect(dialectOf("claude-code")?.format("PreCompact", verdict)).toBe("Keep the plan.")
    expect(dialectOf("claude-code")?.format("PreCompact", { kind: "silent" })).toBeUndefined()
  })

  test("[HOOKS-6] a gate makes Claude Code ask; Codex, which cannot ask, denies", () => {
    const verdict = { kind: "ask", text: "why" } as const
    const decisionOf = (host: string) => dialectOf(host)?.format("PreToolUse", verdict)
    expect(decisionOf("claude-code")).toMatchObject({
      hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "why" },
    })
    expect(decisionOf("codex")).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    })
  })

  test.for(["Agent", "Task"])("[HOOKS-6] %s starts an agent with a prompt", (tool_name) => {
    const tool_input = { subagent_type: "Explore", prompt: "look" }
    const agent = { ...base, kind: "before-agent", prompt: "look" }
    expect(claude("PreToolUse", { tool_name, tool_input })).toEqual({
      ...agent,
      agentType: "Explore",
    })
    expect(claude("PreToolUse", { tool_name, tool_input: { prompt: "look" } })).toEqual({
      ...agent,
      agentType: "general-purpose",
    })
  })

  test("[HOOKS-6] SubagentStart without a type is a compaction and gives no event", () => {
    const event = claude("SubagentStart", { agent_id: "a1", agent_type: "Explore" })
    expect(event).toEqual({ ...base, kind: "agent-start", agentType: "Explore", agentId: "a1" })
    expect(claude("SubagentStart", { agent_id: "a1", agent_type: "" })).toBeUndefined()
  })

  test.for([
    [{}, { isAgain: false, isBusy: false }],
    [{ stop_hook_active: true }, { isAgain: true, isBusy: false }],
    [{ background_tasks: [{}] }, { isAgain: false, isBusy: true }],
    [{ session_crons: [{}] }, { isAgain: false, isBusy: true }],
    [
      { background_tasks: [], session_crons: [] },
      { isAgain: false, isBusy: false },
    ],
    [
      { stop_hook_active: "yes", background_tasks: 3 },
      { isAgain: false, isBusy: false },
    ],
  ] as const)("[HOOKS-6] Stop with %j", ([fields, expected]) => {
    expect(claude("Stop", fields)).toEqual({ ...base, kind: "stop", ...expected })
  })

  test("[HOOKS-6] InstructionsLoaded gives the loaded file", () => {
    const fields = { file_path: "/repo/CLAUDE.md", memory_type: "Project", load_reason: "include" }
    expect(claude("InstructionsLoaded", { ...fields, parent_file_path: "/p.md" })).toEqual({
      ...base,
      kind: "loaded",
      file: "/repo/CLAUDE.md",
      memoryKind: "Project",
      reason: "include",
      parent: "/p.md",
    })
  })
})

describe("Codex", () => {
  const PATCH = `*** Begin Patch
*** Update File: src/a.ts
@@
-*** Add File: not-this.ts
+x
*** Move to: src/b.ts
*** Add File: /repo/new.ts
+hello
*** Delete File: old.ts\r
*** Update File: src/a.ts
*** End Patch`
  const PATHS = ["src/a.ts", "src/b.ts", "/repo/new.ts", "old.ts"]

  test("[HOOKS-7] a patch edits several files, each once", () => {
    expect(patchedPaths(PATCH)).toEqual(PATHS)
    const fields = { tool_name: "apply_patch", tool_input: { command: PATCH } }
    expect(codex("PreToolUse", fields)).toMatchObject({ kind: "before-edit", paths: PATHS })
    const after = codex("PostToolUse", { ...fields, tool_response: "Done" })
    expect(after).toMatchObject({
      kind: "after-edit",
      paths: PATHS,
      tokens: tokensOf([PATCH, "Done"], "o200k"),
    })
  })

  test.for([
    ["a heredoc", `apply_patch <<'EOF'\n${PATCH}\nEOF`, PATHS],
    ["a nested shell", `bash -lc "applypatch <<EOF\n${PATCH}\nEOF"`, PATHS],
    [
      "after cd",
      `cd 'my sub' && apply_patch <<'EOF'\n${PATCH}\nEOF`,
      ["my sub/src/a.ts", "my sub/src/b.ts", "/repo/new.ts", "my sub/old.ts"],
    ],
    ["a command that only prints a patch", `cat <<'EOF'\n${PATCH}\nEOF`, []],
    ["any other command", "ls -l; echo apply_patch", []],
  ] as const)("[HOOKS-7] a shell command with a patch: %s", ([, command, paths]) => {
    expect(patchedInShell(command)).toEqual(paths)
    const event = codex("PreToolUse", { tool_name: "Bash", tool_input: { command } })
    if (paths.length === 0) expect(event).toMatchObject({ kind: "before-tool", paths: [] })
    else expect(event).toMatchObject({ kind: "before-edit", tool: "Bash", paths })
  })

  test("[HOOKS-7] a command may be an array of words, and its output counts as text", () => {
    const command = ["apply_patch", PATCH]
    const patch = codex("PreToolUse", { tool_name: "Bash", tool_input: { command } })
    expect(patch).toMatchObject({ kind: "before-edit", paths: PATHS })
    const shown = { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "a\nb" }
    expect(codex("PostToolUse", shown)).toMatchObject({
      kind: "after-tool",
      tokens: tokensOf(["ls", "a\nb"], "o200k"),
    })
  })

  test.for([
    [{ message: "look", agent_type: "explorer" }, "explorer", "look"],
    [{ message: "look" }, "default", "look"],
    [{ items: [{ type: "text", text: "a" }, { type: "image" }, { text: "b" }] }, "default", "a\nb"],
  ] as const)(
    "[HOOKS-7] spawn_agent with %j starts an agent",
    ([tool_input, agentType, prompt]) => {
      const event = codex("PreToolUse", { tool_name: "spawn_agent", tool_input })
      expect(event).toMatchObject({ kind: "before-agent", agentType, prompt })
    },
  )

  test.for([
    [{ message: "find it", task_name: "a_b" }, "find it"],
    [{ message: "gAAAAAB".repeat(20), task_name: "find_the_kettle" }, "find the kettle"],
    [{ task_name: "find_the_kettle" }, "find the kettle"],
  ] as const)(
    "[HOOKS-7] newer models call spawn_agent with a namespace and a task name: %j",
    ([tool_input, prompt]) => {
      const event = codex("PreToolUse", { tool_name: "collaborationspawn_agent", tool_input })
      expect(event).toMatchObject({ kind: "before-agent", agentType: "default", prompt })
    },
  )

  test("[HOOKS-7] the other events equal those of Claude Code, without InstructionsLoaded", () => {
    expect(codex("SessionStart", { source: "resume" })).toMatchObject({ source: "resume" })
    expect(codex("SubagentStart", { agent_id: "a", agent_type: "b" })).toMatchObject({
      kind: "agent-start",
    })
    expect(codex("Stop", { stop_hook_active: true })).toMatchObject({ isAgain: true })
    expect(codex("InstructionsLoaded", { file_path: "/a" })).toBeUndefined()
  })
})

describe("Antigravity", () => {
  const SAID = { conversationId: "c", workspacePaths: ["/repo"] }
  const antigravity = (event: string, fields: Fields = {}) =>
    parse("antigravity", { ...SAID, ...fields }, event)
  const edit = { name: "write_to_file", args: { TargetFile: "/repo/a.ts", CodeContent: "abc" } }

  test("[HOOKS-8] the first PreInvocation is the session start", () => {
    expect(antigravity("PreInvocation", { invocationNum: 0 })).toMatchObject({
      kind: "session-start",
      session: "c",
      directory: "/repo",
    })
    expect(antigravity("PreInvocation", { invocationNum: 1 })).toBeUndefined()
    expect(antigravity("PreInvocation")).toBeUndefined()
  })

  test("[HOOKS-8] without a workspace, uses the folder in which the hook runs", () => {
    const event = antigravity("Stop", { workspacePaths: [] })
    expect(event).toMatchObject({ directory: "/elsewhere" })
  })

  test("[HOOKS-8] edits give events before and after; a failed tool gives none after", () => {
    const paths = ["/repo/a.ts"]
    expect(antigravity("PreToolUse", { toolCall: edit })).toMatchObject({
      kind: "before-edit",
      paths,
    })
    expect(antigravity("PostToolUse", { toolCall: edit, error: "" })).toMatchObject({
      kind: "after-edit",
      paths,
      tokens: tokensOf(["/repo/a.ts", "abc"], "o200k"),
    })
    expect(antigravity("PostToolUse", { toolCall: edit, error: "denied" })).toBeUndefined()
    const shown = { name: "view_file", args: { AbsolutePath: "/repo/a.ts" } }
    expect(antigravity("PostToolUse", { toolCall: shown })).toMatchObject({ kind: "after-tool" })
    expect(antigravity("PostToolUse", { toolCall: null })).toBeUndefined()
  })

  test("[HOOKS-8] a stop counts only when nothing runs any more", () => {
    const stop = { fullyIdle: true, executionNum: 0 }
    expect(antigravity("Stop", stop)).toMatchObject({ kind: "stop", isAgain: false, isBusy: false })
    expect(antigravity("Stop", { fullyIdle: false, executionNum: 2 })).toMatchObject({
      isAgain: true,
      isBusy: true,
    })
  })
})

describe("opencode", () => {
  const opencode = (event: string, fields: Fields = {}) =>
    parse("opencode", { ...SESSION, hook_event_name: event, ...fields })
  const formatted = (event: string, verdict: Verdict) =>
    dialectOf("opencode")?.format(event, verdict)

  test("[HOOKS-30] events have the form of Claude Code, with the facts of the conversation", () => {
    const facts = { prompts: ["Paint it", 7], reads: ["/repo/a.ts"], todos: "[pending] paint" }
    const base = { host: "opencode", session: "s", directory: "/repo", at: AT }
    const known = { prompts: ["Paint it"], reads: ["/repo/a.ts"], todos: "[pending] paint" }
    expect(opencode("PreCompact", { facts })).toEqual({
      ...base,
      kind: "before-compact",
      trigger: "",
      facts: known,
    })
    expect(opencode("SessionStart", { source: "compact", facts })).toEqual({
      ...base,
      kind: "session-start",
      source: "compact",
      facts: known,
    })
  })

  test("[HOOKS-30] a patch edits several files, and the output of a sub-agent's tool is not replaced", () => {
    const patchText =
      "*** Begin Patch\n*** Add File: a.ts\n+1\n*** Delete File: b.ts\n*** End Patch"
    const patch = { tool_name: "apply_patch", tool_input: { patchText } }
    expect(opencode("PreToolUse", patch)).toMatchObject({
      kind: "before-edit",
      paths: ["a.ts", "b.ts"],
    })
    expect(opencode("PostToolUse", patch)).toMatchObject({ kind: "after-edit" })
    const shell = { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "many lines" }
    const [own, other] = [{}, { agent_type: "general" }].map((it) =>
      opencode("PostToolUse", { ...shell, ...it }),
    )
    expect(own?.kind === "after-tool" && own.output?.replaced?.("few")).toBe("few")
    expect(other?.kind === "after-tool" && other.output).toEqual({ text: "many lines" })
    const reading = { ...shell, tool_name: "Read" }
    expect(opencode("PostToolUse", reading)).not.toHaveProperty("output")
  })

  test("[HOOKS-30] an answer denies, adds context or replaces an output; a gate denies", () => {
    expect(formatted("PreToolUse", { kind: "deny", text: "no" })).toEqual({ deny: "no" })
    expect(formatted("PreToolUse", { kind: "ask", text: "risk" })).toEqual({
      deny: expect.stringMatching(/^risk\n.*Ask the user/),
    })
    expect(formatted("PostToolUse", { kind: "context", text: "", output: "few" })).toEqual({
      output: "few",
    })
    expect(formatted("SessionStart", { kind: "context", text: "facts" })).toEqual({
      context: "facts",
    })
    expect(formatted("Stop", { kind: "block", text: "not yet" })).toBeUndefined()
  })
})

describe("formatting answers", () => {
  const context: Verdict = { kind: "context", text: "words" }
  const warn: Verdict = { kind: "warn", text: "words" }
  const deny: Verdict = { kind: "deny", text: "no" }
  const block: Verdict = { kind: "block", text: "not yet" }
  const silent: Verdict = { kind: "silent" }
  const words = (hookEventName: string) => ({
    hookSpecificOutput: { hookEventName, additionalContext: "words" },
  })

  test.for([
    ["SessionStart", context, words("SessionStart")],
    ["PreToolUse", warn, words("PreToolUse")],
    ["PreToolUse", { ...warn, kind: "override" }, words("PreToolUse")],
    ["PostToolUse", warn, words("PostToolUse")],
    ["SubagentStart", context, words("SubagentStart")],
    ["Stop", context, undefined],
    ["InstructionsLoaded", context, undefined],
    [
      "PreToolUse",
      deny,
      {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "no",
        },
      },
    ],
    ["PostToolUse", deny, undefined],
    ["Stop", block, { decision: "block", reason: "not yet" }],
    ["PreToolUse", block, undefined],
    ["PreToolUse", silent, undefined],
    [undefined, context, undefined],
  ] as const)("[HOOKS-3] Claude Code and Codex at %s: %j", ([event, verdict, answer]) => {
    expect(dialectOf("claude-code")?.format(event, verdict)).toEqual(answer)
    expect(dialectOf("codex")?.format(event, verdict)).toEqual(answer)
  })

  test.for([
    ["PreInvocation", context, { injectSteps: [{ ephemeralMessage: "words" }] }],
    ["PreInvocation", silent, undefined],
    ["PreToolUse", silent, { decision: "allow" }],
    ["PreToolUse", warn, { decision: "allow", reason: "words" }],
    ["PreToolUse", deny, { decision: "deny", reason: "no" }],
    ["PostToolUse", warn, undefined],
    ["Stop", block, { decision: "continue", reason: "not yet" }],
    ["Stop", silent, undefined],
    ["Stop", context, undefined],
  ] as const)("[HOOKS-8] Antigravity at %s: %j", ([event, verdict, answer]) => {
    expect(dialectOf("antigravity")?.format(event, verdict)).toEqual(answer)
  })
})

describe("payloads without an event", () => {
  test("[HOOKS-9] an unknown host has no dialect", () => {
    for (const host of [undefined, "", "Claude-Code", "constructor", "gemini"]) {
      expect(dialectOf(host)).toBeUndefined()
    }
  })

  test.for([
    ["no session", { cwd: "/repo", hook_event_name: "Stop" }],
    ["no working folder", { session_id: "s", hook_event_name: "Stop" }],
    ["no event", SESSION],
    ["an unknown event", { ...SESSION, hook_event_name: "SessionEnd" }],
    ["an event name that is a number", { ...SESSION, hook_event_name: 3 }],
    ["a session that is a number", { ...SESSION, session_id: 4, hook_event_name: "Stop" }],
    ["a tool without input", { ...SESSION, hook_event_name: "PreToolUse", tool_name: "Edit" }],
    [
      "a file path that is a number",
      { ...SESSION, tool_name: "Edit", tool_input: { file_path: 1 } },
    ],
  ] as const)("[HOOKS-9] %s gives no event", ([, payload]) => {
    expect(parse("claude-code", payload)).toBeUndefined()
    expect(parse("codex", payload)).toBeUndefined()
    expect(parse("antigravity", payload, "Stop")).toBeUndefined()
  })

  test("[HOOKS-9] [F1] no payload makes a dialect throw", () => {
    const event = fc.constantFrom(
      "SessionStart",
      "PreToolUse",
      "PostToolUse",
      "SubagentStart",
      "Stop",
      "InstructionsLoaded",
      "PreInvocation",
      "__proto__",
    )
    const tool = fc.constantFrom("Edit", "Agent", "apply_patch", "Bash", "spawn_agent", "x")
    const host = fc.constantFrom("claude-code", "codex", "antigravity", "opencode")
    const wild = fc.record(
      {
        session_id: fc.oneof(fc.string(), fc.jsonValue()),
        conversationId: fc.oneof(fc.string(), fc.jsonValue()),
        cwd: fc.oneof(fc.string(), fc.jsonValue()),
        workspacePaths: fc.jsonValue(),
        tool_name: fc.oneof(tool, fc.jsonValue()),
        tool_input: fc.jsonValue(),
        toolCall: fc.jsonValue(),
        tool_response: fc.jsonValue(),
        background_tasks: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(host, event, wild, (name, hook_event_name, fields) => {
        const heard = parse(name, { ...fields, hook_event_name }, hook_event_name)
        if (heard !== undefined) expect(typeof heard.session).toBe("string")
      }),
      fcParameters({ numRuns: 2_000 }),
    )
  })
})
