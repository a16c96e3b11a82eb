import { join } from "node:path"
import { formatExact, statFile, truncate, writeFileAtomic } from "#ground/base"
import { digest } from "#know/ledger"
import type { HookContext, HookEvent, Rule, ToolOutput } from "../event.ts"
import { markNotified } from "../notice-log.ts"

type AfterTool = Extract<HookEvent, { kind: "after-tool" }>

const [FIRST_LINES, LAST_LINES] = [12, 6]
const LONGEST_LINE_UNITS = 200

/** The store of handles truncates longer texts as well. */
const LARGEST_STORED_UNITS = 2_000_000

/**
 * Replaces a large tool output by its first and last lines and a handle, where the host allows it
 * and the agent has `read_handle`. Elsewhere it advises once per session.
 */
export const largeResult: Rule = {
  name: "results",
  level: 4,
  kinds: ["after-tool"],
  async judge(event, context) {
    if (event.kind !== "after-tool" || event.output === undefined) return { kind: "silent" }
    const { largeResultBytes } = context.config
    const isLarge = Buffer.byteLength(event.output.text) > largeResultBytes
    if (!isLarge || largeResultBytes === 0 || context.isProxied === true) return { kind: "silent" }
    const folder = join(context.stateDirectory, "results")
    const reader = await statFile(join(folder, `reader-${digest(event.session)}`))
    const { replaced } = event.output
    if (replaced === undefined || reader.kind !== "found") return advice(event, context)
    const handle = `rh_${Buffer.from(context.random.bytes(16)).toString("hex")}`
    await storeOutput(folder, handle, event)
    const text = digestOf(event.tool, event.output, handle)
    return { kind: "context", text: "", output: replaced(text), note: `stored as ${handle}` }
  },
}

/** The process of the agent's tools scrubs it, moves it to the store and removes the file. */
async function storeOutput(folder: string, handle: string, event: AfterTool): Promise<void> {
  const { session, tool, at, tokens, output } = event
  const text = output?.text.slice(0, LARGEST_STORED_UNITS) ?? ""
  const stored = JSON.stringify({ session, tool, at, tokens, text: text.toWellFormed() })
  await writeFileAtomic(join(folder, `${handle}.json`), stored, { mode: 0o600 })
}

function digestOf(tool: string, { text }: ToolOutput, handle: string): string {
  const lines = text.split("\n")
  const [head, tail] = [lines.slice(0, FIRST_LINES), lines.slice(FIRST_LINES).slice(-LAST_LINES)]
  const left = lines.length - head.length - tail.length
  const short = (line: string): string => truncate(line, LONGEST_LINE_UNITS)
  return [
    `${tool}: ${formatExact(lines.length)} lines, ${formatExact(Buffer.byteLength(text))} bytes, kept as ${handle}.`,
    ...head.map(short),
    ...(left > 0 ? [`[${formatExact(left)} more lines]`] : []),
    ...tail.map(short),
    `To read more, call read_handle with handle ${handle} and from_line, or with query to search.`,
  ].join("\n")
}

async function advice(event: AfterTool, context: HookContext) {
  if (!(await markNotified(["large-result"], event, context))) return { kind: "silent" } as const
  const size = formatExact(Buffer.byteLength(event.output?.text ?? ""))
  return {
    kind: "context",
    text: `The output of ${event.tool} has ${size} bytes and stays in your context window. Filter such output (head, tail, grep), or use \`branch\` or a sub-agent for it.`,
  } as const
}
