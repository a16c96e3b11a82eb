import type { ActivityKind, AgentMode } from "#ground/contract"
import type { Answer, PermissionQuestion, Verdict } from "../agent.ts"
import { QuestionUnknown } from "../errors.ts"
import {
  type ApprovalDecision,
  checkOrdinaryFile,
  decideApproval,
  decideByMode,
  emitRuleDecision,
} from "../wire/approval-decision.ts"
import type { EventEmitter } from "../wire/event-emitter.ts"
import type { RpcId } from "../wire/json-rpc.ts"
import { inputText, titleLine } from "../wire/tool-text.ts"
import type { ActivityFacts } from "./parse-stream.ts"
import { ApprovalOf, ToolOfServer } from "./schema.ts"

type Deps = {
  readonly emitter: EventEmitter
  readonly rpc: {
    respond(id: RpcId, result: object): void
    refuse(id: RpcId, message: string): void
  }
  readonly cwd: string
  readonly about: ReadonlyMap<string, ActivityFacts>
  readonly verdict: ((ask: PermissionQuestion) => Verdict | undefined) | undefined
  mode(): AgentMode
}

type Request = { readonly id: RpcId; readonly method: string; readonly params: unknown }

export function createApprovals(deps: Deps) {
  const { emitter, rpc } = deps
  const waiting = new Map<string, Question>()

  return {
    handle(request: Request, raw: string) {
      const question = questionOf(request, { about: deps.about, redact: emitter.redact })
      if (question === undefined) {
        rpc.refuse(request.id, `unsupported request: ${request.method}`)
        return emitter.reportUnknown(request.method, raw)
      }
      void decideOn(deps, question).then(({ decision, by }) => {
        const { id, turnId, activityId, tool, title, input } = question
        const approval = { approvalId: `${turnId}:${id}`, activityId, tool, title, input }
        if (decision !== "ask") rpc.respond(id, question.response(decision))
        // The turn may have ended meanwhile.
        if (!emitter.isInTurn()) return
        if (decision === "ask") {
          waiting.set(approval.approvalId, question)
          emitter.emit({ event: "approval.requested", ...approval }, raw)
        } else if (by !== undefined) emitRuleDecision(emitter, approval, { decision, by, raw })
      })
    },
    answer(approvalId: string, answer: Answer): void {
      const question = waiting.get(approvalId)
      const isWaiting = question !== undefined && emitter.isApprovalOpen(approvalId)
      if (!isWaiting) throw QuestionUnknown({ approvalId })
      waiting.delete(approvalId)
      rpc.respond(question.id, question.response(answer.decision))
      const { decision, by = "answer" } = answer
      emitter.emit({ event: "approval.resolved", approvalId, decision, by })
    },
    resolved(id: RpcId): void {
      for (const [approvalId, question] of waiting) {
        if (question.id !== id) continue
        waiting.delete(approvalId)
        emitter.emit({ event: "approval.resolved", approvalId, decision: "expired", by: "agent" })
      }
    },
  }
}

async function decideOn(deps: Deps, question: Question): Promise<ApprovalDecision> {
  const { tool, kind, input, cwd = deps.cwd, wantsMore } = question
  const verdict = deps.verdict?.({ tool, kind, input, cwd })
  // A rule covers a command or a file, not further permissions.
  const isTooMuch = verdict?.decision === "allow" && wantsMore
  const byMode = await decideQuestionByMode(deps, question)
  return decideApproval(deps.mode(), isTooMuch ? undefined : verdict, byMode)
}

async function decideQuestionByMode(
  deps: Deps,
  { kind, paths, wantsMore }: Question,
): Promise<"allow" | "deny" | "ask"> {
  const byMode = decideByMode(deps.mode(), kind)
  if (byMode !== "allow" || deps.mode() !== "edits") return byMode
  const checks = await Promise.all(paths.map((it) => checkOrdinaryFile(deps.cwd, it)))
  const isOrdinary = paths.length > 0 && !wantsMore && checks.every(Boolean)
  return isOrdinary ? "allow" : "ask"
}

