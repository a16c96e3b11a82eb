import { createHash } from "node:crypto"
import type { CaptureStart, ManifestItem, TokenScale } from "#ground/contract"
import type { HostItem } from "#see/hosts"

/** A megabyte takes about 80 ms to count and redact. */
export const PAUSE_AFTER_BYTES = 1024 * 1024

export type Counter = { readonly encoding: string; readonly count: (text: string) => number }

export type ItemCounts = Pick<
  ManifestItem,
  "tokens" | "tokensOnDemand" | "sha256" | "sentSha256" | "sentBytes"
>

export type EarlierCounts = {
  readonly estimator: string
  readonly scale?: TokenScale | undefined
  readonly start?: Pick<CaptureStart, "servers"> | undefined
  readonly items: readonly (ItemKind &
    Figures & { readonly sha256: string; readonly sentSha256?: string | undefined })[]
}

type Deps = {
  readonly encoding: string
  readonly scale: TokenScale | null
  readonly pace: Pace
  counter(): Promise<Counter>
}

/**
 * Reuses counts of an earlier capture. If nothing is new, the encoding's table is not loaded, which
 * costs more than the rest.
 */
export async function countItems(
  items: readonly HostItem[],
  earlier: EarlierCounts | undefined,
  deps: Deps,
): Promise<readonly ItemCounts[]> {
  const isSameCount =
    earlier?.estimator === deps.encoding && earlier.scale?.factor === deps.scale?.factor
  const earlierCounts = isSameCount ? knownFrom(earlier) : NOTHING
  const hashed = items.map((item) => ({ found: item, ...hashesOf(item) }))
  const isAllKnown = hashed.every((it) => earlierCounts.has(keyOf(it.found, it)))
  const counter = isAllKnown ? undefined : await deps.counter()
  const counted: ItemCounts[] = []
  for (const { found, sha256, sentSha256 } of hashed) {
    await deps.pace(found.file.bytes.length)
    const figures = earlierCounts.get(keyOf(found, { sha256, sentSha256 })) ?? weigh(found, counter)
    counted.push({
      tokens: figures.tokens,
      tokensOnDemand: figures.tokensOnDemand,
      sha256,
      sentBytes: Buffer.byteLength(found.sent),
      ...(sentSha256 === undefined ? {} : { sentSha256 }),
    })
  }
  return counted
}

const NOTHING: ReadonlyMap<string, Figures> = new Map()

type Figures = Pick<ItemCounts, "tokens" | "tokensOnDemand">
type ItemKind = { readonly path: string; readonly source: string; readonly load: string }
type Hashes = Pick<ItemCounts, "sha256"> & { readonly sentSha256: string | undefined }

function weigh({ frame, sent, later }: HostItem, counter: Counter | undefined): Figures {
  const count = counter?.count ?? (() => 0)
  return {
    tokens: sent === "" ? 0 : count(frame + sent),
    tokensOnDemand: later === "" ? 0 : count(later),
  }
}

function knownFrom({ items }: EarlierCounts): Map<string, Figures> {
  return new Map(
    items.map((it) => [keyOf(it, { sha256: it.sha256, sentSha256: it.sentSha256 }), it]),
  )
}

/** The frame follows from path and source, the later text from the file and its load mode. */
function keyOf({ path, source, load }: ItemKind, { sha256, sentSha256 }: Hashes): string {
  return JSON.stringify([path, source, load, sha256, sentSha256])
}

function hashesOf({ file, sent }: HostItem): Hashes {
  return { sha256: hash(file.bytes), sentSha256: sent === "" ? undefined : hash(sent) }
}

function hash(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex")
}

/** Called with the bytes of each step; yields to the event loop now and then. */
export type Pace = (bytes: number) => Promise<void>

/** A server that captures a huge context must stay responsive, and an aborted call must stop. */
export function createPace(deps: { readonly signal: AbortSignal; rest(): Promise<void> }): Pace {
  let worked = 0
  return async (bytes) => {
    worked += bytes
    if (worked < PAUSE_AFTER_BYTES) return
    worked = 0
    await deps.rest()
    deps.signal.throwIfAborted()
  }
}
