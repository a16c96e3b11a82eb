import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { WireItem } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { ask, assistant, call, result, text, user } from "./bodies.fixture.ts"
import { createRequestReader } from "./read-request.ts"

const HERE = "/nonexistent/project"

/** For each item with a reason: its kind, its name and its reason. */
async function reasons(body: object, given: Parameters<typeof ask>[1] = {}) {
  const { items } = await createRequestReader()(ask(body, given))
  for (const it of items) WireItem.parse(it)
  return items.flatMap((it) => (it.why === undefined ? [] : [[it.kind, it.name, it.why]]))
}

const resultsOf = (...inputs: readonly object[]) => ({
  messages: inputs.flatMap((input, at) => [
    assistant(call(`t${at}`, "T", input)),
    user(result(`t${at}`, "came")),
  ]),
})

describe("reasons of items", () => {
  test.for([
    [{ file_path: `${HERE}/src/x.ts`, offset: 3 }, "src/x.ts"],
    [{ file_path: "/etc/hosts" }, "/etc/hosts"],
    [{ path: HERE }, "."],
    [{ pattern: "tea", path: `${HERE}/src` }, "tea in src"],
    [{ pattern: "**/*.ts" }, "**/*.ts"],
    [{ command: "npm test", description: "runs" }, "npm test"],
    [{ command: "cd /a\nmake" }, "cd /a …"],
    [{ command: ["bash", "-lc", "ls src"] }, "ls src"],
    [{ cmd: ["git", "log"] }, "git log"],
    [{ action: { type: "search", query: "tea" } }, "tea"],
    [{ url: "https://tea.example/a" }, "https://tea.example/a"],
    [{ handle: "br_1", message: "done" }, "br_1"],
    [{ file_path: `${HERE}/${"d/".repeat(100)}x.ts` }, "x.ts"],
  ] as const)("a result has the arguments of its call as reason (%#)", async ([input, why]) => {
    expect(await reasons(resultsOf(input))).toEqual([["result", "T", why]])
  })

  test("for a long command the reason has the first words, and no word is split", async () => {
    const secret = "s".repeat(150)
    const found = await reasons(
      resultsOf({ command: `curl -H ${secret} x` }, { command: `${secret}${secret}` }, {}),
    )
    expect(found).toEqual([["result", "T", "curl -H …"]])
  })

  test("an image in a result has the result's reason", async () => {
    const picture = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "Q" },
    }
    const body = {
      messages: [
        assistant(call("1", "Read", { file_path: `${HERE}/a.png` })),
        user(result("1", [picture]), picture),
      ],
    }
    expect(await reasons(body)).toEqual([
      ["result", "Read", "a.png"],
      ["image", "image/png", "a.png"],
    ])
  })

  test("a skill has the call that loaded it as reason, a hook its event", async () => {
    const skill = (name: string) => `Base directory for this skill: /p/skills/${name}\n\nBoil.`
    const body = {
      messages: [
        assistant(call("1", "Skill", { skill: "tea:brew" }), call("2", "Skill", { skill: "sip" })),
        user(result("1", "ok"), result("2", "ok"), skill("sip"), skill("brew"), skill("other")),
        { role: "system", content: [text("PostToolUse:Skill hook additional context: noted")] },
      ],
    }
    expect((await reasons(body)).slice(2)).toEqual([
      ["skill", "sip", "by Skill sip"],
      ["skill", "brew", "by Skill tea:brew"],
      ["hook", "PostToolUse:Skill", "at PostToolUse"],
    ])
  })

  const attached = [
    `<system-reminder>\nCalled the Read tool with the following input: {"file_path":"${HERE}/a.ts"}\n</system-reminder>\n`,
    "<system-reminder>\nResult of calling the Read tool:\n1\tconst a\n</system-reminder>\n",
  ]

  test("an attached file has the prompt that names it as reason, otherwise the host", async () => {
    const before = { role: "user", content: attached[0] }
    const messages = [
      before,
      user(attached[1], "look at @a.ts"),
      assistant("I see."),
      user("and now", ...attached),
    ]
    expect(await reasons({ messages })).toEqual([
      ["call", "Read", "@ in the prompt: a.ts"],
      ["result", "Read", "@ in the prompt: a.ts"],
      ["call", "Read", "attached by the host: a.ts"],
      ["result", "Read", "attached by the host: a.ts"],
    ])
  })

  test("results of Codex, chat completions and Gemini have the arguments of their call as reason", async () => {
    const patch = `*** Begin Patch\n*** Update File: ${HERE}/tea.txt\n+oolong\n*** End Patch`
    const codex = {
      input: [
        { type: "function_call", name: "exec", arguments: '{"cmd":"ls -la"}', call_id: "1" },
        { type: "custom_tool_call", name: "apply_patch", input: patch, call_id: "2" },
        { type: "custom_tool_call_output", call_id: "2", output: "done" },
        { type: "function_call_output", call_id: "1", output: "a.ts" },
      ],
    }
    expect(await reasons(codex, { wire: "openai" })).toEqual([
      ["result", "apply_patch", "tea.txt"],
      ["result", "exec", "ls -la"],
    ])
    const asked = { id: "1", function: { name: "view", arguments: '{"path":"a.ts"}' } }
    const chat = {
      messages: [
        { role: "assistant", content: null, tool_calls: [asked] },
        { role: "tool", tool_call_id: "1", content: "const a" },
      ],
    }
    const path = "/v1/chat/completions"
    expect(await reasons(chat, { wire: "openai", path })).toEqual([["result", "view", "a.ts"]])
    const calls = ["a.ts", "b.ts"].map((file) => ({
      functionCall: { name: "read_file", args: { path: file } },
    }))
    const answers = calls.map(() => ({ functionResponse: { name: "read_file", response: {} } }))
    const contents = [
      { role: "model", parts: calls },
      { role: "user", parts: answers },
    ]
    expect(await reasons({ contents }, { wire: "gemini" })).toEqual([
      ["result", "read_file", "a.ts"],
      ["result", "read_file", "b.ts"],
    ])
  })
})

