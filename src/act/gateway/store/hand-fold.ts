import type { GatewayFolded, GatewayRequest, OperationInput } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import { HandFoldRefused } from "../errors.ts"
import type { MaskStore } from "./masks.ts"
import type { StoreDeps } from "./rows.ts"
import { showProxiedSessions } from "./views.ts"

const MOST_REQUESTS = 2_000

type HandFoldDeps = StoreDeps & {
  readonly masks: Pick<MaskStore, "addOrder">
  secrets(): Promise<Pick<Secrets, "redact">>
}

/** Stores a person's fold of a span; the gateway applies it at the next prompt of the session. */
export function foldByHand(deps: HandFoldDeps) {
  const show = showProxiedSessions(deps)
  return async (input: OperationInput<"gateway.fold">): Promise<GatewayFolded> => {
    const { id, from, to, summary } = input
    const { sessions, requests } = await show({ id, limit: MOST_REQUESTS })
    const own = sessions.at(-1)
    if (own?.mode !== "fold") throw HandFoldRefused({ reason: "the session was only recorded" })
    const span = requests.filter((it) => isOfSpan(it, own.id, { from, to }))
    const session = span.at(-1)?.session ?? null
    const results = span.flatMap((it) => it.added.filter((item) => item.kind === "result"))
    if (session === null || results.length === 0) {
      throw HandFoldRefused({ reason: `requests ${from} to ${to} brought no tool results` })
    }
    const { text } = (await deps.secrets()).redact(summary)
    const hashes = [...new Set(results.map((it) => it.sha256))]
    await deps.masks.addOrder(session, { id: deps.ids.next("gf"), summary: text, hashes })
    const tokens = results.reduce((sum, it) => sum + it.tokens, 0)
    return { session, results: results.length, tokens }
  }
}

type SeqRange = { readonly from: number; readonly to: number }

/** Only of the main conversation: sub-agents have windows of their own. */
function isOfSpan(
  { proxiedSession, seq, agent }: GatewayRequest,
  id: string,
  { from, to }: SeqRange,
): boolean {
  return proxiedSession === id && agent === null && seq >= from && seq <= to
}
