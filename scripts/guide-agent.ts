import path from "node:path"
import { readToken } from "../test/kit/server.ts"
import { type McpClient, mcpClient } from "../test/mcp/client.ts"

const SESSION = "quotes and invoices"
const SCOPE = ["src/tariff/**"]

/**
 * What an agent does with our tools, over the same `/mcp` as any host, so that the picture of Folds
 * has something true to show: three branches one in another, one returned, one over its budget.
 */
export async function workInBranches(at: { home: string; port: number }): Promise<void> {
  const token = await readToken(path.join(at.home, ".qm"))
  using agent = mcpClient({ port: at.port, token, name: "claude-code" })
  await open(agent, "Find out why quotes and invoices differ by a cent", 12_000)
  await work(agent, "search", { query: "where is a line of an invoice rounded" })
  await work(agent, "map", { what: "roundLine" })
  const callers = await open(agent, "Which callers of roundLine round a line twice", 8_000)
  await work(agent, "map", { what: "roundLine", hops: 2 })
  await work(agent, "pack", { task: "callers of roundLine", budget: 4_000 })
  const halves = await open(agent, "Read everything about half cents", 200)
  await work(agent, "map", { what: "divideHalfEven" })
  await work(agent, "branch_status", { branch_id: halves, progress: "One of two files read." })
  // More than it has left: the branch is ended, and what it knew is kept.
  const over = await agent.call("search", { query: "half cents", session_id: SESSION })
  if (over.failure?.code !== "FOLD_BUDGET_EXHAUSTED") throw new Error(`not over: ${over.text}`)
  await work(agent, "return", {
    branch_id: callers,
    message:
      "**`invoiceTotal` rounds once, at the end; `quoteTotal` rounds each line.** The invoice is " +
      "the one that differs: its lines are summed before they are rounded.",
    evidence: ["src/tariff/invoice.ts:5 rounds the sum", "src/tariff/quote.ts:5 rounds each line"],
    files: ["src/tariff/invoice.ts", "src/tariff/quote.ts", "src/berth/split-stay.ts"],
    open_questions: ["Is a split stay rounded twice?"],
  })
}

async function open(agent: McpClient, description: string, budget: number): Promise<string> {
  const given = { description, prompt: description, budget, scope: SCOPE }
  return String((await work(agent, "branch", given))["branch_id"])
}

async function work(agent: McpClient, tool: string, given: object) {
  const { isError, text, fields } = await agent.call(tool, { ...given, session_id: SESSION })
  if (isError) throw new Error(`${tool}: ${text}`)
  return fields
}
