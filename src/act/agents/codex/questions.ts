import type { ActivityKind } from "#ground/contract"
import { inputText, oneLine } from "../wire/text.ts"
import type { About } from "./hear.ts"
import { ApprovalOf, type RpcId, ToolOfServer } from "./shapes.ts"

/** One thing the host wants to know, in our words; `response` is what it hears. */
export type Question = {
  readonly id: RpcId
  readonly turnId: string
  readonly activityId: string | undefined
  readonly tool: string
  readonly kind: ActivityKind
  readonly title: string
  readonly input: string
  readonly cwd: string | undefined
  /** The files a patch would touch. */
  readonly paths: readonly string[]
  /** The net, a whole folder, no sandbox, or what a running command is told. */
  readonly wantsMore: boolean
  response(decision: "allow" | "deny"): object
}

type Request = { readonly id: RpcId; readonly method: string; readonly params: unknown }

/** undefined for what is not answered here. */
export function questionOf(it: Request, known: Known): Question | undefined {
  if (it.method === "mcpServer/elicitation/request") return serverQuestion(it, known)
  const asked = ApprovalOf.safeParse(it.params)
  return isApproval(it.method) && asked.success
    ? approvalQuestion(it.id, { method: it.method, asked: asked.data }, known)
    : undefined
}

export type Known = {
  readonly about: ReadonlyMap<string, About>
  redact(text: string): string
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
  { method, asked }: { readonly method: Method; readonly asked: ApprovalOf },
  { about, redact }: Known,
): Question {
  const { kind, tool } = KINDS[method]
  const { turnId, itemId: activityId, command, reason, cwd } = asked
  const known = about.get(activityId)
  return {
    id,
    turnId,
    activityId,
    tool,
    kind,
    title: known?.title ?? oneLine(redact(command ?? reason ?? tool)),
    input: command ?? known?.input ?? inputText(asked),
    cwd: cwd ?? undefined,
    paths: known?.paths ?? [],
    wantsMore: wantsMore(method, asked),
    response: (decision) => approvalResponse(method, asked, decision),
  }
}

/** A command comes with a reason when it is to run outside the sandbox (seen on 0.166.0). */
function wantsMore(method: Method, asked: ApprovalOf): boolean {
  const { grantRoot, networkApprovalContext: net, kind, reason } = asked
  const isOfCommand = kind === undefined || kind === null || kind === "command"
  const isOutside = KINDS[method].kind === "command" && typeof reason === "string"
  const isOfNet = net !== undefined && net !== null
  return typeof grantRoot === "string" || isOfNet || !isOfCommand || isOutside
}

function approvalResponse(method: Method, asked: ApprovalOf, decision: "allow" | "deny"): object {
  if (method !== "item/permissions/requestApproval") {
    return { decision: decision === "allow" ? "accept" : "decline" }
  }
  const permissions = decision === "allow" ? (asked.permissions ?? {}) : {}
  return { permissions, scope: "turn" }
}

/** A server's tool; what a server itself wants to know of a person is not answered here. */
function serverQuestion(
  { id, params }: Request,
  { redact }: Pick<Known, "redact">,
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
    title: oneLine(redact(`${serverName} ${tool ?? ""}`)),
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

/** Its name stands only in the host's sentence (0.166.0); another sentence names none. */
function toolIn({ serverName, message }: ToolOfServer): string | undefined {
  const before = `Allow the ${serverName} MCP server to run tool "`
  const isKnown = message.startsWith(before) && message.endsWith('"?')
  return isKnown ? message.slice(before.length, -2) : undefined
}
