import { receiptKeyOf } from "#choose/fold"
import { isRecord, type JsonRecord, parseJsonRecord, run } from "#ground/base"
import { commonName, foldMessages, hasBranch, type OpenBranch } from "./fold-messages.ts"
import { factsOf, type OpencodeMessage, type SessionFacts, textOf } from "./messages.ts"

/** Written before this code by the kit (`act/kit/hosts/opencode.ts`). */
declare const QM_INSTALLED: {
  readonly node: string
  readonly bundle: string
  readonly main: string
}

/** As the hosts with hooks of their own. */
const LONGEST_HOOK_MS = 10_000
const LARGEST_ANSWER_BYTES = 64 * 1024

/** Of each map below; an opencode server may run for weeks. */
const MOST_SESSIONS = 500

type SessionState = {
  readonly parent: string | undefined
  readonly agent: string | undefined
  readonly isNew: boolean
  isStarted: boolean
  open: readonly OpenBranch[] | undefined
  facts: SessionFacts
  /** The message of the last compaction, and what is put back there. */
  compaction: string
  reminder: string
}

/** Shared by the instances of one opencode process: several folders may belong to one repository. */
const sessions = new Map<string, SessionState>()
const notices = new Map<string, string>()
const storedTrails = new Set<string>()
let hasServer = false

type PluginInput = { readonly directory: string }
type Output = Record<string, unknown>

/** The plugin of opencode: its hooks, our MCP server, and folding without a gateway. */
export async function quartermaster({ directory }: PluginInput) {
  const ask = (words: readonly string[], payload: JsonRecord) => askHook(words, payload, directory)
  const hook = (payload: JsonRecord) => ask(["opencode"], { cwd: directory, ...payload })
  const note = (payload: JsonRecord) => ask(["note"], payload)
  let isEnrolled = false
  let key = ""
  /** The key of receipts does not exist before the first branch. */
  const enter = async (id: string): Promise<void> => {
    const isReader = hasServer && sessionOf(id).parent === undefined
    const answer = await note(isReader ? { reader: id } : {})
    isEnrolled = answer["isEnrolled"] === true
    const salt = textOf(answer["salt"])
    key = salt === "" ? "" : receiptKeyOf(salt)
  }

  return {
    config: quietly(async (config: Output) => addServer(config)),

    event: quietly(async ({ event }: { readonly event: JsonRecord }) => {
      const properties = isRecord(event["properties"]) ? event["properties"] : {}
      const id = textOf(properties["sessionID"])
      if (event["type"] === "session.created") noteSession(id, properties["info"])
    }),

    "chat.message": quietly(async (input: JsonRecord, output: Output) => {
      const id = textOf(input["sessionID"])
      if (!isEnrolled || !sessionOf(id).isStarted) await enter(id)
      if (!isEnrolled) return
      const parts = Array.isArray(output["parts"]) ? output["parts"] : []
      const texts = await startTexts(id, { prompt: promptIn(parts), hook })
      const added = addedPart(parts, texts.join("\n\n"))
      if (added !== undefined) parts.push(added)
    }),

    "tool.execute.before": async (input: JsonRecord, output: Output) => {
      nameSession(input, output)
      if (!isEnrolled) return
      await noteOpenBranches(input, note).catch(() => {})
      const denial = await beforeTool(input, output, hook).catch(() => "")
      if (denial !== "") throw new Error(denial)
    },

    "tool.execute.after": quietly(async (input: JsonRecord, output: Output) => {
      if (!isEnrolled) return
      const answer = await hook({
        hook_event_name: "PostToolUse",
        ...actorOf(textOf(input["sessionID"])),
        ...toolOf(input["tool"], input["args"]),
        tool_response: outputText(output),
      })
      if (typeof answer["output"] === "string") setOutput(output, answer["output"])
      const notice = takeNotice(textOf(input["callID"]))
      for (const text of [notice, textOf(answer["context"])]) {
        if (text !== "") setOutput(output, `${outputText(output)}\n\n${text}`)
      }
    }),

    "experimental.chat.messages.transform": quietly(async (_: unknown, output: Output) => {
      if (!isEnrolled) return
      const messages = Array.isArray(output["messages"]) ? output["messages"].filter(isMessage) : []
      const id = textOf(messages[0]?.info["sessionID"])
      if (id === "" || messages.length !== listLength(output["messages"])) return
      const state = sessionOf(id)
      await afterCompaction(id, { first: messages[0], hook })
      state.facts = factsOf(messages)
      if (key === "" && hasBranch(messages)) await enter(id)
      const { messages: remaining, folded, open } = foldMessages(messages, key)
      state.open = open
      for (const trail of folded.filter((it) => !storedTrails.has(it.branchId))) {
        storedTrails.add(trail.branchId)
        await note({ trail })
      }
      // opencode uses the list it handed out.
      setMessages(output["messages"], withReminder(remaining, state.reminder))
    }),

    "experimental.session.compacting": quietly(async (input: JsonRecord, output: Output) => {
      if (!isEnrolled || !Array.isArray(output["context"])) return
      const id = textOf(input["sessionID"])
      const answer = await hook({
        hook_event_name: "PreCompact",
        ...actorOf(id),
        facts: sessionOf(id).facts,
      })
      const text = textOf(answer["context"])
      if (text !== "") output["context"].push(text)
    }),
  }
}

