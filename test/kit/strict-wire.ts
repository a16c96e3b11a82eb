import { hash } from "node:crypto"
import { createTokens } from "#ground/tokens"

/** The number of cache markers in a request, and the provider's look-back in blocks. */
const MOST_MARKERS = 4
const LOOK_BACK_BLOCKS = 20

export type Block = {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
  readonly tool_name?: string
} & Readonly<Record<string, unknown>>
export type Message = {
  readonly role: string
  readonly content: string | readonly Block[]
} & Readonly<Record<string, unknown>>
export type MessagesBody = {
  readonly model: string
  readonly stream?: boolean
  readonly thinking?: unknown
  readonly system?: string | readonly Block[]
  readonly tools?: readonly Block[]
  readonly messages: readonly Message[]
}

export type SimulatedUsage = {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export function parseMessages(bytes: Buffer): MessagesBody {
  return JSON.parse(bytes.toString()) as MessagesBody
}

export function blocksOf(content: Message["content"] | undefined): readonly Block[] {
  if (content === undefined) return []
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}

export function textOfResult(block: Block): string {
  const content = block["content"] as Message["content"] | undefined
  return blocksOf(content)
    .map((it) => it.text ?? "")
    .join("\n")
}

/** Removes cache markers, which are not part of the content. */
function unmarked(value: unknown): string {
  return JSON.stringify(value, (key, it: unknown) => (key === "cache_control" ? undefined : it))
}

/** The line with the host's version differs between conversations and is never bound. */
function boundSystem(system: MessagesBody["system"]): readonly Block[] {
  return blocksOf(system).filter((it) => !(it.text ?? "").startsWith("x-anthropic-billing-header"))
}

/** A tool that is loaded later is not part of the prefix; the block that loads it is. */
function boundTools(body: MessagesBody): readonly Block[] {
  return (body.tools ?? []).filter((it) => it["defer_loading"] !== true)
}

/**
 * The hash of everything before a position: system, tools and the messages so far. A thinking block
 * is signed with it, as the provider binds one to its conversation.
 */
export function createBinding(body: MessagesBody) {
  const before: string[] = []
  let running = hash("sha256", unmarked([boundSystem(body.system), boundTools(body)]))
  for (const message of body.messages) {
    before.push(running)
    const normal = [message.role, blocksOf(message.content), message["output_config"] ?? null]
    running = hash("sha256", running + unmarked(normal))
  }
  return {
    before: (index: number): string => before[index] ?? "",
    whole: running,
  }
}

/** Positions whose thinking was signed for another conversation, and all later ones. */
export function mismatchesOf(body: MessagesBody): readonly string[] {
  const binding = createBinding(body)
  const problems: string[] = []
  for (const [index, message] of body.messages.entries()) {
    if (message.role !== "assistant") continue
    for (const [place, block] of blocksOf(message.content).entries()) {
      const isThinking = block.type === "thinking"
      if (isThinking && block["signature"] !== signatureOf(binding.before(index)))
        problems.push(`messages.${index}.content.${place}`)
    }
  }
  return problems
}

export function signatureOf(prefix: string): string {
  return `sig-${prefix}`
}

export function violationsOf(body: MessagesBody): readonly string[] {
  const { messages } = body
  const problems: string[] = []
  if (messages[0]?.role !== "user") problems.push("the first message is not the user's")
  if (messages.at(-1)?.role === "assistant") problems.push("the last message is the assistant's")
  for (const [index, message] of messages.entries()) {
    const say = (what: string): void => void problems.push(`messages.${index}: ${what}`)
    if (message.role === "system") judgeSystem(messages, index, say)
    else if (message.role === "assistant") judgeAssistant(messages, index, say)
    else if (message.role === "user") judgeUser(messages, index, say)
    else say(`role ${message.role} is not known`)
    for (const block of blocksOf(message.content)) judgeBlock(body, block, say)
  }
  judgeIds(messages, problems)
  const markers = unescapedMarkers(body)
  if (markers > MOST_MARKERS) problems.push(`${markers} cache markers`)
  return problems
}

type ReportViolation = (what: string) => void

function judgeSystem(messages: readonly Message[], index: number, say: ReportViolation): void {
  const next = messages[index + 1]?.role
  if (messages[index - 1]?.role !== "user") say("a system turn that does not follow the user's")
  if (next !== undefined && next !== "assistant")
    say("role 'system' must precede an 'assistant' message or end the array")
}

function judgeAssistant(messages: readonly Message[], index: number, say: ReportViolation): void {
  const blocks = blocksOf(messages[index]?.content)
  if (blocks.length === 0) say("an assistant turn without content")
  if (blocks.at(-1)?.type === "thinking") say("thinking is the last block")
  const calls = blocks.filter((it) => it.type === "tool_use").map((it) => it.id)
  if (calls.length === 0) return
  const next = messages[index + 1]
  const answered = next?.role === "user" ? resultsOf(next) : []
  for (const id of calls) if (!answered.includes(id)) say(`tool_use ${id} without its tool_result`)
}

function judgeUser(messages: readonly Message[], index: number, say: ReportViolation): void {
  const message = messages[index]
  if (message === undefined) return
  const before = messages[index - 1]
  const callIds =
    before?.role === "assistant"
      ? blocksOf(before.content)
          .filter((it) => it.type === "tool_use")
          .map((it) => it.id)
      : []
  for (const id of resultsOf(message))
    if (!callIds.includes(id)) say(`tool_result ${id} is an orphan`)
  const types = blocksOf(message.content).map((it) => it.type)
  if (types.length === 0) say("a user turn without content")
  const firstOther = types.findIndex((it) => it !== "tool_result")
  if (firstOther !== -1 && types.lastIndexOf("tool_result") > firstOther)
    say("a tool_result after other content")
}

function judgeBlock(body: MessagesBody, block: Block, say: ReportViolation): void {
  if (block.type === "text" && (block.text ?? "").trim() === "") say("an empty text")
  if (block.type === "thinking" && typeof block["signature"] !== "string") say("unsigned thinking")
  if (block.type !== "tool_result" || !Array.isArray(block["content"])) return
  const toolNames = new Set((body.tools ?? []).map((it) => it.name))
  for (const part of block["content"] as readonly Block[]) {
    const isUnknown = part.type === "tool_reference" && !toolNames.has(part.tool_name)
    if (isUnknown) say(`tool_reference to ${part.tool_name}, which is not there`)
  }
}

function judgeIds(messages: readonly Message[], problems: string[]): void {
  for (const type of ["tool_use", "tool_result"]) {
    const name = type === "tool_use" ? "id" : "tool_use_id"
    const ids = messages
      .flatMap((it) => blocksOf(it.content))
      .filter((it) => it.type === type)
      .map((it) => it[name])
    const twice = ids.filter((it, index) => ids.indexOf(it) !== index)
    for (const id of twice) problems.push(`${type} ${id} is there twice`)
  }
}

function resultsOf(message: Message): readonly (string | undefined)[] {
  return blocksOf(message.content)
    .filter((it) => it.type === "tool_result")
    .map((it) => it.tool_use_id)
}

function unescapedMarkers(body: MessagesBody): number {
  return piecesOf(body).filter((it) => it.isMarked).length
}

type Piece = { readonly text: string; readonly isMarked: boolean }

/** The blocks of a request in cache order: tools, system, messages. */
function piecesOf(body: MessagesBody): readonly Piece[] {
  const piece = (role: string, block: Block): Piece => ({
    text: role + unmarked(block),
    isMarked: block["cache_control"] !== undefined,
  })
  return [
    ...boundTools(body).map((it) => piece("", it)),
    ...boundSystem(body.system).map((it) => piece("", it)),
    ...body.messages.flatMap((it) => blocksOf(it.content).map((block) => piece(it.role, block))),
  ]
}

/** A provider's cache: prefixes that end at a marker, found within the look-back. */
export async function createCache() {
  const counter = await createTokens({ encoding: "claude" }).counter()
  const cached = new Set<string>()
  const tokensByText = new Map<string, number>()
  const count = (text: string): number => {
    const key = hash("sha256", text, "base64url")
    const tokens = tokensByText.get(key) ?? counter.count(text)
    tokensByText.set(key, tokens)
    return tokens
  }
  return {
    count,
    evict: () => cached.clear(),
    use(body: MessagesBody): SimulatedUsage {
      const pieces = piecesOf(body)
      const hashes: string[] = []
      const sums: number[] = []
      const head = boundTools(body).length + boundSystem(body.system).length
      for (const [index, { text }] of pieces.entries()) {
        // Entries belong to a model, and those of the messages to a thinking budget.
        const settings = index === head ? JSON.stringify(body.thinking ?? null) : ""
        const before = hashes[index - 1] ?? body.model
        hashes.push(hash("sha256", before + settings + text, "base64url"))
        sums.push((sums[index - 1] ?? 0) + count(text))
      }
      const markers = pieces.flatMap((it, index) => (it.isMarked ? [index] : []))
      const isCached = (index: number): boolean => cached.has(hashes[index] ?? "")
      const longest = markers
        .map((it) => nearest(it, isCached))
        .reduce((a, b) => Math.max(a, b), -1)
      for (const marker of markers) cached.add(hashes[marker] ?? "")
      const cacheRead = sums[longest] ?? 0
      const written = sums[markers.at(-1) ?? -1] ?? 0
      const cacheWrite = Math.max(0, written - cacheRead)
      return { cacheRead, cacheWrite, input: (sums.at(-1) ?? 0) - cacheRead - cacheWrite }
    },
  }
}

function nearest(marker: number, isCached: (index: number) => boolean): number {
  for (let index = marker; index > marker - LOOK_BACK_BLOCKS && index >= 0; index--) {
    if (isCached(index)) return index
  }
  return -1
}
