import { expect, test } from "vitest"
import { foldReceipt, openReceipt } from "#choose/fold"
import { foldMessages } from "./fold-messages.ts"
import { factsOf, type OpencodeMessage } from "./messages.ts"

const KEY = "k".repeat(64)
const [A, B] = [`br_${"a".repeat(32)}`, `br_${"b".repeat(32)}`]

const user = (text: string): OpencodeMessage => ({
  info: { role: "user" },
  parts: [{ type: "text", text }],
})
const tool = (name: string, output: string, input: object = {}) => ({
  type: "tool",
  tool: name,
  state: { status: "completed", input, output },
})
const agent = (...parts: readonly Record<string, unknown>[]): OpencodeMessage => ({
  info: { role: "assistant" },
  parts: [{ type: "step-start" }, ...parts],
})
const opening = (branch: string, key = KEY) =>
  tool("qm_branch", `opened\n${openReceipt(key, branch)}`)
const ending = (branch: string, result: string, key = KEY) =>
  tool("qm_return", `${result}\n${foldReceipt(key, branch)}`)

const read = agent(tool("read", "a long file"), { type: "text", text: "I read it" })

test("[HOOKS-31] the result takes the place of the opening, and the user's messages stay", () => {
  const messages = [
    user("go"),
    agent(opening(A), tool("grep", "beside the opening")),
    read,
    user("also count the boats"),
    agent(ending(A, "four boats"), tool("glob", "beside the return")),
    agent({ type: "text", text: "after" }),
  ]
  const { messages: kept, folded, open } = foldMessages(messages, KEY)
  expect(kept).toHaveLength(4)
  expect([kept[0], kept[2], kept[3]]).toEqual([messages[0], messages[3], messages[5]])
  const shown = JSON.stringify(kept[1])
  expect(shown).toContain("four boats")
  expect(shown).toContain("beside the opening")
  expect(shown).toContain("Result of glob, called beside return:")
  expect(folded).toMatchObject([
    { branchId: A, steps: [{ tool: "read" }, { tool: null }, { tool: "mcp__qm__return" }, {}] },
  ])
  expect(open).toEqual([])
  expect(JSON.stringify(messages[1])).not.toContain("four boats")
})

test("[HOOKS-31] an inner branch is folded while the outer one is open, then with it", () => {
  const inner = [agent(opening(A)), agent(opening(B)), read, agent(ending(B, "inner result"))]
  const first = foldMessages([user("go"), ...inner], KEY)
  expect(first.messages).toHaveLength(3)
  expect(JSON.stringify(first.messages)).toContain("inner result")
  expect(first.open).toMatchObject([{ branchId: A }])
  const both = foldMessages([user("go"), ...inner, agent(ending(A, "outer result"))], KEY)
  expect(both.messages).toHaveLength(2)
  expect(both.folded.map((it) => it.branchId)).toEqual([B, A])
  expect(JSON.stringify(both.messages)).not.toContain("inner result")
})

test("[HOOKS-31] without a receipt of our key nothing is folded", () => {
  const stories = [
    [agent(opening(A, "other")), read, agent(ending(A, "x"))],
    [agent(opening(A)), read, agent(ending(A, "x", "other"))],
    [agent(opening(A)), read, agent(tool("bash", foldReceipt(KEY, A)))],
    [read, agent(ending(A, "x"))],
    [agent(opening(A), ending(A, "x"))],
  ]
  for (const story of stories) expect(foldMessages(story, KEY).messages).toEqual(story)
})

test("[HOOKS-32] the facts for a compaction are prompts, the last plan and files that were read", () => {
  const todos = [{ status: "pending", content: "paint" }]
  const messages = [
    user("Paint it"),
    { info: { role: "user" }, parts: [{ type: "text", text: "added", synthetic: true }] },
    agent(tool("read", "", { filePath: "/w/a.ts" }), tool("read", "", { filePath: "/w/a.ts" })),
    agent(tool("todowrite", "", { todos })),
  ]
  expect(factsOf(messages)).toEqual({
    prompts: ["Paint it"],
    todos: "[pending] paint",
    reads: ["/w/a.ts"],
  })
})
