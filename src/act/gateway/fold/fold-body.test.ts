import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { foldReceipt, openReceipt } from "#choose/fold"
import { foldBody, LEAST_FOLDED_BYTES, wireStateOf } from "./fold-body.ts"
import { ANTHROPIC, bodyOf, KEY, type Message } from "./story.fixture.ts"

const A = `br_${"a".repeat(32)}`
const B = `br_${"b".repeat(32)}`
const LONG = "x".repeat(3_000)
const MARKER = { type: "ephemeral" }

const user = (...content: object[]) => ({ role: "user", content })
const system = (content: string, more = {}) => ({ role: "system", content, ...more })
const text = (it: string, more = {}) => ({ type: "text", text: it, ...more })
const call = (id: string, name: string, input = {}) => ({ type: "tool_use", id, name, input })
const calls = (...content: object[]) => ({
  role: "assistant",
  content: [{ type: "thinking", thinking: "", signature: "s" }, ...content],
})
const result = (id: string, content: unknown, more = {}) => ({
  tool_use_id: id,
  type: "tool_result",
  content,
  ...more,
})
const opened = (id: string, branchId: string) => result(id, `open ${openReceipt(KEY, branchId)}`)
const returned = (id: string, branchId: string, more = {}) =>
  result(id, `result of ${branchId} ${foldReceipt(KEY, branchId)}`, more)
const picture = (data: string) => ({ type: "image", source: { type: "base64", data } })

const GO = user(text("go"))
const OPEN = [calls(call("t1", "mcp__qm__branch")), user(opened("t1", A))]
const READ = [calls(call("t2", "Read")), user(result("t2", LONG))]
const CLOSE = [calls(call("t3", "mcp__qm__return", { branch_id: A })), user(returned("t3", A))]
const FOLDED = user({ ...opened("t1", A), content: returned("t3", A).content })

function sent(messages: readonly object[], more = {}): readonly object[] {
  const body = bodyOf(messages, more)
  const outcome = foldBody(body, ANTHROPIC)
  const read: { messages: Message[] } = JSON.parse(
    (outcome.kind === "folded" ? outcome.body : body).toString(),
  )
  return read.messages
}

function whyWhole(messages: readonly object[], more = {}): string | null | undefined {
  const outcome = foldBody(bodyOf(messages, more), ANTHROPIC)
  return outcome.kind === "whole" ? outcome.why : undefined
}

function keptOf(...inside: object[]): unknown {
  const [, , patched] = sent([GO, ...OPEN, ...READ, ...inside, ...CLOSE])
  const { content }: Partial<Message> = patched ?? {}
  return Array.isArray(content) ? content.slice(1) : content
}

const HEADING = "Kept from the turns that were folded into the result above:\n\n"

