import type { FoldCall, FoldGroup, Region } from "./select.ts"
import type { Edits } from "./splice.ts"

/** A request's conversation, whichever wire it is of: its elements are messages or items. */
export type Conversation = {
  readonly calls: readonly FoldCall[]
  /** Why a region cannot be taken out, in words; null when it can. */
  doubtOf(region: Region): string | null
  /** How much it holds, without what changes from request to request. */
  bytesOf(region: Region): number
  editsOf(groups: readonly FoldGroup[]): Edits
  /** What a provider would refuse in the second list and not in the first. */
  violationIn(before: readonly unknown[], after: readonly unknown[]): string | undefined
}
