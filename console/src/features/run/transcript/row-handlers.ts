import type { Approval } from "../../../contract.ts"
import type { Entry } from "./entry.ts"

export type RowHandlers = {
  readonly runId: string
  readonly cwd: string
  readonly now: number
  readonly isReadOnly: boolean
  readonly approvals: ReadonlyMap<string, Approval>
  readonly askedNow: string | null
  readonly writing: ReadonlyMap<string, string>
  /** Where the last turn failed: sends its prompt once more. */
  readonly again: { readonly seq: number; send(): void } | null
  isWhole(seq: number): boolean
  wantWhole(seq: number): void
  toggle(key: string): void
  pick(key: string, seq: number): void
  copyLink(entry: Entry): void
  copyText(entry: Entry): void
  showRaw(): void
}
