import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { readToken } from "#test/server"
import { type McpClient, mcpClient, type ToolAnswer } from "../../mcp/client.ts"
import type { ConsoleFixture } from "../console-fixture.ts"
import { writeHarbour, writeQuays } from "./harbour.ts"

export type BranchStory = Awaited<ReturnType<typeof seedBranches>>

export const SESSION = "why invoices differ"

/**
 * Three nested branches: the innermost used up its budget and ended with its parent, the middle one returned, the outermost
 * live. One branch of another client that returned with a file out of its scope. A memory of a
 * user, one of an agent whose code has changed since, and one that cites a web page.
 */
export async function seedBranches(fixture: ConsoleFixture) {
  await writeHarbour(fixture)
  await writeQuays(fixture.project)
  const token = await readToken(path.join(fixture.home, ".qm"))
  const claude = mcpClient({ port: fixture.port, token, name: "claude-code" })
  const cursor = mcpClient({ port: fixture.port, token, name: "cursor-vscode" })
  const memories = await remember(fixture, cursor)
  const nested = await workInBranches(claude)
  const away = await workAway(cursor)
  await changeCitedCode(fixture.project)
  return {
    memories,
    nested,
    away,
    open: (description: string, session_id: string) =>
      opened(claude, { description, prompt: `As it says: ${description}`, session_id }),
    returnFrom: (branch_id: string, given: object) =>
      done(claude, "return", { branch_id, ...given }),
    record: (given: object) => done(cursor, "memory_record", given),
    [Symbol.dispose]() {
      claude[Symbol.dispose]()
      cursor[Symbol.dispose]()
    },
  }
}

async function remember(fixture: ConsoleFixture, agent: McpClient) {
  const body = "Rounding happens once, on the line, and goes to the even cent."
  const title = "Half to even, on the line"
  await fixture.call("memory.record", { kind: "decision", title, body })
  const cited = await done(agent, "memory_record", {
    kind: "pitfall",
    title: "Invoices round a second time",
    body: "`invoiceTotal` rounds what `roundLine` rounded. **Half a cent** goes missing.",
    cites: ["src/tariff/rounding.ts#roundLine", "docs/tariff.md"],
  })
  const foreign = await done(agent, "memory_record", {
    kind: "strategy",
    title: "Cache the harbour dues",
    body: "A page on the web says that dues change once a year.",
    untrusted: true,
  })
  return { cited: read(cited), foreign: read(foreign) }
}

const read = ({ fields }: ToolAnswer) => ({
  id: String(fields["id"]),
  file: String(fields["file"]),
})

export async function workInBranches(agent: McpClient) {
  const scope = ["src/tariff/**"]
  const outer = await opened(agent, {
    description: "Find out why quotes and invoices differ by a cent",
    prompt: "Follow a line from the quote to the invoice.\n\n- where is it rounded\n- how often",
    budget: 12_000,
    scope,
    session_id: SESSION,
  })
  await done(agent, "search", { query: "where is a line rounded", session_id: SESSION })
  await done(agent, "map", { what: "roundLine", session_id: SESSION })
  const middle = await opened(agent, {
    description: "Which callers of roundLine round twice",
    prompt: "Read each caller of roundLine. Name those that round what is rounded.",
    budget: 8_000,
    scope,
    session_id: SESSION,
  })
  await done(agent, "map", { what: "roundLine", hops: 2, session_id: SESSION })
  const inner = await opened(agent, {
    description: "Read everything about halves",
    prompt: "Everything.",
    budget: 200,
    session_id: SESSION,
  })
  await done(agent, "map", { what: "divideHalfEven", session_id: SESSION })
  await done(agent, "branch_status", {
    branch_id: inner,
    progress: "Two of five files read, divideHalfEven is called from one place.",
    session_id: SESSION,
  })
  // Exceeds the budget: the call is refused, and the branch ends with its parent.
  const over = await agent.call("search", { query: "rounding of halves", session_id: SESSION })
  if (over.failure?.code !== "FOLD_BUDGET_EXHAUSTED") throw new Error(`not over: ${over.text}`)
  const returned = await done(agent, "return", {
    branch_id: middle,
    message: "**One caller** rounds once, at the end: `invoiceTotal` in `src/tariff/invoice.ts`.",
    evidence: ["src/tariff/invoice.ts:5 rounds the sum"],
    files: ["src/tariff/invoice.ts", "docs/tariff.md"],
    open_questions: ["Do quotes of split stays go the same way?"],
    session_id: SESSION,
  })
  return { outer, middle, inner, returned: returned.fields }
}

async function workAway(agent: McpClient) {
  const branch_id = await opened(agent, {
    description: "List every tariff and its test",
    prompt: "A table: tariff, file, test.",
    budget: 16_000,
    scope: ["src/**"],
  })
  const target = Array.from({ length: 20 }, (_, at) => `src/tariff/quay-${at}.ts`)
  await done(agent, "pack", { task: "list every tariff with roundLine", target, budget: 12_000 })
  const returned = await done(agent, "return", {
    branch_id,
    message: "| tariff | file |\n|---|---|\n| stay | src/tariff/quote.ts |\n| berth | none |",
    files: ["test/quote.test.ts"],
  })
  return { id: branch_id, returned: returned.fields }
}

async function opened(agent: McpClient, given: object): Promise<string> {
  const { fields } = await done(agent, "branch", given)
  return String(fields["branch_id"])
}

async function done(agent: McpClient, tool: string, given: object): Promise<ToolAnswer> {
  const answer = await agent.call(tool, given)
  if (answer.isError) throw new Error(`${tool}: ${answer.text}`)
  return answer
}

async function changeCitedCode(project: string): Promise<void> {
  const file = path.join(project, "src/tariff/rounding.ts")
  const text = await readFile(file, "utf8")
  await writeFile(file, text.replace("10 ** rule", "100 ** rule"))
}
