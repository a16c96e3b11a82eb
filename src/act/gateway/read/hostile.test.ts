import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { WireItem } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { ask, bytesOf, events, instructionBlock } from "./bodies.fixture.ts"
import { createRequestReader } from "./read-request.ts"

const read = createRequestReader()

const WIRES = fc.constantFrom("anthropic" as const, "openai" as const, "gemini" as const)
const PATHS = fc.constantFrom(
  "/v1/messages",
  "/v1/responses",
  "/v1/chat/completions",
  "/m:generateContent",
  "/x/count_tokens",
  "/other",
)

/** JSON whose keys and words are those that the reader looks for. */
const WORDS = [
  ..."messages input contents system tools role content type text parts name id".split(" "),
  ..."tool_use_id call_id output input thinking signature source data usage user".split(" "),
  ..."assistant tool_result tool_use function_call function_call_output message".split(" "),
  "SessionStart:x hook success: y\n\n# Environment\n\nAvailable agent types\n- a: b\n- c",
  instructionBlock("Contents of /a (project instructions, checked into the codebase):\n\nb"),
  "<system-reminder>\nContents of /a",
  "# AGENTS.md instructions\n\n<INSTRUCTIONS>\n",
  "\ud800",
]
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom(...WORDS, null, 0, -1, true),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...WORDS), tie("json"), { maxKeys: 5 }),
  ),
}))

describe("hostile requests and responses", () => {
  test("arbitrary bytes do not make reading fail", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 })
    const encoding = fc.constantFrom("", "gzip", "br", "zstd", "deflate", "x")
    await fc.assert(
      fc.asyncProperty(bytes, bytes, fc.tuple(encoding, WIRES, PATHS), async (body, said, how) => {
        const [it, wire, path] = how
        const headers = [["content-encoding", it]] as const
        const answer = { headers, body: [said], isWhole: false }
        const { items } = await read(ask(body, { wire, path, headers, answer }))
        expect(items.length).toBe(body.length === 0 ? 0 : 1)
      }),
      fcParameters({ numRuns: 300 }),
    )
  })

  test("JSON of any shape gives valid items", async () => {
    await fc.assert(
      fc.asyncProperty(json, json, fc.tuple(WIRES, PATHS), async (body, said, [wire, path]) => {
        const folded = [{ branchId: "b", bytes: 0, removed: [body] }]
        const question = ask(body, { wire, path, folded, said: events({ usage: said }) })
        const answer = await read({ ...question, wantsTexts: true })
        for (const item of answer.items) WireItem.parse(item)
        expect(answer.tokens).toBeGreaterThanOrEqual(0)
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("any text in a turn is in an item", async () => {
    const words = fc.string({ minLength: 1, unit: "grapheme" })
    const prefix = fc.constantFrom("", ...WORDS)
    // In a new session everything is new.
    let sessions = 0
    await fc.assert(
      fc.asyncProperty(
        words,
        prefix,
        fc.constantFrom("user", "system"),
        async (it, start, role) => {
          const mark = `<<${it.replaceAll("\n", " ")}>>`
          const messages = [{ role, content: [{ type: "text", text: `${start}${mark}` }] }]
          sessions += 1
          const headers = [["x-claude-code-session-id", `s-${sessions}`]] as const
          const { texts } = await read(ask({ messages }, { headers, wantsTexts: true }))
          expect(texts.map((one) => one.text).join("\n")).toContain(mark.trim())
        },
      ),
      fcParameters({ numRuns: 300 }),
    )
  })

  test("nesting 100,000 levels deep does not make reading fail", async () => {
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    const block = `{"type":"odd","in":${nested}}`
    const body = Buffer.from(
      `{"messages":[{"role":"user","content":[${block}]}],"tools":[{"a":${nested}}]}`,
    )
    const answer = await read(ask(body))
    expect(answer.items.map((it) => it.kind)).toEqual(["tool", "other", "other"])
    expect(answer.session).not.toBeNull()
  })

  test("of 100,000 turns a limited number is listed, and all are counted", async () => {
    const messages = Array.from({ length: 100_000 }, (_, it) => ({
      role: "user",
      content: `m${it}`,
    }))
    const answer = await read(ask({ messages }))
    expect([answer.items.length, answer.items.at(-1)?.name]).toEqual([
      20_000,
      "80002 further items",
    ])
    const words = messages.reduce((sum, it) => sum + it.content.length, 0)
    expect(bytesOf(answer)).toBe(words + "{}".length)
  })
})