/** A failure of ours must not fail the work of the agent. */
function quietly<Args extends readonly unknown[]>(work: (...args: Args) => Promise<void>) {
  return (...args: Args): Promise<void> => work(...args).catch(() => {})
}

/** The user's own entry `qm` stays. */
function addServer(config: Output): void {
  const servers = isRecord(config["mcp"]) ? config["mcp"] : {}
  const { node, main } = QM_INSTALLED
  const server = { type: "local", command: [node, main, "mcp"], enabled: true }
  const all = { qm: server, ...servers }
  config["mcp"] = all
  hasServer = all.qm.enabled
}

function noteSession(id: string, info: unknown): void {
  const { parentID, agent } = isRecord(info) ? info : {}
  const parent = typeof parentID === "string" ? parentID : undefined
  sessions.set(id, newState({ parent, agent: textOf(agent) || undefined, isNew: true }))
  const [oldest] = sessions.keys()
  if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest)
}

function newState(it: Pick<SessionState, "parent" | "agent" | "isNew">): SessionState {
  const facts = { prompts: [], reads: [], todos: "" }
  return { ...it, isStarted: false, open: undefined, facts, compaction: "", reminder: "" }
}

function sessionOf(id: string): SessionState {
  const earlier = sessions.get(id)
  if (earlier !== undefined) return earlier
  const state = newState({ parent: undefined, agent: undefined, isNew: false })
  sessions.set(id, state)
  return state
}

/** A sub-agent has a session of its own; hooks know it as an agent of the first session above it. */
function actorOf(id: string): { readonly session_id: string; readonly agent_type?: string } {
  const { parent, agent } = sessionOf(id)
  if (parent === undefined) return { session_id: id }
  let root = parent
  for (let level = 0; level < 10; level++) root = sessions.get(root)?.parent ?? root
  return { session_id: root, agent_type: agent ?? "general" }
}

type Hook = (payload: JsonRecord) => Promise<JsonRecord>

async function startTexts(
  id: string,
  { prompt, hook }: { readonly prompt: string; readonly hook: Hook },
): Promise<readonly string[]> {
  const state = sessionOf(id)
  const actor = actorOf(id)
  const events: JsonRecord[] = []
  if (!state.isStarted && state.parent === undefined) {
    events.push({ hook_event_name: "SessionStart", source: state.isNew ? "startup" : "resume" })
  }
  if (!state.isStarted && state.parent !== undefined) {
    events.push({ hook_event_name: "SubagentStart", agent_id: id })
  }
  if (state.parent === undefined) events.push({ hook_event_name: "UserPromptSubmit", prompt })
  state.isStarted = true
  const texts: string[] = []
  for (const event of events) texts.push(textOf((await hook({ ...actor, ...event }))["context"]))
  return texts.filter((it) => it !== "")
}

function promptIn(parts: readonly unknown[]): string {
  const texts = parts.filter(isRecord).filter((it) => it["type"] === "text")
  return texts.map((it) => textOf(it["text"])).join("\n")
}

/** opencode orders parts by id. */
function addedPart(parts: readonly unknown[], text: string): JsonRecord | undefined {
  const last = parts.filter(isRecord).at(-1)
  if (last === undefined || text === "") return undefined
  const { id, sessionID, messageID } = last
  return { id: `${textOf(id)}q`, sessionID, messageID, type: "text", text, synthetic: true }
}

/** The server cannot know which of opencode's sessions calls it. */
function nameSession(input: JsonRecord, output: Output): void {
  const { args } = output
  const isOwn = commonName(textOf(input["tool"])) !== input["tool"]
  if (isOwn && isRecord(args)) Object.assign(args, { session_id: input["sessionID"] })
}

