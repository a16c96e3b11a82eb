import { expect, test } from "vitest"
import type { FoldBranch, FoldReturn } from "#ground/contract"
import { bareApp, coreMcp, ERAS, join, read } from "../mcp.fixture.ts"

const OPENED: FoldBranch = {
  branchId: "br_1",
  budgetAllocated: 8_192,
  timeoutSeconds: 300,
  depth: 0,
  memories: [],
  mode: "wire",
  next: "Work on it here.",
  package: null,
  receipt: "qm-open:br_1:0123456789abcdef",
}
const RETURNED: FoldReturn = {
  branchId: "br_1",
  status: "completed",
  message: "It is in a.ts, line 3.",
  evidence: [],
  files: [],
  openQuestions: [],
  outOfScope: [],
  endedChildren: [],
  redactions: 0,
  budgetUsed: 10,
  budgetTotal: 8_192,
  tokensKeptOut: 5,
  isLowerBound: false,
  mode: "wire",
  distill: null,
  receipt: "qm-fold:br_1:0123456789abcdef",
  note: "Its turns were folded out.",
}

test.each(ERAS)(
  "[MCP-15] receipts and notes are in the fields and in the text in the %s protocol",
  async (era) => {
    let isProxied = true
    const { app } = bareApp({
      call: async (name) => {
        const answer = name === "fold.branch" ? OPENED : RETURNED
        return isProxied ? answer : { ...answer, mode: "handle", receipt: null, note: "" }
      },
    })
    await using client = await join(coreMcp(app), { era })
    const ask = async (name: string, given: Record<string, unknown>) =>
      read(await client.callTool({ name, arguments: given }))
    const open = () => ask("branch", { description: "find it", prompt: "find it" })
    const close = () => ask("return", { branch_id: "br_1", message: "It is in a.ts, line 3." })

    const { receipt: opening } = OPENED
    const { receipt, note, message } = RETURNED
    const opened = await open()
    expect(opened.fields).toMatchObject({ receipt: opening, mode: "wire" })
    expect(opened.text).toContain(opening)
    const returned = await close()
    expect(returned.fields).toMatchObject({ receipt, note, message })
    for (const part of [receipt, note, message]) expect(returned.text).toContain(part)

    isProxied = false
    expect(Object.keys((await open()).fields)).not.toContain("receipt")
    const plain = await close()
    expect(Object.keys(plain.fields)).not.toContain("receipt")
    expect(Object.keys(plain.fields)).not.toContain("note")
    expect(plain.text).toBe(
      "Branch br_1 is completed: 10 of 8,192 tokens used, 5 kept out of the parent.",
    )
  },
)