describe("a file loaded along the way has the call beside it as reason", () => {
  const later = (file: string, words: string) =>
    `<system-reminder>\nContents of ${file}:\n\n${words}\n\n</system-reminder>`

  async function placeIn(root: string) {
    const project = path.join(root, "project")
    for (const folder of ["home", "project/sub"]) {
      await mkdir(path.join(root, folder), { recursive: true })
    }
    const nested = path.join(project, "sub/CLAUDE.md")
    await writeFile(nested, "Be kind.\n")
    const home = path.join(root, "home")
    const place = { host: "claude-code", workingDirectory: project, home, environment: {} } as const
    return { place, nested, at: (name: string) => path.join(project, name) }
  }

  test("of several calls, the one in the file's folder or the first is the reason", async () => {
    await using temp = await tempDirectory()
    const { place, nested, at } = await placeIn(temp.path)
    const reads = (...names: readonly string[]) => ({
      messages: [
        assistant(
          call("c", "Bash", { command: "ls" }),
          ...names.map((it) => call(it, "Read", { file_path: at(it) })),
        ),
        user(
          result("c", "x"),
          ...names.map((it) => result(it, "1\tx")),
          later(nested, "Be kind."),
          later("/never/there.md", "x"),
        ),
      ],
    })
    const whys = async (...names: readonly string[]) =>
      (await reasons(reads(...names), { place })).slice(-2)
    expect(await whys("x.ts", "sub/x.ts")).toEqual([
      ["instructions", nested, "with Read sub/x.ts"],
      ["reminder", "reminder", "with Bash ls or 2 others beside it"],
    ])
    expect((await whys("sub/x.ts", "sub/y.ts"))[0]?.[2]).toBe(
      "with Read sub/x.ts or another beside it",
    )
  })

  test("an attached file can also be the reason", async () => {
    await using temp = await tempDirectory()
    const { place, nested, at } = await placeIn(temp.path)
    const input = JSON.stringify({ file_path: at("sub/x.ts") })
    const messages = [
      user(
        `<system-reminder>\nCalled the Read tool with the following input: ${input}\n</system-reminder>`,
        "<system-reminder>\nResult of calling the Read tool:\n1\tx\n</system-reminder>\n",
        later(nested, "Be kind."),
        "see @sub/x.ts",
      ),
    ]
    expect((await reasons({ messages }, { place })).at(-1)).toEqual([
      "instructions",
      nested,
      "with Read sub/x.ts",
    ])
  })

  test("a reason does not change the identity of an item", async () => {
    const read = createRequestReader()
    const turns = (input: object) => [
      user("go"),
      assistant("I look.", call("1", "Read", input)),
      user(result("1", "same words")),
    ]
    const one = await read(ask({ messages: turns({ file_path: "/a" }) }))
    const two = await read(ask({ messages: turns({ file_path: "/b" }) }))
    expect([one.items.at(-1)?.why, two.items.at(-1)?.why]).toEqual(["/a", "/b"])
    expect(one.items.at(-1)?.sha256).toBe(two.items.at(-1)?.sha256)
    expect(two.added.map((it) => it.kind)).toEqual(["call"])
  })
})
