import { describe, expect, test } from "vitest"
import {
  ask,
  assistant,
  bytesOf,
  call,
  instructionBlock,
  named,
  result,
  text,
  user,
} from "./bodies.fixture.ts"
import { createRequestReader } from "./read-request.ts"

const read = createRequestReader()

const SESSION = "75575f37-cf3f-493b-87b8-737d7b78c898"
const BILLING = "x-anthropic-billing-header: cc_version=2.1.325.f16; cc_entrypoint=sdk-cli;"
const USER_ID = JSON.stringify({ device_id: "d", session_id: SESSION })

describe("identity of a request", () => {
  test.for([
    ["/v1/messages?beta=true", "messages"],
    ["/v1/messages/count_tokens", "count"],
    ["/v1/responses", "responses"],
    ["/responses/compact", "responses"],
    ["/v1/chat/completions", "chat"],
    ["/v1beta/models/gemini-9:streamGenerateContent?alt=sse", "generate"],
    ["/v1beta/models/gemini-9:countTokens", "count"],
    ["/v1/models", "other"],
    ["/v1/messages/batches", "other"],
  ] as const)("the route of %s is %s", async ([path, route]) => {
    expect((await read(ask({}, { path }))).route).toBe(route)
  })

  const claude = { metadata: { user_id: USER_ID }, model: "claude-x" }
  const header = (name: string, value: string) => [[name, value] as const]
  const codex = {
    model: "gpt-x",
    prompt_cache_key: "key",
    client_metadata: { session_id: "s1", thread_id: "s1" },
  }
  test.for([
    ["a header", claude, header("X-Claude-Code-Session-Id", "s-1"), ["s-1", null, "claude-x"]],
    ["the body", claude, [], [SESSION, null, "claude-x"]],
    [
      "a sub-agent's header",
      claude,
      header("x-claude-code-agent-id", "a94e"),
      [SESSION, "a94e", "claude-x"],
    ],
    [
      "a sub-agent's billing",
      { ...claude, system: [text(`${BILLING} cc_is_subagent=true;`)] },
      [],
      [SESSION, "sub-agent", "claude-x"],
    ],
    ["no model", { metadata: { user_id: "not json" } }, [], [null, null, null]],
  ] as const)("Claude Code's session is read from %s", async ([, body, headers, expected]) => {
    const { session, agent, model } = await read(ask(body, { headers }))
    expect([session, agent, model]).toEqual(expected)
  })

  test.for([
    ["its body", codex, [], ["s1", null, "gpt-x"]],
    [
      "its headers",
      codex,
      [
        ["session-id", "s2"],
        ["thread-id", "t2"],
      ],
      ["s2", "t2", "gpt-x"],
    ],
    ["its cache key", { prompt_cache_key: "key" }, [], ["key", null, null]],
  ] as const)("Codex's session is read from %s", async ([, body, headers, expected]) => {
    const { session, agent, model } = await read(ask(body, { wire: "openai", headers }))
    expect([session, agent, model]).toEqual(expected)
  })

  test("without an id the session is the hash of the first message, whatever cache markers it has", async () => {
    const marked = { type: "text", text: "hello", cache_control: { type: "ephemeral" } }
    const [one, two, other] = [
      await read(ask({ messages: [user("hello")] })),
      await read(ask({ messages: [user(marked), assistant("hi")] })),
      await read(ask({ messages: [user("good day")] })),
    ]
    expect(one?.session).toMatch(/^h-[0-9a-f]{32}$/)
    expect(two?.session).toBe(one?.session)
    expect(other?.session).not.toBe(one?.session)
  })

  test.for(["two words", "new\nline", "ü", "x".repeat(201)])(
    "a malformed id is replaced by its hash (%#)",
    async (id) => {
      const headers = [["x-claude-code-session-id", id]] as const
      expect((await read(ask({}, { headers }))).session).toMatch(/^h-[0-9a-f]{32}$/)
    },
  )

  test("Gemini's model is read from the path", async () => {
    const { model, route } = await read(ask({}, { wire: "gemini" }))
    expect([model, route]).toEqual(["gemini-9", "generate"])
  })
})

const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } }

