import { isRecord, type JsonRecord, parseJsonRecord } from "#ground/base"
import { createEventEmitter, type EventEmitter } from "../wire/event-emitter.ts"
import type { ParserState } from "./parse-updates.ts"
import {
  type CallFacts,
  describeCall,
  endDenied,
  flushMessage,
  mergeCalls,
  newParserState,
  parseUpdate,
} from "./parse-updates.ts"
import { PermissionAnswer, PermissionRequest, PromptEnded, WriteFile } from "./schema.ts"
import { outcomeOf, usageOf } from "./turn-end.ts"

/** An editor has a few sessions open; further ones are forwarded and not recorded. */
const MAX_RECORDED_SESSIONS = 50
/** Requests whose answers are awaited. */
const MAX_OPEN_REQUESTS = 1_000

type ProxiedSession = {
  readonly sessionId: string
  readonly cwd: string
  readonly version: string | undefined
}

export type ProxyGuard = (
  action: Pick<CallFacts, "kind" | "tool" | "input" | "paths"> & {
    readonly sessionId: string
    readonly cwd: string
  },
) => Promise<{ readonly reason: string } | undefined>

type ProxyDeps = {
  readonly title: string
  toEditor(line: string | Uint8Array): void
  toAgent(line: string | Uint8Array): void
  /** Returns the reason if the action is denied. */
  readonly guard: ProxyGuard
  /** Text before the first prompt of a session. */
  contextFor(session: ProxiedSession, prompt: string): Promise<string | undefined>
  record(session: ProxiedSession, events: EventEmitter["events"]): void
  recordPrompt(sessionId: string, text: string): void
  redact(text: string): string
}

type Recorded = ProxiedSession & {
  readonly emitter: EventEmitter
  readonly parser: ParserState
  hasContext: boolean
}

type OpenApproval = {
  readonly session: Recorded
  readonly approvalId: string
  readonly toolCallId: string
  readonly options: PermissionRequest["options"]
}

type Pending = { readonly method: string; readonly params: JsonRecord }

/**
 * Between an editor and an agent. Every line is forwarded as the bytes it had, except a prompt that
 * gets context, and a request that the guard denies, which is answered instead.
 */