/** `branch` and `return` decide by it whether their work can be folded. */
async function noteOpenBranches(input: JsonRecord, note: Hook): Promise<void> {
  const session = textOf(input["sessionID"])
  const open = sessions.get(session)?.open
  const asks = /^qm_(?:branch|return)$/.test(textOf(input["tool"]))
  if (asks && open !== undefined)
    await note({ fold: { session, pid: process.pid, at: Date.now(), open } })
}

/** The reason to refuse the call, else "". */
async function beforeTool(input: JsonRecord, output: Output, hook: Hook): Promise<string> {
  const actor = actorOf(textOf(input["sessionID"]))
  const tool = toolOf(input["tool"], output["args"])
  const answer = await hook({ hook_event_name: "PreToolUse", ...actor, ...tool })
  const context = textOf(answer["context"])
  // Text before a tool has no place in opencode; it comes with the result.
  if (context !== "") notices.set(textOf(input["callID"]), context)
  const [oldest] = notices.keys()
  if (notices.size > MOST_SESSIONS && oldest !== undefined) notices.delete(oldest)
  return textOf(answer["deny"])
}

/** As Claude Code names and describes its tools; rules and guidelines use these names. */
const COMMON_NAMES: Readonly<Record<string, string>> = {
  bash: "Bash",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
  read: "Read",
  task: "Task",
  webfetch: "WebFetch",
  write: "Write",
}

function toolOf(tool: unknown, args: unknown) {
  const name = commonName(textOf(tool))
  const { filePath, ...others } = isRecord(args) ? args : {}
  const file = filePath === undefined ? {} : { file_path: filePath }
  return { tool_name: COMMON_NAMES[name] ?? name, tool_input: { ...file, ...others } }
}

function takeNotice(callId: string): string {
  const notice = notices.get(callId) ?? ""
  notices.delete(callId)
  return notice
}

/** Tools of opencode have a text, tools of MCP servers a list of blocks. */
function outputText(output: Output): string {
  if (typeof output["output"] === "string") return output["output"]
  const blocks = Array.isArray(output["content"]) ? output["content"].filter(isRecord) : []
  return blocks.map((it) => textOf(it["text"])).join("\n")
}

function setOutput(output: Output, text: string): void {
  if (!Array.isArray(output["content"])) {
    output["output"] = text
    return
  }
  const blocks: readonly unknown[] = output["content"]
  const others = blocks.filter((it) => isRecord(it) && it["type"] !== "text")
  output["content"] = [{ type: "text", text }, ...others]
}

function isMessage(value: unknown): value is OpencodeMessage {
  return isRecord(value) && isRecord(value["info"]) && Array.isArray(value["parts"])
}

function listLength(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

function setMessages(list: unknown, messages: readonly OpencodeMessage[]): void {
  if (Array.isArray(list)) list.splice(0, list.length, ...messages)
}

/** Asked in the first request after it: opencode does not wait for its event `session.compacted`. */
async function afterCompaction(
  id: string,
  { first, hook }: { readonly first: OpencodeMessage | undefined; readonly hook: Hook },
): Promise<void> {
  const state = sessionOf(id)
  const message = textOf(first?.info["id"])
  if (first === undefined || !asksSummary(first) || message === state.compaction) return
  state.compaction = message
  const event = { hook_event_name: "SessionStart", source: "compact", facts: state.facts }
  state.reminder = textOf((await hook({ ...actorOf(id), ...event }))["context"])
}

function asksSummary({ parts }: OpencodeMessage): boolean {
  return parts.some((it) => it["type"] === "compaction")
}

/** In the message that asks for the summary, so that the text keeps its place in later requests. */
function withReminder(
  messages: readonly OpencodeMessage[],
  reminder: string,
): readonly OpencodeMessage[] {
  const [first, ...others] = messages
  if (reminder === "" || first === undefined || !asksSummary(first)) return messages
  const part = addedPart(first.parts, reminder)
  return part === undefined ? messages : [{ ...first, parts: [...first.parts, part] }, ...others]
}

/** Runs the hook bundle. */
async function askHook(
  words: readonly string[],
  payload: JsonRecord,
  cwd: string,
): Promise<JsonRecord> {
  const { node, bundle } = QM_INSTALLED
  const env = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const outcome = await run(node, [bundle, ...words], {
    cwd,
    env: Object.fromEntries(env),
    timeoutMs: LONGEST_HOOK_MS,
    maxOutputBytes: LARGEST_ANSWER_BYTES,
    input: JSON.stringify(payload),
  })
  const text = outcome.kind === "exited" ? outcome.stdout.toString() : ""
  return parseJsonRecord(text) ?? {}
}