const CLAUDE = {
  model: "claude-x",
  messages: [
    user(
      instructionBlock("Words of nobody."),
      "<system-reminder>\nAs you answer:\n# gitStatus\nclean\n</system-reminder>",
      "fix the kettle",
      PNG,
    ),
    { role: "system", content: [text("# Environment\nlinux\n\nToday's date is 2026-11-16.")] },
    assistant(
      { type: "thinking", thinking: "hm", signature: "c2VhbA==" },
      "I read.",
      call("t1", "Read", { file_path: "/a" }),
      call("t2", "Skill", { skill: "brew" }),
    ),
    user(
      result("t1", [text("1\tconst a"), PNG]),
      result("t2", "Launching skill: brew"),
      "Base directory for this skill: /p/.claude/skills/brew\n\nBoil.",
      { type: "mystery", secret: 1 },
    ),
  ],
  system: [text(BILLING), text("You are an agent."), text("Long prompt.")],
  tools: [
    { name: "Read", description: "reads", input_schema: {} },
    { name: "mcp__qm__branch", description: "branches", input_schema: {}, defer_loading: true },
  ],
  metadata: { user_id: USER_ID },
  max_tokens: 10,
}

describe("items of a request", () => {
  test("Anthropic: system, tools, settings, then the turns in order", async () => {
    const { items } = await read(ask(CLAUDE))
    expect(named(items)).toEqual([
      "other billing",
      "prompt system",
      "prompt system",
      "tool Read",
      "tool mcp__qm__branch",
      "other settings",
      "instructions instructions",
      "reminder gitStatus",
      "user user",
      "image image/png",
      "environment environment",
      "environment date",
      "thinking thinking",
      "assistant assistant",
      "call Read",
      "call Skill",
      "result Read",
      "image image/png",
      "result Skill",
      "skill brew",
      "other mystery",
    ])
    expect(items.map((it) => it.isDeferred).filter((it) => it !== undefined)).toEqual([true])
  })

  test("Responses: prompt, tools, servers, messages, calls by their names", async () => {
    const body = {
      instructions: "Be Codex.",
      tools: [
        { type: "function", name: "exec_command" },
        { type: "namespace", name: "mcp__qm", description: "Fold.", tools: [{ name: "branch" }] },
        { type: "web_search" },
      ],
      input: [
        message("developer", "<permissions instructions>all</permissions instructions>"),
        message(
          "developer",
          "<skills_instructions>\n### Available skills\n- brew: tea\n### How\nso",
        ),
        message("user", "<environment_context>linux</environment_context>", "go"),
        { type: "reasoning", summary: [], content: null, encrypted_content: "c2VhbA==" },
        {
          type: "function_call",
          namespace: "mcp__qm",
          name: "branch",
          arguments: "{}",
          call_id: "1",
        },
        {
          type: "function_call_output",
          call_id: "1",
          output: [{ type: "input_text", text: "ok" }],
        },
        { type: "custom_tool_call", name: "apply_patch", input: "***", call_id: "2" },
        { type: "custom_tool_call_output", call_id: "2", output: "done" },
        message("assistant", "Done."),
        { type: "compaction", encrypted_content: "x" },
      ],
    }
    expect(named((await read(ask(body, { wire: "openai" }))).items)).toEqual([
      "prompt instructions",
      "tool exec_command",
      "server mcp__qm",
      "tool mcp__qm__branch",
      "tool web_search",
      "other settings",
      "environment permissions",
      "system skills",
      "skill brew",
      "system skills",
      "environment environment",
      "user user",
      "thinking thinking",
      "call mcp__qm__branch",
      "result mcp__qm__branch",
      "call apply_patch",
      "result apply_patch",
      "assistant assistant",
      "other compaction",
    ])
  })

  test("chat completions: the first system message is the prompt", async () => {
    const body = {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "look" }, { type: "image_url" }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", function: { name: "view", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "1", content: "const a" },
        { role: "assistant", content: "Done." },
      ],
      tools: [{ type: "function", function: { name: "view" } }],
    }
    const { items } = await read(ask(body, { wire: "openai", path: "/v1/chat/completions" }))
    expect(items.map((it) => [it.kind, it.name, it.context])).toEqual([
      ["tool", "view", "tools"],
      ["other", "settings", "history"],
      ["prompt", "system", "system"],
      ["user", "user", "history"],
      ["image", "image_url", "history"],
      ["call", "view", "history"],
      ["result", "view", "files"],
      ["assistant", "assistant", "history"],
    ])
  })

  test("Gemini: roles, calls, results, thoughts", async () => {
    const body = {
      systemInstruction: { parts: [{ text: "Be Gemini." }] },
      tools: [{ functionDeclarations: [{ name: "read_file" }, { name: "edit" }] }],
      contents: [
        { role: "user", parts: [{ text: "go" }, { inlineData: { mimeType: "image/png" } }] },
        {
          role: "model",
          parts: [
            { text: "hm", thought: true },
            { functionCall: { name: "read_file", args: { path: "a" } } },
          ],
        },
        { role: "user", parts: [{ functionResponse: { name: "read_file", response: {} } }] },
      ],
    }
    expect(named((await read(ask(body, { wire: "gemini" }))).items)).toEqual([
      "prompt system",
      "tool read_file",
      "tool edit",
      "other settings",
      "user user",
      "image image/png",
      "thinking thinking",
      "call read_file",
      "result read_file",
    ])
  })

  test("for a body of realistic size, all bytes but the framing are in items", async () => {
    const turns = Array.from({ length: 30 }, (_, it) => [
      assistant(call(`t${it}`, "Read", { file_path: `/src/${it}.ts` })),
      user(result(`t${it}`, `words of file ${it} `.repeat(1_000))),
    ])
    const body = { ...CLAUDE, messages: [...CLAUDE.messages, ...turns.flat()] }
    const size = JSON.stringify(body).length
    const answer = await read(ask(body))
    expect(bytesOf(answer) / size).toBeGreaterThan(0.97)
    expect(bytesOf(answer)).toBeLessThanOrEqual(size)
  })

  test("an unreadable part still has its size", async () => {
    const [broken, packed, other] = [
      await read(ask(Buffer.from("{"))),
      await read(ask(CLAUDE, { headers: [["content-encoding", "compress"]] })),
      await read(ask({ event: 1 }, { path: "/telemetry" })),
    ]
    expect([broken, packed, other].map((it) => named(it?.items ?? []))).toEqual([
      ["other unreadable body"],
      ["other unreadable body"],
      ["other body"],
    ])
    expect(broken?.items[0]?.bytes).toBe(1)
  })
})