export function createAcpProxy(deps: ProxyDeps) {
  const sessions = new Map<string, Recorded>()
  const fromEditorOpen = new Map<string, Pending>()
  const approvals = new Map<string, OpenApproval>()
  let version: string | undefined
  let approvalCount = 0

  function open(sessionId: string, cwd: string): void {
    if (sessions.has(sessionId) || sessions.size >= MAX_RECORDED_SESSIONS) return
    const emitter = createEventEmitter(deps.title, deps.redact)
    const parser = newParserState(emitter, () => "")
    parser.sessionId = sessionId
    const session = { sessionId, cwd, version }
    sessions.set(sessionId, { ...session, emitter, parser, hasContext: false })
    deps.record(session, emitter.events)
    emitter.emit({ event: "session.started", sessionId, cwd, version })
  }

  function settle({ method, params }: Pending, message: JsonRecord): void {
    const result = isRecord(message["result"]) ? message["result"] : undefined
    if (method === "initialize" && isRecord(result?.["agentInfo"])) {
      const agentVersion = result["agentInfo"]["version"]
      version = typeof agentVersion === "string" ? agentVersion.slice(0, 100) : undefined
    }
    const sessionId = textOf(result?.["sessionId"]) ?? textOf(params["sessionId"])
    const cwd = textOf(params["cwd"])
    if (result !== undefined && OPENS.has(method) && sessionId !== undefined && cwd !== undefined) {
      open(sessionId, cwd)
    }
    if (method === "session/prompt")
      endTurn(sessions.get(textOf(params["sessionId"]) ?? ""), message)
  }

  async function onPrompt(message: JsonRecord, params: JsonRecord): Promise<string | undefined> {
    const session = sessions.get(textOf(params["sessionId"]) ?? "")
    const content: unknown = params["prompt"]
    if (session === undefined || !Array.isArray(content)) return undefined
    const blocks: readonly unknown[] = content
    const text = blocks.flatMap((it) => (isRecord(it) ? [textOf(it["text"]) ?? ""] : [])).join("\n")
    deps.recordPrompt(session.sessionId, text)
    session.parser.lastText = ""
    session.emitter.emit({ event: "turn.started" })
    // A command of the agent must come first.
    if (session.hasContext || text.startsWith("/")) return undefined
    session.hasContext = true
    const context = await deps.contextFor(session, text)
    if (context === undefined) return undefined
    const prompt = [{ type: "text", text: context }, ...blocks]
    return `${JSON.stringify({ ...message, params: { ...params, prompt } })}\n`
  }

  /** Returns the answer to a request that the guard denies. */
  async function onRequest(
    method: string,
    params: JsonRecord,
    id: string | number,
  ): Promise<JsonRecord | undefined> {
    const session = sessions.get(textOf(params["sessionId"]) ?? "")
    if (session === undefined) return undefined
    if (method === "fs/write_text_file") {
      const write = WriteFile.safeParse(params)
      if (!write.success) return undefined
      const input = JSON.stringify({ file_path: write.data.path })
      const action = { kind: "edit", tool: "Write", input, paths: [write.data.path] } as const
      const denial = await deps.guard({ ...action, ...session })
      return denial && { error: { code: -32_000, message: denial.reason } }
    }
    const request = PermissionRequest.safeParse(params)
    if (method !== "session/request_permission" || !request.success) return undefined
    const { toolCall, options } = request.data
    const before = session.parser.calls.get(toolCall.toolCallId)
    const call = before === undefined ? toolCall : mergeCalls(before, toolCall)
    if (before !== undefined) session.parser.calls.set(toolCall.toolCallId, call)
    const facts = describeCall(call, deps.redact)
    approvalCount += 1
    const approvalId = `${toolCall.toolCallId.slice(0, 150)}:${approvalCount}`
    const { kind: _kind, paths: _paths, ...shown } = facts
    const activityId = toolCall.toolCallId
    session.emitter.emit({ event: "approval.requested", approvalId, activityId, ...shown })
    const denial = await deps.guard({ ...facts, ...session })
    if (denial === undefined) {
      if (approvals.size < MAX_OPEN_REQUESTS)
        approvals.set(keyOf(id), { session, approvalId, options, toolCallId: toolCall.toolCallId })
      return undefined
    }
    session.emitter.emit({
      event: "approval.resolved",
      approvalId,
      decision: "deny",
      by: denial.reason,
    })
    session.parser.denied.add(toolCall.toolCallId)
    const option = options.find((it) => it.kind.startsWith("reject"))
    const outcome =
      option === undefined
        ? { outcome: "cancelled" }
        : { outcome: "selected", optionId: option.optionId }
    return { result: { outcome } }
  }

  return {
    async fromEditor(line: Uint8Array): Promise<void> {
      const message = parseLine(line)
      const method = textOf(message?.["method"])
      const id = idOf(message)
      const params = isRecord(message?.["params"]) ? message["params"] : {}
      if (message !== undefined && method === undefined && id !== undefined) {
        resolveApproval(approvals, keyOf(id), message)
      }
      if (message === undefined || method === undefined || id === undefined)
        return deps.toAgent(line)
      if (fromEditorOpen.size < MAX_OPEN_REQUESTS) fromEditorOpen.set(keyOf(id), { method, params })
      const changed = method === "session/prompt" ? await onPrompt(message, params) : undefined
      deps.toAgent(changed ?? line)
    },
    async fromAgent(line: Uint8Array): Promise<void> {
      const message = parseLine(line)
      const method = textOf(message?.["method"])
      const id = idOf(message)
      const params = isRecord(message?.["params"]) ? message["params"] : {}
      if (message !== undefined && method === undefined && id !== undefined) {
        const pending = fromEditorOpen.get(keyOf(id))
        fromEditorOpen.delete(keyOf(id))
        if (pending !== undefined) settle(pending, message)
      } else if (method === "session/update") {
        const session = sessions.get(textOf(params["sessionId"]) ?? "")
        if (session !== undefined) parseUpdate(session.parser, params, String(line))
        await session?.emitter.waitForRoom()
      } else if (method !== undefined && id !== undefined) {
        const answer = await onRequest(method, params, id)
        if (answer !== undefined) {
          return deps.toAgent(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`)
        }
      }
      deps.toEditor(line)
    },
    end(): void {
      for (const { emitter, parser } of sessions.values()) {
        flushMessage(parser)
        emitter.end("stopped")
      }
    },
  }
}

const OPENS: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume"])

function endTurn(session: Recorded | undefined, message: JsonRecord): void {
  if (session === undefined) return
  const { emitter, parser } = session
  flushMessage(parser)
  endDenied(parser)
  const ended = PromptEnded.safeParse(message["result"])
  const usage = ended.success ? usageOf(ended.data) : undefined
  if (usage !== undefined) emitter.emit({ event: "cost", usage, isTotal: false })
  const { lastText: text, denials } = parser
  parser.calls.clear()
  parser.denials = 0
  const error = isRecord(message["error"]) ? textOf(message["error"]["message"]) : undefined
  const outcome = ended.success
    ? outcomeOf(ended.data.stopReason)
    : ({ outcome: "failed", error: error ?? "The agent did not answer the prompt." } as const)
  emitter.emit({ event: "turn.ended", ...outcome, text, denials })
}

function resolveApproval(
  approvals: Map<string, OpenApproval>,
  key: string,
  message: JsonRecord,
): void {
  const approval = approvals.get(key)
  approvals.delete(key)
  if (approval === undefined) return
  const { session, approvalId, options } = approval
  const answer = PermissionAnswer.safeParse(message["result"]).data?.outcome
  const kind = options.find((it) => it.optionId === answer?.optionId)?.kind
  const decision = kind?.startsWith("allow") === true ? "allow" : "deny"
  if (decision === "deny") session.parser.denied.add(approval.toolCallId)
  session.emitter.emit({ event: "approval.resolved", approvalId, decision, by: "editor" })
}

function parseLine(line: Uint8Array): JsonRecord | undefined {
  return parseJsonRecord(Buffer.from(line).toString("utf8").trimEnd())
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

function idOf(message: JsonRecord | undefined): string | number | undefined {
  const id = message?.["id"]
  return typeof id === "string" || typeof id === "number" ? id : undefined
}

/** The number 1 and the text "1" are different ids. */
function keyOf(id: string | number): string {
  return JSON.stringify(id)
}