describe("collapse form", () => {
  test("[GATE-25] the result of the branch becomes the result of its return, and the turns between are removed", () => {
    expect(sent([GO, ...OPEN, ...READ, ...CLOSE, calls(text("done")), GO])).toEqual([
      GO,
      OPEN[0],
      FOLDED,
      calls(text("done")),
      GO,
    ])
  })

  test("[GATE-25] folding a folded body changes nothing", () => {
    const once = sent([GO, ...OPEN, ...READ, ...CLOSE])
    expect(sent(once)).toEqual(once)
  })

  test("[GATE-25] a result in blocks, as a string and as JSON in a string folds the same way", () => {
    const json = JSON.stringify({ branch_id: A, receipt: foldReceipt(KEY, A) })
    const blocks = [text("one"), text(foldReceipt(KEY, A))]
    for (const content of [json, blocks]) {
      const close = [CLOSE[0] ?? {}, user(result("t3", content))]
      expect(sent([GO, ...OPEN, ...READ, ...close])[2]).toEqual(user(result("t1", content)))
    }
  })

  test("[GATE-25] an outer branch removes the inner ones; calls beside its return keep their results", () => {
    const inner = [calls(call("u1", "branch")), user(opened("u1", B))]
    const both = [
      calls(
        call("u2", "return", { branch_id: B }),
        call("t3", "return"),
        call("u3", "Read", { p: 1 }),
      ),
      user(returned("u2", B), returned("t3", A), result("u3", "beside")),
    ]
    const kept = `[answer of return {"branch_id":"${B}"}]\n${String(returned("u2", B).content)}`
    expect(sent([GO, ...OPEN, ...inner, ...READ, ...both])).toEqual([
      GO,
      OPEN[0],
      user(...FOLDED.content, text(`${HEADING}${kept}\n\n[answer of Read {"p":1}]\nbeside`)),
    ])
  })

  test("[GATE-25] two branches opened in one turn each get their own result", () => {
    const open = [
      calls(call("t1", "branch"), call("u1", "branch"), call("r", "Read")),
      user(opened("t1", A), opened("u1", B), result("r", "beside")),
    ]
    const first = [GO, ...open, ...READ, ...CLOSE]
    expect(sent(first)[2]).toEqual(
      user(FOLDED.content[0] ?? {}, opened("u1", B), result("r", "beside")),
    )
    const second = [calls(call("u2", "return", { branch_id: B })), user(returned("u2", B))]
    const patched = { ...opened("u1", B), content: returned("u2", B).content }
    expect(sent([...first, ...second])).toEqual([
      GO,
      open[0],
      user(FOLDED.content[0] ?? {}, patched, result("r", "beside")),
    ])
  })

  test("[GATE-23] of two crossing branches the first to return is folded permanently, and both results stay", () => {
    const crossing = [calls(call("u1", "branch")), user(opened("u1", B))]
    const last = [calls(call("u2", "return", { branch_id: B })), user(returned("u2", B))]
    const first = [GO, ...OPEN, ...crossing, ...READ, ...CLOSE]
    expect(sent(first)).toEqual([GO, OPEN[0], FOLDED])
    const more = [calls(call("t9", "Read")), user(result("t9", LONG)), ...last]
    expect(sent([...first, ...more])).toEqual([GO, OPEN[0], FOLDED, ...more])
  })
})

