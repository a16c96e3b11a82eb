import { useMutation, useQueryClient } from "@tanstack/react-query"
import { visibleLine } from "../base/format.ts"
import { formatExact, type GatewayFolded, type GatewayRequest, plural } from "../contract.ts"
import { invalidateOperations } from "./keys.ts"
import { useClient } from "./queries.tsx"

type HandFold = {
  /** Consecutive requests of one proxied session. */
  readonly span: readonly GatewayRequest[]
  readonly summary: string
}

/** Folds the tool results of a span into a person's summary, from the next prompt of the session on. */
export function useHandFold(onFolded: (folded: GatewayFolded) => void) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ span, summary }: HandFold) =>
      client.write("gateway.fold", {
        id: span[0]?.proxiedSession ?? "",
        from: span[0]?.seq ?? 0,
        to: span.at(-1)?.seq ?? 0,
        summary,
      }),
    onSuccess: (folded) => {
      invalidateOperations(queries, ["gateway.show"])
      onFolded(folded)
    },
  })
}

/** Of a proxied session, and of its main conversation. */
export function requestsWithResults(
  requests: readonly GatewayRequest[],
  proxiedSession: string | undefined,
): readonly GatewayRequest[] {
  return requests.filter(
    (it) => it.proxiedSession === proxiedSession && it.agent === null && resultsIn(it).length > 0,
  )
}

export function resultsIn({ added }: Pick<GatewayRequest, "added">): GatewayRequest["added"] {
  return added.filter((it) => it.kind === "result")
}

function callName({ name, why }: GatewayRequest["added"][number]): string {
  return why === undefined ? name : `${name} ${why}`
}

/** The calls of the span, for the person to replace by what was found. */
export function draftOf(span: readonly GatewayRequest[]): string {
  const calls = span.flatMap((it) => resultsIn(it).map(callName))
  return calls.length === 0 ? "" : `Done: ${calls.map((it) => visibleLine(it)).join("; ")}.`
}

export function resultTokens(span: readonly GatewayRequest[]): number {
  return span.flatMap(resultsIn).reduce((sum, it) => sum + it.tokens, 0)
}

export function describeSpan(span: readonly GatewayRequest[]): string {
  const results = span.flatMap(resultsIn).length
  return results === 0
    ? "No request has a tool result."
    : `Replaces ${plural(results, "tool result")} with ${formatExact(resultTokens(span))} tokens from the next prompt on. Your own messages stay.`
}

export function describeFolded({ results }: GatewayFolded): string {
  return `${plural(results, "result")} will be folded at the next prompt`
}

/** Texts of the dialog in which a person selects requests and writes the summary. */
export const FOLD_DIALOG = {
  title: "Fold finished work",
  label: "Requests",
  verb: ["Fold", "Folding"],
  lineOf: (it: GatewayRequest) => ({
    key: String(it.seq),
    label: `Request ${it.seq}`,
    detail: visibleLine(resultsIn(it).map(callName).join(", ")),
  }),
  draftOf,
  describe: describeSpan,
} as const
