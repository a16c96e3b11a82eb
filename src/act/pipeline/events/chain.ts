import { createHash } from "node:crypto"
import { z } from "zod"
import { PipelineEvent } from "#ground/contract"

export type KeptEvent = {
  readonly seq: number
  readonly at: number
  readonly body: string
  readonly digest: string
}

export const NO_DIGEST = ""

export function digestOf(run: string, before: string, event: Omit<KeptEvent, "digest">): string {
  const hash = createHash("sha256")
  // Length-prefixed, so that no bytes can move from one part to the next.
  for (const part of [run, before, String(event.seq), String(event.at), event.body]) {
    hash.update(`${part.length}:${part}`)
  }
  return hash.digest("hex").slice(0, 32)
}

export type ChainReading =
  | { readonly kind: "events"; readonly events: PipelineEvent[]; readonly digest: string }
  | { readonly kind: "damaged"; readonly seq: number; readonly problem: string }

/**
 * Detects edited and missing events. A lost tail cannot be distinguished from an earlier state of
 * the run.
 */
export function readChain(run: string, rows: readonly KeptEvent[]): ChainReading {
  const events: PipelineEvent[] = []
  let digest = NO_DIGEST
  for (const [index, row] of rows.entries()) {
    const seq = index + 1
    if (row.seq !== seq) return { kind: "damaged", seq, problem: "is missing" }
    if (digestOf(run, digest, row) !== row.digest) {
      return { kind: "damaged", seq, problem: "was edited" }
    }
    const event = eventOf(row)
    if (event === undefined) return { kind: "damaged", seq, problem: "has an unknown format" }
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