describe("content that stays", () => {
  test("[GATE-25] the user's text, files, instructions and skills stay as one text", () => {
    const reminder = (it: string) => `<system-reminder>\n${it}\n</system-reminder>`
    const typed = user(
      text(reminder("Called the Read tool with the following input: {}")),
      text(reminder("Codebase and user instructions are shown below. x")),
      text("typed"),
      picture("seen"),
    )
    const lazy = user(
      result("t4", "left"),
      text(reminder("Contents of /r/CLAUDE.md:\n\nrule")),
      text("Base directory for this skill: /s\n\nbody"),
      text(reminder("The TODO list is empty")),
      text("Tool loaded."),
    )
    const inside = [calls(text("?")), typed, calls(call("t4", "Read")), lazy]
    const texts = [
      `[attached by the user]\n${reminder("Called the Read tool with the following input: {}")}`,
      `[instructions that were loaded]\n${reminder("Codebase and user instructions are shown below. x")}`,
      "[from the user]\ntyped",
      `[instructions that were loaded]\n${reminder("Contents of /r/CLAUDE.md:\n\nrule")}`,
      "[skill that was loaded]\nBase directory for this skill: /s\n\nbody",
    ]
    expect(keptOf(...inside)).toEqual([text(HEADING + texts.join("\n\n")), picture("seen")])
  })

  test("[GATE-25] of a command the user's words stay; instructions of the return that was made do not", () => {
    const typed = (name: string, words: string) =>
      text(
        `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${words}</command-args>`,
      )
    const template = readFileSync("templates/commands/return.md", "utf8")
    const body = template.slice(template.indexOf("---", 3) + 3).trimStart()
    const ask = typed("qm:return", "in src/a.ts:2")
    const other = typed("qm:boot", "")
    const kept = keptOf(
      user(other, text("Load the state.")),
      calls(text("It is loaded.")),
      user(ask, text(body), text("and thanks")),
    )
    expect(kept).toEqual([
      text(
        `${HEADING}${[
          `[from the user]\n${other.text}`,
          "[skill that was loaded]\nLoad the state.",
          `[from the user]\n${ask.text}`,
          "[from the user]\nand thanks",
        ].join("\n\n")}`,
      ),
    ])
  })

  test("[GATE-25] the user's answers and refusals stay, and tools loaded inside are named", () => {
    const refusal = "The user doesn't want to proceed with this tool use. Not now."
    const inside = [
      calls(
        call("t4", "AskUserQuestion", { q: 1 }),
        call("t5", "Edit"),
        call("t6", "ToolSearch"),
        call("t7", "mcp__x__y"),
      ),
      user(
        result("t4", "blue"),
        result("t5", refusal, { is_error: true }),
        result("t6", [{ type: "tool_reference", tool_name: "Late" }]),
        result("t7", refusal, { is_error: true }),
      ),
    ]
    const load = "[tools that were loaded inside: load them again before you call them] Late"
    const kept = `[answer of AskUserQuestion {"q":1}]\nblue\n\n[error of Edit {}]\n${refusal}\n\n${load}`
    expect(keptOf(...inside)).toEqual([text(HEADING + kept)])
  })

  test("[GATE-25] of system turns only those unrelated to a tool call stay", () => {
    const inside = [
      calls(call("t4", "Read")),
      user(result("t4", "")),
      system("PreToolUse:Read hook additional context: a\nb\nUserPromptSubmit hook success: c"),
      calls(call("t5", "Read")),
      user(result("t5", "")),
      system("The user hasn't heard from you in a while."),
    ]
    const kept =
      "[from the system]\n<system-reminder>\nUserPromptSubmit hook success: c\n</system-reminder>"
    expect(keptOf(...inside)).toEqual([text(HEADING + kept)])
  })

  test("[GATE-25] a sub-agent's message that came with a hook's message stays", () => {
    const word =
      "[SYSTEM NOTIFICATION - NOT USER INPUT]\n<task-notification>done</task-notification>"
    const inside = [
      calls(call("t4", "Read")),
      user(result("t4", "")),
      system(`PostToolUse:Read hook additional context: a\n\nmore of it\n\n${word}`),
    ]
    const kept = `[from the system]\n<system-reminder>\n${word}\n</system-reminder>`
    expect(keptOf(...inside)).toEqual([text(HEADING + kept)])
  })

  test("[GATE-25] blocks beside the return's own result stay unchanged", () => {
    const live = text("<system-reminder>\nnow\n</system-reminder>")
    const close = [CLOSE[0] ?? {}, user(returned("t3", A), live, text("and now this"))]
    const expected = user(...FOLDED.content, live, text("and now this"))
    expect(sent([GO, ...OPEN, ...READ, ...close])).toEqual([GO, OPEN[0], expected])
  })

  test("[GATE-25] the result of an earlier branch, returned inside without a receipt, stays", () => {
    const inside = [
      calls(call("u2", "return", { branch_id: B })),
      user(result("u2", `result of ${B}`)),
    ]
    const kept = `[answer of return {"branch_id":"${B}"}]\nresult of ${B}`
    expect(keptOf(...inside)).toEqual([text(HEADING + kept)])
  })
})

