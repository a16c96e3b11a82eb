import { isRecord, type JsonRecord, listOf, recordOf, textOf } from "../read/json.ts"
import type { Conversation } from "./conversation.ts"
import { bytesOfTurns, callsInTurns, doubtOfTurns, editsOfTurns } from "./messages.ts"
import type { Span } from "./scan.ts"
import { turnOf } from "./turns.ts"
import { newViolation, violationsOf } from "./validity.ts"

/** A request of the Messages wire, or in words why it is left alone. */
export function readMessages(request: JsonRecord, spans: readonly Span[]): Conversation | string {
  if (isAttested(request.system)) return "the client attests its body"
  const turns = listOf(request.messages).map(turnOf)
  return {
    calls: callsInTurns(turns),
    doubtOf: (region) => doubtOfTurns(turns, region),
    bytesOf: (region) => bytesOfTurns(turns, spans, region),
    editsOf: (groups) => editsOfTurns(turns, groups),
    violationIn(before, after) {
      const tools = toolNames(request.tools)
      const [old, now] = [before, after].map((it) => violationsOf(it.map(turnOf), tools))
      return newViolation(old ?? [], now ?? [])
    },
  }
}

/** `cch=` in the billing header is a sum over the body, which we neither break nor make. */
function isAttested(system: unknown): boolean {
  const first: unknown = listOf(system)[0]
  return /\bcch=/.test(typeof system === "string" ? system : textOf(recordOf(first).text))
}

function toolNames(tools: unknown): ReadonlySet<unknown> | undefined {
  return Array.isArray(tools) ? new Set(tools.filter(isRecord).map((it) => it.name)) : undefined
}
