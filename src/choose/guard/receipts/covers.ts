import { CLOCK_SLACK_MS, LONGEST_COVER_MS } from "../limits.ts"
import type { KeptReceipt } from "./receipt.ts"

/** An edit that a session made, with the hash that the file had after it. */
export type OwnEdit = { readonly path: string; readonly hash: string | null; readonly at: number }

/** An edit that is about to be made. */
export type AskedEdit = {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  /** Of the file as it is now; null where there is none. */
  readonly hash: string | null
  readonly session: { readonly edits: readonly OwnEdit[] }
  readonly now: number
}

type Covering = Pick<KeptReceipt, "paths" | "at">

/**
 * Whether one of the receipts covers an edit: the path is in it, the file is as it was simulated or
 * as the session itself has left it since, and the receipt is under four hours old.
 */
export function covers(receipts: readonly Covering[], asked: AskedEdit): boolean {
  return receipts.some((it) => coversEdit(it, asked))
}

function coversEdit({ paths, at }: Covering, asked: AskedEdit): boolean {
  const ageMs = asked.now - at
  // Said so that an age which is no number is refused too.
  const isYoung = ageMs < LONGEST_COVER_MS && ageMs >= -CLOCK_SLACK_MS
  if (!isYoung) return false
  const simulated = paths.find((it) => it.path === asked.path)
  if (simulated === undefined) return false
  return simulated.blobId === asked.hash || isOwnEdit(asked, at)
}

/** An edit from before the simulation is none of what was simulated. */
function isOwnEdit({ path, hash, session }: AskedEdit, since: number): boolean {
  return session.edits.some((it) => it.path === path && it.hash === hash && it.at >= since)
}