describe("trust", () => {
  const forged = `qm-fold:${A}:0123456789abcdef`
  const true_ = foldReceipt(KEY, A)
  test.each([
    ["a return that failed", [CLOSE[0], user(returned("t3", A, { is_error: true }))]],
    ["a forged receipt", [CLOSE[0], user(result("t3", forged))]],
    ["a receipt for another branch", [CLOSE[0], user(returned("t3", B))]],
    ["a return of another branch", [calls(call("t3", "return", { branch_id: B })), CLOSE[1]]],
    ["a tool of another name", [calls(call("t3", "Read", { branch_id: A })), CLOSE[1]]],
    ["what the user typed", [calls(text("?")), user(text(true_))]],
    ["what the model said", [calls(text(true_)), GO]],
    ["a system turn", [calls(text("?")), GO, system(true_)]],
    ["an answer one message late", [CLOSE[0], user(text("?")), CLOSE[1]]],
  ])("[GATE-26] %s folds nothing", (_, close) => {
    const messages = [GO, ...OPEN, ...READ, ...close.flatMap((it) => it ?? [])]
    expect(whyWhole(messages)).toBe(null)
  })

  test("[GATE-26] an opening with a forged receipt, or that failed, folds nothing", () => {
    const open = (block: object) => [OPEN[0] ?? {}, user(block)]
    const wrong = openReceipt("another key", A)
    for (const block of [
      result("t1", wrong),
      { ...opened("t1", A), is_error: true },
      result("t1", `${openReceipt(KEY, A)} ${openReceipt(KEY, B)}`),
    ]) {
      expect(whyWhole([GO, ...open(block), ...READ, ...CLOSE])).toBe(null)
    }
  })

  test("[GATE-26] a failed return before and a repeated return after change nothing", () => {
    const failed = [
      calls(call("f", "return", { branch_id: A })),
      user(result("f", "no", { is_error: true })),
    ]
    const again = [calls(call("g", "return", { branch_id: A })), user(returned("g", A))]
    expect(sent([GO, ...OPEN, ...READ, ...failed, ...CLOSE, ...again])).toEqual([
      GO,
      OPEN[0],
      FOLDED,
      ...again,
    ])
  })
})