type Question = {
  readonly id: RpcId
  readonly turnId: string
  readonly activityId: string | undefined
  readonly tool: string
  readonly kind: ActivityKind
  readonly title: string
  readonly input: string
  readonly cwd: string | undefined
  readonly paths: readonly string[]
  readonly wantsMore: boolean
  response(decision: "allow" | "deny"): object
}

type QuestionContext = {
  readonly about: ReadonlyMap<string, ActivityFacts>
  redact(text: string): string
}

export function questionOf(request: Request, context: QuestionContext): Question | undefined {
  const { id, method, params } = request
  if (method === "mcpServer/elicitation/request") return serverQuestion(request, context)
  const parsed = ApprovalOf.safeParse(params)
  return isApproval(method) && parsed.success
    ? approvalQuestion(id, { method, approval: parsed.data }, context)
    : undefined
}

const KINDS = {
  "item/commandExecution/requestApproval": { kind: "command", tool: "exec_command" },
  "item/fileChange/requestApproval": { kind: "edit", tool: "apply_patch" },
  "item/permissions/requestApproval": { kind: "other", tool: "request_permissions" },
} as const

type Method = keyof typeof KINDS

function isApproval(method: string): method is Method {
  return method in KINDS
}

function approvalQuestion(
  id: RpcId,
  { method, approval }: { readonly method: Method; readonly approval: ApprovalOf },
  { about, redact }: QuestionContext,
): Question {
  const { kind, tool } = KINDS[method]
  const { turnId, itemId: activityId, command, reason, cwd } = approval
  const facts = about.get(activityId)
  return {
    id,
    turnId,
    activityId,
    tool,
    kind,
    title: facts?.title ?? titleLine(redact(command ?? reason ?? tool)),
    input: command ?? facts?.input ?? inputText(approval),
    cwd: cwd ?? undefined,
    paths: facts?.paths ?? [],
    wantsMore: wantsMore(method, approval),
    response(decision) {
      const isAllowed = decision === "allow"
      if (method !== "item/permissions/requestApproval") {
        return { decision: isAllowed ? "accept" : "decline" }
      }
      return { permissions: isAllowed ? (approval.permissions ?? {}) : {}, scope: "turn" }
    },
  }
}

/** A command has a reason when it is to run outside the sandbox (seen on 0.166.0). */
function wantsMore(method: Method, approval: ApprovalOf): boolean {
  const { grantRoot, networkApprovalContext: net, kind, reason } = approval
  const isOfCommand = kind === undefined || kind === null || kind === "command"
  const isOutside = KINDS[method].kind === "command" && typeof reason === "string"
  const isOfNet = net !== undefined && net !== null
  return typeof grantRoot === "string" || isOfNet || !isOfCommand || isOutside
}

function serverQuestion(
  { id, params }: Request,
  { redact }: Pick<QuestionContext, "redact">,
): Question | undefined {
  const parsed = ToolOfServer.safeParse(params)
  if (!parsed.success) return undefined
  const { serverName, turnId, _meta: meta } = parsed.data
  const tool = toolIn(parsed.data)
  return {
    id,
    turnId: turnId ?? "",
    activityId: undefined,
    tool: tool === undefined ? `mcp__${serverName}` : `mcp__${serverName}__${tool}`,
    kind: "mcp",
    title: titleLine(redact(`${serverName} ${tool ?? ""}`)),
    input: inputText(meta.tool_params),
    cwd: undefined,
    paths: [],
    wantsMore: false,
    response: (decision) => ({
      action: decision === "allow" ? "accept" : "decline",
      content: decision === "allow" ? {} : null,
      _meta: null,
    }),
  }
}

/** The tool's name is only in the host's sentence (0.166.0); another sentence names none. */
function toolIn({ serverName, message }: ToolOfServer): string | undefined {
  const before = `Allow the ${serverName} MCP server to run tool "`
  const isExpected = message.startsWith(before) && message.endsWith('"?')
  return isExpected ? message.slice(before.length, -2) : undefined
}
