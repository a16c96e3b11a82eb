import type { Approval } from "../../contract.ts"
import type { Entry } from "./entry.ts"

/** What a row can ask of the page around it. */
export type RowDoes = {
  readonly runId: string
  /** Where the run works: paths are said from there. */
  readonly cwd: string
  readonly now: number
  readonly isReadOnly: boolean
  /** By their id, the open and the answered ones. */
  readonly approvals: ReadonlyMap<string, Approval>
  /** The one that the keys answer. */
  readonly askedNow: string | null
  /** What is being written within activities, by their ids. */
  readonly writing: ReadonlyMap<string, string>
  isWhole(seq: number): boolean
  wantWhole(seq: number): void
  toggle(key: string): void
  pick(key: string, seq: number): void
  copyLink(entry: Entry): void
  copyText(entry: Entry): void
  showRaw(): void
}