describe("doubt", () => {
  const STORY = [GO, ...OPEN, ...READ, ...CLOSE]
  const strange = [calls(text("?")), user({ type: "new" })]
  test.each([
    ["a message has an unknown role", [{ role: "tool", content: "" }]],
    [
      "a system turn has an unknown block",
      [GO, { role: "system", content: [{ type: "tool_addition" }] }],
    ],
    ["a message has content of an unknown form", [{ role: "user", content: 1 }]],
    ["a turn in it has an unknown block", strange],
    ["a turn in it has an unknown field", [calls(text("?")), { ...GO, new: 1 }]],
  ])(
    "[GATE-27] a branch is not folded when %s inside it; outside it does not matter",
    (why, turns) => {
      expect(whyWhole([GO, ...OPEN, ...READ, ...turns, ...CLOSE])).toBe(why)
      expect(whyWhole([GO, ...turns, ...OPEN, ...READ, ...CLOSE])).toBeUndefined()
      expect(wireStateOf(bodyOf([GO, ...OPEN, ...turns, ...READ]), ANTHROPIC).branches).toEqual([])
    },
  )

  test("[GATE-27] a branch is not folded when two calls inside have the same id", () => {
    expect(whyWhole([GO, ...OPEN, ...READ, ...READ, ...CLOSE])).toBe("two calls have the same id")
    expect(wireStateOf(bodyOf([GO, ...OPEN, ...READ, ...READ]), ANTHROPIC).branches).toEqual([])
    expect(whyWhole([GO, ...READ, ...OPEN, ...READ, ...CLOSE, ...READ])).toBeUndefined()
  })

  test("[GATE-27] a body with too little to fold is sent unchanged", () => {
    expect(whyWhole([GO, ...OPEN, ...CLOSE])).toBe("there is too little to fold")
  })

  test.each([
    ["a block in a system turn", { role: "system", content: [{ type: "tool_addition" }] }],
    ["a block in a user's turn", user({ type: "new" })],
    ["a role", { role: "developer", content: "next" }],
    ["a form of content", { role: "user", content: 1 }],
    ["a message", null],
    ["an id that was there", calls(call("t1", "mcp__qm__branch"))],
    ["a late answer", user(returned("t2", B))],
  ])("[GATE-23] an unexpected part (%s) undoes no fold and keeps its bytes", (_, strange) => {
    for (const inside of [[], [GO, system("", { output_config: { effort: "high" } })]]) {
      const story = [GO, ...OPEN, ...READ, ...inside, ...CLOSE]
      for (const between of [[], [calls(text("ok")), GO]]) {
        const outcome = foldBody(bodyOf([...story, ...between, strange]), ANTHROPIC)
        expect(outcome).toMatchObject({ branches: [{ branchId: A }] })
      }
      const later = [calls(text("ok")), GO, strange]
      const [before, after] = [story, [...story, ...later]].map((it) => {
        const outcome = foldBody(bodyOf(it), ANTHROPIC)
        return outcome.kind === "folded" ? outcome.body.toString() : undefined
      })
      const said = `,${JSON.stringify(later).slice(1, -1)}]`
      expect(after).toBe(before?.replace(/\](?=,"system":\[)/, said))
    }
  })

  test("[GATE-27] a body that its client attests is sent unchanged", () => {
    const system = (it: string) => [text(`x-anthropic-billing-header: cc_version=2; ${it}`)]
    expect(whyWhole(STORY, { system: system("cch=ea23b;") })).toBe(
      "it contains a checksum of its body",
    )
    expect(whyWhole(STORY, { system: system("cc_entrypoint=cli;") })).toBeUndefined()
  })

  test("[GATE-27] a doubt about one branch leaves the others folded", () => {
    const next = [calls(call("u1", "branch")), user(opened("u1", B))]
    const last = [calls(call("u2", "return", { branch_id: B })), user(returned("u2", B))]
    const more = [...next, ...strange, calls(call("t9", "Read")), user(result("t9", LONG)), ...last]
    expect(sent([...STORY, ...more])).toEqual([GO, OPEN[0], FOLDED, ...more])
  })

  test("[GATE-27] a body that is not JSON or has a duplicate field is sent unchanged", () => {
    const fold = (it: string | Buffer) => foldBody(Buffer.from(it), ANTHROPIC)
    const json = bodyOf(STORY).toString()
    expect(fold(json.slice(0, -1))).toEqual({ kind: "whole", why: "the body is not a JSON object" })
    expect(fold(Buffer.concat([Buffer.from(json), Buffer.from([0xff])])).kind).toBe("whole")
    const twice = `${json.slice(0, -1)},"messages":[]}`
    const why = "its messages are not one list, or it has a duplicate field"
    expect(fold(twice)).toEqual({ kind: "whole", why })
    const deep = `{"qm-fold:br_":${"[".repeat(200_000)}${"]".repeat(200_000)},"messages":[]}`
    expect(fold(deep).kind).toBe("whole")
  })

  test("[GATE-27] a fault that the original body already has does not prevent a fold", () => {
    const open = [calls(call("t1", "branch"), call("t8", "Read")), user(opened("t1", A))]
    expect(sent([GO, ...open, ...READ, ...CLOSE])).toEqual([GO, open[0], FOLDED])
  })
})

