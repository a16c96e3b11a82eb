import { createHash } from "node:crypto"
import { z } from "zod"
import { PipelineEvent } from "#ground/contract"

/** An event as it is kept: its text, and a digest that holds the one before. */
export type KeptEvent = {
  readonly seq: number
  readonly at: number
  readonly body: string
  readonly digest: string
}

/** Before the first event. */
export const NO_DIGEST = ""

export function digestOf(run: string, before: string, event: Omit<KeptEvent, "digest">): string {
  const hash = createHash("sha256")
  // Lengths first: no part can be moved into its neighbour.
  for (const part of [run, before, String(event.seq), String(event.at), event.body]) {
    hash.update(`${part.length}:${part}`)
  }
  return hash.digest("hex").slice(0, 32)
}

/** The events, or the number of the first that is not as it was written. */
export type ChainReading =
  | { readonly kind: "events"; readonly events: PipelineEvent[]; readonly digest: string }
  | { readonly kind: "damaged"; readonly seq: number; readonly problem: string }

/**
 * Reads kept events and checks that none was edited and none is missing in between. A tail that is
 * gone cannot be told from a run that had not come so far: it is an earlier state.
 */
export function readChain(run: string, kept: readonly KeptEvent[]): ChainReading {
  const events: PipelineEvent[] = []
  let digest = NO_DIGEST
  for (const [index, row] of kept.entries()) {
    const seq = index + 1
    if (row.seq !== seq) return { kind: "damaged", seq, problem: "is missing" }
    if (digestOf(run, digest, row) !== row.digest) {
      return { kind: "damaged", seq, problem: "is not as it was written" }
    }
    const event = eventOf(row)
    if (event === undefined) return { kind: "damaged", seq, problem: "has a shape nobody knows" }
    events.push(event)
    digest = row.digest
  }
  return { kind: "events", events, digest }
}

const Json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue({ code: "custom", message: "not JSON" })
    return z.NEVER
  }
})

function eventOf({ seq, at, body }: KeptEvent): PipelineEvent | undefined {
  const json = Json.safeParse(body)
  if (!json.success) return undefined
  const parsed = PipelineEvent.safeParse({ seq, at, body: json.data })
  return parsed.success ? parsed.data : undefined
}
