import path from "node:path"
import {
  ensureDirectory,
  isAppError,
  isInside,
  leadsTo,
  parseJson,
  readTextBounded,
  realPath,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import type { ActivityKind, AgentMode } from "#ground/contract"
import type { Answer, StartOptions } from "../agent.ts"
import { QuestionUnknown } from "../errors.ts"
import {
  type ApprovalDecision,
  checkOrdinaryFile,
  decideApproval,
  decideByMode,
  emitRuleDecision,
} from "../wire/approval-decision.ts"
import type { EventEmitter } from "../wire/event-emitter.ts"
import type { RpcClient, RpcId } from "../wire/json-rpc.ts"
import { quote, textField, titleLine } from "../wire/tool-text.ts"
import { describeCall, mergeCalls, type ParserState, startActivity } from "./parse-updates.ts"
import { CreateTerminal, OfTerminal, PermissionRequest, ReadFile, WriteFile } from "./schema.ts"
import type { Terminals } from "./terminals.ts"

/** An agent asks for a few files and one approval at a time. */
const MAX_OPEN_REQUESTS = 100
/** Refused paths that the transcript names; each of them once. */
const MAX_REPORTED_PATHS = 100
/** Answers that the agent has not read are limited to 8 MB. */
const MAX_FILE_BYTES = 2 * 1024 * 1024

const INVALID_PARAMS = -32_602
const NOT_FOUND = -32_002
const REFUSED = -32_000

type Deps = {
  readonly emitter: EventEmitter
  readonly rpc: Pick<RpcClient, "respond" | "refuse">
  readonly parser: ParserState
  readonly terminals: Terminals
  readonly options: Pick<StartOptions, "cwd" | "environment" | "verdict">
  mode(): AgentMode
}

type Request = { readonly id: RpcId; readonly method: string; readonly params: unknown }

type Question = {
  readonly approvalId: string
  readonly activityId: string | undefined
  readonly tool: string
  readonly kind: ActivityKind
  readonly title: string
  readonly input: string
  readonly paths: readonly string[]
}

type Decided = "allow" | "deny" | "cancelled"

export type ClientRequests = ReturnType<typeof createClientRequests>

/** Answers the agent's requests: approvals, files and terminals of the run's folder. */
export function createClientRequests(deps: Deps) {
  const { emitter, rpc } = deps
  const waiting = new Map<string, (decision: Decided) => void>()
  /** Actions that were allowed in this turn: an agent asks first and then writes through us. */
  const allowedPaths = new Set<string>()
  const allowedCommands = new Set<string>()
  const reported = new Set<string>()
  let open = 0
  let questionCount = 0

  async function decide(question: Question, raw: string): Promise<Decided> {
    const { decision, by } = await decideOn(deps, question)
    if (!emitter.isInTurn()) return "cancelled"
    const { kind: _kind, paths: _paths, ...approval } = question
    if (decision !== "ask") {
      if (by !== undefined) emitRuleDecision(emitter, approval, { decision, by, raw })
      return decision
    }
    const answered = Promise.withResolvers<Decided>()
    waiting.set(question.approvalId, answered.resolve)
    emitter.emit({ event: "approval.requested", ...approval }, raw)
    return answered.promise
  }

  const handlers: Readonly<Record<string, (request: Request, raw: string) => Promise<void>>> = {
    "session/request_permission": async ({ id, params }, raw) => {
      const parsed = PermissionRequest.safeParse(params)
      if (!parsed.success) return rpc.refuse(id, "invalid permission request", INVALID_PARAMS)
      const { toolCall } = parsed.data
      const before = deps.parser.calls.get(toolCall.toolCallId)
      const call = before === undefined ? toolCall : mergeCalls(before, toolCall)
      // A diff that only the question has belongs to the activity too.
      if (before !== undefined) deps.parser.calls.set(toolCall.toolCallId, call)
      if (!emitter.isActivityOpen(call.toolCallId)) startActivity(deps.parser, call)
      const facts = describeCall(call, emitter.redact)
      questionCount += 1
      const approvalId = `${call.toolCallId.slice(0, 150)}:${questionCount}`
      const question = { ...facts, approvalId, activityId: call.toolCallId }
      const decision = await decide(question, raw)
      if (decision === "deny") deps.parser.denied.add(call.toolCallId)
      if (decision === "allow") remember(facts)
      rpc.respond(id, { outcome: outcomeFor(decision, parsed.data.options) })
    },
    "fs/read_text_file": async ({ id, params }) => {
      const parsed = ReadFile.safeParse(params)
      if (!parsed.success) return rpc.refuse(id, "invalid file request", INVALID_PARAMS)
      const { path: requestedPath, line, limit } = parsed.data
      const file = await confinedPath(deps.options.cwd, requestedPath)
      if (file === undefined) return refuseOutside(id, "file", requestedPath)
      const input = JSON.stringify({ file_path: requestedPath })
      const question = { tool: "Read", kind: "read", input, cwd: deps.options.cwd } as const
      if (deps.options.verdict?.(question)?.decision === "deny") {
        return rpc.refuse(id, `Reading ${requestedPath} is denied by a permission rule.`, REFUSED)
      }
      const read = await readTextBounded(file, { maxBytes: MAX_FILE_BYTES })
      // Agents recognize a missing file by these words.
      if (read.kind === "missing") {
        return rpc.refuse(
          id,
          `Resource not found: ENOENT, no such file: ${requestedPath}`,
          NOT_FOUND,
        )
      }
      if (read.kind !== "read") return rpc.refuse(id, `${requestedPath}: ${read.kind}`, REFUSED)
      rpc.respond(id, { content: linesOf(read.text, line ?? 1, limit ?? undefined) })
    },
    "fs/write_text_file": async ({ id, params }, raw) => {
      const parsed = WriteFile.safeParse(params)
      if (!parsed.success) return rpc.refuse(id, "invalid file request", INVALID_PARAMS)
      const { path: requestedPath, content } = parsed.data
      const file = await confinedPath(deps.options.cwd, requestedPath)
      if (file === undefined) return refuseOutside(id, "file", requestedPath)
      questionCount += 1
      const question: Question = {
        approvalId: `write:${questionCount}`,
        activityId: undefined,
        tool: "Write",
        kind: "edit",
        title: titleLine(emitter.redact(`Write ${requestedPath}`)),
        input: JSON.stringify({ file_path: requestedPath, content }),
        paths: [requestedPath],
      }
      const isAllowed = allowedPaths.has(file) || (await decide(question, raw)) === "allow"
      if (!isAllowed) return rpc.refuse(id, `Writing ${requestedPath} was denied.`, REFUSED)
      await makeFolder(path.dirname(file))
      await writeFileAtomic(file, content, { mode: await modeOf(file) })
      rpc.respond(id, {})
    },
    "terminal/create": async ({ id, params }, raw) => {
      const parsed = CreateTerminal.safeParse(params)
      if (!parsed.success) return rpc.refuse(id, "invalid terminal request", INVALID_PARAMS)
      const { command, args, env, cwd, outputByteLimit } = parsed.data
      const folder = await confinedPath(deps.options.cwd, cwd ?? ".")
      if (folder === undefined) return refuseOutside(id, "folder", cwd ?? ".")
      if (deps.terminals.isFull()) return rpc.refuse(id, "too many terminals are open", REFUSED)
      questionCount += 1
      const line = [command, ...args].join(" ")
      const question: Question = {
        approvalId: `terminal:${questionCount}`,
        activityId: undefined,
        tool: "Bash",
        kind: "command",
        title: titleLine(emitter.redact(line)),
        input: JSON.stringify({ command: line }),
        paths: [],
      }
      const isAllowed = allowedCommands.has(line) || (await decide(question, raw)) === "allow"
      if (!isAllowed) return rpc.refuse(id, `Running ${quote(line)} was denied.`, REFUSED)
      const own = Object.fromEntries((env ?? []).map((it) => [it.name, it.value]))
      const terminal = await deps.terminals.create({
        program: command,
        args,
        cwd: folder,
        environment: { ...deps.options.environment, ...own },
        outputByteLimit: outputByteLimit ?? undefined,
      })
      if ("reason" in terminal) return rpc.refuse(id, terminal.reason, REFUSED)
      rpc.respond(id, { terminalId: terminal.id })
    },
    "terminal/output": ofTerminal(async (id) => deps.terminals.output(id)),
    "terminal/wait_for_exit": ofTerminal((id) => deps.terminals.waitForExit(id)),
    "terminal/kill": ofTerminal(async (id) => ((await deps.terminals.kill(id)) ? {} : undefined)),
    "terminal/release": ofTerminal(async (id) =>
      (await deps.terminals.release(id)) ? {} : undefined,
    ),
  }

  function ofTerminal(perform: (terminalId: string) => Promise<object | undefined>) {
    return async ({ id, params }: Request): Promise<void> => {
      const parsed = OfTerminal.safeParse(params)
      const result = parsed.success ? await perform(parsed.data.terminalId) : undefined
      if (result === undefined) rpc.refuse(id, "unknown terminal", NOT_FOUND)
      else rpc.respond(id, result)
    }
  }

  function refuseOutside(id: RpcId, what: string, requestedPath: string): void {
    const shown = quote(emitter.redact(requestedPath))
    rpc.refuse(id, `${shown} is outside the folder of this session.`, REFUSED)
    if (reported.has(shown) || reported.size >= MAX_REPORTED_PATHS) return
    reported.add(shown)
    const text = `${emitter.title} asked for a ${what} outside its folder: ${shown}. It was refused.`
    emitter.emit({ event: "message", type: "system", text })
  }

  function remember({ paths, kind, input }: ReturnType<typeof describeCall>): void {
    if (kind === "command") {
      const command = textField(parseJson(input), "command")
      if (command !== undefined) allowedCommands.add(command)
    }
    if (kind === "edit") {
      const files = paths.map((it) => leadsTo(path.resolve(deps.options.cwd, it)))
      for (const file of files) if (file !== undefined) allowedPaths.add(file)
    }
  }

  return {
    handle(request: Request, raw: string): void {
      const handler = Object.hasOwn(handlers, request.method) ? handlers[request.method] : undefined
      if (handler === undefined) {
        rpc.refuse(request.id, `unsupported request: ${request.method}`)
        return emitter.reportUnknown(request.method, raw)
      }
      if (open >= MAX_OPEN_REQUESTS) {
        return rpc.refuse(request.id, `more than ${MAX_OPEN_REQUESTS} open requests`, REFUSED)
      }
      open += 1
      void handler(request, raw)
        .catch((error: unknown) => rpc.refuse(request.id, reasonOf(error), REFUSED))
        .finally(() => {
          open -= 1
        })
    },
    answer(approvalId: string, { decision, by = "answer" }: Answer): void {
      const resolve = waiting.get(approvalId)
      if (resolve === undefined || !emitter.isApprovalOpen(approvalId)) {
        throw QuestionUnknown({ approvalId })
      }
      waiting.delete(approvalId)
      emitter.emit({ event: "approval.resolved", approvalId, decision, by })
      resolve(decision)
    },
    /** The protocol requires an answer to every open question of a cancelled turn. */
    cancelOpen(): void {
      for (const resolve of waiting.values()) resolve("cancelled")
      waiting.clear()
    },
    endTurn(): void {
      this.cancelOpen()
      allowedPaths.clear()
      allowedCommands.clear()
    },
  }
}

async function decideOn(deps: Deps, question: Question): Promise<ApprovalDecision> {
  const { tool, kind, input, paths } = question
  const { cwd, verdict } = deps.options
  const mode = deps.mode()
  const byMode = decideByMode(mode, kind)
  const checks = await Promise.all(paths.map((it) => checkOrdinaryFile(cwd, it)))
  const isOrdinary = paths.length > 0 && checks.every(Boolean)
  const isTooFar = mode === "edits" && byMode === "allow" && !isOrdinary
  return decideApproval(mode, verdict?.({ tool, kind, input, cwd }), isTooFar ? "ask" : byMode)
}

const OPTION_KINDS = {
  allow: ["allow_once", "allow_always"],
  deny: ["reject_once", "reject_always"],
  cancelled: [],
} as const satisfies Record<Decided, readonly string[]>

/** Once, if the agent offers it: lasting rules are ours. */
function outcomeFor(decision: Decided, options: PermissionRequest["options"]): object {
  const kinds: readonly string[] = OPTION_KINDS[decision]
  const option = kinds.map((kind) => options.find((it) => it.kind === kind)).find((it) => it)
  return option === undefined
    ? { outcome: "cancelled" }
    : { outcome: "selected", optionId: option.optionId }
}

/**
 * The real path of a file of the run, or undefined for one outside its folder. Links are resolved,
 * also those of folders above a file that does not exist yet.
 */
async function confinedPath(cwd: string, file: string): Promise<string | undefined> {
  const real = leadsTo(path.resolve(cwd, file))
  return real !== undefined && isInside(await realPath(cwd), real) ? real : undefined
}

async function makeFolder(folder: string): Promise<void> {
  const existing = await statFile(folder)
  if (existing.kind !== "found") await ensureDirectory(folder, { mode: 0o755 })
}

async function modeOf(file: string): Promise<number> {
  const existing = await statFile(file)
  return existing.kind === "found" ? existing.stat.mode & 0o777 : 0o644
}

function linesOf(text: string, first: number, limit: number | undefined): string {
  if (first === 1 && limit === undefined) return text
  const lines = text.split("\n")
  return lines.slice(first - 1, limit === undefined ? undefined : first - 1 + limit).join("\n")
}

function reasonOf(error: unknown): string {
  return isAppError(error) ? `${error.message} ${error.hint}` : "the request failed"
}