describe("cache markers and settings", () => {
  test("the cache marker of a removed message moves to the end of its replacement", () => {
    const marked = (it: object) => ({ ...it, cache_control: MARKER })
    const close = [CLOSE[0] ?? {}, user(marked(returned("t3", A)))]
    const patched = user(marked(FOLDED.content[0] ?? {}))
    const hook = system("Brief output style is active. Be brief.")
    expect(sent([GO, ...OPEN, ...READ, ...close, hook])).toEqual([GO, OPEN[0], patched, hook])
    const elsewhere = [calls(text("?")), user(text("more", { cache_control: MARKER }))]
    expect(sent([GO, ...OPEN, ...READ, ...CLOSE, ...elsewhere])).toEqual([
      GO,
      OPEN[0],
      FOLDED,
      ...elsewhere,
    ])
  })

  test("a cache marker does not decide whether there is enough to fold", () => {
    const marked = (it: object) => ({ ...it, cache_control: MARKER })
    const close = [CLOSE[0] ?? {}, user(marked(returned("t3", A)))]
    const read = (size: number) => [calls(call("t2", "Read")), user(result("t2", "x".repeat(size)))]
    const least = LEAST_FOLDED_BYTES + 2 - JSON.stringify([...read(0), ...CLOSE]).length
    for (const end of [CLOSE, close]) {
      expect(whyWhole([GO, ...OPEN, ...read(least - 1), ...end])).toBe(
        "there is too little to fold",
      )
      expect(whyWhole([GO, ...OPEN, ...read(least), ...end])).toBeUndefined()
    }
  })

  const HIGH = { output_config: { effort: "high" } }
  const inside = [calls(call("t4", "Read")), user(result("t4", "")), system("", HIGH)]

  test("`output_config` set inside a branch still applies after it", () => {
    const story = [GO, ...OPEN, ...inside, ...READ, ...CLOSE]
    const said = { role: "system", content: [], ...HIGH }
    const done = calls(text("done"))
    expect(sent(story)).toEqual([GO, OPEN[0], FOLDED, said])
    expect(sent([...story, done, GO])).toEqual([GO, OPEN[0], FOLDED, said, done, GO])
    expect(sent([...story, GO, done, GO])).toEqual([GO, OPEN[0], FOLDED, GO, said, done, GO])
    const hook = system("a hook's words")
    expect(sent([...story, hook, done, GO])[3]).toEqual({ ...hook, ...HIGH })
    const low = system("", { output_config: { effort: "low" } })
    expect(sent([...story, low, done, GO])[3]).toEqual(low)
  })

  test("an `output_config` set before and repeated inside is not repeated after it", () => {
    const first = [GO, system("environment", HIGH)]
    expect(sent([...first, ...OPEN, ...inside, ...READ, ...CLOSE])).toEqual([
      ...first,
      OPEN[0],
      FOLDED,
    ])
  })
})

describe("fold report", () => {
  test("each branch lists the messages removed with it, and its bytes are counted once", () => {
    const inner = [calls(call("u1", "branch")), user(opened("u1", B)), ...READ]
    const closed = [calls(call("u2", "return", { branch_id: B })), user(returned("u2", B))]
    const messages = [GO, ...OPEN, ...inner, ...closed, ...CLOSE]
    const outcome = foldBody(bodyOf(messages), ANTHROPIC)
    const size = (it: readonly object[]) => JSON.stringify(it).length - 1
    const own = [...inner.slice(0, 2), ...CLOSE]
    expect(outcome).toMatchObject({
      branches: [
        { branchId: B, bytes: size([...READ, ...closed]), removed: [...READ, ...closed] },
        { branchId: A, bytes: size(own), removed: [...inner, ...closed, ...CLOSE] },
      ],
    })
  })

  test("an open branch is reported with the bytes since its opening, as long as it can be folded", () => {
    const state = (messages: readonly object[]) => wireStateOf(bodyOf(messages), ANTHROPIC)
    const open = [GO, ...OPEN]
    expect(state(open)).toEqual({ branches: [{ branchId: A, bytesAfter: 0 }], doubt: null })
    const [on] = state([...open, ...READ]).branches
    expect(on?.bytesAfter).toBe(JSON.stringify(READ).length - 2)
    expect(state([...open, ...READ, ...CLOSE]).branches).toEqual([])
    expect(state([...open, calls(text("?")), user({ type: "new" })]).branches).toEqual([])
    const beside = [
      calls(call("t3", "return", { branch_id: A }), call("u1", "branch")),
      user(returned("t3", A), opened("u1", B)),
    ]
    expect(state([...open, ...READ, ...beside]).branches).toEqual([])
    expect(wireStateOf(Buffer.from("{"), ANTHROPIC).doubt).toBe("the body is not a JSON object")
  })
})