function message(role: string, ...texts: readonly string[]) {
  return { type: "message", role, content: texts.map((it) => ({ type: "input_text", text: it })) }
}

describe("identity of an item", () => {
  const shas = async (body: object) => (await read(ask(body))).items.map((it) => it.sha256)

  test("cache markers and values that change per request are not part of the hash", async () => {
    const marker = { cache_control: { type: "ephemeral" } }
    const marked = {
      ...CLAUDE,
      system: [
        text(`${BILLING} cch=1;`),
        ...CLAUDE.system.slice(1).map((it) => ({ ...it, ...marker })),
      ],
      tools: CLAUDE.tools.map((it) => ({ ...it, ...marker })),
      metadata: { user_id: "{}" },
      messages: CLAUDE.messages.map((it) => ({
        ...it,
        content: it.content.map((block) => Object.assign({}, block, marker)),
      })),
    }
    expect(await shas(marked)).toEqual(await shas(CLAUDE))
  })

  test("a system turn has the same hash as a text and as a block", async () => {
    const words = "# Environment\nlinux\n\nToday's date is 2026-11-16."
    const asText = { messages: [{ role: "system", content: words }] }
    const asBlock = { messages: [{ role: "system", content: [text(words)] }] }
    expect(await shas(asText)).toEqual(await shas(asBlock))
  })

  test("different text gives a different hash", async () => {
    const [one] = await shas({ messages: [user("a")] })
    const all = await shas({ messages: [user("b")] })
    expect(all.slice(1)).not.toContain(one)
    expect(new Set(all).size).toBe(all.length)
  })
})

