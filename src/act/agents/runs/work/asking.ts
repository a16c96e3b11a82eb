import { createHash } from "node:crypto"
import { z } from "zod"
import type { Clock, Ids } from "#ground/base"
import type { AgentEvent, Approval, Run } from "#ground/contract"
import type { Tx } from "#ground/store"
import type { EmittedEvent } from "../../agent.ts"
import { APPROVAL_LIFE_MS } from "../../limits.ts"
import {
  answerApproval,
  insertApproval,
  replaceApprovals,
  useAnswer,
} from "../kept/approval-queries.ts"

type Deps = {
  readonly clock: Clock
  readonly ids: Ids
  redact(text: string): string
}

type Requested = Extract<AgentEvent, { event: "approval.requested" }>
type Resolved = Extract<AgentEvent, { event: "approval.resolved" }>

type Asked = { readonly approval: Approval; readonly hostId: string }

/** What became of questions in one go: to be written beside the messages that tell of it. */
export type Questions = {
  readonly asked: readonly Asked[]
  readonly resolved: readonly Resolved[]
}

/**
 * A host names its questions as it likes, and may use a name again. Ours are unique, so what is told
 * carries ours; the host's is kept for the answer.
 */
export function createAsking(run: Run, deps: Deps) {
  const names = new Map<string, string>()
  const hosts = new Map<string, string>()

  function ask(event: Requested): Asked {
    const approval = approvalOf(event, run, deps)
    // The host may use a name again: an answer to the earlier question is none to this one.
    hosts.delete(names.get(event.approvalId) ?? "")
    names.set(event.approvalId, approval.id)
    hosts.set(approval.id, event.approvalId)
    return { approval, hostId: event.approvalId }
  }
  function take(
    heard: readonly EmittedEvent[],
  ): Questions & { readonly heard: readonly EmittedEvent[] } {
    const asked: Asked[] = []
    const resolved: Resolved[] = []
    const renamed = heard.map((it): EmittedEvent => {
      const { event } = it
      if (event.event === "approval.requested") {
        const question = ask(event)
        asked.push(question)
        return { ...it, event: { ...event, approvalId: question.approval.id } }
      }
      if (event.event !== "approval.resolved") return it
      const approvalId = names.get(event.approvalId) ?? event.approvalId
      resolved.push({ ...event, approvalId })
      return { ...it, event: { ...event, approvalId } }
    })
    return { heard: renamed, asked, resolved }
  }
  return { take, hostIdOf: (approvalId: string): string | undefined => hosts.get(approvalId) }
}

function approvalOf(event: Requested, run: Run, deps: Deps): Approval {
  const at = deps.clock.now()
  return {
    id: deps.ids.next("apr"),
    runId: run.id,
    tool: deps.redact(event.tool),
    title: deps.redact(event.title),
    input: deps.redact(event.input),
    digest: digestOf(event, run.cwd),
    path: pathIn(deps.redact(event.input)),
    cwd: run.cwd,
    status: "open",
    requestedAt: at,
    expiresAt: at + APPROVAL_LIFE_MS,
    answeredAt: null,
    answeredBy: null,
    note: null,
  }
}

/** An answer is for exactly this: the same tool with the same input in the same place. */
export function digestOf(asked: Pick<Approval, "tool" | "input">, cwd: string): string {
  return createHash("sha256")
    .update(JSON.stringify([asked.tool, asked.input, cwd]))
    .digest("hex")
}

const Pathlike = z.object({ file_path: z.string(), path: z.string() }).partial()

function pathIn(input: string): string | null {
  try {
    const found = Pathlike.safeParse(JSON.parse(input))
    return found.data?.file_path ?? found.data?.path ?? null
  } catch {
    // Plain text, not JSON: a command.
    return null
  }
}

const RESOLVED = { allow: "allowed", deny: "denied", expired: "expired" } as const

/** New questions, and what a rule or the host itself decided; a person's answer is there already. */
export async function keepQuestions(
  tx: Tx<"agents">,
  { asked, resolved }: Questions,
  { run, at }: { readonly run: Run; readonly at: number },
): Promise<void> {
  for (const { approval, hostId } of asked) {
    await tx.run(replaceApprovals(approval, at))
    await tx.run(insertApproval(approval, hostId))
    tx.emit("agents.asked", { id: run.id, approvalId: approval.id, title: approval.title })
  }
  for (const { approvalId, decision, by } of resolved) {
    const status = RESOLVED[decision]
    const { changes } = await tx.run(answerApproval(approvalId, { status, at, by, note: null }))
    await tx.run(useAnswer(approvalId, at))
    if (changes > 0) tx.emit("agents.answered", { id: run.id, approvalId, status })
  }
}