describe("tokens of items", () => {
  test("totals are the sums of the items, per kind of context", async () => {
    const { items, tokens, kinds } = await read(ask(CLAUDE))
    const total = (some: typeof items) => some.reduce((sum, it) => sum + it.tokens, 0)
    expect(tokens).toBe(total(items))
    expect(kinds.map((it) => it.kind)).toEqual([
      "system",
      "tools",
      "mcp",
      "instructions",
      "skills",
      "files",
      "history",
    ])
    for (const { kind, tokens: counted } of kinds) {
      expect(counted).toBe(total(items.filter((it) => it.context === kind)))
    }
  })

  test("an image's base64 is not counted as text, and encrypted thinking has an estimate", async () => {
    const big = { ...PNG, source: { ...PNG.source, data: "A".repeat(1e6) } }
    const sealed = { type: "thinking", thinking: "", signature: "B".repeat(5_500) }
    const { items } = await read(ask({ messages: [user(big), assistant(sealed)] }))
    expect(items.slice(1).map((it) => [it.kind, it.tokens])).toEqual([
      ["image", 1_600],
      ["thinking", 1_000],
    ])
  })
})

describe("[GATE-55] texts of items", () => {
  test("[GATE-55] texts are returned only on request, once, and never those with machine or account data", async () => {
    const reading = createRequestReader()
    const body = { ...CLAUDE, metadata: { user_id: USER_ID, canary: "canary-1" } }
    const first = await reading(ask(body, { wantsTexts: true }))
    const words = first.texts.map((it) => it.text)
    expect(words).toContain("fix the kettle")
    expect(words.join()).not.toMatch(/canary|billing/)
    const longer = { ...body, messages: [...body.messages, assistant("Done.")] }
    const second = await reading(ask(longer, { wantsTexts: true }))
    expect(second.texts.map((it) => it.text)).toEqual(["Done."])
    expect((await reading(ask({ messages: [user("new")] }))).texts).toEqual([])
  })

  test("a token count request is not part of a conversation", async () => {
    const reading = createRequestReader()
    await reading(ask(CLAUDE))
    const counted = await reading(ask(CLAUDE, { path: "/v1/messages/count_tokens" }))
    expect([counted.added, counted.gone, counted.kept]).toEqual([[], 0, 0])
    expect((await reading(ask(CLAUDE))).added).toEqual([])
  })
})

describe("steps removed by a fold", () => {
  const fold = (removed: readonly unknown[]) => [{ branchId: "br_1", bytes: 99, removed }]

  test("a call and its result are one step, in the order of the calls", async () => {
    const removed = [
      assistant("I look.", call("1", "Read", { file_path: "/a" }), call("2", "Grep", { q: "b" })),
      user(result("2", "b: 1"), result("1", "const a"), "<system-reminder>nag</system-reminder>"),
      assistant({ type: "thinking", thinking: "hm", signature: "s" }, call("3", "Bash")),
      user(result("0", "late")),
    ]
    const { folded, trails } = await read(ask({}, { folded: fold(removed) }))
    expect(trails[0]?.steps.map((it) => [it.tool, it.text])).toEqual([
      [null, "I look."],
      ["Read", '{"file_path":"/a"}\n\nconst a'],
      ["Grep", '{"q":"b"}\n\nb: 1'],
      ["Bash", "{}"],
      ["tool", "late"],
    ])
    expect(folded).toEqual([{ branchId: "br_1", bytes: 99, tokens: expect.any(Number) }])
    const inSteps = trails[0]?.steps.reduce((sum, it) => sum + it.tokens, 0) ?? 0
    expect(folded[0]?.tokens).toBeGreaterThan(inSteps / 2)
  })

  test("steps of Codex are read the same way", async () => {
    const removed = [
      message("assistant", "I look."),
      { type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}', call_id: "1" },
      { type: "function_call_output", call_id: "1", output: "a.ts" },
    ]
    const { trails } = await read(ask({}, { wire: "openai", folded: fold(removed) }))
    expect(trails[0]?.steps.map((it) => [it.tool, it.text])).toEqual([
      [null, "I look."],
      ["exec_command", '{"cmd":"ls"}\n\na.ts'],
    ])
  })

  test("a long step is truncated and marked", async () => {
    const removed = [assistant("ü".repeat(100_001))]
    const { trails } = await read(ask({}, { folded: fold(removed) }))
    const words = trails[0]?.steps[0]?.text ?? ""
    expect(words.slice(-60)).toMatch(/ü\n\(truncated: 2 more bytes are not stored\)$/)
  })
})
